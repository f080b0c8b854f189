/// \file
/// The probe's steps: compile recorded, lay the buffers out, run in a child
/// that may die, say what was touched.

#include "Probe.h"
#include "Compile.h"
#include "ElementPointers.h"
#include "Sandbox.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

TouchMap *mepworker::ActiveTouches;

namespace {

/// A run that waits without using the processor is given up after so many times
/// its limit, and this long.
constexpr double IdleFactor = 10, IdleSeconds = 10;
/// Addresses below this are null with an offset.
constexpr uint64_t NearNull = 1 << 16;
constexpr size_t AlternateStackBytes = 1 << 16;

uint64_t product(const std::array<uint64_t, 3> &Extent) {
  return Extent[0] * Extent[1] * Extent[2];
}

// ---- in the child -----------------------------------------------------------

extern "C" void onFault(int Number, siginfo_t *Info, void *) {
  const bool IsMemory = Number == SIGSEGV || Number == SIGBUS;
  if (IsMemory && ActiveTouches->openUnseen(Info->si_addr))
    return;
  ActiveTouches->end(IsMemory ? TouchEnding::Wild : TouchEnding::Signal, Number,
                     reinterpret_cast<uint64_t>(Info->si_addr));
  _exit(0);
}

void catchFaults() {
  // The stacks of fibers are small, and may be what overflows.
  static char Alternate[AlternateStackBytes];
  stack_t Stack = {};
  Stack.ss_sp = Alternate;
  Stack.ss_size = sizeof(Alternate);
  sigaltstack(&Stack, nullptr);
  struct sigaction Action = {};
  Action.sa_sigaction = onFault;
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int Number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    sigaction(Number, &Action, nullptr);
}

/// Processor time, so that a busy machine cuts nothing short; the signal ends
/// the process.
void limitTime(double Seconds) {
  signal(SIGPROF, SIG_DFL);
  struct itimerval Timer = {};
  Timer.it_value.tv_sec = time_t(Seconds);
  Timer.it_value.tv_usec =
      suseconds_t((Seconds - double(time_t(Seconds))) * 1e6) + 1;
  setitimer(ITIMER_PROF, &Timer, nullptr);
}

// ---- one probe --------------------------------------------------------------

class Prober {
public:
  Prober(Platform &P, Watchdog &Dog, const ProbeRequest &Asked)
      : Device(P), Dog(Dog), Asked(Asked), Shape(Asked.Shape) {}

  ProbeAnswer run() {
    compile();
    layOut();
    if (uint64_t Bytes = filledGlobalBytes(); Bytes > Asked.MemoryBytes) {
      Answer.Outcome = "memory";
      Answer.Message =
          "its device globals have " + std::to_string(Bytes >> 20) + " MiB";
      summarize();
      return std::move(Answer);
    }
    bind();
    auto Start = Clock::now();
    runAll();
    Answer.RunMs =
        std::chrono::duration<double, std::milli>(Clock::now() - Start).count();
    summarize();
    return std::move(Answer);
  }

private:
  void runAll();
  void compile();
  void layOut();
  void bind();
  void runOnce(uint64_t Seed);
  [[noreturn]] void beChild(uint64_t Seed);
  void fillGlobals(uint64_t Seed);
  void fillChunk(unsigned Buffer, int64_t Offset, char *To, uint64_t Seed);
  int waitFor(pid_t Child, bool &TimedOut);
  void conclude(int Status, bool TimedOut);
  void summarize();
  uint64_t filledGlobalBytes() const;
  uint64_t countFor(const BufferSpec &Buffer) const;

