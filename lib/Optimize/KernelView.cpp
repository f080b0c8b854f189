/// \file
/// Reads a device text: kernel, thread indices, loops, places.

#include "KernelView.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;

void mep::walk(const Stmt *S, llvm::function_ref<bool(const Stmt *)> Visit) {
  if (!S || !Visit(S) || isa<PseudoObjectExpr>(S))
    return;
  for (const Stmt *Child : S->children())
    walk(Child, Visit);
}

llvm::StringRef mep::builtinIndex(const Expr *E, unsigned &Axis) {
  E = E->IgnoreParenCasts();
  const MemberExpr *Member = nullptr;
  if (auto *Pseudo = dyn_cast<PseudoObjectExpr>(E)) {
    auto *Property = dyn_cast<MSPropertyRefExpr>(Pseudo->getSyntacticForm());
    if (!Property)
      return {};
    auto *Base =
        dyn_cast<DeclRefExpr>(Property->getBaseExpr()->IgnoreParenCasts());
    llvm::StringRef Field = Property->getPropertyDecl()->getName();
    Axis = Field == "x" ? 0 : Field == "y" ? 1 : 2;
    return Base ? Base->getDecl()->getName() : llvm::StringRef();
  }
  Member = dyn_cast<MemberExpr>(E);
  if (!Member)
    return {};
  auto *Base = dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenCasts());
  if (!Base || !Base->getDecl()->getIdentifier() ||
      !Member->getMemberDecl()->getIdentifier())
    return {};
  llvm::StringRef Name = Base->getDecl()->getName();
  if (Name != "threadIdx" && Name != "blockIdx" && Name != "blockDim" &&
      Name != "gridDim")
    return {};
  llvm::StringRef Field = Member->getMemberDecl()->getName();
  Axis = Field == "x" ? 0 : Field == "y" ? 1 : 2;
  return Name;
}

namespace {

/// Kernels with a body, patterns of templates and their instantiations too.
class KernelFinder : public RecursiveASTVisitor<KernelFinder> {
public:
  std::vector<const FunctionDecl *> Found;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->hasAttr<CUDAGlobalAttr>() && F->doesThisDeclarationHaveABody())
      Found.push_back(F);
    return true;
  }
};

bool isBlockTimesDim(const Expr *E, unsigned &Axis) {
  auto *Product = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
  if (!Product || Product->getOpcode() != BO_Mul)
    return false;
  unsigned Left = 0, Right = 0;
  llvm::StringRef A = builtinIndex(Product->getLHS(), Left);
  llvm::StringRef B = builtinIndex(Product->getRHS(), Right);
  Axis = Left;
  return Left == Right && ((A == "blockIdx" && B == "blockDim") ||
                           (A == "blockDim" && B == "blockIdx"));
}

std::optional<unsigned> linearIndexAxis(const Expr *E) {
  auto *Sum = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
  if (!Sum || Sum->getOpcode() != BO_Add)
    return std::nullopt;
  unsigned Thread = 0, Block = 0;
  if ((builtinIndex(Sum->getLHS(), Thread) == "threadIdx" &&
       isBlockTimesDim(Sum->getRHS(), Block)) ||
      (builtinIndex(Sum->getRHS(), Thread) == "threadIdx" &&
       isBlockTimesDim(Sum->getLHS(), Block)))
    if (Thread == Block)
      return Thread;
  return std::nullopt;
}

const VarDecl *referenced(const Expr *E) {
  auto *Ref =
      dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenCasts() : nullptr);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

bool isStepOf(const Expr *Inc, const VarDecl *Var) {
  Inc = Inc ? Inc->IgnoreParenCasts() : nullptr;
  if (auto *Unary = dyn_cast_or_null<UnaryOperator>(Inc))
    return Unary->isIncrementOp() && referenced(Unary->getSubExpr()) == Var;
  auto IsOne = [](const Expr *E) {
    auto *Literal = dyn_cast<IntegerLiteral>(E->IgnoreParenCasts());
    return Literal && Literal->getValue() == 1;
  };
  if (auto *Compound = dyn_cast_or_null<CompoundAssignOperator>(Inc))
    return Compound->getOpcode() == BO_AddAssign &&
           referenced(Compound->getLHS()) == Var && IsOne(Compound->getRHS());
  return false;
}

