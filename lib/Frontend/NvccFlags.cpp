#include "NvccFlags.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace mep;
using llvm::StringRef;

namespace {

enum class Action {
  Drop,      ///< No meaning for a parse.
  DropValue, ///< The same, and its separate value goes too.
  Keep,      ///< Clang's own flag, joined value if any.
  KeepValue, ///< Clang's own flag with a value, separate or joined or `=`.
  Include,   ///< `-I`, `-isystem`, `-include`: rewrite the `=` form.
  Standard,  ///< `-std`
  Device,    ///< Recorded for the proof and the worker; Clang has none.
  DeviceValue,
  FastMath,
  Arch,      ///< `-arch`, `-gencode`, `-code`
  Host,      ///< `-Xcompiler`: a list of host flags.
  Separable, ///< `-rdc=true`, `-dc`
  Stream,
  Lambda,
  Relaxed,
  Language, ///< `-x`
};

struct FlagRow {
  const char *Name;  ///< With its dashes.
  const char *Clang; ///< What Clang calls it, when that differs.
  Action Do;
};

/// Longest match wins, so order does not matter. A flag with a value matches
/// `F v`, `F=v` and, for one-letter flags, `Fv`.
const FlagRow Rows[] = {
#include "NvccFlags.def"
};

const FlagRow *findRow(StringRef Word) {
  StringRef Name = Word.split('=').first;
  for (const FlagRow &Row : Rows)
    if (Name == Row.Name)
      return &Row;
  for (StringRef Joined : {"-I", "-D", "-U", "-L", "-l", "-O", "-x", "-W", "-o",
                           "-j", "-t", "-isystem", "-include", "-iquote"})
    if (Word.starts_with(Joined))
      for (const FlagRow &Row : Rows)
        if (Joined == Row.Name)
          return &Row;
  return nullptr;
}

/// Flags of the host compiler that matter to a parse.
bool hostFlagMatters(StringRef Flag) {
  if (Flag.starts_with("-mcmodel") || Flag.starts_with("-Wl,") ||
      Flag.starts_with("-march") || Flag.starts_with("-mtune"))
    return false;
  for (StringRef Prefix :
       {"-D", "-U", "-I", "-isystem", "-include", "-std", "-fopenmp", "-m",
        "-fno-exceptions", "-fno-rtti", "-fsigned-char", "-funsigned-char"})
    if (Flag.starts_with(Prefix))
      return true;
  return false;
}

class Translator {
public:
  explicit Translator(const std::vector<std::string> &Words) : Words(Words) {}
  TranslatedFlags run();

private:
  void one(const std::string &Word);
  void flag(const FlagRow &Row, StringRef Word);
  std::string value(const FlagRow &Row, StringRef Word);
  void host(StringRef List);
  void arch(StringRef Text);
  void put(StringRef Word) { Out.Clang.push_back(Word.str()); }