  Platform &Device;
  Watchdog &Dog;
  const ProbeRequest &Asked;
  const ShapeSpec &Shape;
  ProbeAnswer Answer;
  std::unique_ptr<Program> Code;
  std::unique_ptr<TouchMap> Map;
  std::vector<std::vector<uint64_t>> Words; ///< Of arguments, aligned.
  std::vector<void *> Arguments;
  std::vector<uint8_t> Elements; ///< Room for the elements of one chunk.
};

void Prober::compile() {
  std::vector<std::string> Symbols = symbolsOf({Shape});
  Code = compileProgram(Device, Dog,
                        {Asked.Source,
                         {Asked.Kernel},
                         Symbols,
                         Shape.Defines,
                         Asked.Flags,
                         Asked.NeedsFibers,
                         /*Recorded=*/true},
                        Answer.CompileMs);
  Answer.Compiler = Code->Compiler;
  Answer.Grid = Shape.Launch.Grid;
  Answer.Blocks = product(Shape.Launch.Grid);
  checkLimits(Shape.Launch, Device.facts(), Code->Resources[0], "launch");
  int Wanted = Code->Resources[0].Parameters;
  if (Wanted >= 0 && Shape.Arguments.size() != size_t(Wanted))
    throw Failure(status::LaunchFailed,
                  "kernel " + Asked.Kernel + " has " + std::to_string(Wanted) +
                      " parameters, the launch gives " +
                      std::to_string(Shape.Arguments.size()) + " arguments");
}

void Prober::layOut() {
  std::vector<RegionSpec> Regions;
  uint64_t Widest = 1;
  for (const BufferSpec &Buffer : Shape.Buffers) {
    RegionSpec Region{Buffer.ElementBytes, Buffer.bytes(), nullptr};
    if (!Buffer.Symbol.empty()) {
      void *Address = nullptr;
      if (!Device.symbol(*Code->Loaded, Buffer.Symbol, Address, Region.Bytes))
        throw RequestError("the source has no device global '" + Buffer.Symbol +
                           "'");
      if (Region.Bytes < Buffer.bytes())
        throw RequestError("buffer '" + Buffer.Name + "' has " +
                           std::to_string(Buffer.bytes()) +
                           " bytes, the device global only " +
                           std::to_string(Region.Bytes));
      Region.Existing = static_cast<char *>(Address);
    }
    Widest = std::max(Widest, Buffer.ElementBytes);
    Regions.push_back(Region);
  }
  Map = std::make_unique<TouchMap>(Regions, Asked.MemoryBytes);
  Elements.resize(TouchMap::ChunkBytes + 2 * Widest);
}

void Prober::bind() {
  for (const ArgumentSpec &Argument : Shape.Arguments) {
    std::vector<uint64_t> &To =
        Words.emplace_back(Argument.Bytes.size() / 8 + 1);
    std::memcpy(To.data(), Argument.Bytes.data(), Argument.Bytes.size());
    for (const PointerSpec &Pointer : Argument.Pointers)
      for (unsigned I = 0; I < Shape.Buffers.size(); ++I)
        if (Shape.Buffers[I].Name == Pointer.Buffer) {
          char *Target = Map->address(I) + Pointer.ByteOffset;
          std::memcpy(reinterpret_cast<char *>(To.data()) + Pointer.Offset,
                      &Target, sizeof(Target));
        }
  }
  for (std::vector<uint64_t> &Each : Words)
    Arguments.push_back(Each.data());
}

/// Rules that go by the number of elements take one for each thread, and the
/// end of the last, where the extent is not known.
uint64_t Prober::countFor(const BufferSpec &Buffer) const {
  return Buffer.Count
             ? Buffer.Count
             : product(Shape.Launch.Grid) * product(Shape.Launch.Block) + 1;
}

void Prober::fillChunk(unsigned Number, int64_t Offset, char *To,
                       uint64_t Seed) {
  const BufferSpec &Buffer = Shape.Buffers[Number];
  const uint64_t Bytes = Buffer.ElementBytes, Count = countFor(Buffer);
  if (Offset < 0)
    return;
  uint64_t First = uint64_t(Offset) / Bytes;
  uint64_t Last = (uint64_t(Offset) + TouchMap::ChunkBytes + Bytes - 1) / Bytes;
  if (Buffer.Count)
    Last = std::min(Last, Count);
  if (First >= Last)
    return;
  mep_fill::fillRange(Elements.data(), Bytes, Buffer.Components.data(),
                      Buffer.Components.size(), Count, Buffer.Rule, Buffer.Low,
                      Buffer.High, Seed, mep_fill::nameHash(Buffer.Name), First,
                      Last, Buffer.details());
  pointElements(Shape, Number, Elements.data(), First, Last,
                [&](unsigned Target) { return Map->address(Target); });
  uint64_t Skipped = uint64_t(Offset) - First * Bytes;
  std::memcpy(To, Elements.data() + Skipped,
              std::min((Last - First) * Bytes - Skipped, TouchMap::ChunkBytes));
}

static bool isFilledGlobal(const BufferSpec &Buffer) {
  return !Buffer.Symbol.empty() && !Buffer.KeepsInitializer;
}

uint64_t Prober::filledGlobalBytes() const {
  uint64_t Total = 0;
  for (const BufferSpec &Buffer : Shape.Buffers)
    Total += isFilledGlobal(Buffer) ? Buffer.bytes() : 0;
  return Total;
}

/// A global whose value the request gives is made writable, as constants of the
/// source may not be.
void Prober::fillGlobals(uint64_t Seed) {
  for (unsigned I = 0; I < Shape.Buffers.size(); ++I) {
    const BufferSpec &Buffer = Shape.Buffers[I];
    if (!isFilledGlobal(Buffer))
      continue;
    char *To = Map->address(I);
    uint64_t Page = uint64_t(sysconf(_SC_PAGESIZE));
    uint64_t Begin = reinterpret_cast<uint64_t>(To) / Page * Page;
    mprotect(reinterpret_cast<void *>(Begin),
             reinterpret_cast<uint64_t>(To) + Buffer.bytes() - Begin,
             PROT_READ | PROT_WRITE);
    mep_fill::fill(To, Buffer.ElementBytes, Buffer.Components.data(),
                   Buffer.Components.size(), Buffer.Count, Buffer.Rule,
                   Buffer.Low, Buffer.High, Seed,
                   mep_fill::nameHash(Buffer.Name), Buffer.details());
    pointElements(Shape, I, reinterpret_cast<uint8_t *>(To), 0, Buffer.Count,
                  [&](unsigned Target) { return Map->address(Target); });
  }
}

void Prober::beChild(uint64_t Seed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit NoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  // One thread: blocks run in order, and marks need no lock.
  setenv("MEP_CPU_THREADS", "1", 1);
  Map->setFiller([this, Seed](unsigned Buffer, int64_t Offset, char *To) {
    fillChunk(Buffer, Offset, To, Seed);
  });
  fillGlobals(Seed);
  ActiveTouches = Map.get();
  catchFaults();
  limitTime(Asked.Seconds);
  // The worker's pipes and its compile server are not the kernel's.
#ifdef __NR_close_range
  syscall(__NR_close_range, 3, ~0U, 0);
#endif
  becomeKernels();
  Device.launchRecorded({Code->Loaded.get(), 0, Shape.Launch, Arguments});
  Map->end(TouchEnding::Finished, 0, 0);
  _exit(0);
}

int Prober::waitFor(pid_t Child, bool &TimedOut) {
  auto Deadline = Clock::now() + std::chrono::duration<double>(
                                     IdleFactor * Asked.Seconds + IdleSeconds);
  auto Pause = std::chrono::microseconds(200);
  int Status = 0;
  while (waitpid(Child, &Status, WNOHANG) == 0) {
    if (!TimedOut && Clock::now() > Deadline) {
      TimedOut = true;
      kill(Child, SIGKILL);
    }
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::microseconds(5000));
  }
  return Status;
}

