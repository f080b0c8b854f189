/// \file
/// Fifth step of the walk: device source as a host compiler takes it. Standard
/// library only, so that a program without LLVM can use it too.

#ifndef MEP_MEP_CPUSOURCE_H
#define MEP_MEP_CPUSOURCE_H

#include <string>

namespace mep {

/// \p DeviceSource with the declarations that CUDA accepts and C++ does not
/// rewritten for the CPU runtime (mep_cpu.h): `extern __shared__ T name[];`
/// becomes `T *name = mep_cpu::dynamicShared<T>();`, outside of functions a
/// macro of that name, and `__shared__ alignas(16) T` gets its alignment in a
/// form that may stand there. Comments and strings are left alone; the number
/// of lines stays.
std::string cpuSource(const std::string &DeviceSource);

} // namespace mep

#endif // MEP_MEP_CPUSOURCE_H
