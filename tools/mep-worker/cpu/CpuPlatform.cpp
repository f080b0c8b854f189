/// \file
/// The CPU as a device: host memory, device source compiled as host code and
/// run in this process.

#include "../Parallel.h"
#include "../Sandbox.h"
#include "DeviceArena.h"
#include "HostServer.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

namespace {

/// The most dynamic shared memory that a current GPU gives a block (compute
/// capability 9.0 and 10.0, with opt-in).
constexpr uint64_t SharedBytes = 227 * 1024;
/// What buffers, their copies and device globals may take in all: this process
/// holds them, and no process is to pass four gibibytes.
constexpr uint64_t MostMemory = uint64_t(3) << 30;
/// Larger copies are split over the cores.
constexpr uint64_t CopyBlock = 4 << 20;

/// A thread that does what it is told. A library's thread-local objects keep
/// it loaded until their thread ends, so each library's kernels are launched
/// from a thread that ends with it.
class Hand {
public:
  Hand() : Thread([this] { work(); }) {}
  ~Hand() {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Ending = true;
    }
    Changed.notify_all();
    Thread.join();
  }
  void run(const std::function<void()> &Given) {
    std::unique_lock<std::mutex> Lock(Mutex);
    Job = &Given;
    Changed.notify_all();
    Changed.wait(Lock, [&] { return !Job; });
  }

private:
  void work() {
    std::unique_lock<std::mutex> Lock(Mutex);
    for (;;) {
      Changed.wait(Lock, [&] { return Ending || Job; });
      if (!Job)
        return;
      (*Job)();
      Job = nullptr;
      Changed.notify_all();
    }
  }
  std::mutex Mutex;
  std::condition_variable Changed;
  const std::function<void()> *Job = nullptr;
  bool Ending = false;
  std::thread Thread;
};

/// A strong mix of each word with its number and the key, summed, so that
/// neither order nor partition matters (finaliser of MurmurHash3 by A. Appleby,
/// public domain).
uint64_t mix(uint64_t Word, uint64_t Number, uint64_t Key) {
  Word = (Word + Key) ^ (Number * 0x9e3779b97f4a7c15u);
  Word = (Word ^ Word >> 33) * 0xff51afd7ed558ccdu;
  Word = (Word ^ Word >> 33) * 0xc4ceb9fe1a85ec53u;
  return Word ^ Word >> 33;
}

template <typename T>
uint64_t digestOf(const char *From, uint64_t Count, uint64_t First,
                  uint64_t Key) {
  uint64_t Sum = 0;
  for (uint64_t I = 0; I < Count; ++I) {
    T Word;
    std::memcpy(&Word, From + I * sizeof(T), sizeof(T));
    Sum += mix(Word, First + I, Key);
  }
  return Sum;
}

uint64_t digestWords(const char *From, uint64_t Count, unsigned Unit,
                     uint64_t First, uint64_t Key) {
  switch (Unit) {
  case 8:
    return digestOf<uint64_t>(From, Count, First, Key);
  case 4:
    return digestOf<uint32_t>(From, Count, First, Key);
  case 2:
    return digestOf<uint16_t>(From, Count, First, Key);
  default:
    return digestOf<uint8_t>(From, Count, First, Key);
  }
}

using EntryPoint = void (*)(const uint64_t *Grid, const uint64_t *Block,
                            size_t Shared, void **Arguments);

struct CpuModule : Module {
  ~CpuModule() override {
    if (Counted)
      Counted->giveBack(GlobalBytes);
    Own.reset();
    if (Library)
      dlclose(Library);
  }
  void *Library = nullptr;
  void (*Place)(uint64_t) = nullptr;
  std::vector<EntryPoint> Entries;
  std::vector<unsigned> Parameters; ///< Per kernel, how many.
  std::map<std::string, std::pair<void *, uint64_t>> Symbols;
  uint64_t GlobalBytes = 0;       ///< Of all symbols,
  DeviceArena *Counted = nullptr; ///< counted here.
  std::unique_ptr<Hand> Own = std::make_unique<Hand>();
};

template <typename Function>
Function lookUp(void *Library, const std::string &Name) {
  return reinterpret_cast<Function>(dlsym(Library, Name.c_str()));
}