  const std::vector<std::string> &Words;
  size_t At = 0;
  TranslatedFlags Out;
  unsigned ArchNumber = 0;
};

/// The value of `F=v`, `Fv` or `F v`; consumes the next word in the last case.
std::string Translator::value(const FlagRow &Row, StringRef Word) {
  StringRef Rest = Word.drop_front(StringRef(Row.Name).size());
  if (!Rest.empty())
    return Rest.ltrim('=').str();
  return At + 1 < Words.size() ? Words[++At] : std::string();
}

void Translator::host(StringRef List) {
  llvm::SmallVector<StringRef> Parts;
  llvm::SplitString(List, Parts, ", \t\"'");
  for (size_t I = 0; I < Parts.size(); ++I) {
    StringRef Part = Parts[I];
    bool Separate = Part == "-include" || Part == "-isystem" || Part == "-I" ||
                    Part == "-D";
    if (hostFlagMatters(Part)) {
      if (Part.starts_with("-std"))
        Out.HasStandard = true;
      put(Part);
      if (Separate && I + 1 < Parts.size())
        put(Parts[++I]);
    }
  }
}

/// Takes the highest number in `sm_90`, `arch=compute_80,code=[sm_80,sm_90]`.
void Translator::arch(StringRef Text) {
  for (StringRef Prefix : {"sm_", "compute_"})
    for (size_t I = Text.find(Prefix); I != StringRef::npos;
         I = Text.find(Prefix, I + 1)) {
      StringRef Digits = Text.drop_front(I + Prefix.size());
      unsigned Number = 0;
      StringRef Run = Digits.take_while(llvm::isDigit);
      if (Run.getAsInteger(10, Number) || Number < ArchNumber)
        continue;
      ArchNumber = Number;
      Out.Arch = "sm_" + Run.str();
      if (Digits.drop_front(Run.size()).starts_with("a"))
        Out.Arch += "a";
    }
}

void Translator::flag(const FlagRow &Row, StringRef Word) {
  StringRef Clang = Row.Clang ? Row.Clang : Row.Name;
  switch (Row.Do) {
  case Action::Drop:
    return;
  case Action::DropValue:
    (void)value(Row, Word);
    return;
  case Action::Keep:
    return put(Word.starts_with("--") && Row.Clang ? Clang : Word);
  case Action::KeepValue:
  case Action::Include: {
    std::string Value = value(Row, Word);
    for (StringRef Part :
         llvm::split(Value, Row.Do == Action::Include ? ',' : '\0')) {
      put(Clang);
      put(Part);
    }
    return;
  }
  case Action::Standard: {
    std::string Standard = value(Row, Word);
    Out.HasStandard = true;
    Out.Device.push_back("-std=" + Standard);
    return put("-std=" + Standard);
  }
  case Action::Device:
    Out.Device.push_back(Word.str());
    return;
  case Action::DeviceValue:
    Out.Device.push_back(std::string(Clang) + "=" + value(Row, Word));
    return;
  case Action::FastMath:
    Out.Device.push_back("--use_fast_math");
    put("-Xarch_device");
    return put("-ffast-math");
  case Action::Arch:
    return arch(value(Row, Word));
  case Action::Host:
    return host(value(Row, Word));
  case Action::Separable:
    if (StringRef(Row.Name).ends_with("dc") == false ||
        !StringRef(Word).contains("=false")) {
      if (Word.starts_with("-rdc") || Word.starts_with("--relocatable"))
        if (value(Row, Word) != "true")
          return;
      Out.Device.push_back("-rdc=true");
      put("-fgpu-rdc");
      put("-D__CUDACC_RDC__");
    }
    return;
  case Action::Stream:
    if (value(Row, Word) == "per-thread")
      put("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    return;
  case Action::Lambda:
    return put("-D__CUDACC_EXTENDED_LAMBDA__");
  case Action::Relaxed:
    return put("-D__CUDACC_RELAXED_CONSTEXPR__");
  case Action::Language: {
    std::string Language = value(Row, Word);
    Out.ForcesCuda |= Language == "cu" || Language == "cuda";
    Out.ForcesHip |= Language == "hip";
    return;
  }
  }
}

void Translator::one(const std::string &Word) {
  if (Word.empty())
    return;
  if (Word[0] != '-' || Word == "-") {
    Out.Inputs.push_back(Word);
    return;
  }
  if (const FlagRow *Row = findRow(Word))
    return flag(*Row, Word);
  // GCC and Clang spellings that nvcc passes on; warnings and the host's
  // instruction set mean nothing to the parse.
  if (hostFlagMatters(Word) || StringRef(Word).starts_with("-f"))
    return put(Word);
  if (StringRef(Word).starts_with("-W") || StringRef(Word).starts_with("-m"))
    return;
  Out.Unknown.push_back(Word);
}

TranslatedFlags Translator::run() {
  for (; At < Words.size(); ++At)
    one(Words[At]);
  return std::move(Out);
}

} // namespace

llvm::Expected<std::vector<std::string>>
mep::expandResponseFiles(const std::vector<std::string> &Words,
                         StringRef Directory) {
  std::vector<std::string> Out;
  // A response file may name another one; a cycle would never end.
  constexpr unsigned MaxFiles = 64;
  std::vector<std::string> Pending(Words.rbegin(), Words.rend());
  for (unsigned Opened = 0; !Pending.empty();) {
    std::string Word = std::move(Pending.back());
    Pending.pop_back();
    std::string File;
    if (Word.size() > 1 && Word[0] == '@') {
      File = Word.substr(1);
    } else if (Word == "--options-file" || Word == "-optf") {
      if (Pending.empty())
        break;
      File = std::move(Pending.back());
      Pending.pop_back();
    } else if (StringRef(Word).starts_with("--options-file=") ||
               StringRef(Word).starts_with("-optf=")) {
      File = StringRef(Word).split('=').second.str();
    } else {
      Out.push_back(std::move(Word));
      continue;
    }
    llvm::SmallString<256> Path(File);
    if (llvm::sys::path::is_relative(Path)) {
      Path = Directory;
      llvm::sys::path::append(Path, File);
    }
    if (++Opened > MaxFiles)
      return makeError(Failure::Input, "response files nest without end",
                       Path.str().str());
    auto Text = readFile(Path);
    if (!Text)
      return Text.takeError();
    llvm::BumpPtrAllocator Memory;
    llvm::StringSaver Saver(Memory);
    llvm::SmallVector<const char *> Tokens;
    llvm::cl::TokenizeGNUCommandLine(*Text, Saver, Tokens);
    for (const char *Token : llvm::reverse(Tokens))
      Pending.push_back(Token);
  }
  return Out;
}

TranslatedFlags mep::translateNvcc(const std::vector<std::string> &Words) {
  return Translator(Words).run();
}

TranslatedFlags mep::translateClang(const std::vector<std::string> &Words) {
  static const StringRef DropWithValue[] = {"-o", "-MF", "-MT", "-MQ",
                                            "-target-feature"};
  static const StringRef DropAlone[] = {"-c",
                                        "-S",
                                        "-E",
                                        "-MD",
                                        "-MMD",
                                        "-MP",
                                        "-M",
                                        "-MM",
                                        "-v",
                                        "--cuda-host-only",
                                        "--cuda-device-only",
                                        "-fsyntax-only"};
  static const StringRef TakesValue[] = {"-I",
                                         "-D",
                                         "-U",
                                         "-isystem",
                                         "-include",
                                         "-iquote",
                                         "-idirafter",
                                         "-imacros",
                                         "-Xclang",
                                         "-arch",
                                         "-target",
                                         "-isysroot",
                                         "-Xarch_device",
                                         "-Xarch_host",
                                         "-Xlinker"};
  TranslatedFlags Out;
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if (llvm::is_contained(DropAlone, Word) || Word.starts_with("-Wl,") ||
        Word.starts_with("-l"))
      continue;
    if (llvm::is_contained(DropWithValue, Word)) {
      ++I;
      continue;
    }
    if (Word == "-x" || (Word.starts_with("-x") && Word.size() > 2)) {
      StringRef Language = Word == "-x" && I + 1 < Words.size()
                               ? StringRef(Words[++I])
                               : Word.drop_front(2);
      Out.ForcesCuda |= Language == "cuda" || Language == "cu";
      Out.ForcesHip |= Language == "hip";
      continue;
    }
    if (Word.starts_with("--cuda-gpu-arch=") ||
        Word.starts_with("--offload-arch=")) {
      // The first of `gfx90a:xnack-,gfx942`; `native` names none.
      StringRef Arch = Word.split('=').second.split(',').first;
      Arch = Arch.split(':').first;
      if (Arch != "native" && Arch > StringRef(Out.Arch))
        Out.Arch = Arch.str();
      continue;
    }
    if (!Word.starts_with("-")) {
      Out.Inputs.push_back(Word.str());
      continue;
    }
    Out.HasStandard |= Word.starts_with("-std=") || Word.starts_with("--std=");
    if (Word.starts_with("-std="))
      Out.Device.push_back(Word.str());
    if (Word == "-ffast-math")
      Out.Device.push_back("--use_fast_math");
    Out.Clang.push_back(Word.str());
    if (llvm::is_contained(TakesValue, Word) && I + 1 < Words.size())
      Out.Clang.push_back(Words[++I]);
  }
  return Out;
}
