#include "../Elf.h"
#include "../Platform.h"
#include "../Request.h"
#include "CompilePool.h"
#include "DriverApi.h"
#include "OwnKernels.h"
#include "Toolkit.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>

using namespace mepworker;
using namespace mepworker::cuda;

namespace {

using Clock = std::chrono::steady_clock;

DevicePointer toDevice(const void *Pointer) {
  return DevicePointer(reinterpret_cast<uintptr_t>(Pointer));
}

// ---- a loaded module -------------------------------------------------------

/// Dynamic shared memory a kernel may have without asking for more.
constexpr uint64_t DefaultSharedBytes = 48 << 10;

struct LoadedKernel {
  Function Entry = nullptr;
  uint64_t StaticSharedBytes = 0;
  uint64_t AllowedDynamic = 0; ///< What was asked for so far.
};

class CudaModule : public Module {
public:
  explicit CudaModule(DriverApi &Api) : Api(Api) {}
  ~CudaModule() override {
    if (Handle)
      Api.ModuleUnload(Handle);
  }

  DriverApi &Api;
  ModuleHandle Handle = nullptr;
  std::vector<LoadedKernel> Kernels;
  std::vector<std::string> Symbols, SymbolNames; ///< C++ and mangled.
};

// ---- the platform ----------------------------------------------------------

class CudaPlatform : public Platform {
public:
  ~CudaPlatform() override;
  bool open(unsigned Device, const std::string &ToolkitPath,
            std::string &Error);

  const DeviceFacts &facts() const override { return Facts; }
  SandboxSpec confinement(bool Probes) const override;
  CompileResult compile(const CompileRequest &Request) override;
  void announce(const std::vector<CompileRequest> &Requests,
                bool Next) override;
  KernelResources resources(Module &M, unsigned Kernel) override;
  bool symbol(Module &M, const std::string &Name, void *&Address,
              uint64_t &Bytes) override;
  void *allocate(uint64_t Bytes) override;
  void release(void *Pointer) override;
  bool upload(void *To, const void *From, uint64_t Bytes,
              std::string &Error) override;
  bool download(void *To, const void *From, uint64_t Bytes,
                std::string &Error) override;
  bool copy(void *To, const void *From, uint64_t Bytes,
            std::string &Error) override;
  bool set(void *To, uint8_t Value, uint64_t Bytes,
           std::string &Error) override;
  bool digest(const void *From, uint64_t Bytes, unsigned Unit, uint64_t First,
              uint64_t Key, uint64_t &Sum, std::string &Error) override;
  bool fillsBuffers() override;
  bool fill(const BufferSpec &Buffer, uint64_t Seed, void *To,
            std::string &Error) override;
  bool nudge(const BufferSpec &Buffer, void *Data, std::string &Error) override;
  bool dirty(uint8_t Value, std::string &Error) override;
  bool launch(const Launch &L, std::string &Error) override;
  bool synchronize(std::string &Error) override;
  bool time(const std::vector<Launch> &Launches, unsigned Batch, bool Flush,
            double &Ns, std::string &Error) override;

private:
  bool openToolkit(const std::string &ToolkitPath, std::string &Error);
  bool openDevice(unsigned Device, std::string &Error);
  void readFacts();
  int attribute(int Which);
  bool check(Result R, const char *What, std::string &Error);
  DeviceCompile forThisDevice(const CompileRequest &Request) const;
  bool load(const DeviceCompile &Request, const DeviceImage &Image,
            CompileResult &Out);
  bool allowShared(LoadedKernel &K, uint64_t Bytes, std::string &Error);
  bool waitForStop(std::string &Error);
  bool flushL2(std::string &Error);
  bool holdQueue(size_t Launches, std::string &Error);
  bool loadOwn(OwnCode &Code, std::string &Error);
  bool launchOwn(OwnCode &Code, unsigned Which, uint64_t Threads,
                 std::vector<void *> Arguments, std::string &Error);

