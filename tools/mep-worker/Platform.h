/// \file
/// What the worker needs of a kind of device. Everything else (protocol, fills,
/// verification, timing statistics) is the same for all of them. The worker
/// uses the standard library and nlohmann_json only; GPU libraries are opened
/// at run time.

#ifndef MEP_WORKER_PLATFORM_H
#define MEP_WORKER_PLATFORM_H

#include "Sandbox.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mepworker {
struct BufferSpec;

/// Answer to `hello`; units as in mep/Model/Device.h.
struct DeviceFacts {
  std::string Platform, Name, Arch, Toolkit;
  unsigned Multiprocessors = 1, WarpSize = 32, MaxThreadsPerBlock = 1024;
  uint64_t SharedBytesPerBlock = 0, MemoryBytes = 0, L2Bytes = 0;
};

struct Geometry {
  std::array<uint64_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  uint64_t SharedBytes = 0; ///< Dynamic.
  bool operator==(const Geometry &) const = default;
};

struct KernelResources {
  unsigned Registers = 0;
  uint64_t SharedBytes = 0; ///< Static.
  uint64_t LocalBytes = 0;  ///< Spills and stack, per thread.
  unsigned MaxThreadsPerBlock = 1024;
  int Parameters = -1; ///< How many the kernel has; -1: not known.
};

struct CompileRequest {
  std::string Source;
  std::vector<std::string> Kernels; ///< Name expressions: `ns::k<float, 16>`.
  std::vector<std::string> Symbols; ///< Device globals, qualified C++ names.
  std::vector<std::string> Defines; ///< `N=1024`
  std::vector<std::string> Flags;   ///< `-std=c++17`, `--use_fast_math`, …
  bool NeedsFibers = true;          ///< Barriers or warp operations occur.
  bool Recorded = false;            ///< Tells the probe of every access.
};

/// A compiled and loaded device source.
class Module {
public:
  virtual ~Module() = default;
  uint64_t CodeDigest = 0; ///< As codeDigest() has it; 0: not known.
};

struct CompileResult {
  std::unique_ptr<Module> Loaded; ///< Null on failure.
  std::string Log;                ///< Diagnostics, `kernel.cu:line:column`.
  std::string Compiler;           ///< `nvrtc`, `nvcc -cubin`, `clang++`.
  bool LimitHit = false;          ///< Took too long or made too much.
  double Ms = 0;                  ///< That the caller waited.
};

/// One launch: \p Arguments[i] points at the bytes of argument i.
struct Launch {
  Module *In = nullptr;
  unsigned Kernel = 0; ///< Index into CompileRequest::Kernels.
  Geometry Shape;
  std::vector<void *> Arguments;
};

/// All device pointers are addresses as kernels see them. Functions that return
/// bool set \p Error on failure; a failure after a launch may be sticky, then
/// the worker says so in its answer and exits, and the tool starts another.
class Platform {
public:
  virtual ~Platform() = default;
  virtual const DeviceFacts &facts() const = 0;
  /// What this process has to be able to do from now on: from the first request
  /// to the last. \p Probes: it forks processes that run kernels.
  virtual SandboxSpec confinement(bool /*Probes*/) const { return {}; }
  virtual CompileResult compile(const CompileRequest &Request) = 0;
  /// These will probably be compiled: a platform that can compile beside its
  /// measurements begins with them. \p Next: before anything announced earlier;
  /// else they replace what was announced and is not begun.
  virtual void announce(const std::vector<CompileRequest> &, bool /*Next*/) {}
  virtual KernelResources resources(Module &M, unsigned Kernel) = 0;
  /// Address and bytes of a device global, false if the module has none.
  virtual bool symbol(Module &M, const std::string &Name, void *&Address,
                      uint64_t &Bytes) = 0;
  virtual void *allocate(uint64_t Bytes) = 0; ///< Null when out of memory.
  virtual void release(void *Pointer) = 0;
  virtual bool upload(void *To, const void *From, uint64_t Bytes,
                      std::string &Error) = 0;
  virtual bool download(void *To, const void *From, uint64_t Bytes,
                        std::string &Error) = 0;
  virtual bool copy(void *To, const void *From, uint64_t Bytes,
                    std::string &Error) = 0;
  virtual bool set(void *To, uint8_t Value, uint64_t Bytes,
                   std::string &Error) = 0;
  /// A keyed hash of \p Bytes at \p From, seen as words of \p Unit bytes (1, 2,
  /// 4 or 8), the first of which has number \p First. Sums of parts are the
  /// hash of the whole.
  virtual bool digest(const void *From, uint64_t Bytes, unsigned Unit,
                      uint64_t First, uint64_t Key, uint64_t &Sum,
                      std::string &Error) = 0;
  /// Whether the next two are there: what the host does in pieces, done by the
  /// device in place, to the same bytes.
  virtual bool fillsBuffers() { return false; }
  /// Makes all elements of a buffer by its rule, without the addresses and
  /// values that single members hold.
  virtual bool fill(const BufferSpec &, uint64_t /*Seed*/, void * /*To*/,
                    std::string &) {
    return false;
  }
  /// Moves its floating scalars by one ulp (Elements.h).
  virtual bool nudge(const BufferSpec &, void * /*Data*/, std::string &) {
    return false;
  }
  /// Leaves \p Value in what a kernel finds uninitialised, as far as there is
  /// a way to: shared and local memory.
  virtual bool dirty(uint8_t /*Value*/, std::string &) { return true; }
  virtual bool launch(const Launch &L, std::string &Error) = 0;
  /// Where this machine's threads begin the timed launches from now on, the
  /// same for all modules: two that are compared begin alike. \p Drawn is any
  /// number.
  virtual void place(uint64_t /*Drawn*/) {}
  /// Whether kernels can be compiled so that they tell of every access.
  virtual bool canRecord() const { return false; }
  /// Launches a recorded kernel and returns when it is done, all in the calling
  /// thread: for a forked process, which has no other.
  virtual void launchRecorded(const Launch &) {}
  virtual bool synchronize(std::string &Error) = 0;
  /// Runs \p Launches \p Batch times in order and measures the device time of
  /// all of it, in nanoseconds; with \p Flush the L2 (last-level) cache is
  /// emptied of the data before.
  virtual bool time(const std::vector<Launch> &Launches, unsigned Batch,
                    bool Flush, double &Ns, std::string &Error) = 0;
};

/// Null with \p Error when this machine has no such platform (no driver, no
/// device, no compiler, too old). \p Toolkit: `--cuda-path`, may be empty.
std::unique_ptr<Platform> makeCudaPlatform(unsigned Device,
                                           const std::string &Toolkit,
                                           std::string &Error);
/// \p MemoryBytes: what the device is to have; 0: as much as leaves this
/// process below four gibibytes. \p Probes: it never launches a kernel itself.
std::unique_ptr<Platform> makeCpuPlatform(uint64_t MemoryBytes, bool Probes,
                                          std::string &Error);

} // namespace mepworker

#endif // MEP_WORKER_PLATFORM_H
