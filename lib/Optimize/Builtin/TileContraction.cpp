/// \file
/// tile-contraction: C[i][j] += sum over k of products of terms in (i, k) and
/// (j, k). A block computes a tile of C from tiles of the operands in shared
/// memory; each thread keeps several elements of C in registers.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;

namespace {

/// A load of the sum that depends on the loop and on one thread index.
struct Operand {
  std::string Text;    ///< As written.
  std::string Printed; ///< Two with the same are one operand.
  std::string Type;
  bool IsRow = false;      ///< Depends on the y index, else on x.
  bool AlongLoop = false;  ///< Contiguous along k, else along the index.
  std::string Tile, Value; ///< Names in the new text.
};

class Tiler {
public:
  explicit Tiler(const MoveInput &In) : In(In), View(In.View) {}

  MoveOutcome run() {
    std::string Why = check();
    if (Why.empty())
      Why = readOperands();
    if (Why.empty())
      Why = readGuard(Test, !Body.Negated);
    if (Why.empty() && (RowGuard.empty() || ColumnGuard.empty()))
      Why = "the guard does not bound both thread indices";
    if (!Why.empty())
      return MoveOutcome::refuse(Why);
    return emit();
  }

private:
  std::string check() {
    std::string Why = dependsOnBlock(View);
    if (Why.empty())
      Why = sharedBuffer(In.Data);
    if (Why.empty() && !In.From.Plan.Tunables.empty())
      Why = "the plan already chooses its blocks";
    if (Why.empty() && View.Written != View.Kernel)
      Why = "the types depend on a template";
    if (!Why.empty())
      return Why;
    const ThreadIndex *X = View.axis(0), *Y = View.axis(1);
    if (!X || !Y || View.axis(2))
      return "the kernel does not use the x and y axes";
    Column = X->Var;
    Row = Y->Var;
    auto Read = contraction(Why);
    if (!Read)
      return Why;
    Body = std::move(*Read);
    auto Sums = sumLoop(View, Body, Why);
    if (!Sums)
      return Why;
    Sum = std::move(*Sums);
    if (Sum.Sums.size() != 1)
      return "the loop computes more than one sum";
    for (size_t I = 0; I < Sum.Position; ++I)
      for (const Access &A : View.accesses(Body.Inner[I]).All)
        if (A.Write)
          return "memory is written before the loop";
    return loopIsUniform();
  }

  /// The guarded body; guards may be nested, as loop-to-threads leaves them.
  std::optional<GuardedBody> contraction(std::string &Why) {
    auto G = guardedBody(View, Why);
    if (!G)
      return std::nullopt;
    Test = G->Test;
    Condition = G->Condition;
    return flattened(std::move(*G), Why);
  }

  /// `{ int j = …; if (c) { … } }` after register set-up joins the guard.
  std::optional<GuardedBody> flattened(GuardedBody G, std::string &Why) {
    auto *Block =
        G.Inner.empty() ? nullptr : dyn_cast<CompoundStmt>(G.Inner.back());
    if (!Block)
      return G;
    for (size_t I = 0; I + 1 < G.Inner.size(); ++I)
      Head.push_back(G.Inner[I]);
    std::vector<const Stmt *> Inner(Block->body_begin(), Block->body_end());
    if (Inner.size() != 2 || !isa<DeclStmt>(Inner[0]) ||
        !isa<IfStmt>(Inner[1])) {
      Why = "the guarded part is a block of its own";
      return std::nullopt;
    }
    auto *If = cast<IfStmt>(Inner[1]);
    auto *Then = dyn_cast<CompoundStmt>(If->getThen());
    if (If->getElse() || !Then) {
      Why = "the inner guard has an else";
      return std::nullopt;
    }
    G.Prologue.push_back(Inner[0]);
    InnerTest = If->getCond();
    G.Inner.assign(Then->body_begin(), Then->body_end());
    return G;
  }

  /// All threads of a block must run the same passes.
  std::string loopIsUniform() {
    bool Memory = false;
    std::set<const VarDecl *> Uses = View.variables(
        View.polynomial(Sum.Loop->Begin) +
            View.polynomial(Sum.Loop->Bound) * Polynomial::atom(View.key(Row)),
        Memory);
    for (const VarDecl *V : Uses)
      if (V != Row && V->isLocalVarDecl() && !isa<ParmVarDecl>(V))
        return "the loop's bounds differ between threads";
    if (View.dependsOn(View.polynomial(Sum.Loop->Bound), Row) ||
        View.dependsOn(View.polynomial(Sum.Loop->Begin), Row) || Memory)
      return "the loop's bounds differ between threads";
    return "";
  }

