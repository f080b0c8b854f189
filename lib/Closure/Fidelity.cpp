#include "Cubin.h"
#include "NvccWords.h"
#include "mep/Closure/ClosureBuilder.h"
#include "mep/Frontend/UnitCommand.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TimeProfiler.h"

using namespace mep;
using llvm::StringRef;

// ---- compiling -------------------------------------------------------------

namespace {

/// A folder that is gone when this is.
class ScratchFolder {
public:
  ScratchFolder() {
    Problem = llvm::sys::fs::createUniqueDirectory("mep", Path);
  }
  ~ScratchFolder() { llvm::sys::fs::remove_directories(Path); }
  std::string file(StringRef Name) const {
    llvm::SmallString<128> Result(Path);
    llvm::sys::path::append(Result, Name);
    return Result.str().str();
  }
  std::error_code Problem;

private:
  llvm::SmallString<128> Path;
};

struct Compiled {
  bool Ok = false;
  std::string Message; ///< The compiler's first error.
};

} // namespace

static std::string firstError(StringRef Output) {
  llvm::SmallVector<StringRef> Lines;
  Output.split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    if (Line.contains("error"))
      return Line.trim().str();
  return Lines.empty() ? std::string("no message") : Lines.back().trim().str();
}

static constexpr unsigned CompileSeconds = 300;
/// Whose machine code is held at once.
static constexpr size_t MostApplications = 32;

/// Runs nvcc through the shell's `cd`, since the flags are relative to the
/// command's own folder.
static Compiled runNvcc(const std::string &Nvcc, StringRef Directory,
                        const std::vector<std::string> &Words,
                        const ScratchFolder &Scratch) {
  llvm::TimeTraceScope Trace("mep: nvcc", Words.back());
  std::string Log = Scratch.file("log");
  std::vector<StringRef> Line = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"",
                                 Directory, Nvcc};
  for (const std::string &W : Words)
    Line.push_back(W);
  std::optional<StringRef> Redirects[] = {StringRef("/dev/null"),
                                          StringRef(Log), StringRef(Log)};
  std::string Problem;
  int Code = llvm::sys::ExecuteAndWait("/bin/sh", Line, std::nullopt, Redirects,
                                       CompileSeconds, 0, &Problem);
  Compiled Result;
  Result.Ok = Code == 0;
  if (Result.Ok)
    return Result;
  auto Text = readFile(Log);
  std::string Output = Text ? *Text : std::string();
  if (!Text)
    llvm::consumeError(Text.takeError());
  Result.Message = !Problem.empty() ? Problem : firstError(Output);
  return Result;
}

static std::vector<std::string> applicationCommand(const UnitCommand &Command,
                                                   const Closure &C,
                                                   const std::string &Output) {
  std::vector<std::string> Result = nvccWords(
      llvm::ArrayRef(Command.Original).drop_front(Command.Compiler + 1));
  // What another spelling meant (`-dc`, Clang's `-ffast-math`).
  for (const std::string &Flag : nvccWords(C.Flags))
    if (!llvm::is_contained(Result, Flag))
      Result.push_back(Flag);
  StringRef Base = llvm::sys::path::filename(Command.File);
  if (llvm::none_of(Result, [&](const std::string &W) {
        return llvm::sys::path::filename(W) == Base;
      }))
    Result.push_back(Command.File);
  Result.insert(Result.end(),
                {"-cubin", "-arch=" + Command.Arch, "-w", "-o", Output});
  return Result;
}

static std::vector<std::string> closureCommand(const UnitCommand &Command,
                                               const Closure &C,
                                               const std::string &Source,
                                               const std::string &Output) {
  std::vector<std::string> Result = nvccWords(C.Flags);
  Result.insert(Result.end(), {"-cubin", "-arch=" + Command.Arch, "-w", "-x",
                               "cu", Source, "-o", Output});
  return Result;
}

// ---- the proof -------------------------------------------------------------

static Fidelity outcome(Fidelity::State Status, std::string Detail = {}) {
  return {Status, std::move(Detail)};
}

static std::string take(llvm::Error E) { return llvm::toString(std::move(E)); }

static Fidelity compare(const Cubin &Left, const std::string &Slice,
                        const Closure &C) {
  auto Right = readCubin(Slice);
  if (!Right)
    return outcome(Fidelity::Failed, take(Right.takeError()));
  const KernelCode *Ours = Right->find(C.Symbol);
  // Compilers differ in how they mangle some template parameters.
  if (!Ours && Right->Kernels.size() == 1)
    Ours = &Right->Kernels.front();
  const KernelCode *Theirs = Ours ? Left.find(Ours->Symbol) : nullptr;
  // A lambda's symbol names its function and its place in it.
  if (Ours && !Theirs)
    Theirs = Left.find(C.Symbol);
  if (!Ours)
    return outcome(Fidelity::Failed,
                   "the closure defines no kernel '" + C.Symbol + "'");
  if (!Theirs)
    return outcome(Fidelity::NotRun,
                   "the application's unit defines no kernel '" + C.Symbol +
                       "'");
  unsigned Moved = 0;
  std::string Difference = difference(Left, *Theirs, *Right, *Ours, Moved);
  if (!Difference.empty())
    return outcome(Fidelity::Different, Difference);
  return outcome(Fidelity::Same,
                 Moved ? std::to_string(Moved) +
                             " instructions reach the same variable at another "
                             "place of its module"
                       : std::string());
}

