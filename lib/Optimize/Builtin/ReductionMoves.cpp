/// \file
/// warp-per-row and split-reduction: several threads share one long sum. Both
/// change the order of the additions; the worker's tolerance decides.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;

namespace {

/// What both moves need: one thread index, one sum loop.
struct RowSum {
  const ThreadIndex *Thread = nullptr;
  GuardedBody Body;
  SumLoop Sum;
  unsigned AlongLoop = 0, AlongThread = 0; ///< Contiguous accesses.
  bool ThreadSteps = false; ///< An access moves with the thread by more.
};

std::string readRowSum(const MoveInput &In, RowSum &Out) {
  const KernelView &View = In.View;
  std::string Why = dependsOnBlock(View);
  if (Why.empty())
    Why = sharedBuffer(In.Data);
  if (Why.empty() && !In.From.Plan.Tunables.empty())
    Why = "the plan already chooses its blocks";
  if (Why.empty() && (View.Threads.size() != 1 || View.Threads[0].Axis != 0))
    Why = "the kernel does not use the x axis alone";
  if (!Why.empty())
    return Why;
  Out.Thread = &View.Threads[0];
  if (!View.guarded(Out.Thread->Var))
    return "the thread index is not compared with its bound";
  auto Body = guardedBody(View, Why);
  if (!Body)
    return Why;
  auto Sum = sumLoop(View, *Body, Why);
  if (!Sum)
    return Why;
  Out.Body = std::move(*Body);
  Out.Sum = std::move(*Sum);
  std::string Loop = View.key(Out.Sum.Loop->Var);
  std::string Thread = View.key(Out.Thread->Var);
  for (const Access &A : View.accesses(Out.Sum.Loop->For->getBody()).All) {
    auto L = A.Index.coefficient(Loop), T = A.Index.coefficient(Thread);
    if (!L || !T)
      continue;
    Out.AlongLoop += L->asConstant() == 1 && *T != Polynomial();
    Out.AlongThread += T->asConstant() == 1 && *L != Polynomial();
  }
  return "";
}

bool writesMemory(const KernelView &View, const Stmt *S) {
  Accesses All = View.accesses(S);
  return !All.Unknown.empty() ||
         llvm::any_of(All.All, [](const Access &A) { return A.Write; });
}

/// Statements before the loop that only set up registers.
std::string impureSetup(const KernelView &View, const RowSum &R) {
  for (size_t I = 0; I < R.Sum.Position; ++I)
    if (writesMemory(View, R.Body.Inner[I]))
      return "'" + View.text(R.Body.Inner[I]) +
             "' writes memory before the loop";
  return "";
}

using Variables = std::set<const VarDecl *>;

/// Those of the statements before the loop that \p Needed depends on.
std::string setupFor(const KernelView &View, const RowSum &R,
                     Variables Needed) {
  std::string Text;
  for (size_t I = R.Sum.Position; I-- > 0;) {
    const Stmt *S = R.Body.Inner[I];
    Variables Sets = View.modified(S);
    if (auto *Declares = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declares->decls())
        if (auto *Var = dyn_cast<VarDecl>(D))
          Sets.insert(Var);
    if (!View.synchronises(S) &&
        llvm::none_of(Sets, [&](const VarDecl *V) { return Needed.count(V); }))
      continue;
    Text = "    " + View.text(S) + "\n" + Text;
    Variables Mentioned = View.mentioned(S);
    Needed.insert(Mentioned.begin(), Mentioned.end());
  }
  return Text;
}

/// Names of the partial sums, and the edits that make the loop add to them.
std::vector<std::string> partials(const KernelView &View, const RowSum &R,
                                  TextEdits &Edits) {
  std::vector<std::string> Names;
  for (const VarDecl *Sum : R.Sum.Sums)
    Names.push_back(View.freshName(Sum->getNameAsString() + "_part"));
  for (const SumLoop::Update &U : R.Sum.Updates)
    Edits.replace(*View.range(U.Left),
                  Names[llvm::find(R.Sum.Sums, U.Sum) - R.Sum.Sums.begin()]);
  return Names;
}

/// `begin` becomes `begin + Start`, `++v` becomes `v += Step`.
bool stride(const KernelView &View, const LoopView &L, const std::string &Start,
            const std::string &Step, TextEdits &Edits) {
  auto Begin = View.range(L.Begin), Inc = View.range(L.For->getInc());
  if (!Begin || !Inc)
    return false;
  std::string From = View.text(*Begin).str();
  bool Zero = View.polynomial(L.Begin) == Polynomial::constant(0);
  Edits.replace(*Begin, Zero ? Start : "(" + From + ") + " + Start);
  Edits.replace(*Inc, L.Var->getNameAsString() + " += " + Step);
  return true;
}

} // namespace

