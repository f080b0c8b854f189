/// \file
/// What a pointer of the host code may point into: the union of all that is
/// ever stored to it (Andersen's analysis, asked on demand), by fields, and
/// within one chain of calls where one is given.

#ifndef MEP_LIB_SPLICE_POINTERORIGINS_H
#define MEP_LIB_SPLICE_POINTERORIGINS_H

#include "HostStores.h"
#include <memory>
#include <optional>
#include <tuple>

namespace clang {
class FieldDecl;
class ParmVarDecl;
} // namespace clang

namespace mep {

/// A place that holds a pointer or a record.
struct PointerCell {
  const clang::VarDecl *Root = nullptr; ///< Null: a member of any object.
  std::vector<const clang::FieldDecl *> Fields; ///< One where Root is null.
  /// `[2]`: an element; `[]`: any; `*`: of the memory that the place points to.
  std::string Path;

  auto key() const { return std::tie(Root, Fields, Path); }
  bool operator<(const PointerCell &Other) const { return key() < Other.key(); }
  bool operator==(const PointerCell &Other) const {
    return key() == Other.key();
  }
  const clang::ValueDecl *last() const;
  std::string name() const; ///< For people.
};

/// What \p C holds.
clang::QualType typeAt(const PointerCell &C);

/// True if \p A and \p B may be one place.
bool mayBeSame(const PointerCell &A, const PointerCell &B);

/// Memory, by where its address comes from.
struct PointerOrigin {
  enum What {
    Object, ///< The place Where itself.
    Fresh,  ///< Allocated, the address put into Where at once.
    Given   ///< By a caller that is not seen, in Where.
  };
  What Kind = Object;
  PointerCell Where;
  const clang::Expr *Made = nullptr; ///< Of a Fresh that has no Where.
  bool operator<(const PointerOrigin &Other) const {
    return std::tie(Kind, Where, Made) <
           std::tie(Other.Kind, Other.Where, Other.Made);
  }
};

bool mayBeSame(const PointerOrigin &A, const PointerOrigin &B);

struct OriginSet {
  std::set<PointerOrigin> All;
  std::string Unknown; ///< Why it may point anywhere; empty: it may not.
};

/// Why \p C may be set by code that is not in the unit; empty: it is not.
std::string setElsewhere(const PointerCell &C, const HostStores &Stores);

/// A call on the way to a place in the code; null: any.
struct CallBinding {
  const clang::FunctionDecl *Function = nullptr; ///< Definition called.
  const clang::Expr *Call = nullptr;             ///< Null: the outermost.
  std::shared_ptr<const CallBinding> Caller;
};
using BindingRef = std::shared_ptr<const CallBinding>;

/// One question; made anew for each.
class PointerOrigins {
public:
  explicit PointerOrigins(const HostStores &Stores, unsigned Depth = 0)
      : Stores(Stores), Depth(Depth) {}

  OriginSet of(const clang::Expr *E, const BindingRef &At);
  /// Places that the lvalue \p E may be; nothing where that is not known.
  std::optional<std::vector<PointerCell>> cells(const clang::Expr *E,
                                                const BindingRef &At);
  /// True if \p S may put something into \p C or what holds it. Known: its
  /// place is known.
  bool hits(const HostStore &S, const PointerCell &C, const BindingRef &At,
            bool &Known);
  /// \p At for what \p S stores into \p C, if that is a variable of \p At's
  /// function: what outlives the call may have been set by another call.
  BindingRef bindingOf(const HostStore &S, const PointerCell &C,
                       const BindingRef &At) const;
  /// Stores that hits() has to be asked about.
  std::vector<const HostStore *> candidates(const PointerCell &C) const;
  /// True if \p E is memory that nothing else points into yet. That of a
  /// variable only where it is handed on once: returned (\p Level is then more
  /// than 0), or in the block \p Once that declares it.
  bool isFresh(const clang::Expr *E, const clang::CompoundStmt *Once = nullptr,
               unsigned Level = 0) const;

private:
  using Cells = std::optional<std::vector<PointerCell>>;
  void values(const clang::Expr *E, const BindingRef &At);
  void callValues(const clang::CallExpr *Call, const BindingRef &At);
  void owners(const PointerCell &C, const BindingRef &At);
  void contents(const PointerCell &C, const BindingRef &At);
  void parameter(const clang::ParmVarDecl *P, const PointerCell &C,
                 const BindingRef &At);
  void addStore(const HostStore &S, const PointerCell &C, const BindingRef &At);
  /// What \p E's member and element that \p C is below \p Holder holds.
  void part(const clang::Expr *E, const PointerCell &Holder,
            const PointerCell &C, const BindingRef &At);
  void object(PointerCell C);
  void unknown(const std::string &Why);
  Cells pointees(const clang::Expr *Pointer, const std::string &Index,
                 const BindingRef &At);
  Cells memberCells(const clang::Expr *E, const BindingRef &At);
  Cells referenced(const clang::VarDecl *V, const BindingRef &At);
  Cells storeCells(const HostStore &S, const BindingRef &At);

  const HostStores &Stores;
  unsigned Depth, OwnSteps = 0;
  unsigned *Steps = &OwnSteps; ///< Of the question asked first.
  bool Shifted = false;        ///< Pointers into arrays may have been moved.
  OriginSet Out;
  std::set<std::pair<PointerCell, const CallBinding *>> Seen;
  std::set<const HostStore *> Open; ///< Whose place is being asked for.
  std::vector<BindingRef> Kept;     ///< Those that Seen points to.
};

} // namespace mep

#endif // MEP_LIB_SPLICE_POINTERORIGINS_H
