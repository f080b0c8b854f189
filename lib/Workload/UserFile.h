/// \file
/// `--workload=FILE`: members that a person gives override what analysis found.

#ifndef MEP_LIB_WORKLOAD_USERFILE_H
#define MEP_LIB_WORKLOAD_USERFILE_H

#include "mep/Model/Workload.h"
#include <optional>

namespace mep {

/// Values of the file's `dimensions`, which the inference needs before the
/// rest. Error (Workload) with the JSON path.
llvm::Expected<std::map<std::string, int64_t>>
givenDimensions(const Json &File, llvm::StringRef Path);

/// \p W with the members of \p File in place. Entries of `dimensions`,
/// `buffers`, `arguments` and `shapes` are matched by name; an argument's
/// `value` (or `buffer`) may stand without its `parts`, and may name a member
/// of a structure (`p.n`). Error (Workload) with the JSON path: a name that the
/// kernel's workload does not have, an unknown member, a wrong value.
llvm::Expected<Workload> mergeUserFile(const Workload &W, const Json &File,
                                       llvm::StringRef Path);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_USERFILE_H
