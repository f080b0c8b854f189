/// \file
/// CUDA device source as plain C++17: include this before the device code and
/// compile it with any host compiler. Blocks run on several OS threads; the
/// threads of a block run one after another, as fibers when they must meet.
///
/// Macros that a build may set:
///   MEP_NO_FIBERS      the kernel has no barrier and no warp operation; the
///                      threads of a block become plain loops
///   MEP_BOOST_CONTEXT  switch fibers by Boost.Context's make_fcontext and
///                      jump_fcontext (link or export them)
///   MEP_WARP_SIZE      32 when not set, at most 64
///   MEP_STACK_BYTES    stack of one fiber, 128 KiB when not set
/// The environment's MEP_CPU_THREADS limits the OS threads of a launch.
///
/// `extern __shared__ T name[];` has no spelling in C++: write
/// `T *name = mep_cpu::dynamicShared<T>();` instead.

#ifndef MEP_CPU_H
#define MEP_CPU_H

#define MEP_CPU 1

#include "cpu/mep_cpu_types.h"

#include "cpu/mep_cpu_block.h"

#include "cpu/mep_cpu_launch.h"

#include "cpu/mep_cpu_atomics.h"
#include "cpu/mep_cpu_math.h"
#include "cpu/mep_cpu_warp.h"

#include "cpu/mep_cpu_api.h"

#endif // MEP_CPU_H
