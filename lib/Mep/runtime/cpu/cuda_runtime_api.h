/// \file
/// Stands for the toolkit's <cuda_runtime_api.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_CUDA_RUNTIME_API_H
#define MEP_CPU_SHADOW_CUDA_RUNTIME_API_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_CUDA_RUNTIME_API_H
