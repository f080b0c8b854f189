/// \file
/// What the host code of a unit puts into its pointers: every assignment, every
/// address that is handed on, every exchange. Read in one walk, without regard
/// to order; PointerOrigins asks it.

#ifndef MEP_LIB_SPLICE_HOSTSTORES_H
#define MEP_LIB_SPLICE_HOSTSTORES_H

#include "HostExpressions.h"
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class CallExpr;
class CompoundStmt;
class CUDAKernelCallExpr;
class CXXMethodDecl;
class Expr;
class FunctionDecl;
class MemberExpr;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace mep {
class ParsedUnit;

/// Something put into a pointer, or into a record or array that may hold some.
struct HostStore {
  enum What {
    Value,   ///< \c From.
    Fresh,   ///< New memory, of nothing else.
    Unseen,  ///< By code that is not seen: \c Why.
    Exchange ///< What one of \c Partners held; each gets another's.
  };
  What How = Value;
  const clang::Expr *Target = nullptr; ///< Null: Declared gets its first value.
  const clang::ValueDecl *Declared = nullptr;
  bool Through = false;   ///< Target points to what is stored to.
  bool ToElement = false; ///< Of the container that Target is.
  const clang::Expr *From = nullptr;
  std::vector<const clang::Expr *> Partners;
  std::string Why;
  const clang::FunctionDecl *In = nullptr; ///< Null: in no function.
  /// The block that it is a statement of, and which one; null where it is only
  /// a part of that statement, or where jumps may enter between statements.
  const clang::CompoundStmt *Block = nullptr;
  unsigned Position = 0;

  clang::QualType type() const; ///< Of what is stored to.
};

struct HostCallSite {
  const clang::Expr *Call = nullptr; ///< A call or a construction.
  const clang::FunctionDecl *In = nullptr;
};

class HostStores {
public:
  explicit HostStores(const ParsedUnit &Unit);

  /// Stores whose target names \p D, a variable or member, outright.
  const std::vector<const HostStore *> &direct(const clang::ValueDecl *D) const;
  /// Those through pointers and references.
  const std::vector<const HostStore *> &indirect() const { return Indirect; }
  /// Those of whole records.
  const std::vector<const HostStore *> &records() const { return Records; }
  /// Calls of the function that \p F declares.
  const std::vector<HostCallSite> &callers(const clang::FunctionDecl *F) const;
  /// True if \p F may also be called by code that is not among callers(): its
  /// address is taken, or an object or class that calls it is handed on.
  bool escapes(const clang::FunctionDecl *F) const;
  /// True if \p F may run within itself: its variables are then several.
  bool isRecursive(const clang::FunctionDecl *F) const;
  /// What \p Call runs if that is one function of the application, else null.
  const clang::FunctionDecl *body(const clang::CallExpr *Call) const;
  /// True if nothing that \p Call's arguments do changes what they evaluate to.
  bool isQuiet(const clang::Expr *Call) const;
  /// What \p F returns.
  const std::vector<const clang::Expr *> &
  returns(const clang::FunctionDecl *F) const;
  /// Launches that stand at \p Begin of \p File: several in templates.
  std::vector<HostCallSite> launches(const std::string &File,
                                     unsigned Begin) const;
  /// True if a pointer or reference to \p D may be about.
  bool isReachable(const clang::ValueDecl *D) const {
    return AddressTaken.count(D) != 0;
  }
  /// True if a lambda or a parallel region has its own copy of \p D, which
  /// may hold something else than \p D itself does.
  bool isCopied(const clang::ValueDecl *D) const {
    return Copied.count(D) != 0;
  }
  /// All that the integer variable \p D gets, in the order of the text; null:
  /// that is not known, or it is no local variable.
  const std::vector<HostStore> *numbers(const clang::ValueDecl *D) const;
  /// True if \p D is a local integer variable or parameter that keeps its
  /// first value.
  bool keepsNumber(const clang::ValueDecl *D) const;
  /// How often the value of \p V is copied, returned or handed to a function
  /// of the application.
  unsigned copies(const clang::VarDecl *V) const;
  /// The definition if it is the application's own, else null.
  const clang::FunctionDecl *seen(const clang::FunctionDecl *F) const;

  const ParsedUnit &Unit;

private:
  friend class StoreWalk;
  void add(HostStore S);
  void addVirtualCallers(const clang::CXXMethodDecl *M);

  std::list<HostStore> All;
  std::map<const clang::ValueDecl *, std::vector<const HostStore *>> Direct;
  std::vector<const HostStore *> Indirect, Records;
  std::map<const clang::FunctionDecl *, std::vector<HostCallSite>> Callers;
  std::map<const clang::FunctionDecl *, std::vector<const clang::Expr *>>
      Returns;
  std::map<std::pair<std::string, unsigned>, std::vector<HostCallSite>>
      Launches;
  std::set<const clang::ValueDecl *> AddressTaken, Copied;
  std::set<const clang::FunctionDecl *> Escaping;
  std::set<const clang::CXXMethodDecl *> Virtual;
  std::map<const clang::VarDecl *, unsigned> Copies;
  std::map<const clang::ValueDecl *, std::vector<HostStore>> Numbers;
};

} // namespace mep

#endif // MEP_LIB_SPLICE_HOSTSTORES_H
