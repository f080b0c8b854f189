// The name that HIPCL, an implementation over OpenCL, has for it.
#include <hip/hip_runtime.h>
