/// \file
/// mep-worker: reads requests, one JSON object a line, and answers them until
/// the input ends. The contract is README.md of this folder.

#include "Output.h"
#include "Probe.h"
#include "Protocol.h"
#include "Sandbox.h"
#include "Session.h"
#include "Watchdog.h"
#include "cuda/CompileOnly.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

namespace {

struct Flags {
  std::string Platform = "auto", CudaPath;
  std::string CompileOnly; ///< Architecture, e.g. `90`.
  unsigned Device = 0;
  unsigned MemoryMib = 0; ///< Of the CPU platform; 0: its own choice.
  double HangMs = 10000;
  bool Measures = true; ///< The bandwidth.
  bool OnlyProbes = false;
};

constexpr const char *Usage =
    "usage: mep-worker [--platform=auto|cuda|cpu] [--device=N]\n"
    "                  [--cuda-path=DIR] [--hang-ms=N] [--no-bandwidth]\n"
    "                  [--memory-mib=N] [--only-probes] [--allow-read=PATH]\n"
    "                  [--no-sandbox]\n"
    "Evaluates GPU kernels for clang-mep-opt: reads one JSON request a line\n"
    "from stdin, writes one JSON answer a line to stdout.\n"
    "       mep-worker --compile-only=ARCH [--cuda-path=DIR]\n"
    "  --compile-only=90  needs no GPU: answers compile requests alone\n"
    "  --hang-ms=N  a launch is given up after N ms (10000) or fifty times "
    "the\n"
    "               baseline's time, whichever is longer\n"
    "  --memory-mib=N  the CPU as a device has N MiB (3072): more is out of "
    "memory\n"
    "  --no-bandwidth  do not measure it at the start: there is no floor then\n"
    "  --only-probes  answers probes, and only a worker started so does;\n"
    "               measures no bandwidth\n"
    "  --allow-read=PATH  compilers and kernels may read this too, e.g. where\n"
    "               an unusual compiler is installed; may be repeated\n"
    "  --no-sandbox  kernels may do all that the user may: for debugging\n";

[[noreturn]] void usageError(const std::string &Message) {
  std::fprintf(stderr, "mep-worker: error: %s\n%s", Message.c_str(), Usage);
  std::exit(2);
}

unsigned wholeNumber(const std::string &Text, const char *Flag) {
  if (Text.empty() || Text.size() > 9 ||
      Text.find_first_not_of("0123456789") != std::string::npos)
    usageError(std::string(Flag) + " needs a whole number, got '" + Text + "'");
  return unsigned(std::stoul(Text));
}

Flags parseFlags(int Count, char **Words) {
  Flags Result;
  for (int I = 1; I < Count; ++I) {
    std::string Word = Words[I];
    size_t Equals = Word.find('=');
    std::string Name = Word.substr(0, Equals);
    std::string Value =
        Equals == std::string::npos ? "" : Word.substr(Equals + 1);
    if (Word == "--help") {
      std::fputs(Usage, stdout);
      std::exit(0);
    } else if (Word == "--no-bandwidth") {
      Result.Measures = false;
    } else if (Word == "--only-probes") {
      Result.OnlyProbes = true;
      Result.Measures = false;
    } else if (Word == "--no-sandbox") {
      disableSandbox();
    } else if (Name == "--allow-read") {
      allowReading(Value);
    } else if (Name == "--platform") {
      Result.Platform = Value;
    } else if (Name == "--device") {
      Result.Device = wholeNumber(Value, "--device");
    } else if (Name == "--cuda-path") {
      Result.CudaPath = Value;
    } else if (Name == "--compile-only") {
      Result.CompileOnly = std::to_string(wholeNumber(Value, "--compile-only"));
    } else if (Name == "--memory-mib") {
      Result.MemoryMib = std::max(1u, wholeNumber(Value, "--memory-mib"));
    } else if (Name == "--hang-ms") {
      Result.HangMs = std::max(1u, wholeNumber(Value, "--hang-ms"));
    } else {
      usageError("unknown argument '" + Word + "'");
    }
  }
  if (Result.Platform != "auto" && Result.Platform != "cuda" &&
      Result.Platform != "cpu")
    usageError("unknown platform '" + Result.Platform + "'");
  return Result;
}

std::unique_ptr<Platform> makePlatform(const Flags &Given, std::string &Error) {
  std::unique_ptr<Platform> Made;
  std::string CudaError, CpuError;
  if (Given.Platform != "cpu")
    Made = makeCudaPlatform(Given.Device, Given.CudaPath, CudaError);
  if (!Made && Given.Platform != "cuda")
    Made = makeCpuPlatform(uint64_t(Given.MemoryMib) << 20, Given.OnlyProbes,
                           CpuError);
  Error = CudaError.empty() || CpuError.empty() ? CudaError + CpuError
                                                : CudaError + "; " + CpuError;
  return Made;
}

/// Bytes per second of a large copy, read plus written; the best of many, over
/// long enough for an idle device to raise its clocks.
double measureBandwidth(Platform &P) {
  uint64_t Bytes = std::clamp<uint64_t>(4 * P.facts().L2Bytes, 64 << 20,
                                        uint64_t(512) << 20);
  if (P.facts().MemoryBytes)
    Bytes = std::min(Bytes, P.facts().MemoryBytes / 8);
  try {
    DeviceMemory From(P, Bytes), To(P, Bytes);
    std::string Error;
    double Best = 0;
    must(P.set(From.address(), 1, Bytes, Error), Error);
    auto Begin = Clock::now();
    auto Elapsed = [&] {
      return std::chrono::duration<double>(Clock::now() - Begin).count();
    };
    for (unsigned Try = 0; Try < 6 || (Elapsed() < 0.1 && Try < 1000); ++Try) {
      must(P.synchronize(Error), Error);
      auto Start = Clock::now();
      must(P.copy(To.address(), From.address(), Bytes, Error), Error);
      must(P.synchronize(Error), Error);
      double Seconds =
          std::chrono::duration<double>(Clock::now() - Start).count();
      if (Try > 0)
        Best = std::max(Best, 2.0 * double(Bytes) / Seconds);
    }
    return Best;
  } catch (const DeviceError &) {
    return 0;
  }
}

/// Serves the requests of one connection.
class Server {
public:
  /// The watchdog is a thread: the sandbox is closed before.
  Server(Platform &P, Output &Out, const Flags &Given, double Bandwidth,
         std::vector<std::string> Active)
      : Device(P), Out(Out), Run(P, Dog, Given.HangMs / 1000),
        Bandwidth(Bandwidth), Active(std::move(Active)),
        OnlyProbes(Given.OnlyProbes), Current(Run, Bandwidth) {
    if (P.facts().Platform == "cpu")
      Out.catchCrashes();
  }

