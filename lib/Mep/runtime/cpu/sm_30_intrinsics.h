/// \file
/// Stands for the toolkit's <sm_30_intrinsics.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_SM_30_INTRINSICS_H
#define MEP_CPU_SHADOW_SM_30_INTRINSICS_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_SM_30_INTRINSICS_H
