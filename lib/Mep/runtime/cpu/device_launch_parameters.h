/// \file
/// Stands for the toolkit's <device_launch_parameters.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_DEVICE_LAUNCH_PARAMETERS_H
#define MEP_CPU_SHADOW_DEVICE_LAUNCH_PARAMETERS_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_DEVICE_LAUNCH_PARAMETERS_H
