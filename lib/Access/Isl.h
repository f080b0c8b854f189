/// \file
/// The one door to isl: its objects as values that free themselves. isl counts
/// its operations; past the limit, or after any other failure, every result is
/// empty and stays so, so that a caller checks once at the end.

#ifndef MEP_LIB_ACCESS_ISL_H
#define MEP_LIB_ACCESS_ISL_H

#include <algorithm>
#include <cstdint>
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <optional>
#include <utility>

namespace mep::isl {

class Context {
public:
  Context() : Raw(isl_ctx_alloc()) {
    isl_options_set_on_error(Raw, ISL_ON_ERROR_CONTINUE);
  }
  Context(const Context &) = delete;
  ~Context() { isl_ctx_free(Raw); }
  isl_ctx *raw() const { return Raw; }
  /// Starts counting again. The work that passes its limit is what takes long:
  /// after a few such, each halves the next limit, so that their sum is
  /// bounded.
  void allow(unsigned long Operations) {
    constexpr unsigned Patience = 4, Most = 12;
    if (isl_ctx_last_error(Raw) == isl_error_quota)
      ++Passed;
    unsigned Halvings = Passed > Patience ? Passed - Patience : 0;
    isl_ctx_reset_error(Raw);
    isl_ctx_reset_operations(Raw);
    isl_ctx_set_max_operations(Raw, Operations >> std::min(Halvings, Most));
  }

private:
  isl_ctx *Raw;
  unsigned Passed = 0; ///< Limits so far.
};

inline isl_set *copyOf(isl_set *P) { return isl_set_copy(P); }
inline void release(isl_set *P) { isl_set_free(P); }
inline isl_map *copyOf(isl_map *P) { return isl_map_copy(P); }
inline void release(isl_map *P) { isl_map_free(P); }
inline isl_pw_aff *copyOf(isl_pw_aff *P) { return isl_pw_aff_copy(P); }
inline void release(isl_pw_aff *P) { isl_pw_aff_free(P); }
inline isl_val *copyOf(isl_val *P) { return isl_val_copy(P); }
inline void release(isl_val *P) { isl_val_free(P); }

/// Owns one isl object; null after a failure.
template <typename T> class Owned {
public:
  Owned() = default;
  explicit Owned(T *Raw) : Raw(Raw) {}
  Owned(const Owned &O) : Raw(O.Raw ? copyOf(O.Raw) : nullptr) {}
  Owned(Owned &&O) noexcept : Raw(std::exchange(O.Raw, nullptr)) {}
  Owned &operator=(Owned O) {
    std::swap(Raw, O.Raw);
    return *this;
  }
  ~Owned() { release(Raw); }
  explicit operator bool() const { return Raw; }
  /// For isl functions that keep their argument.
  T *keep() const { return Raw; }
  /// For isl functions that take it: a copy.
  T *take() const { return Raw ? copyOf(Raw) : nullptr; }

private:
  T *Raw = nullptr;
};

using Set = Owned<isl_set>;
using Map = Owned<isl_map>;
using PwAff = Owned<isl_pw_aff>;
using Val = Owned<isl_val>;

inline Set operator&(const Set &A, const Set &B) {
  return Set(isl_set_intersect(A.take(), B.take()));
}
inline Set operator|(const Set &A, const Set &B) {
  return Set(isl_set_union(A.take(), B.take()));
}
inline Set operator-(const Set &A, const Set &B) {
  return Set(isl_set_subtract(A.take(), B.take()));
}
/// Nothing when that cannot be found out.
inline std::optional<bool> isEmpty(const Set &S) {
  isl_bool B = isl_set_is_empty(S.keep());
  return B == isl_bool_error ? std::nullopt : std::optional(B == isl_bool_true);
}
/// Nothing when \p V is no finite integer of 64 bits.
inline std::optional<int64_t> integer(const Val &V) {
  if (!V || !isl_val_is_int(V.keep()) ||
      isl_val_n_abs_num_chunks(V.keep(), 8) > 1)
    return std::nullopt;
  int64_t N = isl_val_get_num_si(V.keep());
  Val Again(isl_val_int_from_si(isl_val_get_ctx(V.keep()), N));
  return isl_val_eq(Again.keep(), V.keep()) ? std::optional(N) : std::nullopt;
}

} // namespace mep::isl

#endif // MEP_LIB_ACCESS_ISL_H
