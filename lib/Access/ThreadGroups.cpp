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

/// A new group. A tile takes along what the type it may be kept as, without its
/// parent, does not say.
static Value newGroup(QualType T) {
  Value Group;
  Group.Is = Value::Record;
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (auto Size = R ? tileSize(R) : std::nullopt)
    for (const char *Name : {"meta_group_rank", "meta_group_size"})
      if (auto V = askTile(R, *Size, Name))
        Group.Fields[Name] = *V;
  return Group;
}

/// `thread_block_tile<32> t = tiled_partition<32>(b)`: the same tile.
std::optional<Value> BodyWalk::groupCopy(const CXXConstructExpr *C) {
  if (C->getNumArgs() < 1 || !isOfGroups(C->getConstructor()->getParent()) ||
      !tileSize(C->getConstructor()->getParent()))
    return std::nullopt;
  Value From = valueOf(C->getArg(0));
  if (From.Is != Value::Record || !From.Fields.count("meta_group_rank"))
    return std::nullopt;
  return From;
}

/// What a group answers, or a new group.
std::optional<Value> BodyWalk::groupCall(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getDeclName().isIdentifier() || !isOfGroups(F))
    return std::nullopt;
  StringRef Name = F->getName();
  if (llvm::is_contained({"this_thread_block", "this_grid", "tiled_partition"},
                         Name))
    return newGroup(C->getType());
  const CXXRecordDecl *R = groupOf(C);
  if (!R)
    return std::nullopt;
  if (Name == "sync")
    return opaque(C->getType(), "no value", C);
  if (R->getName() == "thread_block")
    return askBlock(Name);
  if (R->getName() == "grid_group")
    return askGrid(Name);
  auto Size = tileSize(R);
  if (!Size)
    return std::nullopt;
  Model.HoldsForMacros = true; // A macro may have given the size.
  if (auto V = askTile(R, *Size, Name))
    return V;
  auto *Member = dyn_cast<MemberExpr>(C->getCallee()->IgnoreParenImpCasts());
  if (!Member || Member->isArrow())
    return std::nullopt;
  Place Group = place(Member->getBase()->IgnoreParenImpCasts());
  const Value *Held = findValue(Group, false);
  if (!Held || Held->Is != Value::Record)
    return std::nullopt;
  auto Known = Held->Fields.find(Name.str());
  return Known == Held->Fields.end() ? std::nullopt
                                     : std::optional(Known->second);
}
