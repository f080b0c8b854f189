/// \file
/// Proofs that two pointers of the host code never point into the same memory
/// at the same time.

#ifndef MEP_LIB_SPLICE_POINTERSAPART_H
#define MEP_LIB_SPLICE_POINTERSAPART_H

#include "PointerOrigins.h"

namespace mep {

struct PointerUse {
  const clang::Expr *E = nullptr;
  BindingRef At; ///< The calls that lead to it; null: any.
  /// Calls that began between where it is written and when it is read: what a
  /// reference parameter is may change after the call that passes it.
  unsigned Late = 0;
};

/// Either all that one may ever point into is apart from all that the other
/// may, or both are places of one group: places that only ever exchange their
/// pointers among each other (`std::swap(a, b)`) and otherwise get new memory,
/// or all get pointers that are apart in one go.
class PointersApart {
public:
  /// \p AtOnce: no argument of the calls in question changes what another one
  /// evaluates to.
  PointersApart(const HostStores &Stores, bool AtOnce)
      : Stores(Stores), AtOnce(AtOnce) {}

  /// Empty if \p A and \p B are apart whenever both are evaluated, else why
  /// they may not be.
  std::string whyNot(PointerUse A, PointerUse B);
  /// True if \p A and \p B are one pointer whenever both are evaluated.
  bool isSame(PointerUse A, PointerUse B);
  /// What was assumed of callers that are not seen.
  const std::set<std::string> &assumed() const { return Assumed; }

private:
  struct Group;
  PointerUse outward(PointerUse Use, bool DropOffsets) const;
  std::string textOf(const clang::Expr *E) const;
  std::string baseText(const clang::MemberExpr *M) const;
  std::string plain(const PointerUse &A, const PointerUse &B);
  bool arePlacesApart(const PointerUse &A, const PointerUse &B);
  bool areElementsApart(const PointerUse &A, const PointerUse &B);
  bool holdsApart(const PointerCell &Elements, const BindingRef &At);
  bool collect(Group &G, const BindingRef &At);
  bool isGroupApart(const PointerCell &A, const PointerCell &B,
                    const BindingRef &At);
  std::vector<const HostStore *> runOf(const Group &G, const HostStore &S,
                                       size_t Of) const;
  bool isRun(const Group &G, const HostStore &S, size_t Of,
             const BindingRef &At);
  bool haveOneBase(const std::vector<const clang::Expr *> &All) const;
  bool areArgumentsApart(const Group &G, const BindingRef &At);
  bool isOneObject(const Group &G) const;
  bool isNull(const HostStore &S) const;
  bool isNew(const HostStore &S, const PointerCell &C) const;
  bool isSnapshot(const clang::Expr *E) const;

  const HostStores &Stores;
  const bool AtOnce;
  std::set<std::string> Assumed;
  unsigned Level = 0;
};

} // namespace mep

#endif // MEP_LIB_SPLICE_POINTERSAPART_H