/// The closure's text with unused bytes before its `__constant__` variables, so
/// that each lies where the application's unit \p Theirs has it: indexed reads
/// compile differently at another offset. Empty when that cannot be done.
static std::string placedText(const Closure &C, const Cubin &Theirs) {
  std::string Result;
  size_t At = 0;
  uint64_t End = 0;
  for (const ClosurePiece &P : C.Pieces) {
    auto IsConstant = [&](const DeviceGlobal &G) {
      return G.IsConstant && StringRef("::" + G.Name).ends_with("::" + P.Name);
    };
    auto Global = llvm::find_if(C.Globals, IsConstant);
    if (P.Kind != PieceKind::Global || Global == C.Globals.end())
      continue;
    auto Place = llvm::find_if(Theirs.Constants, [&](const ConstantSymbol &S) {
      return S.Name == comparableSymbol(Global->Symbol);
    });
    if (Place == Theirs.Constants.end() || Place->Begin < End)
      return {};
    Result.append(C.Text, At, P.Begin - At);
    At = P.Begin;
    if (Place->Begin > End)
      Result += "__constant__ char mep_pad_" + std::to_string(Place->Begin) +
                "[" + std::to_string(Place->Begin - End) + "];\n";
    End = Place->End;
  }
  return At ? Result + C.Text.substr(At) : std::string();
}

/// The machine code of a unit, or why there is none.
struct FidelityProver::Application {
  Cubin Code;
  std::string Problem;
};

FidelityProver::FidelityProver(std::string Toolkit)
    : ToolkitPath(std::move(Toolkit)) {
  llvm::SmallString<128> Path(ToolkitPath);
  llvm::sys::path::append(Path, "bin", "nvcc");
  Nvcc = Path.str().str();
}

FidelityProver::~FidelityProver() = default;

const FidelityProver::Application &
FidelityProver::application(const UnitCommand &Command, const Closure &C) {
  std::string Key = Command.Directory;
  for (const std::string &Word : applicationCommand(Command, C, ""))
    Key += '\0' + Word;
  std::unique_ptr<Application> &Slot = Applications[Key];
  if (Slot)
    return *Slot;
  // A large database has more than need be held at once.
  if (Applications.size() > MostApplications) {
    Applications.clear();
    return application(Command, C);
  }
  Slot = std::make_unique<Application>();
  ScratchFolder Scratch;
  if (Scratch.Problem) {
    Slot->Problem = "no scratch folder: " + Scratch.Problem.message();
    return *Slot;
  }
  std::string Whole = Scratch.file("application.cubin");
  Compiled Built = runNvcc(Nvcc, Command.Directory,
                           applicationCommand(Command, C, Whole), Scratch);
  if (!Built.Ok) {
    Slot->Problem = "the application's unit does not compile: " + Built.Message;
    return *Slot;
  }
  auto Code = readCubin(Whole);
  if (Code)
    Slot->Code = std::move(*Code);
  else
    Slot->Problem = take(Code.takeError());
  return *Slot;
}

Fidelity FidelityProver::prove(const UnitCommand &Command, const Closure &C) {
  if (ToolkitPath.empty())
    return outcome(Fidelity::NotRun, "no CUDA toolkit");
  if (!Command.IsCuda)
    return outcome(Fidelity::NotRun, "not a CUDA unit");
  if (Command.Compiler >= Command.Original.size())
    return outcome(Fidelity::NotRun, "the unit has no compile command");
  if (!llvm::sys::fs::can_execute(Nvcc))
    return outcome(Fidelity::NotRun, Nvcc + " cannot be run");
  // Nothing is proven of an application that nvcc does not take.
  const Application &Theirs = application(Command, C);
  if (!Theirs.Problem.empty())
    return outcome(Fidelity::NotRun, Theirs.Problem);
  ScratchFolder Scratch;
  if (Scratch.Problem)
    return outcome(Fidelity::NotRun,
                   "no scratch folder: " + Scratch.Problem.message());
  std::string Source = Scratch.file("closure.cu");
  std::string Slice = Scratch.file("closure.cubin");
  auto compileText = [&](StringRef Text) -> Compiled {
    if (llvm::Error E = writeFile(Source, Text))
      return {false, take(std::move(E))};
    return runNvcc(Nvcc, Command.Directory,
                   closureCommand(Command, C, Source, Slice), Scratch);
  };
  Compiled Ours = compileText(C.Text);
  if (!Ours.Ok)
    return outcome(Fidelity::Failed,
                   "the closure does not compile: " + Ours.Message);
  Fidelity Result = compare(Theirs.Code, Slice, C);
  if (Result.Status != Fidelity::Different)
    return Result;
  std::string Text = placedText(C, Theirs.Code);
  if (Text.empty() || !compileText(Text).Ok ||
      compare(Theirs.Code, Slice, C).Status != Fidelity::Same)
    return Result;
  return outcome(Fidelity::Same, "with the __constant__ variables where the "
                                 "application's unit has them");
}
