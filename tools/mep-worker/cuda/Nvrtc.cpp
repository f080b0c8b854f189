#include "Nvrtc.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <type_traits>

using namespace mepworker::cuda;

// ---- the library -----------------------------------------------------------

bool Nvrtc::bind(void *Library, std::string &Error) {
  const char *Missing = nullptr;
  auto Bind = [&](auto &Slot, const char *Name) {
    Slot = reinterpret_cast<std::remove_reference_t<decltype(Slot)>>(
        dlsym(Library, Name));
    if (!Slot && !Missing)
      Missing = Name;
  };
  Bind(Call.Version, "nvrtcVersion");
  Bind(Call.NumSupportedArchs, "nvrtcGetNumSupportedArchs");
  Bind(Call.SupportedArchs, "nvrtcGetSupportedArchs");
  Bind(Call.Create, "nvrtcCreateProgram");
  Bind(Call.Destroy, "nvrtcDestroyProgram");
  Bind(Call.AddName, "nvrtcAddNameExpression");
  Bind(Call.Compile, "nvrtcCompileProgram");
  Bind(Call.LogSize, "nvrtcGetProgramLogSize");
  Bind(Call.Log, "nvrtcGetProgramLog");
  Bind(Call.CubinSize, "nvrtcGetCUBINSize");
  Bind(Call.Cubin, "nvrtcGetCUBIN");
  Bind(Call.PtxSize, "nvrtcGetPTXSize");
  Bind(Call.Ptx, "nvrtcGetPTX");
  Bind(Call.LoweredName, "nvrtcGetLoweredName");
  Bind(Call.ErrorString, "nvrtcGetErrorString");
  if (Missing)
    Error = std::string("NVRTC is too old: it has no ") + Missing;
  return !Missing;
}

bool Nvrtc::open(const std::vector<std::string> &Candidates,
                 std::string &Error) {
  Error = "no libnvrtc found";
  for (const std::string &Path : Candidates) {
    void *Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!Library) {
      // A bare name that ldconfig does not know says nothing of interest.
      if (const char *Why = dlerror(); Why && Path.find('/') != Path.npos)
        Error = Why;
      continue;
    }
    if (bind(Library, Error))
      return true;
    dlclose(Library);
  }
  return false;
}

std::string Nvrtc::version() const {
  int Major = 0, Minor = 0;
  Call.Version(&Major, &Minor);
  return "NVRTC " + std::to_string(Major) + "." + std::to_string(Minor);
}

/// Machine code for the device if this NVRTC knows it, else PTX of the newest
/// virtual architecture below it, which the driver translates.
std::string Nvrtc::archOption(const std::string &Arch, bool &Ptx) const {
  int Count = 0;
  Call.NumSupportedArchs(&Count);
  std::vector<int> Known(std::max(Count, 0));
  if (Count > 0)
    Call.SupportedArchs(Known.data());
  int Wanted = atoi(Arch.c_str()), Best = 0;
  for (int K : Known)
    if (K <= Wanted)
      Best = std::max(Best, K);
  Ptx = Best && Best != Wanted;
  return Ptx ? "--gpu-architecture=compute_" + std::to_string(Best)
             : "--gpu-architecture=sm_" + Arch;
}

// ---- headers and flags -----------------------------------------------------

namespace {

/// What NVRTC knows without a header. The toolkit's own versions would be read
/// from disk and partly refuse NVRTC.
constexpr const char *BuiltinHeaders[] = {"cuda_runtime.h",
                                          "cuda_runtime_api.h",
                                          "device_launch_parameters.h",
                                          "cuda.h",
                                          "device_functions.h",
                                          "builtin_types.h",
                                          "driver_types.h",
                                          "host_defines.h",
                                          "vector_types.h",
                                          "vector_functions.h",
                                          "math_functions.h",
                                          "device_atomic_functions.h",
                                          "sm_20_intrinsics.h",
                                          "sm_30_intrinsics.h",
                                          "sm_20_atomic_functions.h",
                                          "crt/host_defines.h"};

bool startsWith(const std::string &Text, const char *Prefix) {
  return Text.rfind(Prefix, 0) == 0;
}

/// `gnu++17` or `c++17`: neither NVRTC nor nvcc has GNU dialects.
std::string standardFlag(const std::string &Value) {
  return "--std=c++" + Value.substr(Value.find_last_of('+') + 1);
}

/// A flag with a value, with one or two dashes, joined or apart.
constexpr const char *ValueFlags[] = {"maxrregcount", "fmad", "ftz", "prec-div",
                                      "prec-sqrt"};
constexpr const char *PlainFlags[] = {"use_fast_math", "restrict",
                                      "extra-device-vectorization",
                                      "device-as-default-execution-space"};

} // namespace