bool isSynchronising(llvm::StringRef Name) {
  return Name.starts_with("__sync") || Name.starts_with("__shfl") ||
         Name.starts_with("__ballot") || Name.starts_with("__any") ||
         Name.starts_with("__all") || Name.starts_with("__match") ||
         Name.starts_with("__reduce") || Name.starts_with("__activemask") ||
         Name.starts_with("atomic") || Name.starts_with("__threadfence") ||
         Name.starts_with("__nanosleep");
}

} // namespace

KernelView::KernelView(const Closure &C, std::string Text)
    : Source(C), Text(std::move(Text)) {}

KernelView::~KernelView() = default;

llvm::Expected<std::unique_ptr<KernelView>>
KernelView::parse(const Closure &C, llvm::StringRef DeviceText,
                  const std::vector<std::string> &Defines) {
  std::unique_ptr<KernelView> View(new KernelView(C, DeviceText.str()));
  std::vector<std::string> Flags = C.Flags, Names;
  for (const std::string &D : Defines) {
    Names.push_back(D.substr(0, D.find('=')));
    Flags.push_back("-D" + tunableMacro(D));
  }
  View->Offset = C.kernelOffset(Names);
  auto Unit = parseDeviceText(C.withKernel(DeviceText, Names), Flags);
  if (!Unit)
    return Unit.takeError();
  if (!(*Unit)->errors().empty()) {
    const UnitDiagnostic &First = (*Unit)->errors().front();
    return makeError(Failure::Input, First.Message, First.Place.str());
  }
  View->Unit = std::move(*Unit);
  if (llvm::Error E = View->findKernel())
    return std::move(E);
  View->Changed = View->modified(View->Body);
  View->findThreads();
  View->findLoops(View->Body);
  return std::move(View);
}

llvm::Error KernelView::findKernel() {
  KernelFinder Finder;
  Finder.TraverseDecl(Unit->context().getTranslationUnitDecl());
  llvm::StringRef Name = Source.Kernel;
  Name = Name.substr(Name.rfind(':') == Name.npos ? 0 : Name.rfind(':') + 1);
  for (const FunctionDecl *F : Finder.Found) {
    if (F->getNameAsString() != Name || F->isDependentContext())
      continue;
    if (F->getQualifiedNameAsString() != Source.Kernel && Kernel)
      continue;
    Kernel = F;
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    Written = Pattern ? Pattern : F;
  }
  Body = Kernel ? dyn_cast_or_null<CompoundStmt>(Kernel->getBody()) : nullptr;
  if (!Body)
    return makeError(Failure::Unsupported,
                     "no body of kernel '" + Source.Kernel +
                         "' that is not template-dependent");
  if (!range(Body))
    return makeError(Failure::Unsupported, "the body of kernel '" +
                                               Source.Kernel +
                                               "' comes from a macro");
  walk(Body, [&](const Stmt *S) {
    if (!isa<PseudoObjectExpr>(S))
      for (const Stmt *Child : S->children())
        if (Child)
          Parents[Child] = S;
    if (auto *Call = dyn_cast<CallExpr>(S))
      if (const FunctionDecl *F = Call->getDirectCallee())
        if (F->getIdentifier() && isSynchronising(F->getName()) &&
            !F->getName().starts_with("atomic"))
          HasBarrier = true;
    if (auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Decls->decls())
        if (D->hasAttr<CUDASharedAttr>() && SharedArray.empty())
          SharedArray = cast<NamedDecl>(D)->getNameAsString();
    return true;
  });
  return llvm::Error::success();
}