/// Null with a line in the log when the library cannot be opened.
std::unique_ptr<CpuModule> openModule(HostCompiler::Output &Built,
                                      const CompileRequest &Request) {
  auto Made = std::make_unique<CpuModule>();
  void *Library = Made->Library = dlopen(Built.Library.c_str(), RTLD_NOW);
  if (!Library) {
    std::string Why = dlerror();
    Built.Log += "error: " +
                 Why.substr(Why.rfind(Built.Library, 0) == 0
                                ? std::min(Built.Library.size() + 2, Why.size())
                                : 0);
    return nullptr;
  }
  Made->CodeDigest = Built.CodeDigest;
  Made->Place = lookUp<void (*)(uint64_t)>(Library, "mep_place");
  for (unsigned I = 0; I < Request.Kernels.size(); ++I) {
    std::string N = std::to_string(I);
    Made->Entries.push_back(lookUp<EntryPoint>(Library, "mep_entry_" + N));
    Made->Parameters.push_back(
        lookUp<unsigned (*)()>(Library, "mep_parameters_" + N)());
  }
  for (unsigned I = 0; I < Request.Symbols.size(); ++I) {
    auto &[Address, Bytes] = Made->Symbols[Request.Symbols[I]];
    lookUp<void (*)(void **, uint64_t *)>(
        Library, "mep_symbol_" + std::to_string(I))(&Address, &Bytes);
    Made->GlobalBytes += Bytes;
  }
  return Made;
}

std::string processorName() {
  std::ifstream In("/proc/cpuinfo");
  std::string Line;
  while (std::getline(In, Line))
    if (Line.rfind("model name", 0) == 0)
      return Line.substr(Line.find(':') + 2);
  return "CPU";
}

DeviceFacts readFacts(const HostServer &Compiler, uint64_t MemoryBytes) {
  DeviceFacts Facts;
  struct utsname System = {};
  uname(&System);
  Facts.Platform = "cpu";
  Facts.Name = processorName();
  Facts.Arch = System.machine;
  Facts.Toolkit = Compiler.version();
  Facts.Multiprocessors = std::max(1u, std::thread::hardware_concurrency());
  Facts.SharedBytesPerBlock = SharedBytes;
  Facts.MemoryBytes = std::min(MemoryBytes ? MemoryBytes : MostMemory,
                               uint64_t(sysconf(_SC_PHYS_PAGES)) *
                                   uint64_t(sysconf(_SC_PAGESIZE)));
  long Cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  Facts.L2Bytes = Cache > 0 ? uint64_t(Cache) : 32 << 20;
  return Facts;
}

class CpuPlatform : public Platform {
public:
  CpuPlatform(std::unique_ptr<HostServer> Server, uint64_t MemoryBytes)
      : Compiler(std::move(Server)), Facts(readFacts(*Compiler, MemoryBytes)),
        Memory(Facts.MemoryBytes) {}

  bool isOpen() const { return Memory.isOpen(); }
  const DeviceFacts &facts() const override { return Facts; }

  CompileResult compile(const CompileRequest &Request) override {
    auto Start = Clock::now();
    CompileResult Result;
    HostCompiler::Output Made = Compiler->compile(Request);
    std::unique_ptr<CpuModule> Opened;
    if (!Made.Library.empty())
      Opened = openModule(Made, Request);
    Result.Log = std::move(Made.Log);
    if (Opened)
      Result.Loaded = admit(std::move(Opened), Result.Log);
    Result.LimitHit = Made.LimitHit;
    Result.Compiler = Compiler->name();
    Result.Ms =
        std::chrono::duration<double, std::milli>(Clock::now() - Start).count();
    return Result;
  }

  KernelResources resources(Module &M, unsigned Kernel) override {
    KernelResources Result;
    Result.Parameters = int(static_cast<CpuModule &>(M).Parameters[Kernel]);
    return Result;
  }

  bool symbol(Module &M, const std::string &Name, void *&Address,
              uint64_t &Bytes) override {
    auto &Symbols = static_cast<CpuModule &>(M).Symbols;
    auto Found = Symbols.find(Name);
    if (Found == Symbols.end())
      return false;
    std::tie(Address, Bytes) = Found->second;
    return true;
  }

  void *allocate(uint64_t Bytes) override { return Memory.allocate(Bytes); }
  void release(void *Pointer) override { Memory.release(Pointer); }

  bool upload(void *To, const void *From, uint64_t Bytes,
              std::string &) override {
    move(To, From, Bytes);
    return true;
  }
  bool download(void *To, const void *From, uint64_t Bytes,
                std::string &) override {
    move(To, From, Bytes);
    return true;
  }
  bool copy(void *To, const void *From, uint64_t Bytes,
            std::string &) override {
    move(To, From, Bytes);
    return true;
  }
  bool set(void *To, uint8_t Value, uint64_t Bytes, std::string &) override {
    std::memset(To, Value, Bytes);
    return true;
  }

