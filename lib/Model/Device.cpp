#include "mep/Model/Device.h"
#include <nlohmann/json.hpp>

using namespace mep;

Json mep::toJson(const Device &D) {
  return {{"platform", D.Platform},
          {"name", D.Name},
          {"arch", D.Arch},
          {"toolkit", D.Toolkit},
          {"multiprocessors", D.Multiprocessors},
          {"warp_size", D.WarpSize},
          {"max_threads_per_block", D.MaxThreadsPerBlock},
          {"shared_bytes_per_block", D.SharedBytesPerBlock},
          {"memory_bytes", D.MemoryBytes},
          {"l2_bytes", D.L2Bytes},
          {"bandwidth_bytes_per_s", D.BandwidthBytesPerS},
          {"sandbox", D.Sandbox}};
}

llvm::Expected<Device> mep::deviceFromJson(const Json &Value,
                                           llvm::StringRef Where) {
  Device D;
  JsonReader R(Value, Where.str());
  R.read("platform", D.Platform);
  R.read("name", D.Name);
  R.readIf("arch", D.Arch);
  R.readIf("toolkit", D.Toolkit);
  R.readIf("multiprocessors", D.Multiprocessors);
  R.readIf("warp_size", D.WarpSize);
  R.readIf("max_threads_per_block", D.MaxThreadsPerBlock);
  R.readIf("shared_bytes_per_block", D.SharedBytesPerBlock);
  R.readIf("memory_bytes", D.MemoryBytes);
  R.readIf("l2_bytes", D.L2Bytes);
  R.readIf("bandwidth_bytes_per_s", D.BandwidthBytesPerS);
  R.readIf("sandbox", D.Sandbox);
  if (llvm::Error E = R.takeError())
    return E;
  return D;
}
