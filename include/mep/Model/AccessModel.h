/// \file
/// What Access finds: every read and write of a kernel as a map from (block,
/// thread, loop iterations) to bytes of a buffer, under its guards. Symbolic;
/// mep/Access/AccessNumbers.h gives its numbers for one launch.

#ifndef MEP_MODEL_ACCESSMODEL_H
#define MEP_MODEL_ACCESSMODEL_H

#include "mep/Model/IndexExpr.h"
#include "mep/Support/Json.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace mep {

/// A loop around an access. Its counter is 0 in the first iteration; the
/// conditions of the loop are among the guards of what is inside.
struct AccessLoop {
  std::string Counter;  ///< Symbol of kind Counter.
  std::string Variable; ///< The variable that it counts, for the reader.
  std::string Where;
  Index Condition;       ///< Holds in every iteration; null if it is not known.
  bool Unrolled = false; ///< A variable grows by a factor: affine only for one
                         ///< number of the counter after another.
};

enum class AccessKind { Read, Write, Update };
const char *name(AccessKind Kind);

/// How much is known of an access. Affine: index and guards are, once the
/// launch's numbers are given. May: the index is, a guard is not or depends on
/// data, or data decides how often a loop around it runs, so that fewer
/// executions than the model says may happen. NotAffine: the index is none.
enum class AccessState { Affine, May, NotAffine };
const char *name(AccessState State);

struct MemoryAccess {
  unsigned Buffer = 0; ///< Index into AccessModel::Buffers.
  AccessKind Kind = AccessKind::Read;
  bool IsAtomic = false;
  Index Offset;                ///< First byte, from the buffer's begin.
  uint64_t Bytes = 0;          ///< Touched from there.
  std::vector<unsigned> Loops; ///< Into AccessModel::Loops, outermost first.
  std::vector<Index> Guards;   ///< All hold when the access happens.
  unsigned Order = 0; ///< Of two accesses in the same iteration of all loops
                      ///< they share, the smaller one is first.
  std::string Text, Where;
  /// Of a read: its value may turn out not to be used, so that compiled code
  /// need not read it.
  bool MayBeUnused = false;

  AccessState State = AccessState::Affine;
  std::string Reason;      ///< Why it is not Affine; empty if it is.
  std::string ReasonWhere; ///< `file:line:column`.
  /// Bytes between neighbours in threadIdx.x; null when that is not always the
  /// same.
  Index ThreadStride;
};

enum class BufferSpace { Global, Constant, Shared };
const char *name(BufferSpace Space);

/// A pointer parameter (`a`), a pointer in a structure parameter (`p.a`), a
/// device variable (qualified name) or a shared array.
struct AccessedBuffer {
  std::string Name;
  std::string ElementName;
  uint64_t ElementBytes = 1;
  BufferSpace Space = BufferSpace::Global;
  uint64_t Extent = 0; ///< Elements, where the declaration says so.
  bool IsRead = false, IsWritten = false;
  /// All that is touched lies from element First to Last, over sizes and
  /// scalars that are not negative; tight where the grid covers the guards.
  /// Null when RangeNote says why there is no such bound.
  Index First, Last;
  std::string RangeNote;
};

/// Memory that may be touched though no access says where.
struct UnknownAccess {
  std::string Reason, Where;
};

struct AccessModel {
  static constexpr const char *Schema = "mep-access/1";
  std::string Kernel;
  std::vector<AccessedBuffer> Buffers;
  std::vector<AccessLoop> Loops;
  std::vector<MemoryAccess> Accesses; ///< In program order.
  std::vector<UnknownAccess> Unknown;
  /// Dimension macros with their values in the text.
  std::vector<std::pair<std::string, int64_t>> Macros;
  /// A number in the model may be made of them (the size of an array type, a
  /// template argument, an enumerator): it holds for these values only.
  bool HoldsForMacros = false;

  /// Every access to device memory (global and constant; shared memory is a
  /// block's own) has an affine index: State is not NotAffine, and nothing is
  /// Unknown. A gather `a[b[i]]` has none.
  bool isFullyAffine() const;
  /// Moreover every guard and every loop around them is: State is Affine, so
  /// that the model says exactly what a launch touches.
  bool isExactlyAffine() const;
  const AccessedBuffer *find(llvm::StringRef Name) const;
};

Json toJson(const AccessModel &Model);
/// For a person: a paragraph a buffer, a line an access.
void print(const AccessModel &Model, llvm::raw_ostream &OS);

} // namespace mep

#endif // MEP_MODEL_ACCESSMODEL_H
