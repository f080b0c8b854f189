/// \file
/// A kernel cut out of its application: one self-contained device source.

#ifndef MEP_MODEL_CLOSURE_H
#define MEP_MODEL_CLOSURE_H

#include "mep/Model/ElementType.h"
#include "mep/Model/Source.h"
#include <string>
#include <vector>

namespace mep {

enum class PieceKind { Include, Macro, Declaration, Function, Global, Kernel };

/// A stretch [Begin, End) of Closure::Text and where it was cut from. Pieces
/// are disjoint and in order; what lies between them is glue (namespaces,
/// explicit instantiations).
struct ClosurePiece {
  PieceKind Kind = PieceKind::Declaration;
  std::string Name;
  size_t Begin = 0, End = 0;
  SourceSpan Origin;
  /// Of the kernel: the preprocessor condition under which the application's
  /// text reads as this one, where it holds conditional code.
  std::string Condition;
};

/// An object-like macro or constant whose value is one integer literal and that
/// the closure uses: a candidate for a problem dimension. In Text it stands as
/// `#ifndef N` / `#define N value` / `#endif`, so `-DN=value` overrides it.
struct DimensionMacro {
  std::string Name;
  int64_t Value = 0;
};

/// A `__constant__` or `__device__` variable the kernel reads or writes.
struct DeviceGlobal {
  std::string Name;   ///< Qualified.
  std::string Symbol; ///< Device symbol (mangled where C++ mangles it).
  ElementType Element;
  std::string Extent; ///< Elements, over dimension macros.
  bool IsConstant = false;
  bool HasInitializer = false; ///< Then its value is in Text already.
};

/// Result of the fidelity proof: the kernel's machine code from the
/// application's own unit against that from the closure.
struct Fidelity {
  enum State { NotRun, Same, Different, Failed } Status = NotRun;
  std::string Detail; ///< Why not run; what differs; the compiler's error.
};

struct Closure {
  std::string Kernel;         ///< Qualified name, no template arguments.
  std::string NameExpression; ///< What NVRTC resolves: `ns::k<float, 16>`.
  std::string Symbol;         ///< Mangled device symbol.
  std::string Text;           ///< Compiles alone with nvcc and, if
                              ///< NvrtcClean, with NVRTC.
  std::vector<ClosurePiece> Pieces;
  std::vector<DimensionMacro> Dimensions;
  std::vector<DeviceGlobal> Globals;
  std::vector<std::string>
      Flags; ///< Device flags that change the code:
             ///< `-std=c++17`, `--use_fast_math`, `-maxrregcount=…`.
  bool NvrtcClean = true;   ///< No header that NVRTC refuses.
  bool WholeUnit = false;   ///< Fallback: the unit with host code masked.
  bool UsesBarrier = false; ///< Barriers or warp operations: fibers on a CPU.
  bool UsesAtomics = false;
  uint64_t StaticSharedBytes = 0;
  bool UsesDynamicShared = false;
  Fidelity Proof;

  /// The piece of the kernel itself; never null in a finished closure.
  const ClosurePiece *kernelPiece() const;
  /// Text with the kernel's piece replaced by \p DeviceText: how a candidate
  /// becomes a source. \p Tunables are macros of it, each with the value of its
  /// tunableMacro(); lines keep their numbers.
  std::string withKernel(llvm::StringRef DeviceText,
                         llvm::ArrayRef<std::string> Tunables = {}) const;
  /// Where in withKernel() the device text begins.
  size_t kernelOffset(llvm::ArrayRef<std::string> Tunables = {}) const;
  /// The kernel piece's text: the first candidate.
  llvm::StringRef kernelText() const;
};

/// The macro on the command line that gives tunable \p Name its value: under a
/// name of its own, as the toolkit's headers use short ones like T themselves.
std::string tunableMacro(llvm::StringRef Name);

Json toJson(const Fidelity &Proof);
Json toJson(const Closure &C);

} // namespace mep

#endif // MEP_MODEL_CLOSURE_H
