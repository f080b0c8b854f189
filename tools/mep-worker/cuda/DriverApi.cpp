#include "DriverApi.h"
#include <dlfcn.h>

using namespace mepworker::cuda;

namespace {
struct Binder {
  void *Library;
  std::string Missing;

  template <typename F> void operator()(F &Slot, const char *Name) {
    Slot = reinterpret_cast<F>(dlsym(Library, Name));
    if (!Slot && Missing.empty())
      Missing = Name;
  }
};
} // namespace

bool DriverApi::open(std::string &Error) {
  void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    Error = "no NVIDIA driver: libcuda.so.1 cannot be opened";
    return false;
  }
  Binder Bind{Library, {}};
  Bind(Init, "cuInit");
  Bind(DriverGetVersion, "cuDriverGetVersion");
  Bind(DeviceGetCount, "cuDeviceGetCount");
  Bind(DeviceGet, "cuDeviceGet");
  Bind(DeviceGetName, "cuDeviceGetName");
  Bind(DeviceTotalMem, "cuDeviceTotalMem_v2");
  Bind(DeviceGetAttribute, "cuDeviceGetAttribute");
  Bind(PrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  Bind(PrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  Bind(PrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2");
  Bind(CtxSetCurrent, "cuCtxSetCurrent");
  Bind(ModuleLoadData, "cuModuleLoadData");
  Bind(ModuleUnload, "cuModuleUnload");
  Bind(ModuleGetFunction, "cuModuleGetFunction");
  Bind(ModuleGetGlobal, "cuModuleGetGlobal_v2");
  Bind(FuncGetAttribute, "cuFuncGetAttribute");
  Bind(FuncSetAttribute, "cuFuncSetAttribute");
  Bind(MemAlloc, "cuMemAlloc_v2");
  Bind(MemFree, "cuMemFree_v2");
  Bind(MemcpyHtoD, "cuMemcpyHtoD_v2");
  Bind(MemcpyDtoH, "cuMemcpyDtoH_v2");
  Bind(MemcpyDtoD, "cuMemcpyDtoD_v2");
  Bind(MemsetD8, "cuMemsetD8_v2");
  Bind(MemsetD8Async, "cuMemsetD8Async");
  Bind(LaunchKernel, "cuLaunchKernel");
  Bind(EventCreate, "cuEventCreate");
  Bind(EventQuery, "cuEventQuery");
  Bind(EventRecord, "cuEventRecord");
  Bind(EventSynchronize, "cuEventSynchronize");
  Bind(EventElapsedTime, "cuEventElapsedTime");
  Bind(EventDestroy, "cuEventDestroy_v2");
  Bind(GetErrorName, "cuGetErrorName");
  Bind(GetErrorString, "cuGetErrorString");
  if (!Bind.Missing.empty()) {
    Error = "the NVIDIA driver is too old: it has no " + Bind.Missing;
    return false;
  }
  ResetPersistingL2 = reinterpret_cast<Result (*)()>(
      dlsym(Library, "cuCtxResetPersistingL2Cache"));
  FuncGetParamInfo = reinterpret_cast<decltype(FuncGetParamInfo)>(
      dlsym(Library, "cuFuncGetParamInfo"));
  return true;
}

std::string DriverApi::describe(Result R) const {
  const char *Name = nullptr, *Text = nullptr;
  if (GetErrorName(R, &Name) != Success || !Name)
    return "CUDA error " + std::to_string(R);
  std::string Description = Name;
  if (GetErrorString(R, &Text) == Success && Text)
    Description += std::string(" (") + Text + ")";
  return Description;
}
