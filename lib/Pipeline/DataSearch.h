/// \file
/// A small search over data until a kernel runs cleanly.

#ifndef MEP_LIB_PIPELINE_DATASEARCH_H
#define MEP_LIB_PIPELINE_DATASEARCH_H

#include "DataChoices.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mep {

struct DataSearchLimits {
  unsigned Tries = 32;
  double Seconds = 45;
  bool Unchanged = false; ///< The data itself is judged first: the judge may
                          ///< mend what has not been looked at.
};

/// How the kernel runs on the data it is given, which it may mend: nothing
/// wrong, or what. Error: it cannot be said, for no reason of the data.
using DataJudge =
    llvm::function_ref<llvm::Expected<std::optional<Trouble>>(Workload &)>;

/// Looks for data on which the kernel runs, where \p W is in trouble \p First:
/// the choices for that, then from each choice that leads to another trouble
/// the choices for the other. True: \p W is what \p Judge found nothing wrong
/// with. \p Tries: how often it was asked.
llvm::Expected<bool> searchData(Workload &W, Trouble First,
                                const DataSearchLimits &Limits, DataJudge Judge,
                                unsigned &Tries);

} // namespace mep

#endif // MEP_LIB_PIPELINE_DATASEARCH_H