std::vector<std::string>
mepworker::cuda::nvrtcFlags(const std::vector<std::string> &Flags) {
  std::vector<std::string> Result;
  for (size_t I = 0; I < Flags.size(); ++I) {
    std::string Word = Flags[I];
    if (startsWith(Word, "-D") || startsWith(Word, "-U") ||
        startsWith(Word, "-I")) {
      if (Word.size() == 2 && I + 1 < Flags.size())
        Word += Flags[++I];
      Result.push_back(Word);
      continue;
    }
    std::string Name =
        Word.substr(std::min(Word.find_first_not_of('-'), Word.size()));
    size_t Equal = Name.find('=');
    bool Joined = Equal != Name.npos;
    std::string Value = Joined ? Name.substr(Equal + 1) : "";
    Name = Name.substr(0, Equal);
    auto IsName = [&](const char *Known) { return Name == Known; };
    bool TakesValue =
        Name == "std" ||
        std::any_of(std::begin(ValueFlags), std::end(ValueFlags), IsName);
    if (TakesValue && !Joined && I + 1 < Flags.size())
      Value = Flags[++I];
    if (Name == "std")
      Result.push_back(standardFlag(Value));
    else if (TakesValue)
      Result.push_back("--" + Name + "=" + Value);
    else if (std::any_of(std::begin(PlainFlags), std::end(PlainFlags), IsName))
      Result.push_back("--" + Name);
  }
  return Result;
}

std::vector<std::string>
mepworker::cuda::nvccFlags(std::vector<std::string> Flags) {
  for (std::string &Word : Flags)
    if (startsWith(Word, "-std=gnu") || startsWith(Word, "--std=gnu"))
      Word = standardFlag(Word);
  return Flags;
}

std::string mepworker::cuda::tidyLog(const std::string &Log) {
  constexpr size_t Limit = 16 << 10;
  static const std::string File = "kernel.cu(";
  std::string Text;
  for (size_t I = 0; I < Log.size();) {
    size_t Next = std::min(Log.find(File, I), Log.size());
    Text.append(Log, I, Next - I);
    if ((I = Next) == Log.size())
      break;
    size_t Digits = I + File.size();
    size_t Close = Log.find_first_not_of("0123456789", Digits);
    bool IsPlace = Close != Log.npos && Close > Digits && Log[Close] == ')';
    if (IsPlace)
      Text += "kernel.cu:" + Log.substr(Digits, Close - Digits);
    else
      Text += File;
    I = IsPlace ? Close + 1 : Digits;
  }
  if (Text.size() > Limit)
    Text = Text.substr(0, Limit / 2) + "\n[...]\n" +
           Text.substr(Text.size() - Limit / 2);
  return Text;
}

// ---- one compile -----------------------------------------------------------

void Nvrtc::warmUp() const {
  DeviceCompile Small;
  Small.Source = "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n";
  Small.Kernels = {"k"};
  Small.Arch = "80";
  compile(Small, {});
}

bool Nvrtc::takeImage(Program P, bool Ptx, DeviceImage &Result) const {
  size_t Size = 0;
  int Code = Ptx ? Call.PtxSize(P, &Size) : Call.CubinSize(P, &Size);
  if (Code || !Size) {
    Result.Log += std::string("NVRTC made no code: ") + Call.ErrorString(Code);
    return false;
  }
  Result.Image.resize(Size);
  Code = Ptx ? Call.Ptx(P, Result.Image.data())
             : Call.Cubin(P, Result.Image.data());
  return Code == 0;
}

void Nvrtc::takeNames(Program P, const DeviceCompile &Request,
                      DeviceImage &Result) const {
  auto Lowered = [&](const std::string &Expression) -> std::string {
    const char *Name = nullptr;
    return Call.LoweredName(P, Expression.c_str(), &Name) == 0 && Name ? Name
                                                                       : "";
  };
  for (const std::string &Kernel : Request.Kernels)
    Result.KernelNames.push_back(Lowered(Kernel));
  for (const std::string &Symbol : Request.Symbols)
    Result.SymbolNames.push_back(Lowered("&" + Symbol));
}

DeviceImage Nvrtc::compile(const DeviceCompile &Request,
                           const std::vector<std::string> &Includes) const {
  DeviceImage Result;
  std::vector<const char *> Contents(std::size(BuiltinHeaders), "");
  Program P = nullptr;
  if (int Code =
          Call.Create(&P, Request.Source.c_str(), "kernel.cu",
                      int(Contents.size()), Contents.data(), BuiltinHeaders)) {
    Result.Log = std::string("NVRTC: ") + Call.ErrorString(Code);
    return Result;
  }
  for (const std::string &Kernel : Request.Kernels)
    Call.AddName(P, Kernel.c_str());
  for (const std::string &Symbol : Request.Symbols)
    Call.AddName(P, ("&" + Symbol).c_str());

  bool Ptx = false;
  std::vector<std::string> Options = nvrtcFlags(Request.Flags);
  Options.push_back(archOption(Request.Arch, Ptx));
  Options.push_back("--disable-warnings");
  for (const std::string &Define : Request.Defines)
    Options.push_back("-D" + Define);
  for (const std::string &Folder : Includes)
    Options.push_back("-I" + Folder);
  std::vector<const char *> Words;
  for (const std::string &O : Options)
    Words.push_back(O.c_str());
  int Code = Call.Compile(P, int(Words.size()), Words.data());

  size_t LogSize = 0;
  if (!Call.LogSize(P, &LogSize) && LogSize > 1) {
    std::string Log(LogSize, 0);
    Call.Log(P, Log.data());
    Log.resize(strlen(Log.c_str()));
    Result.Log = tidyLog(Log);
  }
  if (Code)
    Result.Log += Result.Log.empty()
                      ? std::string("NVRTC: ") + Call.ErrorString(Code)
                      : "";
  else
    Result.Ok = takeImage(P, Ptx, Result);
  if (Result.Ok)
    takeNames(P, Request, Result);
  Call.Destroy(&P);
  return Result;
}