void KernelView::findThreads() {
  std::set<const Stmt *> Explained;
  walk(Body, [&](const Stmt *S) {
    if (auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Decls->decls()) {
        auto *Var = dyn_cast<VarDecl>(D);
        if (!Var || !Var->hasInit() || Changed.count(Var) ||
            !Var->getType()->isIntegerType())
          continue;
        if (auto Axis = linearIndexAxis(Var->getInit())) {
          Threads.push_back({Var, *Axis});
          Explained.insert(Var->getInit());
        }
      }
    return true;
  });
  walk(Body, [&](const Stmt *S) {
    if (Explained.count(S))
      return false;
    unsigned Axis = 0;
    if (auto *E = dyn_cast<Expr>(S))
      if (OtherBuiltin.empty() &&
          (isa<PseudoObjectExpr>(E) || isa<MemberExpr>(E)) &&
          !builtinIndex(E, Axis).empty())
        OtherBuiltin = builtinIndex(E, Axis).str() + "." + "xyz"[Axis];
    return true;
  });
}

std::optional<LoopView> KernelView::readLoop(const ForStmt *F) const {
  LoopView L;
  L.For = F;
  if (auto *Decls = dyn_cast_or_null<DeclStmt>(F->getInit())) {
    if (!Decls->isSingleDecl())
      return std::nullopt;
    L.Var = dyn_cast<VarDecl>(Decls->getSingleDecl());
    L.Begin = L.Var ? L.Var->getInit() : nullptr;
    L.DeclaresVar = true;
  } else if (auto *Assign = dyn_cast_or_null<BinaryOperator>(F->getInit())) {
    if (Assign->getOpcode() != BO_Assign)
      return std::nullopt;
    L.Var = referenced(Assign->getLHS());
    L.Begin = Assign->getRHS();
  }
  auto *Test = dyn_cast_or_null<BinaryOperator>(
      F->getCond() ? F->getCond()->IgnoreParenCasts() : nullptr);
  if (!L.Var || !L.Begin || !Test || !L.Var->getType()->isIntegerType() ||
      (Test->getOpcode() != BO_LT && Test->getOpcode() != BO_LE) ||
      referenced(Test->getLHS()) != L.Var || !isStepOf(F->getInc(), L.Var))
    return std::nullopt;
  L.Bound = Test->getRHS();
  L.Inclusive = Test->getOpcode() == BO_LE;
  std::set<const VarDecl *> Assigned = modified(F->getBody());
  bool Memory = false;
  std::set<const VarDecl *> Uses = variables(polynomial(L.Bound), Memory);
  if (Memory || Assigned.count(L.Var) || Uses.count(L.Var))
    return std::nullopt;
  for (const VarDecl *V : Uses)
    if (Assigned.count(V))
      return std::nullopt;
  return L;
}

void KernelView::findLoops(const Stmt *S) {
  walk(S, [&](const Stmt *Each) {
    if (auto *F = dyn_cast<ForStmt>(Each))
      if (auto L = readLoop(F))
        Loops.push_back(*L);
    return true;
  });
}

const ThreadIndex *KernelView::axis(unsigned Axis) const {
  for (const ThreadIndex &T : Threads)
    if (T.Axis == Axis)
      return &T;
  return nullptr;
}

const LoopView *KernelView::loop(const ForStmt *For) const {
  for (const LoopView &L : Loops)
    if (L.For == For)
      return &L;
  return nullptr;
}

const Stmt *KernelView::parent(const Stmt *S) const {
  return Parents.lookup(S);
}

bool KernelView::within(const Stmt *Inner, const Stmt *Outer) const {
  for (; Inner; Inner = parent(Inner))
    if (Inner == Outer)
      return true;
  return false;
}