  std::string readOperands() {
    std::string Loop = View.key(Sum.Loop->Var);
    for (const SumLoop::Update &U : Sum.Updates)
      for (const Access &A : View.accesses(U.Term).All) {
        auto AlongLoop = A.Index.coefficient(Loop);
        bool OnRow = View.dependsOn(A.Index, Row);
        bool OnColumn = View.dependsOn(A.Index, Column);
        if (!View.dependsOn(A.Index, Sum.Loop->Var) && !OnRow && !OnColumn)
          continue;
        bool Memory = false;
        for (const VarDecl *V : View.variables(A.Index, Memory))
          if (V != Row && V != Column && V != Sum.Loop->Var &&
              !isa<ParmVarDecl>(V))
            return "'" + View.text(A.Node) + "' depends on '" +
                   V->getNameAsString() + "'";
        if (Memory || OnRow == OnColumn || !AlongLoop ||
            *AlongLoop == Polynomial() || !A.Field.empty())
          return "'" + View.text(A.Node) +
                 "' does not depend on the loop and one thread index";
        if (std::string Why = addOperand(A, OnRow, *AlongLoop); !Why.empty())
          return Why;
      }
    bool Rows =
        llvm::any_of(Operands, [](const Operand &O) { return O.IsRow; });
    bool Columns =
        llvm::any_of(Operands, [](const Operand &O) { return !O.IsRow; });
    if (!Rows || !Columns)
      return "the sum has no operand for each of the two thread indices";
    return termsUseRegistersOnly();
  }

  std::string addOperand(const Access &A, bool OnRow,
                         const Polynomial &AlongLoop) {
    auto R = View.range(A.Node);
    std::string Type = View.elementType(A);
    if (!R || Type.empty() || A.Write || A.Atomic)
      return "'" + View.text(A.Node) + "' is not a plain load of a number";
    Ranges.push_back({*R, View.printed(A.Node)});
    for (const Operand &O : Operands)
      if (O.Printed == Ranges.back().second)
        return "";
    Operand O;
    O.Text = View.text(*R).str();
    O.Printed = Ranges.back().second;
    O.Type = Type;
    O.IsRow = OnRow;
    O.AlongLoop = AlongLoop.asConstant() == 1;
    std::string Name = A.Root->getNameAsString() + (OnRow ? "_row" : "_column");
    O.Tile = View.freshName(Name + "s");
    O.Value = View.freshName(Name);
    for (const Operand &Other : Operands)
      if (Other.Tile == O.Tile) {
        O.Tile += std::to_string(Operands.size());
        O.Value += std::to_string(Operands.size());
      }
    Operands.push_back(O);
    return "";
  }

  /// Once the loads are replaced, nothing in a term may move with the threads.
  std::string termsUseRegistersOnly() {
    for (const SumLoop::Update &U : Sum.Updates) {
      std::string Why;
      walk(U.Term, [&](const Stmt *S) {
        auto *E = dyn_cast<Expr>(S);
        auto R = E ? View.range(E) : std::nullopt;
        if (R && llvm::any_of(Ranges, [&](const auto &O) {
              return O.first.Begin == R->Begin && O.first.End == R->End;
            }))
          return false;
        auto *Ref = dyn_cast<DeclRefExpr>(S);
        auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
        if (V && V->isLocalVarDecl() && !isa<ParmVarDecl>(V))
          Why = "a term uses '" + V->getNameAsString() + "' itself";
        return true;
      });
      if (!Why.empty())
        return Why;
    }
    return "";
  }

  /// Splits the guard into what bounds rows and what bounds columns.
  std::string readGuard(const Expr *E, bool Positive) {
    if (!E)
      return "there is no guard";
    if (std::string Why = split(E, Positive); !Why.empty())
      return Why;
    return InnerTest ? split(InnerTest, true) : "";
  }

  std::string split(const Expr *E, bool Positive) {
    auto *Op = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (Op && Op->getOpcode() == (Positive ? BO_LAnd : BO_LOr)) {
      std::string Why = split(Op->getLHS(), Positive);
      return Why.empty() ? split(Op->getRHS(), Positive) : Why;
    }
    auto R = View.range(E);
    Accesses Loads = View.accesses(E);
    if (!R || !Loads.All.empty() || !Loads.Unknown.empty())
      return "the guard comes from a macro or reads memory";
    std::string Text = "(" + View.text(*R).str() + ")";
    if (!Positive)
      Text = "!" + Text;
    std::set<const VarDecl *> Uses = View.mentioned(E);
    bool OnRow = Uses.count(Row), OnColumn = Uses.count(Column);
    for (const VarDecl *V : Uses)
      if (V != Row && V != Column && V->isLocalVarDecl())
        return "the guard uses '" + V->getNameAsString() + "'";
    // A condition on both (a triangle) limits what is stored, not what may be
    // loaded.
    if (OnRow != OnColumn)
      (OnRow ? RowGuard : ColumnGuard) +=
          ((OnRow ? RowGuard : ColumnGuard).empty() ? "" : " && ") + Text;
    return "";
  }

