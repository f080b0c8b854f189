#include "NvccWords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using llvm::StringRef;

namespace {

/// Flags that are left out, and those whose separate value goes with them.
const llvm::StringSet<> Dropped = {
    // What nvcc makes.
    "-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-dlink",
    "--device-link", "-link", "--link", "-lib", "--lib", "-run", "--run",
    "-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin", "-M", "-MM",
    "-MD", "-MMD", "-MP", "--generate-dependencies",
    "--generate-dependencies-with-compile", "-keep", "--keep", "-dryrun",
    "--dryrun", "-v", "--verbose", "-save-temps", "--save-temps",
    "-save-temps=obj", "-E", "--preprocess", "-cuda", "--cuda", "-shared",
    "--shared",
    // How a host compiler works and what it says.
    "-S", "-pipe", "-s", "-static", "-pthread", "-nostdlib", "-nocudainc",
    "-nocudalib", "-fsyntax-only", "-rdynamic", "--"};
const llvm::StringSet<> DroppedWithValue = {"-o",
                                            "--output-file",
                                            "-gencode",
                                            "--generate-code",
                                            "-arch",
                                            "--gpu-architecture",
                                            "-code",
                                            "--gpu-code",
                                            "-MF",
                                            "--dependency-output",
                                            "-MT",
                                            "-MQ",
                                            "--dependency-target-name",
                                            "-keep-dir",
                                            "--keep-dir",
                                            "-odir",
                                            "--output-directory",
                                            "-t",
                                            "--threads",
                                            "-L",
                                            "--library-path",
                                            "-l",
                                            "--library",
                                            "-Xlinker",
                                            "--linker-options",
                                            "-cudart",
                                            "--cudart",
                                            "-split-compile",
                                            "--split-compile",
                                            "-Xclang",
                                            "-Xarch_host",
                                            "-Xarch_device",
                                            "-mllvm",
                                            "-target",
                                            "-isysroot"};
/// nvcc's own flags whose separate value may look like a flag.
const llvm::StringSet<> KeptWithValue = {"-Xcompiler", "--compiler-options",
                                         "-Xptxas",    "--ptxas-options",
                                         "-Xnvlink",   "--nvlink-options",
                                         "-Xarchive",  "--archive-options",
                                         "-Xcudafe",   "-Xnvvm",
                                         "-Xcicc",     "-Xfatbin",
                                         "-ccbin",     "--compiler-bindir",
                                         "-I",         "--include-path",
                                         "-D",         "--define-macro",
                                         "-U",         "--undefine-macro",
                                         "-isystem",   "--system-include",
                                         "-include",   "--pre-include"};
const StringRef DroppedPrefixes[] = {"-l",
                                     "-L",
                                     "-W",
                                     "-pedantic",
                                     "-g",
                                     "-stdlib=",
                                     "-nostdinc",
                                     "--cuda-",
                                     "--no-cuda-",
                                     "--offload-",
                                     "--no-offload-",
                                     "--target=",
                                     "--sysroot=",
                                     "--gcc-toolchain=",
                                     "--driver-mode=",
                                     "-resource-dir"};
/// What nvcc itself means by `-f…` and `-m…`; the rest is the host compiler's.
const StringRef OwnPrefixes[] = {"-fmad",         "-ftz", "-forward-unknown",
                                 "-maxrregcount", "-m64", "-m32"};
/// The host compiler's flags that a program can see.
const StringRef VisiblePrefixes[] = {
    "-fopenmp", "-fno-exceptions", "-fexceptions",    "-fno-rtti",
    "-frtti",   "-fsigned-char",   "-funsigned-char", "-fshort-enums"};

bool startsWithAny(StringRef Word, llvm::ArrayRef<StringRef> Prefixes) {
  return llvm::any_of(Prefixes,
                      [&](StringRef P) { return Word.starts_with(P); });
}

/// `gnu++17`, `c++1z` as the `c++17` that nvcc knows.
std::string standard(StringRef Name) {
  StringRef Version = Name;
  if (!Version.consume_front("gnu++") && !Version.consume_front("c++"))
    return Name.str();
  StringRef Known = llvm::StringSwitch<StringRef>(Version)
                        .Cases({"98", "03"}, "03")
                        .Case("0x", "11")
                        .Case("1y", "14")
                        .Case("1z", "17")
                        .Cases({"2a", "2b", "2c"}, "20")
                        .Default(Version);
  return "c++" + Known.str();
}

class Rewriter {
public:
  explicit Rewriter(llvm::ArrayRef<std::string> Words) : Words(Words) {}
  std::vector<std::string> run();

private:
  void flag(StringRef Word);
  bool dialect(StringRef Word);
  bool searchPath(StringRef Word);
  bool optimisation(StringRef Word);
  bool warningAsError(StringRef Word);
  void put(const llvm::Twine &Word) { Out.push_back(Word.str()); }
  StringRef next() {
    return At + 1 < Words.size() ? StringRef(Words[++At]) : StringRef();
  }
  StringRef peek() const {
    return At + 1 < Words.size() ? StringRef(Words[At + 1]) : StringRef();
  }

