/// \file
/// The buffers of a workload in the making: one for each allocation, and for
/// what the elements of another point at.

#ifndef MEP_LIB_WORKLOAD_BUFFERTABLE_H
#define MEP_LIB_WORKLOAD_BUFFERTABLE_H

#include "ElementTypes.h"
#include "WorkloadDraft.h"

namespace mep {

class BufferTable {
public:
  BufferTable(HostValues &Values, WorkloadDraft &Out)
      : Values(Values), Out(Out) {}

  /// What host code says of a pointer to elements: where it is used and when.
  struct Use {
    std::string Name;               ///< Of the buffer if it is a new one.
    const clang::Expr *E = nullptr; ///< Points at the elements; may be null.
    Point At;
    std::string Where;
    bool IsDevice = true; ///< The elements are device memory, else host memory
                          ///< that is copied there.
  };

  /// The number in Out.Data.Buffers of what \p V points at, whose elements are
  /// of type \p Element; made, with all that its elements point at, if there
  /// is none yet. Error (Unsupported): elements no workload can hold.
  llvm::Expected<size_t> buffer(const PointerValue &V, clang::QualType Element,
                                const Use &From);

  /// Gives the members of the only element of buffer \p Holder, which is of
  /// type \p Element, the values that host code puts there through \p From.
  void set(size_t Holder, clang::QualType Element, const Use &From);

  /// Gives the elements of buffer \p Holder their \p Pointers, which host code
  /// puts there through \p From.
  llvm::Error point(size_t Holder, llvm::ArrayRef<PointerField> Pointers,
                    const Use &From);

private:
  int setTo(const PointerValue &V);
  FillRule hostFillOf(const PointerValue &V, const ElementType &Element,
                      const Use &From);
  void setMembers(size_t Holder, const clang::RecordDecl *R, uint64_t Offset,
                  FieldPath &Path, const Use &From);
  const std::vector<HostSource> &sourcesOf(const Use &From);
  TermRef valueIn(const FieldPath &Path, const Use &From);
  llvm::Error pointOne(size_t Holder, const PointerField &Field,
                       const Use &From);
  PointerValue pointerIn(const PointerField &Field, const Use &From);
  void slice(size_t Holder, const PointerField &Field, const PointerValue &V,
             size_t Target, bool IsNew, ElementPointer &To);

  HostValues &Values;
  WorkloadDraft &Out;
  std::vector<std::pair<std::string, size_t>> Allocations;
  std::map<const clang::Expr *, std::vector<HostSource>> Sources;
  /// Bytes that allocations are set to, once asked for.
  std::optional<std::map<std::string, int>> Sets;
  /// What is copied to allocations, the last copy of each, once asked for.
  std::optional<std::map<std::string, HostSource>> Copied;
  std::vector<clang::QualType> Inside; ///< Elements being followed.
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_BUFFERTABLE_H