  /// False when the worker is to end.
  bool serve(const std::string &Line);
  int exitCode() const { return Lost ? 3 : 0; }

private:
  const char *refusal(const Request &Asked) const;
  std::string answer(const Request &Asked);
  std::string prepare(const Request &Asked, const PrepareRequest &Given);
  std::string evaluate(const Request &Asked, const EvaluateRequest &Given);
  std::string probe(const Request &Asked, const ProbeRequest &Given);

  Platform &Device;
  Output &Out;
  Watchdog Dog;
  Runner Run;
  double Bandwidth;
  std::vector<std::string> Active; ///< Of the sandbox.
  bool OnlyProbes;
  Session Current;
  bool Lost = false; ///< The device; the worker must be replaced.
};

/// \p Text around the mark that a signal's name will replace.
void armLastWords(Output &Out, const std::string &Text,
                  const std::string &Mark) {
  size_t At = Text.find(Mark);
  Out.setLastWords(Text.substr(0, At), Text.substr(At + Mark.size()));
}

std::string Server::prepare(const Request &Asked, const PrepareRequest &Given) {
  Dog.onTimeout([&, Id = Asked.Id](const std::string &What, double Seconds) {
    Out.send(refusedAnswer(
        Id, What == "compilation" ? status::CompileLimit : status::TimedOut,
        "the baseline: " + What + " took longer than " +
            std::to_string(Seconds) + " s",
        true, Current.currentShape()));
  });
  armLastWords(Out,
               refusedAnswer(Asked.Id, status::Crashed,
                             "the baseline crashes: @SIGNAL@", true),
               "@SIGNAL@");
  try {
    return baselineAnswer(Asked.Id, Current.prepare(Given));
  } catch (const BaselineError &Wrong) {
    Lost = Wrong.Fatal;
    return refusedAnswer(
        Asked.Id, Wrong.Status, std::string("the baseline: ") + Wrong.what(),
        Wrong.Fatal, Wrong.Fatal ? Current.currentShape() : "");
  } catch (const Failure &Wrong) {
    Lost = Wrong.Fatal;
    return refusedAnswer(Asked.Id, Wrong.Status,
                         std::string("the baseline: ") + Wrong.Status + ": " +
                             Wrong.what(),
                         Wrong.Fatal);
  }
}

std::string Server::evaluate(const Request &Asked,
                             const EvaluateRequest &Given) {
  EvaluationAnswer Dying;
  Dying.Candidate = Given.Candidate;
  Dying.Tune = Given.Tune;
  Dying.Fatal = true;
  Dog.onTimeout([&, Dying, Id = Asked.Id](const std::string &What,
                                          double Seconds) mutable {
    Dying.Status =
        What == "compilation" ? status::CompileLimit : status::TimedOut;
    char Limit[32];
    std::snprintf(Limit, sizeof(Limit), "%.3g", Seconds);
    Dying.Message = What + " took longer than " + Limit + " s";
    Out.send(evaluationAnswer(Id, Dying));
  });
  Dying.Status = status::Crashed;
  Dying.Message = "@SIGNAL@";
  armLastWords(Out, evaluationAnswer(Asked.Id, Dying), Dying.Message);
  EvaluationAnswer Found = Current.evaluate(Given);
  Lost = Found.Fatal;
  return evaluationAnswer(Asked.Id, Found);
}

std::string Server::probe(const Request &Asked, const ProbeRequest &Given) {
  Dog.onTimeout([&, Id = Asked.Id](const std::string &What, double Seconds) {
    Out.send(errorAnswer(Id, "baseline",
                         "the probe: " + What + " took longer than " +
                             std::to_string(Seconds) + " s",
                         true));
  });
  armLastWords(
      Out, errorAnswer(Asked.Id, "device", "the probe crashes: @SIGNAL@", true),
      "@SIGNAL@");
  try {
    return probeAnswer(Asked.Id, probeKernel(Device, Dog, Given));
  } catch (const Failure &Wrong) {
    return errorAnswer(
        Asked.Id, "baseline",
        std::string("the probe: ") + Wrong.Status + ": " + Wrong.what(), false);
  }
}

/// Only a process that probes may fork, and only one that does not may have
/// kernels in it. Null when \p Asked is this worker's business.
const char *Server::refusal(const Request &Asked) const {
  const bool IsProbe = std::holds_alternative<ProbeRequest>(Asked.Op);
  if (IsProbe && !OnlyProbes && Device.canRecord())
    return "op: probe is answered by a worker started with --only-probes";
  if (OnlyProbes && !IsProbe && !std::holds_alternative<HelloRequest>(Asked.Op))
    return "op: a worker started with --only-probes answers probes alone";
  return nullptr;
}

std::string Server::answer(const Request &Asked) {
  if (const char *Why = refusal(Asked))
    return errorAnswer(Asked.Id, "request", Why, false);
  if (auto *Given = std::get_if<PrepareRequest>(&Asked.Op))
    return prepare(Asked, *Given);
  if (auto *Given = std::get_if<EvaluateRequest>(&Asked.Op))
    return evaluate(Asked, *Given);
  if (auto *Given = std::get_if<AnnounceRequest>(&Asked.Op)) {
    Current.announce(*Given);
    return plainAnswer(Asked.Id);
  }
  if (std::holds_alternative<CompileCheck>(Asked.Op))
    return errorAnswer(Asked.Id, "request",
                       "compile is answered with --compile-only", false);
  if (auto *Given = std::get_if<ProbeRequest>(&Asked.Op))
    return probe(Asked, *Given);
  return helloAnswer(Asked.Id, Device.facts(), Bandwidth, Active);
}

bool Server::serve(const std::string &Line) {
  std::string Id = "null";
  try {
    Request Asked = parseRequest(Line, Id);
    if (std::holds_alternative<QuitRequest>(Asked.Op))
      return false;
    Out.send(answer(Asked));
  } catch (const RequestError &Wrong) {
    Out.send(errorAnswer(Id, "request", Wrong.what(), false));
  } catch (const std::exception &Wrong) {
    Out.send(errorAnswer(Id, "device", Wrong.what(), false));
  }
  return !Lost;
}

} // namespace

int main(int Count, char **Words) {
  Flags Given = parseFlags(Count, Words);
  cleanEnvironment();
  Output Out;
  std::string Error, Line;
  if (!Given.CompileOnly.empty())
    return cuda::serveCompiles(Given.CompileOnly, Given.CudaPath, Out);
  std::unique_ptr<Platform> Device = makePlatform(Given, Error);
  if (!Device) {
    std::fprintf(stderr, "mep-worker: error: %s\n", Error.c_str());
    if (std::getline(std::cin, Line))
      Out.send(errorAnswer("null", "toolchain", Error, true));
    return 1;
  }
  const double Bandwidth = Given.Measures ? measureBandwidth(*Device) : 0;
  const Protections Active =
      enterSandbox(Device->confinement(Given.OnlyProbes));
  Server Serving(*Device, Out, Given, Bandwidth, Active.names());
  while (std::getline(std::cin, Line))
    if (!Line.empty() && !Serving.serve(Line))
      break;
  return Serving.exitCode();
}
