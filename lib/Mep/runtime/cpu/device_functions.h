/// \file
/// Stands for the toolkit's <device_functions.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_DEVICE_FUNCTIONS_H
#define MEP_CPU_SHADOW_DEVICE_FUNCTIONS_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_DEVICE_FUNCTIONS_H
