/// \file
/// Which kernel is likely the hottest, without running it.

#ifndef MEP_LIB_DISCOVERY_RANKING_H
#define MEP_LIB_DISCOVERY_RANKING_H

#include <string>

namespace clang {
class FunctionDecl;
}

namespace mep {

/// Static guess of the cost of one kernel, and what it rests on. Only the order
/// means anything.
struct Heat {
  double Value = 0;
  std::string Reason;
};

Heat guessHeat(const clang::FunctionDecl &Kernel, bool LaunchedInLoop);

} // namespace mep

#endif // MEP_LIB_DISCOVERY_RANKING_H
