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
HazardMap *mepworker::ActiveHazards;

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
      : Device(P), Dog(Dog), Asked(Asked), Shape(Asked.Shape),
        Planned(Asked.Launches.Launches.empty() ? originalPlan(Asked.Shape)
                                                : Asked.Launches) {}

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
  void bindLaunch(size_t Number);
  void bindArgument(const std::string &Name, const std::string &Where,
                    std::vector<uint64_t> &To) const;
  void runOnce(uint64_t Seed, uint8_t Dirt = 0);
  [[noreturn]] void beChild(uint64_t Seed, uint8_t Dirt);
  void lookForHazards();
  void addConflict(const char *Kind, const Hazard &Found);
  uint64_t scratchReadFirst() const;
  uint64_t digest() const;
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
  const Plan Planned;
  ProbeAnswer Answer;
  std::unique_ptr<Program> Code;
  std::unique_ptr<TouchMap> Map;    ///< The shape's buffers, then the scratch.
  std::unique_ptr<HazardMap> Order; ///< If hazards are asked for.
  std::vector<std::vector<uint64_t>> Words; ///< Of arguments, aligned.
  std::vector<Launch> Launches;
  std::vector<uint8_t> Elements; ///< Room for the elements of one chunk.
};

void Prober::compile() {
  CompileRequest Wanted{Asked.Source,       kernelsOf({Planned}, Asked.Kernel),
                        symbolsOf({Shape}), Shape.Defines,
                        Asked.Flags,        Asked.NeedsFibers,
                        /*Recorded=*/true};
  for (const auto &[Name, Value] : Asked.Tune)
    Wanted.Defines.push_back(Name + "=" + std::to_string(Value));
  Code = compileProgram(Device, Dog, Wanted, Answer.CompileMs);
  Answer.Compiler = Code->Compiler;
  for (const PlannedLaunch &Each : Planned.Launches) {
    Answer.Grids.push_back(Each.Shape.Grid);
    Answer.Blocks += product(Each.Shape.Grid);
  }
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
  for (const auto &[Name, Bytes] : Planned.Scratch)
    Regions.push_back({1, Bytes, nullptr});
  Map = std::make_unique<TouchMap>(Regions, Asked.MemoryBytes);
  if (Asked.Hazards)
    Order = std::make_unique<HazardMap>(Regions, *Map);
  Elements.resize(TouchMap::ChunkBytes + 2 * Widest);
}

void Prober::bind() {
  for (size_t I = 0; I < Planned.Launches.size(); ++I)
    bindLaunch(I);
}

void Prober::bindLaunch(size_t Number) {
  const PlannedLaunch &What = Planned.Launches[Number];
  std::string Where = "launch";
  if (!Asked.Launches.Launches.empty())
    Where = "plan.launches[" + std::to_string(Number) + "]";
  const std::string Kernel = kernelExpression(Asked.Kernel, What.Kernel);
  const unsigned Index =
      std::find(Code->Kernels.begin(), Code->Kernels.end(), Kernel) -
      Code->Kernels.begin();
  checkLimits(What.Shape, Device.facts(), Code->Resources.at(Index), Where);
  Launch Bound{Code->Loaded.get(), Index, What.Shape, {}};
  for (const std::string &Name : argumentsOf(
           What, Shape, Kernel, Code->Resources[Index].Parameters, Where)) {
    bindArgument(Name, Where, Words.emplace_back());
    Bound.Arguments.push_back(Words.back().data());
  }
  Launches.push_back(std::move(Bound));
}

void Prober::bindArgument(const std::string &Name, const std::string &Where,
                          std::vector<uint64_t> &To) const {
  for (size_t I = 0; I < Planned.Scratch.size(); ++I)
    if (Planned.Scratch[I].first == Name) {
      To = {reinterpret_cast<uint64_t>(
          Map->address(unsigned(Shape.Buffers.size() + I)))};
      return;
    }
  auto Argument =
      std::find_if(Shape.Arguments.begin(), Shape.Arguments.end(),
                   [&](const ArgumentSpec &Each) { return Each.Name == Name; });
  if (Argument == Shape.Arguments.end())
    throw RequestError(Where + ".arguments: '" + Name +
                       "' is neither a parameter nor a scratch buffer");
  To.resize(Argument->Bytes.size() / 8 + 1);
  std::memcpy(To.data(), Argument->Bytes.data(), Argument->Bytes.size());
  for (const PointerSpec &Pointer : Argument->Pointers)
    for (unsigned I = 0; I < Shape.Buffers.size(); ++I)
      if (Shape.Buffers[I].Name == Pointer.Buffer) {
        char *Target = Map->address(I) + Pointer.ByteOffset;
        std::memcpy(reinterpret_cast<char *>(To.data()) + Pointer.Offset,
                    &Target, sizeof(Target));
      }
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

void Prober::beChild(uint64_t Seed, uint8_t Dirt) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit NoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  // One thread: blocks run in order, and marks need no lock.
  setenv("MEP_CPU_THREADS", "1", 1);
  Map->setFiller([this, Seed, Dirt](unsigned Number, int64_t Offset, char *To) {
    if (Number < Shape.Buffers.size())
      fillChunk(Number, Offset, To, Seed);
    else
      std::memset(To, Dirt, TouchMap::ChunkBytes);
  });
  fillGlobals(Seed);
  ActiveTouches = Map.get();
  ActiveHazards = Order.get();
  if (Order)
    Order->setDirt(Dirt);
  catchFaults();
  limitTime(Asked.Seconds);
  // The worker's pipes and its compile server are not the kernel's.
#ifdef __NR_close_range
  syscall(__NR_close_range, 3, ~0U, 0);
#endif
  becomeKernels();
  for (unsigned I = 0; I < Launches.size(); ++I) {
    Map->beginLaunch(I);
    if (Order)
      Order->beginLaunch(I, Launches[I].Shape);
    Device.launchRecorded(Launches[I]);
  }
  if (Order) {
    Order->settle();
    Order->setDigest(digest());
  }
  Map->end(TouchEnding::Finished, 0, 0);
  _exit(0);
}

