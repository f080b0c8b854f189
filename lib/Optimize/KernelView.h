/// \file
/// What the catalogue's moves need to know of a kernel's text: thread indices,
/// loops, memory accesses as polynomials, and where everything stands.

#ifndef MEP_LIB_OPTIMIZE_KERNELVIEW_H
#define MEP_LIB_OPTIMIZE_KERNELVIEW_H

#include "Polynomial.h"
#include "TextEdits.h"
#include "mep/Model/Closure.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <set>

namespace clang {
class CompoundStmt;
class Expr;
class ForStmt;
class FunctionDecl;
class IfStmt;
class ParmVarDecl;
class SourceRange;
class Stmt;
class VarDecl;
} // namespace clang

namespace mep {
class ParsedUnit;

/// `int i = blockIdx.x * blockDim.x + threadIdx.x;`, never changed afterwards.
struct ThreadIndex {
  const clang::VarDecl *Var = nullptr;
  unsigned Axis = 0; ///< 0, 1, 2 for x, y, z.
};

/// `for (v = Begin; v < Bound; ++v)` whose body changes neither v nor Bound.
struct LoopView {
  const clang::ForStmt *For = nullptr;
  const clang::VarDecl *Var = nullptr;
  const clang::Expr *Begin = nullptr, *Bound = nullptr;
  bool Inclusive = false;   ///< `<=`
  bool DeclaresVar = false; ///< In its own init statement.
};

/// One read or write of memory that other threads may see, or of shared or
/// local arrays.
struct Access {
  const clang::Expr *Node = nullptr;    ///< `X[e]`
  const clang::VarDecl *Root = nullptr; ///< X, or the structure holding it.
  std::string Base;                     ///< Identifies the buffer.
  std::string Field;                    ///< `.x` of `X[e].x`
  Polynomial Index;
  bool Read = false, Write = false, Atomic = false;
};

/// All accesses below one statement. Unknown: a use of memory or of a pointer
/// that could not be followed, as text; empty when all were.
struct Accesses {
  std::vector<Access> All;
  std::string Unknown;
};

class KernelView {
public:
  /// Parses \p DeviceText inside \p C with the dimensions at their base values
  /// and \p Defines (`BX=32`) set. Error (Input) with the first diagnostic;
  /// (Unsupported) when the kernel has no body that can be read.
  static llvm::Expected<std::unique_ptr<KernelView>>
  parse(const Closure &C, llvm::StringRef DeviceText,
        const std::vector<std::string> &Defines);
  ~KernelView();

  const Closure &Source;
  const std::string Text; ///< The device text.
  const clang::FunctionDecl *Kernel = nullptr;
  const clang::FunctionDecl *Written = nullptr; ///< A template's pattern, else
                                                ///< Kernel itself.
  const clang::CompoundStmt *Body = nullptr;
  std::vector<ThreadIndex> Threads;
  std::vector<LoopView> Loops; ///< Outer before inner, in text order.
  /// First use of threadIdx, blockIdx, blockDim or gridDim outside a
  /// ThreadIndex; empty: none.
  std::string OtherBuiltin;
  bool HasBarrier = false; ///< Or warp operation.
  std::string SharedArray; ///< First `__shared__` variable; empty: none.

  const ThreadIndex *axis(unsigned Axis) const; ///< Null: not used.
  const LoopView *loop(const clang::ForStmt *For) const;
  const clang::Stmt *parent(const clang::Stmt *S) const;
  /// True if \p Inner lies below \p Outer (or is it).
  bool within(const clang::Stmt *Inner, const clang::Stmt *Outer) const;

  Accesses accesses(const clang::Stmt *S) const;
  Polynomial polynomial(const clang::Expr *E) const;
  std::string key(const clang::VarDecl *Var) const;
  /// C++ spelling of an atom made of dimensions and scalar parameters; empty
  /// for any other.
  std::string planSpelling(const std::string &Atom) const;
  /// Variables that \p P is computed from; \p ReadsMemory set if it depends on
  /// memory as well.
  std::set<const clang::VarDecl *> variables(const Polynomial &P,
                                             bool &ReadsMemory) const;
  bool dependsOn(const Polynomial &P, const clang::VarDecl *Var) const;
  /// Local variables that \p S assigns, steps or takes the address of.
  std::set<const clang::VarDecl *> modified(const clang::Stmt *S) const;
  /// Variables read or written by name below \p S.
  std::set<const clang::VarDecl *> mentioned(const clang::Stmt *S) const;
  bool hasReturn(const clang::Stmt *S) const;
  /// Barrier, warp operation or atomic below \p S.
  bool synchronises(const clang::Stmt *S) const;
  /// True if an enclosing `if`, or an early return before it, compares \p Var
  /// from above around everything that touches memory.
  bool guarded(const clang::VarDecl *Var) const;

  /// Where \p S stands in Text, a statement's `;` included; empty if it does
  /// not stand there as a whole (macro bodies).
  std::optional<TextRange> range(const clang::Stmt *S) const;
  std::optional<TextRange> range(clang::SourceRange R) const;
  llvm::StringRef text(TextRange R) const {
    return llvm::StringRef(Text).slice(R.Begin, R.End);
  }
  std::string text(const clang::Stmt *S) const;
  /// Normalised spelling, macros expanded, for structural comparison.
  std::string printed(const clang::Expr *E) const;
  /// True if \p Where, or the macro that makes it, stands in Text.
  bool holds(clang::SourceLocation Where) const;
  /// Blanks at the beginning of the line that holds \p Offset.
  std::string indentation(size_t Offset) const;
  /// The element type of \p A as the kernel can spell it; empty unless it is
  /// an arithmetic type.
  std::string elementType(const Access &A) const;
  /// \p Wanted, or with a number behind it when the closure has that word.
  std::string freshName(llvm::StringRef Wanted) const;
  /// First declaration in Text that a candidate must not hold, in words; empty
  /// if there is none.
  std::string foreignDeclaration() const;
  /// Name and parameter types of the kernel, top-level qualifiers left out.
  std::string signature() const;
  /// Place of \p S for messages.
  std::string where(const clang::Stmt *S) const;

private:
  struct AtomInfo {
    std::set<const clang::VarDecl *> Variables;
    bool ReadsMemory = false;
    std::string Spelling; ///< Empty unless planSpelling may use it.
  };
  class Collector;

  KernelView(const Closure &C, std::string Text);
  llvm::Error findKernel();
  void findThreads();
  void findLoops(const clang::Stmt *S);
  std::optional<LoopView> readLoop(const clang::ForStmt *F) const;
  std::string opaque(const clang::Expr *E) const;
  Polynomial variable(const clang::VarDecl *Var) const;

  std::unique_ptr<ParsedUnit> Unit;
  size_t Offset = 0; ///< Of Text in the parsed source.
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  std::set<const clang::VarDecl *> Changed; ///< Anywhere in the kernel.
  mutable std::map<std::string, AtomInfo> Atoms;
};

/// Calls \p Visit for \p S and everything below it, parents first; Visit
/// returns false to leave a subtree out. `threadIdx.x` and its like are leaves.
void walk(const clang::Stmt *S,
          llvm::function_ref<bool(const clang::Stmt *)> Visit);

/// `threadIdx.x`, `blockDim.y`, …: the name without the axis, and the axis;
/// empty for any other expression.
llvm::StringRef builtinIndex(const clang::Expr *E, unsigned &Axis);

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_KERNELVIEW_H
