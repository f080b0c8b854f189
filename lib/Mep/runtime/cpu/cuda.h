/// \file
/// Stands for the toolkit's <cuda.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_CUDA_H
#define MEP_CPU_SHADOW_CUDA_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_CUDA_H