void Prober::runOnce(uint64_t Seed) {
  pid_t Child = fork();
  if (Child < 0)
    throw DeviceError("cannot start a process for the probe");
  if (Child == 0)
    beChild(Seed);
  bool TimedOut = false;
  int Status = waitFor(Child, TimedOut);
  conclude(Status, TimedOut);
}

void Prober::conclude(int Status, bool TimedOut) {
  TouchEnding Ending = Map->ending();
  Answer.Place = Ending.Place;
  const std::string Name =
      [&](int Number) {
        const char *Short = sigabbrev_np(Number);
        return Short ? std::string("SIG") + Short : std::to_string(Number);
      }(Ending.How == TouchEnding::Signal ? Ending.Number
        : WIFSIGNALED(Status)             ? WTERMSIG(Status)
                                          : 0);
  char Address[32];
  std::snprintf(Address, sizeof(Address), "0x%llx",
                static_cast<unsigned long long>(Ending.Address));
  if (TimedOut || (Ending.How == TouchEnding::None && WIFSIGNALED(Status) &&
                   WTERMSIG(Status) == SIGPROF)) {
    Answer.Outcome = "time";
    Answer.Message = "not done within its time";
  } else if (Ending.How == TouchEnding::Finished) {
    Answer.Outcome = "finished";
  } else if (Ending.How == TouchEnding::MemoryLimit) {
    Answer.Outcome = "memory";
    Answer.Message =
        "touches more than " + std::to_string(Asked.MemoryBytes >> 20) + " MiB";
  } else if (Ending.How == TouchEnding::Wild) {
    Answer.Outcome = "wild";
    Answer.Message =
        std::string(Ending.Place.Write ? "writes" : "reads") +
        (Ending.Address < NearNull
             ? std::string(" through a null pointer (address ") + Address + ")"
             : std::string(" at ") + Address + ", which is in no buffer");
  } else {
    Answer.Outcome = "crashed";
    Answer.Message = WIFEXITED(Status) && Ending.How == TouchEnding::None
                         ? "ends the process"
                         : "ends with " + Name;
  }
}

/// What does not end in time is run once more from the last block on: that is
/// where accesses reach furthest.
void Prober::runAll() {
  for (size_t I = 0; I < Asked.Seeds.size(); ++I) {
    if (I)
      Map->beginRun();
    runOnce(Asked.Seeds[I]);
    Answer.BlocksBegun = Map->blocksBegun();
    if (Answer.Outcome != "finished")
      break;
  }
  if (Answer.Outcome != "time" || Answer.Blocks == 1)
    return;
  ProbeAnswer FromFirst = Answer;
  Map->beginRun();
  Map->reverseBlocks();
  runOnce(Asked.Seeds[0]);
  if (Answer.Outcome == "finished" || Answer.Outcome == "time") {
    Answer.Outcome = FromFirst.Outcome;
    Answer.Message = FromFirst.Message;
  }
}

void Prober::summarize() {
  Answer.Accesses = Map->accesses();
  Answer.Unseen = Map->unseen();
  for (unsigned I = 0; I < Shape.Buffers.size(); ++I)
    Answer.Buffers.push_back({Shape.Buffers[I].Name, Shape.Buffers[I].Count,
                              Shape.Buffers[I].ElementBytes, Map->summary(I)});
}

} // namespace

ProbeAnswer mepworker::probeKernel(Platform &P, Watchdog &Dog,
                                   const ProbeRequest &Asked) {
  if (!P.canRecord())
    throw RequestError("op: probe is for the CPU platform; this worker's is " +
                       P.facts().Platform);
  return Prober(P, Dog, Asked).run();
}
