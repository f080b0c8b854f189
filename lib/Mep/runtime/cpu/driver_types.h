/// \file
/// Stands for the toolkit's <driver_types.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_DRIVER_TYPES_H
#define MEP_CPU_SHADOW_DRIVER_TYPES_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_DRIVER_TYPES_H