  bool digest(const void *From, uint64_t Bytes, unsigned Unit, uint64_t First,
              uint64_t Key, uint64_t &Sum, std::string &) override {
    const char *Start = static_cast<const char *>(From);
    std::atomic<uint64_t> Total{0};
    forBlocks(Bytes / Unit, CopyBlock,
              [&](uint64_t, uint64_t Begin, uint64_t End) {
                Total += digestWords(Start + Begin * Unit, End - Begin, Unit,
                                     First + Begin, Key);
              });
    Sum = Total;
    return true;
  }

  bool launch(const Launch &L, std::string &) override {
    auto &In = static_cast<CpuModule &>(*L.In);
    In.Own->run([&] { call(L); });
    return true;
  }
  bool synchronize(std::string &) override { return true; }

  SandboxSpec confinement(bool Probes) const override {
    // Of each thread: the stacks of a block's fibers, of which a few modules
    // have their own, and what the C library reserves.
    constexpr uint64_t Fixed = uint64_t(1) << 30, OfThread = 768 << 20;
    SandboxSpec Needs;
    Needs.For = Probes ? Duty::Prober : Duty::Kernels;
    Needs.Readable = libraryFolders();
    Needs.Readable.push_back(Compiler->folder());
    Needs.MemoryBytes =
        Facts.MemoryBytes + Fixed + Facts.Multiprocessors * OfThread;
    return Needs;
  }

  bool canRecord() const override { return true; }
  void launchRecorded(const Launch &L) override { call(L); }

  /// A system that puts two threads of one module on one core leaves them
  /// there for as long as a candidate's samples take, and not the other's.
  void place(uint64_t Drawn) override { Placed = Drawn; }

  bool time(const std::vector<Launch> &Launches, unsigned Batch, bool Flush,
            double &Ns, std::string &) override {
    Ns = 0;
    if (Launches.empty())
      return true;
    if (Flush)
      flushCache();
    auto &In = static_cast<CpuModule &>(*Launches.front().In);
    In.Own->run([&] {
      if (Placed)
        In.Place(*Placed);
      auto Start = Clock::now();
      for (unsigned I = 0; I < Batch; ++I)
        for (const Launch &L : Launches)
          call(L);
      Ns = std::chrono::duration<double, std::nano>(Clock::now() - Start)
               .count();
    });
    return true;
  }

private:
  /// Null with a line in \p Log when the globals do not fit.
  std::unique_ptr<Module> admit(std::unique_ptr<CpuModule> Made,
                                std::string &Log) {
    if (!Memory.take(Made->GlobalBytes)) {
      Log += "error: out of device memory: the device globals have " +
             std::to_string(Made->GlobalBytes) + " bytes";
      return nullptr;
    }
    Made->Counted = &Memory;
    return Made;
  }

  static void call(const Launch &L) {
    auto &In = static_cast<CpuModule &>(*L.In);
    In.Entries[L.Kernel](L.Shape.Grid.data(), L.Shape.Block.data(),
                         L.Shape.SharedBytes,
                         const_cast<void **>(L.Arguments.data()));
  }

  /// Equal content is left alone, because a constant global may lie in
  /// read-only memory.
  static void move(void *To, const void *From, uint64_t Bytes) {
    if (Bytes <= 65536 && std::memcmp(To, From, Bytes) == 0)
      return;
    forBlocks(Bytes, CopyBlock, [&](uint64_t, uint64_t Begin, uint64_t End) {
      std::memcpy(static_cast<char *>(To) + Begin,
                  static_cast<const char *>(From) + Begin, End - Begin);
    });
  }

  /// Pushes the data out of the caches by writing twice their size, at most
  /// 32 MiB: shared caches of server processors are not this program's alone.
  void flushCache() {
    if (Sweep.empty())
      Sweep.resize(std::min<uint64_t>(2 * Facts.L2Bytes, 32 << 20));
    std::memset(Sweep.data(), ++SweepValue, Sweep.size());
  }

  std::unique_ptr<HostServer> Compiler;
  DeviceFacts Facts;
  DeviceArena Memory;
  std::optional<uint64_t> Placed;
  std::vector<char> Sweep;
  uint8_t SweepValue = 0;
};

} // namespace

std::unique_ptr<Platform> mepworker::makeCpuPlatform(uint64_t MemoryBytes,
                                                     bool Probes,
                                                     std::string &Error) {
  auto Compiler = std::make_unique<HostServer>();
  if (!Compiler->start(/*Believed=*/Probes, Error))
    return nullptr;
  auto Made = std::make_unique<CpuPlatform>(std::move(Compiler), MemoryBytes);
  if (Made->isOpen())
    return Made;
  Error = "cannot reserve address space for the device's memory";
  return nullptr;
}
