/// \file
/// Grid, block and shared memory of a launch as expressions; the grid in terms
/// of the block where the application writes it so.

#include "WorkloadDraft.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;

namespace {

constexpr const char *BlockNames[3] = {"block_x", "block_y", "block_z"};

/// The dim3 members x, y, z behind a configuration expression.
std::vector<const FieldDecl *> axes(const Expr *E) {
  const RecordDecl *R = E->getType().getNonReferenceType()->getAsRecordDecl();
  std::vector<const FieldDecl *> Fields;
  if (R && R->getDefinition())
    for (const FieldDecl *F : R->getDefinition()->fields())
      Fields.push_back(F);
  return Fields;
}

using Terms = std::array<TermRef, 3>;

Terms inferDim3(const Expr *E, const Point &At, HostValues &Values,
                const char *Name, WorkloadDraft &Out) {
  Terms Result{integerTerm(1), integerTerm(1), integerTerm(1)};
  std::vector<const FieldDecl *> Fields = axes(E);
  for (size_t I = 0; I < 3; ++I) {
    Values.forget();
    if (Fields.size() < 3) {
      Result[I] = I == 0 ? Values.value(E, At) : integerTerm(1);
    } else {
      Result[I] = Values.member(E, {Fields[I]}, At);
    }
    if (!Result[I])
      Out.Missing.push_back(
          {MissingMember::Launch, Name, Values.why(), Values.where()});
  }
  return Result;
}

const ValueDecl *variableOf(const Expr *E) {
  E = bare(E);
  while (auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() != 1 || !C->getConstructor()->isCopyOrMoveConstructor())
      return nullptr;
    E = bare(C->getArg(0));
  }
  auto *R = dyn_cast<DeclRefExpr>(E);
  return R ? llvm::cast<ValueDecl>(R->getDecl()->getCanonicalDecl()) : nullptr;
}

/// `(n + threads - 1) / threads` with a block of `threads` is
/// `(n + block_x - 1) / block_x`.
void inTermsOfBlock(Terms &Grid, const Terms &Block) {
  for (size_t I = 0; I < 3; ++I) {
    std::vector<size_t> Order = {I, 0, 1, 2};
    for (size_t K : Order)
      if (Block[K] && Block[K]->What == Term::Name)
        Grid[I] = substitute(Grid[I], Block[K]->Text, nameTerm(BlockNames[K]));
  }
}

double product(const Terms &T, const TermValues &Values) {
  double Product = 1;
  for (const TermRef &Part : T) {
    auto Value = evaluate(Part, Values);
    Product *= Value ? Value->asDouble() : 0;
  }
  return Product;
}

void fixNames(const TermRef &T, DimensionTable &Dimensions) {
  std::set<std::string> Names;
  collectNames(T, Names);
  for (const std::string &N : Names)
    if (NamedDimension *D = Dimensions.find(N))
      D->Data.Fixed = true;
}

} // namespace

void mep::inferGeometry(const LaunchCall &Call, const Point &At,
                        HostValues &Values, DimensionTable &Dimensions,
                        WorkloadDraft &Out) {
  Terms Block = inferDim3(Call.Block, At, Values, "block", Out);
  for (const TermRef &B : Block)
    fixNames(B, Dimensions);
  Values.setBlockVariable(variableOf(Call.Block));
  Terms Grid = inferDim3(Call.Grid, At, Values, "grid", Out);
  inTermsOfBlock(Grid, Block);
  Values.forget();
  TermRef Shared = Call.Shared ? Values.value(Call.Shared, At) : integerTerm(0);
  Values.setBlockVariable(nullptr);
  if (!Shared)
    Out.Missing.push_back(
        {MissingMember::Launch, "shared_bytes", Values.why(), Values.where()});
  fixNames(Shared, Dimensions);
  for (size_t I = 0; I < 3; ++I) {
    Out.Data.Launch.Grid[I] = print(Grid[I]);
    Out.Data.Launch.Block[I] = print(Block[I]);
  }
  Out.Data.Launch.SharedBytes = print(Shared);
  Out.Grid = Grid;
  Out.Block = Block;
  TermValues Known = Dimensions.values();
  for (size_t I = 0; I < 3; ++I)
    if (auto B = evaluate(Block[I], Known))
      Known[BlockNames[I]] = int64_t(B->asDouble());
  Out.Threads = product(Grid, Known) * product(Block, Known);
}
