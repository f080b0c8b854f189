/// \file
/// The makers of data choices: FillChoices.cpp what buffers hold,
/// AssumedChoices.cpp values that are assumed, LaunchChoices.cpp which launch
/// is the base, DataChoices.cpp what comes first.

#ifndef MEP_LIB_PIPELINE_CHOICES_H
#define MEP_LIB_PIPELINE_CHOICES_H

#include "DataChoices.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace mep {

/// One way to fill buffers.
struct FillMove {
  const char *Values; ///< `are 0 or 1`
  /// An empty High is the buffer's last subscript.
  const char *Rule, *Low, *High;
};

/// Collects choices; each member adds those of one kind.
class Choices {
public:
  Choices(const Workload &W, Trouble What) : W(W), What(What) {}

  std::vector<Workload> run();

private:
  /// So many buffers or assumed values are changed one at a time.
  static constexpr size_t MostSingles = 4;
  /// False: nothing to change.
  using Change = llvm::function_ref<bool(Workload &)>;
  void add(const std::string &Note, Change Do);

  /// Loose: integers without a structure that analysis gave them.
  enum class Kind { Integers, Loose, Reals };
  bool takes(const Buffer &B, Kind Which) const;
  void fill(const FillMove &Move, Kind Which);
  void fillAsHost();
  bool setAsHost(Buffer &B, bool CopiesFirst) const;
  void fillSingly(llvm::ArrayRef<FillMove> Moves);
  void fillOffsets();

  std::vector<std::string> assumed(Assumption::Kind Which) const;
  void scalars(llvm::ArrayRef<const char *> Values);
  void scalarsAsExtents();
  void sizesSmaller(llvm::ArrayRef<int64_t> Parts);
  void counts(llvm::ArrayRef<int64_t> Values);
  void sizesSingly(llvm::ArrayRef<int64_t> Values);
  void grids();
  void otherLaunches();
  bool inBlock(llvm::StringRef Name) const;

  void astray();
  void endless();
  void notFinite();
  void writesNothing();
  void notReproducible();

  const Workload &W;
  const Trouble What;
  std::vector<Workload> All;
};

/// `'a', 'b'`
std::string quotedList(const std::vector<std::string> &Names);

} // namespace mep

#endif // MEP_LIB_PIPELINE_CHOICES_H
