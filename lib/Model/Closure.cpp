#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <nlohmann/json.hpp>

using namespace mep;

namespace {
const char *name(PieceKind Kind) {
  switch (Kind) {
  case PieceKind::Include:
    return "include";
  case PieceKind::Macro:
    return "macro";
  case PieceKind::Declaration:
    return "declaration";
  case PieceKind::Function:
    return "function";
  case PieceKind::Global:
    return "global";
  case PieceKind::Kernel:
    return "kernel";
  }
  return "";
}

const char *name(Fidelity::State State) {
  switch (State) {
  case Fidelity::NotRun:
    return "not-run";
  case Fidelity::Same:
    return "same";
  case Fidelity::Different:
    return "different";
  case Fidelity::Failed:
    return "failed";
  }
  return "";
}

Json toJson(const DeviceGlobal &G) {
  return {{"name", G.Name},
          {"symbol", G.Symbol},
          {"element", mep::toJson(G.Element)},
          {"extent", G.Extent},
          {"constant", G.IsConstant},
          {"initializer", G.HasInitializer}};
}
} // namespace

const ClosurePiece *Closure::kernelPiece() const {
  auto It = llvm::find_if(Pieces, [](const ClosurePiece &P) {
    return P.Kind == PieceKind::Kernel;
  });
  return It == Pieces.end() ? nullptr : &*It;
}

llvm::StringRef Closure::kernelText() const {
  const ClosurePiece *Piece = kernelPiece();
  assert(Piece && "a closure has a kernel piece");
  return llvm::StringRef(Text).slice(Piece->Begin, Piece->End);
}

std::string mep::tunableMacro(llvm::StringRef Name) {
  return "MEP_TUNE_" + Name.str();
}

/// \p Directives for all \p Tunables, on lines that are not counted: \p Line is
/// the next one's number.
static std::string
directives(llvm::ArrayRef<std::string> Tunables,
           llvm::function_ref<std::string(const std::string &)> Directive,
           size_t Line) {
  if (Tunables.empty())
    return "";
  std::string Out = "\n";
  for (const std::string &Name : Tunables)
    Out += Directive(Name) + "\n";
  return Out + "#line " + std::to_string(Line) + "\n";
}

static std::string definitions(llvm::StringRef Before,
                               llvm::ArrayRef<std::string> Tunables) {
  return directives(
      Tunables,
      [](const std::string &Name) {
        return "#define " + Name + " " + tunableMacro(Name);
      },
      1 + Before.count('\n'));
}

size_t Closure::kernelOffset(llvm::ArrayRef<std::string> Tunables) const {
  const size_t Begin = kernelPiece()->Begin;
  return Begin +
         definitions(llvm::StringRef(Text).take_front(Begin), Tunables).size();
}

std::string Closure::withKernel(llvm::StringRef DeviceText,
                                llvm::ArrayRef<std::string> Tunables) const {
  const ClosurePiece *Piece = kernelPiece();
  assert(Piece && "a closure has a kernel piece");
  llvm::StringRef Before = llvm::StringRef(Text).take_front(Piece->Begin);
  std::string Whole = Before.str() + definitions(Before, Tunables);
  Whole += DeviceText;
  Whole += directives(
      Tunables, [](const std::string &Name) { return "#undef " + Name; },
      1 + Before.count('\n') + DeviceText.count('\n'));
  Whole.append(Text, Piece->End, std::string::npos);
  return Whole;
}

Json mep::toJson(const Fidelity &Proof) {
  return {{"status", ::name(Proof.Status)}, {"detail", Proof.Detail}};
}

Json mep::toJson(const Closure &C) {
  Json Pieces = Json::array(), Dimensions = Json::array(),
       Globals = Json::array();
  for (const ClosurePiece &P : C.Pieces) {
    Pieces.push_back({{"kind", ::name(P.Kind)},
                      {"name", P.Name},
                      {"begin", P.Begin},
                      {"end", P.End},
                      {"origin", toJson(P.Origin)}});
    if (!P.Condition.empty())
      Pieces.back()["condition"] = P.Condition;
  }
  for (const DimensionMacro &D : C.Dimensions)
    Dimensions.push_back({{"name", D.Name}, {"value", D.Value}});
  for (const DeviceGlobal &G : C.Globals)
    Globals.push_back(::toJson(G));
  return {{"kernel", C.Kernel},
          {"name_expression", C.NameExpression},
          {"symbol", C.Symbol},
          {"flags", C.Flags},
          {"nvrtc_clean", C.NvrtcClean},
          {"whole_unit", C.WholeUnit},
          {"uses_barrier", C.UsesBarrier},
          {"uses_atomics", C.UsesAtomics},
          {"static_shared_bytes", C.StaticSharedBytes},
          {"uses_dynamic_shared", C.UsesDynamicShared},
          {"fidelity", toJson(C.Proof)},
          {"dimensions", Dimensions},
          {"globals", Globals},
          {"pieces", Pieces},
          {"text", C.Text}};
}
