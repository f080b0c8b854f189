/// \file
/// Fourth step of the walk: the data the kernel runs on, from the launch site
/// and the host code around it.

#ifndef MEP_WORKLOAD_WORKLOADINFERENCE_H
#define MEP_WORKLOAD_WORKLOADINFERENCE_H

#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Workload.h"
#include <optional>

namespace mep {
class ParsedUnit;

/// Infers the workload of \p Site's launch \p Launch. \p UserFile is the text
/// of `--workload=FILE` (members it has override what analysis finds, so that a
/// file with one scalar is enough); empty without one, \p UserPath names it.
/// Errors: Workload naming the parameter that cannot be inferred and the line
/// of workload.json that would supply it; Unsupported with a place.
llvm::Expected<Workload>
inferWorkload(const ParsedUnit &Host, const ParsedUnit &Device,
              const KernelSite &Site, unsigned Launch, const Closure &C,
              llvm::StringRef UserFile, llvm::StringRef UserPath);

} // namespace mep

#endif // MEP_WORKLOAD_WORKLOADINFERENCE_H