std::set<const VarDecl *> KernelView::modified(const Stmt *S) const {
  std::set<const VarDecl *> Out;
  auto Add = [&](const Expr *E) {
    E = E->IgnoreParenCasts();
    while (auto *Member = dyn_cast<MemberExpr>(E))
      E = Member->getBase()->IgnoreParenCasts();
    if (const VarDecl *V = referenced(E))
      Out.insert(V);
  };
  walk(S, [&](const Stmt *Each) {
    if (auto *Assign = dyn_cast<BinaryOperator>(Each);
        Assign && Assign->isAssignmentOp())
      Add(Assign->getLHS());
    if (auto *Unary = dyn_cast<UnaryOperator>(Each))
      if (Unary->isIncrementDecrementOp() || Unary->getOpcode() == UO_AddrOf)
        Add(Unary->getSubExpr());
    if (auto *Call = dyn_cast<CallExpr>(Each))
      for (unsigned I = 0; I < Call->getNumArgs(); ++I)
        if (Call->getArg(I)->isLValue())
          Add(Call->getArg(I));
    return true;
  });
  return Out;
}

std::set<const VarDecl *> KernelView::mentioned(const Stmt *S) const {
  std::set<const VarDecl *> Out;
  walk(S, [&](const Stmt *Each) {
    if (auto *Ref = dyn_cast<DeclRefExpr>(Each))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        Out.insert(V);
    return true;
  });
  return Out;
}

bool KernelView::hasReturn(const Stmt *S) const {
  bool Found = false;
  walk(S, [&](const Stmt *Each) {
    Found |= isa<ReturnStmt>(Each) || isa<GotoStmt>(Each);
    return true;
  });
  return Found;
}

bool KernelView::synchronises(const Stmt *S) const {
  bool Found = false;
  walk(S, [&](const Stmt *Each) {
    if (auto *Call = dyn_cast<CallExpr>(Each))
      if (const FunctionDecl *F = Call->getDirectCallee())
        Found |= F->getIdentifier() && isSynchronising(F->getName());
    return true;
  });
  return Found;
}

namespace {
/// True if \p Cond, joined by \p Join at its top, has a comparison that bounds
/// \p Var from above (\p Upper) or says that it is past its bound.
bool bounds(const Expr *Cond, const VarDecl *Var, bool Upper) {
  auto *Op = dyn_cast<BinaryOperator>(Cond->IgnoreParenCasts());
  if (!Op)
    return false;
  if (Op->getOpcode() == (Upper ? BO_LAnd : BO_LOr))
    return bounds(Op->getLHS(), Var, Upper) || bounds(Op->getRHS(), Var, Upper);
  bool Left = referenced(Op->getLHS()) == Var;
  bool Right = referenced(Op->getRHS()) == Var;
  switch (Op->getOpcode()) {
  case BO_LT:
  case BO_LE:
    return Upper ? Left : Right;
  case BO_GT:
  case BO_GE:
    return Upper ? Right : Left;
  default:
    return false;
  }
}
} // namespace

bool KernelView::guarded(const VarDecl *Var) const {
  bool Returned = false;
  for (const Stmt *S : Body->body()) {
    auto *If = dyn_cast<IfStmt>(S);
    if (If &&
        isa<ReturnStmt>(isa<CompoundStmt>(If->getThen()) &&
                                cast<CompoundStmt>(If->getThen())->size() == 1
                            ? cast<CompoundStmt>(If->getThen())->body_front()
                            : If->getThen())) {
      Returned |= bounds(If->getCond(), Var, false);
      continue;
    }
    Accesses Here = accesses(S);
    bool Touches = !Here.All.empty() || !Here.Unknown.empty();
    bool Inside = If && !If->getElse() && bounds(If->getCond(), Var, true) &&
                  accesses(If->getCond()).All.empty();
    if (Touches && !Returned && !Inside)
      return false;
  }
  return true;
}

std::optional<TextRange> KernelView::range(SourceRange R) const {
  const SourceManager &SM = Unit->sources();
  CharSourceRange File = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(R), SM, Unit->language());
  if (File.isInvalid() || SM.getFileID(File.getBegin()) != SM.getMainFileID())
    return std::nullopt;
  size_t Begin = SM.getFileOffset(File.getBegin());
  size_t End = SM.getFileOffset(File.getEnd());
  if (Begin < Offset || End < Begin || End > Offset + Text.size())
    return std::nullopt;
  return TextRange{Begin - Offset, End - Offset};
}

