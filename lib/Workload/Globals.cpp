/// \file
/// The kernel's device globals as buffers: the value their source or the host
/// code gives them, and what the pointers in them point at.

#include "BufferTable.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"

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
  const CallPlace *copyTo(llvm::StringRef Name) const;
  TermRef copiedValue(llvm::StringRef Name);
  const VarDecl *variable(llvm::StringRef Name) const;
  llvm::Expected<bool> keepsAddresses(const DeviceGlobal &G, const VarDecl *V,
                                      const KernelUses &Uses);

  const HostIndex &Index;
  HostValues &Values;
  BufferTable &Buffers;
  WorkloadDraft &Out;
};

/// The `cudaMemcpyToSymbol` that copies into the global \p Name.
const CallPlace *GlobalInference::copyTo(llvm::StringRef Name) const {
  for (const CallPlace &Copy : Index.symbolCopies()) {
    const Expr *Symbol = bare(callArgument(Copy.Call, 0));
    if (auto *U = llvm::dyn_cast<UnaryOperator>(Symbol))
      Symbol = bare(U->getSubExpr());
    auto *R = llvm::dyn_cast<DeclRefExpr>(Symbol);
    if (R && R->getDecl()->getQualifiedNameAsString() == Name)
      return &Copy;
  }
  return nullptr;
}

/// The host variable that is copied into the global \p Name.
TermRef GlobalInference::copiedValue(llvm::StringRef Name) {
  const CallPlace *Copy = copyTo(Name);
  auto *From =
      Copy ? llvm::dyn_cast<UnaryOperator>(bare(callArgument(Copy->Call, 1)))
           : nullptr;
  if (!From || From->getOpcode() != UO_AddrOf)
    return nullptr;
  Values.forget();
  return Values.value(From->getSubExpr(), Values.flow().pointOf(*Copy));
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
  if (HasInitializer) {
    B.Fill = {"initializer", "0", "0", /*Given=*/true};
  } else if (B.Extent == "1" && Pointers.empty() &&
             G.Element.Components.size() == 1 &&
             G.Element.Components[0].Count == 1) {
    if (TermRef Copied = copiedValue(G.Name))
      B.Fill = {"constant", print(Copied), print(Copied), /*Given=*/true};
    else
      Values.note("'" + G.Name + "': its value is not known; a random one " +
                  "is taken");
  }
  Out.Data.Buffers.push_back(std::move(B));
  if (HasInitializer || !V)
    return llvm::Error::success();
  const CallPlace *Copy = copyTo(G.Name);
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
