/// \file
/// The kernel's device globals as buffers: the value their source or the host
/// code gives them, and what the pointers in them point at.

#include "BufferTable.h"
#include "HostFill.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;

namespace {

class GlobalInference {
public:
  GlobalInference(const HostIndex &Index, HostValues &Values,
                  BufferTable &Buffers, WorkloadDraft &Out)
      : Index(Index), Values(Values), Buffers(Buffers), Out(Out) {}

  llvm::Error add(const DeviceGlobal &G, const KernelUses &Uses);

private:
  std::vector<const CallPlace *> copiesTo(llvm::StringRef Name) const;
  TermRef copiedValue(const CallPlace *Copy);
  std::optional<uint64_t> offsetOf(const CallPlace &Copy);
  bool overlay(const CallPlace &Copy, const ElementType &Element,
               std::vector<double> &Whole);
  FillRule copiedFill(const std::vector<const CallPlace *> &Copies,
                      const ElementType &Element);
  void fill(Buffer &B, const std::vector<const CallPlace *> &Copies);
  const VarDecl *variable(llvm::StringRef Name) const;
  llvm::Expected<bool> keepsAddresses(const DeviceGlobal &G, const VarDecl *V,
                                      const KernelUses &Uses);

  const HostIndex &Index;
  HostValues &Values;
  BufferTable &Buffers;
  WorkloadDraft &Out;
};

/// The calls of `cudaMemcpyToSymbol` that copy into the global \p Name.
std::vector<const CallPlace *>
GlobalInference::copiesTo(llvm::StringRef Name) const {
  std::vector<const CallPlace *> Found;
  for (const CallPlace &Copy : Index.symbolCopies()) {
    const Expr *Symbol = bare(callArgument(Copy.Call, 0));
    if (auto *U = llvm::dyn_cast<UnaryOperator>(Symbol))
      Symbol = bare(U->getSubExpr());
    auto *R = llvm::dyn_cast<DeclRefExpr>(Symbol);
    if (R && R->getDecl()->getQualifiedNameAsString() == Name)
      Found.push_back(&Copy);
  }
  return Found;
}

/// The host variable that \p Copy copies.
TermRef GlobalInference::copiedValue(const CallPlace *Copy) {
  auto *From =
      Copy ? llvm::dyn_cast<UnaryOperator>(bare(callArgument(Copy->Call, 1)))
           : nullptr;
  if (!From || From->getOpcode() != UO_AddrOf ||
      !llvm::isa<DeclRefExpr, MemberExpr>(bare(From->getSubExpr())))
    return nullptr;
  Values.forget();
  return Values.value(From->getSubExpr(), Values.flow().pointOf(*Copy));
}

/// The first byte that \p Copy writes, if it is known.
std::optional<uint64_t> GlobalInference::offsetOf(const CallPlace &Copy) {
  const Expr *Offset = callArgument(Copy.Call, 3);
  if (!Offset)
    return 0;
  auto Known = Values.number(Offset, Values.flow().pointOf(Copy));
  return Known && *Known >= 0 ? std::optional(uint64_t(*Known)) : std::nullopt;
}

/// Writes what \p Copy lists over \p Whole, the scalars of a global. False if
/// its numbers or their place are not known.
bool GlobalInference::overlay(const CallPlace &Copy, const ElementType &Element,
                              std::vector<double> &Whole) {
  FillRule Own =
      hostFill(Values, callArgument(Copy.Call, 1), Values.flow().pointOf(Copy));
  std::optional<uint64_t> Offset = offsetOf(Copy);
  auto Bytes =
      Values.number(callArgument(Copy.Call, 2), Values.flow().pointOf(Copy));
  uint64_t Size =
      Element.Components.size() == 1 ? byteSize(Element.Components[0].Kind) : 0;
  const bool IsOne = Own.Rule == "constant" || Own.Rule == "zero";
  if (!Offset || !Bytes || !Size || *Offset % Size ||
      (!IsOne && Own.Rule != "table"))
    return false;
  constexpr uint64_t MostScalars = 8192;
  uint64_t First = *Offset / Size, Count = uint64_t(*Bytes) / Size;
  double Same = 0;
  if (First + Count > MostScalars ||
      (IsOne && llvm::StringRef(Own.Low).getAsDouble(Same)))
    return false;
  if (Whole.size() < First + Count)
    Whole.resize(First + Count);
  for (uint64_t I = 0; I < Count; ++I)
    Whole[First + I] = IsOne ? Same : I < Own.Table.size() ? Own.Table[I] : 0;
  return true;
}

/// What the host code copies into an array or structure; no rule where that is
/// not known. What nothing is copied to is zero.
FillRule
GlobalInference::copiedFill(const std::vector<const CallPlace *> &Copies,
                            const ElementType &Element) {
  const FillRule None{"", "", ""};
  if (Copies.empty())
    return None;
  std::vector<double> Whole;
  if (llvm::all_of(Copies, [&](const CallPlace *Copy) {
        return overlay(*Copy, Element, Whole);
      })) {
    FillRule F{"table", "0", "0"};
    F.Table = std::move(Whole);
    return F;
  }
  if (Copies.size() != 1 || offsetOf(*Copies.front()) != 0)
    return None;
  FillRule Rule = hostFill(Values, callArgument(Copies.front()->Call, 1),
                           Values.flow().pointOf(*Copies.front()));
  bool IsPlain =
      Element.Components.size() == 1 && Element.Components[0].Count == 1;
  return IsPlain || Rule.Rule == "table" || Rule.Rule == "zero" ? Rule : None;
}

/// The host view's variable of that qualified name; null if there is none.
const VarDecl *GlobalInference::variable(llvm::StringRef Name) const {
  const ASTContext &Context = Values.host().context();
  const DeclContext *In = Context.getTranslationUnitDecl();
  llvm::SmallVector<llvm::StringRef, 4> Names;
  Name.split(Names, "::");
  for (llvm::StringRef Each : Names) {
    auto Found = In->lookup(&Context.Idents.get(Each));
    if (Found.empty())
      return nullptr;
    if (Each.data() == Names.back().data())
      return llvm::dyn_cast<VarDecl>(Found.front());
    In = llvm::dyn_cast<DeclContext>(Found.front());
    if (!In)
      return nullptr;
  }
  return nullptr;
}

/// Addresses that the source itself puts into \p G are those of each compiled
/// module and stay there. Error (Unsupported): the kernel changes them.
llvm::Expected<bool> GlobalInference::keepsAddresses(const DeviceGlobal &G,
                                                     const VarDecl *V,
                                                     const KernelUses &Uses) {
  const Expr *Init = V->getInit();
  if (!G.HasInitializer || !Init ||
      Init->isNullPointerConstant(
          const_cast<ASTContext &>(Values.host().context()),
          Expr::NPC_ValueDependentIsNotNull))
    return false;
  auto Use = Uses.find(G.Name);
  if (Use != Uses.end() && Use->second.Written)
    return makeError(Failure::Unsupported,
                     "the kernel changes the device global '" + G.Name +
                         "', which its source initialises with addresses",
                     Values.placeOf(V->getLocation()));
  Values.note("'" + G.Name + "' keeps the addresses that its source gives it");
  return true;
}

/// The value of a global that holds no pointers.
void GlobalInference::fill(Buffer &B,
                           const std::vector<const CallPlace *> &Copies) {
  const auto &Parts = B.Element.Components;
  if (B.Extent == "1" && Parts.size() == 1 && Parts[0].Count == 1)
    if (TermRef Copied =
            copiedValue(Copies.empty() ? nullptr : Copies.front())) {
      B.Fill = {"constant", print(Copied), print(Copied), /*Given=*/true};
      return;
    }
  FillRule Rule = copiedFill(Copies, B.Element);
  Values.forget();
  if (Rule.Rule.empty()) {
    Values.note("'" + B.Name + "': its value is not known; a random one is " +
                "taken");
    return;
  }
  B.HostFill = Rule;
  if (Rule.Rule == "uniform")
    return;
  B.Fill = Rule;
  B.Fill.Given = true;
}

llvm::Error GlobalInference::add(const DeviceGlobal &G,
                                 const KernelUses &Uses) {
  std::vector<PointerField> Pointers;
  const VarDecl *V = variable(G.Name);
  std::string Where = V ? Values.placeOf(V->getLocation()) : std::string();
  bool HasInitializer = G.HasInitializer;
  if (V && G.Element.Bytes) {
    const ASTContext &Context = Values.host().context();
    QualType T = Context.getBaseElementType(V->getType());
    if (!describeElement(Context, T, &Pointers))
      Pointers.clear();
    if (!Pointers.empty() || T->isFunctionPointerType()) {
      auto Keeps = keepsAddresses(G, V, Uses);
      if (!Keeps)
        return Keeps.takeError();
      if (*Keeps)
        return llvm::Error::success();
      HasInitializer = false;
    }
  }
  Buffer B;
  B.Name = G.Name;
  B.Symbol = G.Name; // As C++ finds it: compilers mangle it as they like.
  B.Element = G.Element;
  B.Extent = G.Extent.empty() ? "1" : G.Extent;
  int64_t Count = 0;
  if (!llvm::StringRef(B.Extent).getAsInteger(10, Count))
    Out.Extents[B.Name] = integerTerm(Count);
  const auto Copies = copiesTo(G.Name);
  if (HasInitializer) {
    B.Fill = {"initializer", "0", "0", /*Given=*/true};
  } else if (Pointers.empty()) {
    fill(B, Copies);
  }
  Out.Data.Buffers.push_back(std::move(B));
  if (HasInitializer || !V)
    return llvm::Error::success();
  const CallPlace *Copy = Copies.empty() ? nullptr : Copies.front();
  BufferTable::Use From{G.Name, Copy ? callArgument(Copy->Call, 1) : nullptr,
                        Copy ? Values.flow().pointOf(*Copy) : Point(), Where,
                        /*IsDevice=*/false};
  size_t Number = Out.Data.Buffers.size() - 1;
  if (Copy)
    Buffers.set(Number, V->getType(), From);
  return Buffers.point(Number, Pointers, From);
}

} // namespace

llvm::Error mep::inferGlobals(const Closure &C, const HostIndex &Index,
                              const KernelUses &Uses, HostValues &Values,
                              BufferTable &Buffers, WorkloadDraft &Out) {
  GlobalInference Inference(Index, Values, Buffers, Out);
  for (const DeviceGlobal &G : C.Globals)
    if (llvm::Error E = Inference.add(G, Uses))
      return E;
  return llvm::Error::success();
}