MoveOutcome mep::warpPerRow(const MoveInput &In) {
  const KernelView &View = In.View;
  RowSum R;
  std::string Why = readRowSum(In, R);
  if (Why.empty() && In.On.WarpSize != 32)
    Why = "the device's warps are not 32 threads wide";
  if (Why.empty() && R.AlongLoop == 0)
    Why = "no row of the sum is contiguous along the loop";
  if (Why.empty())
    Why = impureSetup(View, R);
  const VarDecl *Row = R.Thread ? R.Thread->Var : nullptr;
  auto Init = Row ? View.range(Row->getInit()) : std::nullopt;
  auto Loop = R.Sum.Loop ? View.range(R.Sum.Loop->For) : std::nullopt;
  const Stmt *Decl = nullptr;
  for (const Stmt *S : R.Body.Prologue)
    if (llvm::is_contained(cast<DeclStmt>(S)->decls(), Row))
      Decl = S;
  auto DeclEnd = Decl ? View.range(Decl) : std::nullopt;
  if (Why.empty() && (!Init || !Loop || !DeclEnd))
    Why = "the thread index or the loop comes from a macro";
  if (!Why.empty())
    return MoveOutcome::refuse(Why);

  TextEdits Edits;
  std::string Lane = View.freshName("lane"), Step = View.freshName("offset");
  std::string Indent = View.indentation(Loop->Begin), Line = "\n" + Indent;
  Edits.replace(*Init, "(" + View.text(*Init).str() + ") / 32");
  Edits.insert(DeclEnd->End, "\n" + View.indentation(DeclEnd->Begin) +
                                 "const int " + Lane + " = threadIdx.x % 32;");
  std::vector<std::string> Names = partials(View, R, Edits);
  std::string Before, Shuffle, After;
  for (size_t I = 0; I < Names.size(); ++I) {
    std::string Sum = R.Sum.Sums[I]->getNameAsString();
    Before += typeText(View, R.Sum.Sums[I]) + " " + Names[I] + " = 0;" + Line;
    Shuffle += Line + "  " + Names[I] + " += __shfl_xor_sync(0xffffffffu, " +
               Names[I] + ", " + Step + ");";
    After += Line + Sum + " += " + Names[I] + ";";
  }
  Edits.insert(Loop->Begin, Before);
  if (!stride(View, *R.Sum.Loop, Lane, "32", Edits))
    return MoveOutcome::refuse("the loop's head comes from a macro");
  Edits.insert(Loop->End, Line + "for (int " + Step + " = 16; " + Step +
                              " > 0; " + Step + " /= 2) {" + Shuffle + Line +
                              "}" + After);
  if (R.Sum.Position + 1 < R.Body.Inner.size()) {
    auto First = View.range(R.Body.Inner[R.Sum.Position + 1]);
    auto Last = View.range(R.Body.Inner.back());
    Edits.insert(First->Begin, "if (" + Lane + " == 0) {" + Line);
    Edits.insert(Last->End, Line + "}");
  }
  LaunchPlan Plan = In.From.Plan;
  std::string Block = View.freshName("BLOCK_X");
  Plan.Tunables.push_back({Block, {64, 128, 256, 512}});
  reshape(*mainLaunch(Plan, In.View), {Block}, {"32"});
  return finish(In, "warp-per-row", Edits, std::move(Plan),
                {"adds the terms of a sum in another order"});
}