/// Of what other kernels than these may read afterwards.
uint64_t Prober::digest() const {
  uint64_t Digest = 0;
  for (unsigned I = 0; I < Shape.Buffers.size(); ++I)
    Digest = Digest * 31 + Map->digestOfWritten(I);
  return Digest;
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

void Prober::runOnce(uint64_t Seed, uint8_t Dirt) {
  pid_t Child = fork();
  if (Child < 0)
    throw DeviceError("cannot start a process for the probe");
  if (Child == 0)
    beChild(Seed, Dirt);
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
  if (Asked.Hazards)
    return lookForHazards();
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

uint64_t Prober::scratchReadFirst() const {
  uint64_t Elements = 0;
  for (size_t I = 0; I < Planned.Scratch.size(); ++I)
    Elements +=
        Map->summary(unsigned(Shape.Buffers.size() + I)).ReadFirst.Elements;
  return Elements;
}

/// What nobody wrote counts when the results depend on it: a second run finds
/// other things there.
void Prober::lookForHazards() {
  constexpr uint8_t Dirt = 0x00, OtherDirt = 0xFF;
  auto Run = [&](uint8_t Found) {
    runOnce(Asked.Seeds[0], Found);
    Answer.BlocksBegun = Map->blocksBegun();
    return Answer.Outcome == "finished";
  };
  bool Depends = false;
  const bool Ends = Run(Dirt);
  const uint64_t InScratch = scratchReadFirst();
  if (Ends && (Order->readUninitialised() || InScratch)) {
    const uint64_t Digest = Order->digest();
    Map->beginRun();
    Depends = !Run(OtherDirt) || Order->digest() != Digest;
  }
  for (const Hazard &Each : Order->hazards())
    if (Each.How == Hazard::Race)
      addConflict("race", Each);
    else if (Depends)
      addConflict("uninitialised", Each);
  for (unsigned I = 0; Depends && I < Planned.Scratch.size(); ++I) {
    const unsigned Region = unsigned(Shape.Buffers.size()) + I;
    const TouchedElements First = Map->summary(Region).ReadFirst;
    Hazard Found{Hazard::Uninitialised, int(Region), First.First, {}, {}};
    if (First.Elements)
      addConflict("uninitialised", Found);
  }
}

void Prober::addConflict(const char *Kind, const Hazard &Found) {
  ProbeAnswer::Conflict Out{Kind, "", 0, Found.First, Found.Second};
  const size_t Buffers = Shape.Buffers.size();
  if (Found.Region >= 0) {
    const size_t Region = size_t(Found.Region);
    Out.Memory = Region < Buffers ? Shape.Buffers[Region].Name
                                  : Planned.Scratch[Region - Buffers].first;
    Out.Element =
        Found.Offset /
        int64_t(Region < Buffers ? Shape.Buffers[Region].ElementBytes : 1);
  }
  Answer.Conflicts.push_back(std::move(Out));
}

void Prober::summarize() {
  Answer.Accesses = Map->accesses();
  Answer.Unseen = Map->unseen();
  for (unsigned I = 0; I < Shape.Buffers.size(); ++I)
    Answer.Buffers.push_back({Shape.Buffers[I].Name, Shape.Buffers[I].Count,
                              Shape.Buffers[I].ElementBytes, Map->summary(I)});
  for (unsigned I = 0; I < Planned.Scratch.size(); ++I)
    Answer.Buffers.push_back(
        {Planned.Scratch[I].first, Planned.Scratch[I].second, 1,
         Map->summary(unsigned(Shape.Buffers.size()) + I)});
}

} // namespace

ProbeAnswer mepworker::probeKernel(Platform &P, Watchdog &Dog,
                                   const ProbeRequest &Asked) {
  if (!P.canRecord())
    throw RequestError("op: probe is for the CPU platform; this worker's is " +
                       P.facts().Platform);
  return Prober(P, Dog, Asked).run();
}
