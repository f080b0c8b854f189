/// \file
/// The dimensions that the inference has met so far, and what is still missing.

#ifndef MEP_LIB_WORKLOAD_DIMENSIONTABLE_H
#define MEP_LIB_WORKLOAD_DIMENSIONTABLE_H

#include "Term.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Workload.h"
#include "llvm/ADT/ArrayRef.h"

namespace mep {

struct NamedDimension {
  Dimension Data;
  const void *Owner = nullptr; ///< Declaration it stands for; null: a macro.
  /// What host code says of it, before the user's file or an assumption does.
  /// A declaration has one dimension for each of its values: a parameter is
  /// given others by each call.
  std::optional<int64_t> HostValue;
  std::string FirstName;  ///< Before any renaming.
  bool Missing = false;   ///< No value: analysis ended there.
  bool IsAssumed = false; ///< It would be missing.
  std::string Why;        ///< It is missing or assumed.
  std::string ExtentOf;   ///< The buffer whose unknown extent it names.
  bool IsNothing = false; ///< The host code says 0 or less.
};

/// Variables that the host code sets to 0 or less. Most are what they say, and
/// plain numbers; some are sizes that stay so until input is read.
struct NothingValues {
  std::set<const void *> Doubted; ///< Declarations of sizes: not known.
  bool Named = false;   ///< The others get names, to see where each is used.
  bool AllSeen = false; ///< None of the others is a size.
};

class DimensionTable {
public:
  /// Where the values come from that the user's file gives.
  static constexpr const char *GivenSource = "workload file";

  /// \p Given: values from the user's file, by name; \p Assumed: those of
  /// dimensions that would be missing.
  DimensionTable(const Closure &C, std::map<std::string, int64_t> Given,
                 std::map<std::string, int64_t> Assumed = {},
                 NothingValues Nothing = {})
      : Source(C), Given(std::move(Given)), Assumed(std::move(Assumed)),
        Nothing(std::move(Nothing)) {}

  /// A term that names the macro \p Name, whose whole value is \p Value.
  TermRef macro(llvm::StringRef Name, int64_t Value, std::string Where);
  /// A term that names the host variable \p Owner of constant \p Value. \p
  /// DeviceVisible: device code may use the same constant.
  TermRef variable(const void *Owner, llvm::StringRef Name, int64_t Value,
                   bool DeviceVisible, std::string Where);
  /// A term for the host variable \p Owner whose constant \p Value is 0 or
  /// less.
  TermRef nothing(const void *Owner, llvm::StringRef Name, int64_t Value,
                  std::string Where);
  /// A position in a host loop: fixed.
  TermRef position(const void *Owner, llvm::StringRef Name, int64_t Value,
                   std::string Where);
  /// A term for a variable whose value analysis cannot find.
  TermRef missing(const void *Owner, llvm::StringRef Name, std::string Why,
                  std::string Where);

  /// The name of a dimension that stands for the unknown extent of \p Buffer.
  std::string unknownExtent(llvm::StringRef Buffer, std::string Where);

  std::vector<NamedDimension> &all() { return Known; }
  const std::vector<NamedDimension> &all() const { return Known; }
  NamedDimension *find(llvm::StringRef Name);
  /// Numbers of all dimensions that have one.
  TermValues values() const;
  /// Renames so that \p Name is free for something else; returns the new name.
  std::string rename(llvm::StringRef Name);
  /// Some variable is 0 or less, and stands as a plain number.
  bool hasNothing() const { return MetNothing; }

private:
  TermRef add(const void *Owner, llvm::StringRef Name, NamedDimension D);
  std::string unused(llvm::StringRef Name) const;
  const Closure &Source;
  std::map<std::string, int64_t> Given, Assumed;
  NothingValues Nothing;
  bool MetNothing = false;
  std::vector<NamedDimension> Known;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_DIMENSIONTABLE_H