bool KernelView::holds(SourceLocation Where) const {
  if (Where.isInvalid())
    return false;
  const SourceManager &SM = Unit->sources();
  auto [File, At] = SM.getDecomposedExpansionLoc(Where);
  return File == SM.getMainFileID() && At >= Offset &&
         At < Offset + Text.size();
}
std::optional<TextRange> KernelView::range(const Stmt *S) const {
  auto R = range(S->getSourceRange());
  const Stmt *Up = parent(S);
  bool NeedsEnd = isa<Expr>(S) || isa<ReturnStmt>(S) || isa<BreakStmt>(S) ||
                  isa<ContinueStmt>(S) || isa<DoStmt>(S);
  bool IsStatement = Up && (isa<CompoundStmt>(Up) || isa<IfStmt>(Up) ||
                            isa<ForStmt>(Up) || isa<WhileStmt>(Up));
  if (auto *If = dyn_cast_or_null<IfStmt>(Up))
    IsStatement = S == If->getThen() || S == If->getElse();
  if (auto *For = dyn_cast_or_null<ForStmt>(Up))
    IsStatement = S == For->getBody();
  if (auto *While = dyn_cast_or_null<WhileStmt>(Up))
    IsStatement = S == While->getBody();
  // A loop or `if` whose body is a bare expression ends before its `;` too.
  const Stmt *Last = S;
  while (true) {
    if (auto *For = dyn_cast<ForStmt>(Last))
      Last = For->getBody();
    else if (auto *While = dyn_cast<WhileStmt>(Last))
      Last = While->getBody();
    else if (auto *If = dyn_cast<IfStmt>(Last))
      Last = If->getElse() ? If->getElse() : If->getThen();
    else
      break;
  }
  if (Last != S)
    NeedsEnd = isa<Expr>(Last) || isa<ReturnStmt>(Last) ||
               isa<BreakStmt>(Last) || isa<ContinueStmt>(Last);
  if (!R || !NeedsEnd || (!IsStatement && Last == S))
    return R;
  size_t End = R->End;
  while (End < Text.size() && llvm::isSpace(Text[End]))
    ++End;
  if (End < Text.size() && Text[End] == ';')
    R->End = End + 1;
  return R;
}

std::string KernelView::text(const Stmt *S) const {
  auto R = range(S);
  return R ? text(*R).str() : "";
}

std::string KernelView::printed(const Expr *E) const {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  PrintingPolicy Policy(Unit->language());
  E->IgnoreParenImpCasts()->printPretty(OS, nullptr, Policy);
  return Out;
}

std::string KernelView::indentation(size_t At) const {
  size_t Line = Text.rfind('\n', At == 0 ? 0 : At - 1);
  Line = Line == std::string::npos ? 0 : Line + 1;
  size_t End = Text.find_first_not_of(" \t", Line);
  End = std::min(End == std::string::npos ? Text.size() : End, At);
  return Text.substr(Line, End - Line);
}

std::string KernelView::freshName(llvm::StringRef Wanted) const {
  std::string All = Source.withKernel(Text);
  auto Taken = [&](const std::string &Name) {
    for (size_t At = All.find(Name); At != std::string::npos;
         At = All.find(Name, At + 1)) {
      auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
      size_t End = At + Name.size();
      if ((At == 0 || !IsWord(All[At - 1])) &&
          (End == All.size() || !IsWord(All[End])))
        return true;
    }
    return false;
  };
  std::string Name = Wanted.str();
  for (unsigned N = 2; Taken(Name); ++N)
    Name = Wanted.str() + std::to_string(N);
  return Name;
}

std::string KernelView::where(const Stmt *S) const {
  auto R = range(S);
  if (!R)
    return "kernel text";
  return "line " + std::to_string(1 + text({0, R->Begin}).count('\n'));
}