  std::string rows() const { return TY + " * " + TM; }
  std::string columns() const { return TX + " * " + TN; }

  /// Copies one operand's tile, neighbouring threads along the contiguous side.
  std::string loadTile(const Operand &O) const {
    const std::string &Index = (O.IsRow ? Row : Column)->getNameAsString();
    std::string Side = O.IsRow ? rows() : columns();
    std::string First = O.IsRow ? FirstRow : FirstColumn;
    std::string K = Sum.Loop->Var->getNameAsString();
    std::string Depth =
        O.AlongLoop ? Slot + " % " + TK : Slot + " / (" + Side + ")";
    std::string Lane =
        O.AlongLoop ? Slot + " / " + TK : Slot + " % (" + Side + ")";
    std::string Test = O.IsRow ? RowGuard : ColumnGuard;
    return "    for (int " + Slot + " = " + Thread + "; " + Slot + " < " + TK +
           " * " + Side + "; " + Slot + " += " + TX + " * " + TY + ") {\n" +
           "      const int " + K + " = " + Chunk + " + " + Depth + ";\n" +
           "      const int " + Index + " = " + First + " + " + Lane + ";\n" +
           "      " + O.Tile + "[" + Depth + "][" + Lane + "] = " + K +
           (Sum.Loop->Inclusive ? " <= " : " < ") + View.text(Sum.Loop->Bound) +
           " && " + Test + " ? " + O.Text + " : 0;\n    }\n";
  }

  std::string product() const {
    std::string Out;
    for (const SumLoop::Update &U : Sum.Updates) {
      TextEdits Edits;
      auto Whole = View.range(U.Term);
      for (const auto &[R, Printed] : Ranges)
        for (const Operand &O : Operands)
          if (O.Printed == Printed && Whole->contains(R))
            Edits.replace(R, O.Value + "[" + (O.IsRow ? M : N) + "]");
      auto Term = Edits.applyWithin(View.Text, *Whole);
      if (!Term)
        return "";
      Out += "          " + Part + "[" + M + "][" + N + "] " +
             (U.Minus ? "-= " : "+= ") + *Term + ";\n";
    }
    return Out;
  }

  void name() {
    TX = View.freshName("TILE_X");
    TY = View.freshName("TILE_Y");
    TM = View.freshName("THREAD_ROWS");
    TN = View.freshName("THREAD_COLUMNS");
    TK = View.freshName("TILE_K");
    Slot = View.freshName("slot");
    Chunk = View.freshName("chunk");
    Depth = View.freshName("depth");
    Thread = View.freshName("thread");
    FirstRow = View.freshName("first_row");
    FirstColumn = View.freshName("first_column");
    Part = View.freshName("part");
    M = View.freshName("m");
    N = View.freshName("n");
  }

  std::string declarations() const {
    std::string Out = "  const int " + FirstRow + " = blockIdx.y * " + rows() +
                      ", " + FirstColumn + " = blockIdx.x * " + columns() +
                      ";\n  const int " + Thread + " = threadIdx.y * " + TX +
                      " + threadIdx.x;\n";
    for (const Operand &O : Operands)
      Out += "  __shared__ " + O.Type + " " + O.Tile + "[" + TK + "][" +
             (O.IsRow ? rows() : columns()) + " + 1];\n";
    Out += "  " + sumType() + " " + Part + "[" + TM + "][" + TN + "] = {};\n";
    return Out;
  }

  std::string sumType() const { return typeText(View, Sum.Sums[0]); }

  std::string mainLoop() const {
    std::string K = Sum.Loop->Var->getNameAsString();
    std::string Out =
        "  for (int " + Chunk + " = " + View.text(Sum.Loop->Begin) + "; " +
        Chunk + (Sum.Loop->Inclusive ? " <= " : " < ") +
        View.text(Sum.Loop->Bound) + "; " + Chunk + " += " + TK + ") {\n";
    for (const Operand &O : Operands)
      Out += loadTile(O);
    Out += "    __syncthreads();\n#pragma unroll\n    for (int " + Depth +
           " = 0; " + Depth + " < " + TK + "; ++" + Depth + ") {\n";
    for (const Operand &O : Operands) {
      std::string Count = O.IsRow ? TM : TN, I = O.IsRow ? M : N;
      std::string Lane = O.IsRow ? "threadIdx.y + " + M + " * " + TY
                                 : "threadIdx.x + " + N + " * " + TX;
      Out += "      " + O.Type + " " + O.Value + "[" + Count +
             "];\n#pragma unroll\n      for (int " + I + " = 0; " + I + " < " +
             Count + "; ++" + I + ")\n        " + O.Value + "[" + I +
             "] = " + O.Tile + "[" + Depth + "][" + Lane + "];\n";
    }
    return Out + "#pragma unroll\n      for (int " + M + " = 0; " + M + " < " +
           TM + "; ++" + M + ") {\n#pragma unroll\n        for (int " + N +
           " = 0; " + N + " < " + TN + "; ++" + N + ") {\n" + product() +
           "        }\n      }\n    }\n    __syncthreads();\n  }\n";
  }

