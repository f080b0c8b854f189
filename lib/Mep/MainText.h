/// \file
/// The generated driver of a Minimal Executable Program as text.

#ifndef MEP_LIB_MEP_MAINTEXT_H
#define MEP_LIB_MEP_MAINTEXT_H

#include "mep/Mep/MepWriter.h"

namespace mep {

/// main.cu: the shapes in numbers, each beside the expression it came from, and
/// the launch.
std::string mainText(const Closure &C, const Workload &W,
                     const std::vector<ResolvedShape> &Shapes,
                     const MepOptions &Options);

} // namespace mep

#endif // MEP_LIB_MEP_MAINTEXT_H