  llvm::ArrayRef<std::string> Words;
  size_t At = 0;
  std::vector<std::string> Out;
};

/// The language and its standard.
bool Rewriter::dialect(StringRef Word) {
  StringRef Name = Word.split('=').first;
  if (Name == "-std" || Name == "--std") {
    StringRef Value = Word == Name ? next() : Word.split('=').second;
    put("-std=" + standard(Value));
    return true;
  }
  if (Name == "-x" || Name == "--x" || Word == "-xcuda" || Word == "-xcu") {
    StringRef Value = Word == Name         ? next()
                      : Word.contains('=') ? Word.split('=').second
                                           : Word.drop_front(2);
    put("-x");
    put(Value == "cuda" ? "cu" : Value);
    return true;
  }
  return false;
}

/// Search paths that nvcc has not, as those that it has.
bool Rewriter::searchPath(StringRef Word) {
  for (StringRef Name : {"-isystem", "-iquote", "-idirafter"}) {
    StringRef Value = Word;
    if (!Value.consume_front(Name) || (Word == Name && Name == "-isystem"))
      continue;
    put(Name == "-isystem" ? "-isystem" : "-I");
    put(Value.empty() ? next() : Value.ltrim('='));
    return true;
  }
  StringRef Value = Word;
  if (!Value.consume_front("-imacros"))
    return false;
  put("-Xcompiler=-imacros," + (Value.empty() ? next() : Value));
  return true;
}

/// nvcc takes numbers and its own `-Ofast-compile`.
bool Rewriter::optimisation(StringRef Word) {
  if (!Word.starts_with("-O") || Word.starts_with("-Ofast-compile"))
    return false;
  if (Word == "-O" && !peek().empty() && llvm::all_of(peek(), llvm::isDigit))
    ++At;
  return true;
}

/// GCC's `-Werror` stands alone, nvcc's names what is to be one.
bool Rewriter::warningAsError(StringRef Word) {
  static const llvm::StringSet<> Kinds = {"all-warnings",
                                          "cross-execution-space-call",
                                          "reorder",
                                          "default-stream-launch",
                                          "missing-launch-bounds",
                                          "ext-lambda-captures-this",
                                          "deprecated-declarations"};
  if (Word == "--Werror")
    next();
  else if (Word == "-Werror" && Kinds.contains(peek().split(',').first))
    next();
  return Word.starts_with("-W") || Word.starts_with("--Werror");
}

void Rewriter::flag(StringRef Word) {
  StringRef Name = Word.split('=').first;
  if (dialect(Word) || optimisation(Word) || warningAsError(Word))
    return;
  if (Dropped.contains(Word))
    return;
  if (DroppedWithValue.contains(Name)) {
    if (Word == Name)
      next();
    return;
  }
  if (KeptWithValue.contains(Word)) {
    put(Word);
    return put(next());
  }
  if (searchPath(Word) || startsWithAny(Word, DroppedPrefixes) ||
      (Word.starts_with("-o") && !Word.starts_with("-opt")))
    return;
  bool OfHost = (Word.starts_with("-f") || Word.starts_with("-m")) &&
                !startsWithAny(Word, OwnPrefixes);
  if (!OfHost)
    return put(Word);
  if (startsWithAny(Word, VisiblePrefixes))
    put("-Xcompiler=" + Word);
}

std::vector<std::string> Rewriter::run() {
  for (; At < Words.size(); ++At) {
    if (StringRef(Words[At]).starts_with("-"))
      flag(Words[At]);
    else
      put(Words[At]);
  }
  return std::move(Out);
}

} // namespace

std::vector<std::string> mep::nvccWords(llvm::ArrayRef<std::string> Words) {
  return Rewriter(Words).run();
}