  /// The original statements for each element, the loop replaced by its sum.
  std::string elements() const {
    std::string Out = "#pragma unroll\n  for (int " + M + " = 0; " + M + " < " +
                      TM + "; ++" + M + ") {\n#pragma unroll\n    for (int " +
                      N + " = 0; " + N + " < " + TN + "; ++" + N + ") {\n";
    Out += "      const int " + Row->getNameAsString() + " = " + FirstRow +
           " + threadIdx.y + " + M + " * " + TY + ";\n";
    Out += "      const int " + Column->getNameAsString() + " = " +
           FirstColumn + " + threadIdx.x + " + N + " * " + TX + ";\n";
    Out += "      if (" + Condition + ") {\n";
    for (const Stmt *S : Head)
      Out += "        " + View.text(S) + "\n";
    if (InnerTest)
      Out += "        if (" + View.text(InnerTest) + ") {\n";
    for (size_t I = 0; I < Body.Inner.size(); ++I)
      Out += "        " +
             (I == Sum.Position ? Sum.Sums[0]->getNameAsString() +
                                      " += " + Part + "[" + M + "][" + N + "];"
                                : View.text(Body.Inner[I])) +
             "\n";
    return Out + (InnerTest ? "        }\n" : "") + "      }\n    }\n  }\n";
  }

  /// Declarations other than the two indices stay before everything.
  std::string prologue() const {
    std::string Out;
    for (const Stmt *S : Body.Prologue) {
      auto *Decls = cast<DeclStmt>(S);
      if (!Decls->isSingleDecl()) {
        for (const Decl *D : Decls->decls())
          if (D == Row || D == Column)
            return "#";
      } else if (Decls->getSingleDecl() == Row ||
                 Decls->getSingleDecl() == Column) {
        continue;
      }
      for (const VarDecl *V : View.mentioned(S))
        if (V == Row || V == Column)
          return "#";
      Out += "  " + View.text(S) + "\n";
    }
    return Out;
  }

  MoveOutcome emit() {
    name();
    auto Whole = View.range(View.Body);
    std::string Before = prologue();
    if (!Whole || Before == "#" || product().empty() ||
        View.text(Sum.Loop->Bound).empty() ||
        View.text(Sum.Loop->Begin).empty())
      return MoveOutcome::refuse(
          "the thread indices are declared together with others, or the loop "
          "comes from a macro");
    TextEdits Edits;
    Edits.replace(*Whole, "{\n" + Before + declarations() + mainLoop() +
                              elements() + "}");
    LaunchPlan Plan = In.From.Plan;
    Plan.Tunables.push_back({TX, {16}});
    Plan.Tunables.push_back({TY, {8, 16}});
    Plan.Tunables.push_back({TM, {1, 4, 8}});
    Plan.Tunables.push_back({TN, {2, 4, 8}});
    // Static shared memory ends at 48 KiB: four tiles of 32 passes do not fit.
    Plan.Tunables.push_back({TK, Operands.size() > 2
                                     ? std::vector<int64_t>{8, 16}
                                     : std::vector<int64_t>{8, 16, 32}});
    PlannedLaunch *Launch = mainLaunch(Plan, In.View);
    for (unsigned Axis = 0; Axis < 2; ++Axis)
      Launch->Grid[Axis] = ceilDivided(threadsAlong(*Launch, Axis),
                                       Axis == 0 ? columns() : rows());
    Launch->Grid[2] = Launch->Block[2] = "1";
    Launch->Block = {TX, TY, "1"};
    return finish(In, "tile-contraction", Edits, std::move(Plan),
                  {"adds the terms of a sum in another order"});
  }

  const MoveInput &In;
  const KernelView &View;
  const VarDecl *Row = nullptr, *Column = nullptr;
  GuardedBody Body;
  SumLoop Sum;
  const Expr *Test = nullptr, *InnerTest = nullptr;
  std::string Condition, RowGuard, ColumnGuard;
  std::vector<const Stmt *> Head; ///< Between the outer and the inner guard.
  std::vector<Operand> Operands;
  std::vector<std::pair<TextRange, std::string>> Ranges;
  std::string TX, TY, TM, TN, TK, Slot, Chunk, Depth, Thread, FirstRow,
      FirstColumn, Part, M, N;
};

} // namespace

MoveOutcome mep::tileContraction(const MoveInput &In) {
  return Tiler(In).run();
}
