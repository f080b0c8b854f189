#pragma once
#include "hip_runtime.h"
#include <cuda_bf16.h>
