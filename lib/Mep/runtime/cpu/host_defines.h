/// \file
/// Stands for the toolkit's <host_defines.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_HOST_DEFINES_H
#define MEP_CPU_SHADOW_HOST_DEFINES_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_HOST_DEFINES_H
