/// \file
/// The groups of cooperative_groups: what they say of a thread's place is
/// arithmetic on its indices, as the CUDA programming guide defines it.

#include "BodyWalk.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;

namespace {

bool isOfGroups(const Decl *D) {
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (auto *N = dyn_cast<NamespaceDecl>(C))
      if (N->getDeclName().isIdentifier() &&
          N->getName() == "cooperative_groups")
        return true;
  return false;
}

/// The class of the group that \p C asks; null if it asks none.
const CXXRecordDecl *groupOf(const CallExpr *C) {
  const Expr *Callee = C->getCallee()->IgnoreParenImpCasts();
  const CXXRecordDecl *R = nullptr;
  if (auto *M = dyn_cast<MemberExpr>(Callee)) {
    QualType T = M->getBase()->IgnoreParenImpCasts()->getType();
    if (T->isPointerType())
      T = T->getPointeeType();
    R = T->getAsCXXRecordDecl();
  } else if (auto *D =
                 dyn_cast<DeclRefExpr>(Callee)) { // `thread_block::size()`
    if (auto *Method = dyn_cast<CXXMethodDecl>(D->getDecl()))
      R = Method->getParent();
  }
  return R && isOfGroups(R) && R->getDeclName().isIdentifier() ? R : nullptr;
}

Index axis(const char *Variable, char Axis) {
  return launchVariable(Variable).Fields[std::string(1, Axis)].Number;
}

/// The number of \p Point in a box of \p Size, x fastest.
Index linear(const char *Point, const char *Size) {
  Index Row =
      add(multiply(axis(Point, 'z'), axis(Size, 'y')), axis(Point, 'y'));
  return add(multiply(Row, axis(Size, 'x')), axis(Point, 'x'));
}

Index volume(const char *Size) {
  return multiply(multiply(axis(Size, 'x'), axis(Size, 'y')), axis(Size, 'z'));
}

Index thread() { return linear("threadIdx", "blockDim"); }

bool isSize(StringRef Name) { return Name == "size" || Name == "num_threads"; }

std::optional<Value> askBlock(StringRef Name) {
  if (Name == "thread_rank")
    return Value::of(thread());
  if (isSize(Name))
    return Value::of(volume("blockDim"));
  if (Name == "thread_index")
    return launchVariable("threadIdx");
  if (Name == "group_index")
    return launchVariable("blockIdx");
  if (Name == "group_dim" || Name == "dim_threads")
    return launchVariable("blockDim");
  return std::nullopt;
}

std::optional<Value> askGrid(StringRef Name) {
  Index Block = linear("blockIdx", "gridDim");
  if (Name == "thread_rank")
    return Value::of(add(multiply(Block, volume("blockDim")), thread()));
  if (isSize(Name))
    return Value::of(multiply(volume("gridDim"), volume("blockDim")));
  if (Name == "block_rank")
    return Value::of(Block);
  if (Name == "num_blocks")
    return Value::of(volume("gridDim"));
  if (Name == "block_index")
    return launchVariable("blockIdx");
  if (Name == "group_dim" || Name == "dim_blocks")
    return launchVariable("gridDim");
  return std::nullopt;
}

/// Threads of `thread_block_tile<Size, Parent>`, from its arguments.
std::optional<int64_t> tileSize(const CXXRecordDecl *R) {
  auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R);
  if (!S || S->getName() != "thread_block_tile" ||
      S->getTemplateArgs().size() < 1 ||
      S->getTemplateArgs()[0].getKind() != TemplateArgument::Integral)
    return std::nullopt;
  int64_t Size = S->getTemplateArgs()[0].getAsIntegral().getExtValue();
  return Size > 0 ? std::optional(Size) : std::nullopt;
}

/// Threads of the group that the tiles of \p R divide; null if its type does
/// not say.
Index parentSize(const CXXRecordDecl *R) {
  auto &Arguments = cast<ClassTemplateSpecializationDecl>(R)->getTemplateArgs();
  if (Arguments.size() < 2 || Arguments[1].getKind() != TemplateArgument::Type)
    return nullptr;
  auto *Parent = Arguments[1].getAsType()->getAsCXXRecordDecl();
  if (!Parent || !Parent->getDeclName().isIdentifier())
    return nullptr;
  if (Parent->getName() == "thread_block")
    return volume("blockDim");
  auto Size = tileSize(Parent);
  return Size ? number(*Size) : nullptr;
}

/// Tiles divide the threads of a block in order of their number, each tile
/// beginning at a multiple of its size.
std::optional<Value> askTile(const CXXRecordDecl *R, int64_t Size,
                             StringRef Name) {
  if (Name == "thread_rank")
    return Value::of(binary(IndexOp::Remainder, thread(), number(Size)));
  if (isSize(Name))
    return Value::of(number(Size));
  if (Name != "meta_group_rank" && Name != "meta_group_size")
    return std::nullopt;
  Index Parent = parentSize(R);
  if (!Parent)
    return std::nullopt;
  if (Name == "meta_group_size")
    return Value::of(
        binary(IndexOp::Divide, add(Parent, number(Size - 1)), number(Size)));
  Index InParent = Parent->Op == IndexOp::Number
                       ? binary(IndexOp::Remainder, thread(), Parent)
                       : thread();
  return Value::of(binary(IndexOp::Divide, InParent, number(Size)));
}

} // namespace

/// What a group answers, or an empty record for a new group: its type says all
/// there is to know.
std::optional<Value> BodyWalk::groupCall(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getDeclName().isIdentifier() || !isOfGroups(F))
    return std::nullopt;
  StringRef Name = F->getName();
  if (llvm::is_contained({"this_thread_block", "this_grid", "tiled_partition"},
                         Name)) {
    Value Group;
    Group.Is = Value::Record;
    return Group;
  }
  const CXXRecordDecl *R = groupOf(C);
  if (!R)
    return std::nullopt;
  if (Name == "sync")
    return opaque(C->getType(), "no value", C);
  if (R->getName() == "thread_block")
    return askBlock(Name);
  if (R->getName() == "grid_group")
    return askGrid(Name);
  if (auto Size = tileSize(R))
    return askTile(R, *Size, Name);
  return std::nullopt;
}
