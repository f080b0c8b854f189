/// \file
/// Compiling under the watchdog; keeping device globals before first use.

#include "Compile.h"
#include "Answer.h"
#include <algorithm>

using namespace mepworker;

namespace {
/// A compiler inside this process cannot be stopped earlier than by its end.
constexpr double CompileSeconds = 60;
constexpr size_t MostLog = 4000;

/// From the first error on, at most \c MostLog bytes.
std::string evidence(const std::string &Log) {
  size_t Start = Log.find("error");
  Start = Start == std::string::npos ? 0 : Log.rfind('\n', Start);
  Start = Start == std::string::npos ? 0 : Start;
  while (Start < Log.size() && Log[Start] == '\n')
    ++Start;
  std::string Text = Log.substr(Start, MostLog);
  while (!Text.empty() && Text.back() == '\n')
    Text.pop_back();
  return Text.empty() ? "the compiler failed and said nothing" : Text;
}
} // namespace

void mepworker::addOnce(std::vector<std::string> &Names,
                        const std::string &Name) {
  if (std::find(Names.begin(), Names.end(), Name) == Names.end())
    Names.push_back(Name);
}

std::unique_ptr<Program> mepworker::compileProgram(Platform &P, Watchdog &Dog,
                                                   CompileRequest Request,
                                                   double &Ms) {
  CompileResult Made;
  {
    Watchdog::Guard Watched(Dog, "compilation", CompileSeconds);
    Made = P.compile(Request);
  }
  Ms += Made.Ms;
  if (Made.LimitHit)
    throw Failure(status::CompileLimit, evidence(Made.Log));
  if (!Made.Loaded)
    throw Failure(status::CompileError, evidence(Made.Log));
  auto Result = std::make_unique<Program>();
  Result->Loaded = std::move(Made.Loaded);
  Result->Compiler = Made.Compiler;
  Result->Kernels = Request.Kernels;
  for (unsigned I = 0; I < Request.Kernels.size(); ++I)
    Result->Resources.push_back(P.resources(*Result->Loaded, I));
  return Result;
}

void mepworker::keepInitializers(Platform &P,
                                 const std::vector<ShapeSpec> &Shapes,
                                 Program &Of) {
  for (const ShapeSpec &Shape : Shapes)
    for (const BufferSpec &Buffer : Shape.Buffers) {
      void *Address = nullptr;
      uint64_t Bytes = 0;
      if (Buffer.Symbol.empty() ||
          !P.symbol(*Of.Loaded, Buffer.Symbol, Address, Bytes))
        continue;
      Initializer &Known = Of.Initial[Buffer.Symbol];
      Known.Bytes = Bytes;
      if (!Buffer.KeepsInitializer || Known.Value)
        continue;
      Known.Value = std::make_shared<DeviceMemory>(P, Bytes);
      std::string Error;
      must(P.copy(Known.Value->address(), Address, Bytes, Error), Error);
    }
}

std::vector<std::string> mepworker::kernelsOf(const std::vector<Plan> &Plans,
                                              const std::string &Prepared) {
  std::vector<std::string> Names;
  for (const Plan &Each : Plans)
    for (const PlannedLaunch &Launch : Each.Launches)
      addOnce(Names, kernelExpression(Prepared, Launch.Kernel));
  return Names;
}

std::vector<std::string>
mepworker::symbolsOf(const std::vector<ShapeSpec> &Shapes) {
  std::vector<std::string> Names;
  for (const ShapeSpec &Shape : Shapes)
    for (const BufferSpec &Buffer : Shape.Buffers)
      if (!Buffer.Symbol.empty())
        addOnce(Names, Buffer.Symbol);
  return Names;
}