MoveOutcome mep::splitReduction(const MoveInput &In) {
  const KernelView &View = In.View;
  RowSum R;
  std::string Why = readRowSum(In, R);
  if (Why.empty() && R.AlongThread == 0)
    Why = "no row of the sum is contiguous along the threads";
  if (Why.empty())
    Why = impureSetup(View, R);
  auto Loop = R.Sum.Loop ? View.range(R.Sum.Loop->For) : std::nullopt;
  auto Whole = View.range(View.Body);
  if (Why.empty() && (!Loop || !Whole || R.Body.Inner.empty()))
    Why = "the loop comes from a macro";
  if (!Why.empty())
    return MoveOutcome::refuse(Why);

  std::string X = View.freshName("BLOCK_X"), Split = View.freshName("SPLIT");
  std::string Part = View.freshName("part");
  TextEdits Loops;
  std::vector<std::string> Names = partials(View, R, Loops);
  if (!stride(View, *R.Sum.Loop, "threadIdx.y", Split, Loops))
    return MoveOutcome::refuse("the loop's head comes from a macro");
  auto LoopText = Loops.applyWithin(In.From.Text, *Loop);
  if (!LoopText)
    return MoveOutcome::refuse("its edits overlap");

  // The sum once by all threads, then the rest by the first row of the block.
  std::string Shared, Zero, Store, Collect, Tail;
  Variables ForLoop = View.mentioned(R.Sum.Loop->For);
  Variables ForTail(R.Sum.Sums.begin(), R.Sum.Sums.end());
  for (const VarDecl *Sum : R.Sum.Sums)
    ForLoop.erase(Sum); // A partial sum stands for it there.
  for (size_t I = R.Sum.Position + 1; I < R.Body.Inner.size(); ++I) {
    Tail += "    " + View.text(R.Body.Inner[I]) + "\n";
    Variables Mentioned = View.mentioned(R.Body.Inner[I]);
    ForTail.insert(Mentioned.begin(), Mentioned.end());
  }
  for (size_t I = 0; I < Names.size(); ++I) {
    std::string Type =
        R.Sum.Sums[I]->getType().getUnqualifiedType().getAsString(
            PrintingPolicy(R.Sum.Sums[I]->getASTContext().getLangOpts()));
    if (View.Written != View.Kernel)
      return MoveOutcome::refuse("the sum's type depends on a template");
    std::string Array =
        View.freshName(R.Sum.Sums[I]->getNameAsString() + "_parts");
    Shared +=
        "  __shared__ " + Type + " " + Array + "[" + Split + "][" + X + "];\n";
    Zero += "  " + Type + " " + Names[I] + " = 0;\n";
    Store += "  " + Array + "[threadIdx.y][threadIdx.x] = " + Names[I] + ";\n";
    Collect += "      " + R.Sum.Sums[I]->getNameAsString() + " += " + Array +
               "[" + Part + "][threadIdx.x];\n";
  }
  std::string Out = "{\n";
  for (const Stmt *S : R.Body.Prologue)
    Out += "  " + View.text(S) + "\n";
  Out += Shared + Zero;
  Out += "  if (" + R.Body.Condition + ") {\n" + setupFor(View, R, ForLoop) +
         "    " + *LoopText + "\n  }\n" + Store + "  __syncthreads();\n";
  Out += "  if (threadIdx.y == 0 && (" + R.Body.Condition + ")) {\n" +
         setupFor(View, R, ForTail) + "    for (int " + Part + " = 0; " + Part +
         " < " + Split + "; ++" + Part + ") {\n" + Collect + "    }\n" + Tail +
         "  }\n}";
  TextEdits Edits;
  Edits.replace(*Whole, Out);
  LaunchPlan Plan = In.From.Plan;
  Plan.Tunables.push_back({X, {32, 64}});
  Plan.Tunables.push_back({Split, {8, 16, 32}});
  PlannedLaunch *Launch = mainLaunch(Plan, In.View);
  reshape(*Launch, {X});
  Launch->Block[1] = Split;
  return finish(In, "split-reduction", Edits, std::move(Plan),
                {"adds the terms of a sum in another order"});
}
