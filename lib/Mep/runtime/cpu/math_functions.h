/// \file
/// Stands for the toolkit's <math_functions.h> on a host compiler.

#ifndef MEP_CPU_SHADOW_MATH_FUNCTIONS_H
#define MEP_CPU_SHADOW_MATH_FUNCTIONS_H

#include "../mep_cpu.h"

#endif // MEP_CPU_SHADOW_MATH_FUNCTIONS_H