  DriverApi Api{};
  CompilePool Pool;
  Toolkit Tools;
  DeviceHandle Handle = 0;
  Context Ctx = nullptr;
  std::string ArchNumber;
  DeviceFacts Facts;
  int ClockKHz = 1;
  Event Start = nullptr, Stop = nullptr;
  DevicePointer FlushBuffer = 0;
  uint64_t FlushBytes = 0;
  DevicePointer DigestResult = 0;
  OwnCode Own = ownCode(), Filling = fillCode();
  std::optional<bool> CanFill; ///< Once asked.
};

bool CudaPlatform::check(Result R, const char *What, std::string &Error) {
  if (R == Success)
    return true;
  Error = std::string(What) + ": " + Api.describe(R);
  return false;
}

// ---- opening ---------------------------------------------------------------

bool CudaPlatform::open(unsigned Device, const std::string &ToolkitPath,
                        std::string &Error) {
  // What it translates is new each time, and the sandbox has no such folder.
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  if (!Api.open(Error))
    return false;
  Tools = findToolkit(ToolkitPath);
  // Before cuInit: a process that has opened the device must not fork. The
  // servers load NVRTC while the context is made.
  Pool.start(Tools.Nvrtc);
  return openDevice(Device, Error) && openToolkit(ToolkitPath, Error);
}

bool CudaPlatform::openDevice(unsigned Device, std::string &Error) {
  if (!check(Api.Init(0), "no usable NVIDIA GPU: cuInit", Error))
    return false;
  int Count = 0;
  if (!check(Api.DeviceGetCount(&Count), "cuDeviceGetCount", Error))
    return false;
  if (Device >= unsigned(Count)) {
    Error = "no CUDA device " + std::to_string(Device) + ": this machine has " +
            std::to_string(Count);
    return false;
  }
  if (!check(Api.DeviceGet(&Handle, int(Device)), "cuDeviceGet", Error) ||
      !check(Api.PrimaryCtxSetFlags(Handle, ContextBlockingSync),
             "cuDevicePrimaryCtxSetFlags", Error) ||
      !check(Api.PrimaryCtxRetain(&Ctx, Handle), "cuDevicePrimaryCtxRetain",
             Error) ||
      !check(Api.CtxSetCurrent(Ctx), "cuCtxSetCurrent", Error))
    return false;
  readFacts();
  for (Event *Each : {&Start, &Stop})
    if (!check(Api.EventCreate(Each, EventBlockingSync), "cuEventCreate",
               Error))
      return false;
  return true;
}

bool CudaPlatform::openToolkit(const std::string &ToolkitPath,
                               std::string &Error) {
  std::string Why;
  if (Pool.open(Tools.Includes, Tools.Nvcc, Facts.Toolkit, Why))
    return true;
  Facts.Toolkit = Tools.Nvcc;
  if (!Tools.Nvcc.empty())
    return true;
  Error = "no CUDA toolkit: neither NVRTC (" + Why + ") nor nvcc in " +
          (ToolkitPath.empty() ? Tools.searched() : ToolkitPath) +
          "; give its folder with --cuda-path";
  return false;
}

/// No candidate runs on the host here, and what a driver needs is its own
/// matter: its device files, what it reads about the machine, its libraries,
/// of which it opens some late (for PTX). It is open by now.
SandboxSpec CudaPlatform::confinement(bool) const {
  SandboxSpec Needs;
  Needs.For = Duty::Gpu;
  Needs.Readable = libraryFolders();
  for (const char *Each : {"/usr/share/nvidia", "/etc/nvidia", "/sys",
                           "/proc/driver", "/proc/devices", "/proc/modules",
                           "/proc/self", "/proc/sys/vm", "/proc/sys/kernel"})
    Needs.Readable.push_back(Each);
  Needs.Readable.insert(Needs.Readable.end(), Tools.Roots.begin(),
                        Tools.Roots.end());
  Needs.Writable = {"/dev/null", "/dev/shm"};
  std::error_code Ignored;
  for (const auto &Entry : std::filesystem::directory_iterator("/dev", Ignored))
    for (const char *Driver : {"nvidia", "nvhost", "nvmap", "nvgpu", "dxg"})
      if (Entry.path().filename().string().rfind(Driver, 0) == 0)
        Needs.Writable.push_back(Entry.path().string());
  // Pieces of buffers and the driver's own; addresses that it reserves are not
  // counted.
  Needs.MemoryBytes = uint64_t(16) << 30;
  return Needs;
}

int CudaPlatform::attribute(int Which) {
  int Value = 0;
  Api.DeviceGetAttribute(&Value, Which, Handle);
  return Value;
}

void CudaPlatform::readFacts() {
  char Name[256] = "";
  size_t Memory = 0;
  Api.DeviceGetName(Name, sizeof(Name) - 1, Handle);
  Api.DeviceTotalMem(&Memory, Handle);
  ArchNumber =
      std::to_string(attribute(ComputeMajor) * 10 + attribute(ComputeMinor));
  Facts.Platform = "cuda";
  Facts.Name = Name;
  Facts.Arch = "sm_" + ArchNumber;
  Facts.Multiprocessors = unsigned(attribute(MultiprocessorCount));
  Facts.WarpSize = unsigned(attribute(WarpSize));
  Facts.MaxThreadsPerBlock = unsigned(attribute(MaxThreadsPerBlock));
  Facts.SharedBytesPerBlock = uint64_t(std::max(
      attribute(MaxSharedPerBlock), attribute(MaxSharedPerBlockOptIn)));
  Facts.MemoryBytes = Memory;
  Facts.L2Bytes = uint64_t(attribute(L2Bytes));
  ClockKHz = std::max(attribute(ClockRateKHz), 1);
}

CudaPlatform::~CudaPlatform() {
  Own.Loaded.reset();
  Filling.Loaded.reset();
  for (DevicePointer Each : {FlushBuffer, DigestResult})
    if (Each)
      Api.MemFree(Each);
  if (Start)
    Api.EventDestroy(Start);
  if (Stop)
    Api.EventDestroy(Stop);
  if (Ctx)
    Api.PrimaryCtxRelease(Handle);
}

// ---- compiling and loading -------------------------------------------------

bool CudaPlatform::load(const DeviceCompile &Request, const DeviceImage &Image,
                        CompileResult &Out) {
  auto M = std::make_unique<CudaModule>(Api);
  std::string Error;
  // The driver reads text to its end: a string ends in a zero byte.
  if (!check(Api.ModuleLoadData(&M->Handle, Image.Image.c_str()),
             "loading the compiled code", Error)) {
    Out.Log += Error;
    return false;
  }
  for (size_t I = 0; I < Request.Kernels.size(); ++I) {
    LoadedKernel K;
    std::string Name = I < Image.KernelNames.size() ? Image.KernelNames[I] : "";
    if (Name.empty() ||
        Api.ModuleGetFunction(&K.Entry, M->Handle, Name.c_str()) != Success) {
      Out.Log += "kernel.cu: the source defines no kernel '" +
                 Request.Kernels[I] + "'";
      return false;
    }
    int Shared = 0;
    Api.FuncGetAttribute(&Shared, FunctionSharedBytes, K.Entry);
    K.StaticSharedBytes = uint64_t(std::max(Shared, 0));
    K.AllowedDynamic =
        DefaultSharedBytes - std::min(K.StaticSharedBytes, DefaultSharedBytes);
    M->Kernels.push_back(K);
  }
  M->Symbols = Request.Symbols;
  M->SymbolNames = Image.SymbolNames;
  M->CodeDigest = codeDigest(Image.Image);
  Out.Loaded = std::move(M);
  return true;
}

DeviceCompile CudaPlatform::forThisDevice(const CompileRequest &Request) const {
  return {Request.Source,  Request.Kernels, Request.Symbols,
          Request.Defines, Request.Flags,   ArchNumber};
}

void CudaPlatform::announce(const std::vector<CompileRequest> &Requests,
                            bool Next) {
  std::vector<DeviceCompile> All;
  for (const CompileRequest &Each : Requests)
    All.push_back(forThisDevice(Each));
  Pool.announce(std::move(All), Next);
}

CompileResult CudaPlatform::compile(const CompileRequest &Request) {
  auto Begin = Clock::now();
  DeviceCompile R = forThisDevice(Request);
  PoolResult Made = Pool.compile(R);
  CompileResult Out;
  Out.Compiler = Made.ByNvcc ? "nvcc -cubin" : "nvrtc";
  Out.Log = Made.Image.Log;
  Out.LimitHit = Made.Image.LimitHit;
  if (Made.Image.Ok)
    load(R, Made.Image, Out);
  Out.Ms =
      std::chrono::duration<double, std::milli>(Clock::now() - Begin).count();
  return Out;
}

KernelResources CudaPlatform::resources(Module &M, unsigned Kernel) {
  auto &Loaded = static_cast<CudaModule &>(M);
  auto Read = [&](int Which) {
    int Value = 0;
    Api.FuncGetAttribute(&Value, Which, Loaded.Kernels[Kernel].Entry);
    return unsigned(std::max(Value, 0));
  };
  KernelResources R;
  R.Registers = Read(FunctionRegisters);
  R.SharedBytes = Read(FunctionSharedBytes);
  R.LocalBytes = Read(FunctionLocalBytes);
  R.MaxThreadsPerBlock = Read(FunctionMaxThreads);
  size_t Offset = 0, Bytes = 0;
  constexpr int MostParameters = 4096;
  if (Api.FuncGetParamInfo)
    for (R.Parameters = 0; R.Parameters < MostParameters; ++R.Parameters)
      if (Api.FuncGetParamInfo(Loaded.Kernels[Kernel].Entry,
                               size_t(R.Parameters), &Offset,
                               &Bytes) != Success)
        break;
  return R;
}

bool CudaPlatform::symbol(Module &M, const std::string &Name, void *&Address,
                          uint64_t &Bytes) {
  auto &Loaded = static_cast<CudaModule &>(M);
  auto At = std::find(Loaded.Symbols.begin(), Loaded.Symbols.end(), Name);
  size_t Index = size_t(At - Loaded.Symbols.begin());
  if (Index >= Loaded.SymbolNames.size() || Loaded.SymbolNames[Index].empty())
    return false;
  DevicePointer Pointer = 0;
  size_t Size = 0;
  if (Api.ModuleGetGlobal(&Pointer, &Size, Loaded.Handle,
                          Loaded.SymbolNames[Index].c_str()) != Success)
    return false;
  Address = reinterpret_cast<void *>(uintptr_t(Pointer));
  Bytes = Size;
  return true;
}

// ---- kernels of our own ----------------------------------------------------

bool CudaPlatform::loadOwn(OwnCode &Code, std::string &Error) {
  if (Code.Loaded)
    return true;
  CompileRequest Request;
  Request.Source = Code.Source;
  Request.Kernels = Code.Kernels;
  Request.Flags = Code.Flags;
  CompileResult Compiled = compile(Request);
  Code.Loaded = std::move(Compiled.Loaded);
  if (!Code.Loaded)
    Error = "the worker's own kernels do not compile: " + Compiled.Log;
  return Code.Loaded != nullptr;
}

bool CudaPlatform::launchOwn(OwnCode &Code, unsigned Which, uint64_t Threads,
                             std::vector<void *> Arguments,
                             std::string &Error) {
  constexpr unsigned Block = 256;
  if (!loadOwn(Code, Error))
    return false;
  Launch L;
  L.In = Code.Loaded.get();
  L.Kernel = Which;
  L.Shape.Grid[0] = std::clamp<uint64_t>((Threads + Block - 1) / Block, 1,
                                         8 * Facts.Multiprocessors);
  L.Shape.Block[0] = std::clamp<uint64_t>(Threads, 1, Block);
  L.Arguments = std::move(Arguments);
  return launch(L, Error);
}

/// Only NVRTC takes functions of the host for the device.
bool CudaPlatform::fillsBuffers() {
  std::string Why;
  if (!CanFill)
    CanFill = loadOwn(Filling, Why);
  return *CanFill;
}

bool CudaPlatform::fill(const BufferSpec &Buffer, uint64_t Seed, void *To,
                        std::string &Error) {
  const auto &Parts = Buffer.Components;
  const bool IsZero = Buffer.Rule == mep_fill::Rule::Zero;
  if (IsZero ||
      !mep_fill::isPacked(Buffer.ElementBytes, Parts.data(), Parts.size()))
    if (!set(To, 0, Buffer.bytes(), Error) || IsZero)
      return Error.empty();
  mep_fill::Recipe Make{Buffer.Rule,
                        Buffer.Low,
                        Buffer.High,
                        Seed,
                        mep_fill::nameHash(Buffer.Name),
                        Buffer.Count,
                        {Buffer.Counts}};
  mep_fill::Place Where{Buffer.ElementBytes, 0, 0, 0, 0, 0};
  for (const mep_fill::Component &Part : Parts)
    Where.PerElement += Part.Count;
  for (mep_fill::Component Part : Parts) {
    Where.Offset = Part.Offset;
    Where.Count = Part.Count;
    Where.Size = mep_fill::byteSize(Part.Scalar);
    if (!launchOwn(Filling, ElementsKernel, Buffer.Count,
                   {&To, &Where, &Make, &Part.Scalar}, Error))
      return false;
    Where.FirstScalar += Part.Count;
  }
  return true;
}

/// The bits that are all set in infinities and NaNs; 0 for integers.
static uint64_t exponentBits(mep_fill::Kind Scalar) {
  switch (Scalar) {
  case mep_fill::Kind::F16:
    return 0x7c00;
  case mep_fill::Kind::Bf16:
    return 0x7f80;
  case mep_fill::Kind::F32:
    return 0x7f800000;
  case mep_fill::Kind::F64:
    return 0x7ff0000000000000;
  default:
    return 0;
  }
}

bool CudaPlatform::nudge(const BufferSpec &Buffer, void *Data,
                         std::string &Error) {
  uint64_t Count = Buffer.Count;
  for (const mep_fill::Component &Part : Buffer.Components) {
    uint64_t Exponent = exponentBits(Part.Scalar);
    mep_fill::Place Where{Buffer.ElementBytes,
                          Part.Offset,
                          Part.Count,
                          mep_fill::byteSize(Part.Scalar),
                          0,
                          0};
    if (Exponent && !launchOwn(Filling, NudgeKernel, Count,
                               {&Data, &Where, &Exponent, &Count}, Error))
      return false;
  }
  return true;
}

bool CudaPlatform::digest(const void *From, uint64_t Bytes, unsigned Unit,
                          uint64_t First, uint64_t Key, uint64_t &Sum,
                          std::string &Error) {
  if (!DigestResult &&
      !check(Api.MemAlloc(&DigestResult, sizeof(Sum)), "digest", Error))
    return false;
  uint64_t Count = Bytes / Unit;
  // Whole warps: they add up together.
  uint64_t Threads = (Count + 255) / 256 * 256;
  return check(Api.MemsetD8(DigestResult, 0, sizeof(Sum)), "digest", Error) &&
         launchOwn(Own, DigestKernel, Threads,
                   {&From, &Count, &Unit, &First, &Key, &DigestResult},
                   Error) &&
         check(Api.MemcpyDtoH(&Sum, DigestResult, sizeof(Sum)), "digest",
               Error);
}

/// A block takes all of a multiprocessor's shared memory, so that one after the
/// other goes to each.
bool CudaPlatform::dirty(uint8_t Value, std::string &Error) {
  if (!loadOwn(Own, Error))
    return false;
  unsigned Word = Value * 0x01010101u,
           Words = unsigned(Facts.SharedBytesPerBlock / sizeof(Word));
  Launch L;
  L.In = Own.Loaded.get();
  L.Kernel = DirtyKernel;
  L.Shape.Grid[0] = Facts.Multiprocessors;
  L.Shape.Block[0] = std::min(DirtyThreads, Facts.MaxThreadsPerBlock);
  L.Shape.SharedBytes = Words * sizeof(Word);
  L.Arguments = {&Word, &Words};
  return launch(L, Error);
}

// ---- memory ----------------------------------------------------------------

void *CudaPlatform::allocate(uint64_t Bytes) {
  DevicePointer Pointer = 0;
  if (Api.MemAlloc(&Pointer, std::max<uint64_t>(Bytes, 1)) != Success)
    return nullptr;
  return reinterpret_cast<void *>(uintptr_t(Pointer));
}

void CudaPlatform::release(void *Pointer) { Api.MemFree(toDevice(Pointer)); }

bool CudaPlatform::upload(void *To, const void *From, uint64_t Bytes,
                          std::string &Error) {
  return check(Api.MemcpyHtoD(toDevice(To), From, Bytes), "copy to the device",
               Error);
}

bool CudaPlatform::download(void *To, const void *From, uint64_t Bytes,
                            std::string &Error) {
  return check(Api.MemcpyDtoH(To, toDevice(From), Bytes),
               "copy from the device", Error);
}

bool CudaPlatform::copy(void *To, const void *From, uint64_t Bytes,
                        std::string &Error) {
  return check(Api.MemcpyDtoD(toDevice(To), toDevice(From), Bytes),
               "copy on the device", Error);
}

bool CudaPlatform::set(void *To, uint8_t Value, uint64_t Bytes,
                       std::string &Error) {
  return Bytes == 0 || check(Api.MemsetD8(toDevice(To), Value, Bytes),
                             "set on the device", Error);
}

// ---- running ---------------------------------------------------------------

bool CudaPlatform::allowShared(LoadedKernel &K, uint64_t Bytes,
                               std::string &Error) {
  if (Bytes <= K.AllowedDynamic)
    return true;
  std::string What = std::to_string(Bytes) + " bytes of dynamic shared memory";
  if (Bytes + K.StaticSharedBytes > Facts.SharedBytesPerBlock) {
    Error = What + ": the device has " +
            std::to_string(Facts.SharedBytesPerBlock) + " a block";
    return false;
  }
  if (!check(
          Api.FuncSetAttribute(K.Entry, FunctionMaxDynamicShared, int(Bytes)),
          What.c_str(), Error))
    return false;
  K.AllowedDynamic = Bytes;
  return true;
}

bool CudaPlatform::launch(const Launch &L, std::string &Error) {
  LoadedKernel &K = static_cast<CudaModule *>(L.In)->Kernels[L.Kernel];
  unsigned Sizes[6];
  for (unsigned I = 0; I < 6; ++I) {
    uint64_t Size = I < 3 ? L.Shape.Grid[I] : L.Shape.Block[I - 3];
    if (Size > std::numeric_limits<unsigned>::max()) {
      Error = "launch: " + std::to_string(Size) + " is too large a grid";
      return false;
    }
    Sizes[I] = unsigned(Size);
  }
  if (!allowShared(K, L.Shape.SharedBytes, Error))
    return false;
  return check(Api.LaunchKernel(
                   K.Entry, Sizes[0], Sizes[1], Sizes[2], Sizes[3], Sizes[4],
                   Sizes[5], unsigned(L.Shape.SharedBytes), nullptr,
                   const_cast<void **>(L.Arguments.data()), nullptr),
               "cuLaunchKernel", Error);
}

/// Looks for a moment whether \c Stop has come, which is soonest; then lets
/// others have the core until it has.
bool CudaPlatform::waitForStop(std::string &Error) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds Moment(100);
  Result R = NotReady;
  for (auto Until = Clock::now() + Moment; R == NotReady;)
    R = Clock::now() < Until ? Api.EventQuery(Stop)
                             : Api.EventSynchronize(Stop);
  return check(R, "running", Error);
}

bool CudaPlatform::synchronize(std::string &Error) {
  return check(Api.EventRecord(Stop, nullptr), "running", Error) &&
         waitForStop(Error);
}

// ---- timing ----------------------------------------------------------------

/// Twice the cache is written, so that nothing of the kernels' data is left.
bool CudaPlatform::flushL2(std::string &Error) {
  if (!FlushBuffer) {
    FlushBytes = 2 * std::max<uint64_t>(Facts.L2Bytes, 16 << 20);
    if (!check(Api.MemAlloc(&FlushBuffer, FlushBytes), "buffer to flush L2",
               Error))
      return false;
  }
  if (Api.ResetPersistingL2)
    Api.ResetPersistingL2();
  return check(Api.MemsetD8Async(FlushBuffer, 0, FlushBytes, nullptr),
               "flushing L2", Error);
}

/// Keeps the device busy while the host queues \p Launches: without it the
/// host's launch latency would be measured in place of short kernels.
bool CudaPlatform::holdQueue(size_t Launches, std::string &Error) {
  constexpr double HostUsPerLaunch = 4, FirstUs = 20, MostUs = 4000;
  double Us = std::min(FirstUs + HostUsPerLaunch * double(Launches), MostUs);
  long long Cycles = (long long)(Us * ClockKHz / 1000);
  return launchOwn(Own, SpinKernel, 1, {&Cycles}, Error);
}

bool CudaPlatform::time(const std::vector<Launch> &Launches, unsigned Batch,
                        bool Flush, double &Ns, std::string &Error) {
  if (Flush && !flushL2(Error))
    return false;
  if (!holdQueue(Launches.size() * Batch, Error) ||
      !check(Api.EventRecord(Start, nullptr), "cuEventRecord", Error))
    return false;
  for (unsigned I = 0; I < Batch; ++I)
    for (const Launch &L : Launches)
      if (!launch(L, Error))
        return false;
  if (!check(Api.EventRecord(Stop, nullptr), "cuEventRecord", Error) ||
      !waitForStop(Error))
    return false;
  float Ms = 0;
  if (!check(Api.EventElapsedTime(&Ms, Start, Stop), "cuEventElapsedTime",
             Error))
    return false;
  Ns = double(Ms) * 1e6;
  return true;
}

} // namespace

std::unique_ptr<Platform>
mepworker::makeCudaPlatform(unsigned Device, const std::string &Toolkit,
                            std::string &Error) {
  auto P = std::make_unique<CudaPlatform>();
  if (!P->open(Device, Toolkit, Error))
    return nullptr;
  return P;
}
