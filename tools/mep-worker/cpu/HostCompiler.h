/// \file
/// Device source made into a shared object by a host C++ compiler. Lives in the
/// compile server (HostServer.h).

#ifndef MEP_WORKER_CPU_HOSTCOMPILER_H
#define MEP_WORKER_CPU_HOSTCOMPILER_H

#include "Platform.h"
#include "Programs.h"
#include <deque>
#include <map>

namespace mepworker {

/// Finds a compiler once, then compiles in a private folder that is gone when
/// the call returns.
class HostCompiler {
public:
  using Words = std::vector<std::string>;
  /// Error: none of clang++-22, clang++, c++ and g++ runs, or the folder of
  /// the CPU runtime is missing. \p Scratch: a folder to work in.
  bool find(const std::string &Scratch, std::string &Error);

  const std::string &name() const { return Name; }
  const std::string &version() const { return Version; }

  /// Compilers may read these \p Paths, beside the system's; no others.
  void include(Words Paths) { Included = std::move(Paths); }

  struct Output {
    std::string Library;     ///< Path; empty on failure.
    uint64_t CodeDigest = 0; ///< Of the library's file.
    std::string Log;
    bool LimitHit = false;
  };
  /// The source's lines are numbered as `kernel.cu`. The library is there until
  /// the next call. \p Worker: nobody waits for it when that hangs up.
  Output compile(const CompileRequest &Request, int Worker);

private:
  Words options(const CompileRequest &Request) const;
  Words recordingOptions() const;
  void readSearchPath(const std::string &Said);
  Ran run(Words Command, const std::string &Folder, const char *Log) const;
  /// Where the precompiled runtime for these options is; empty: nowhere.
  std::string precompiled(const Words &Options, const std::string &Folder);

  struct Built {
    Words Options;
    std::string Unit;    ///< The source.
    std::string Library; ///< Content; empty on failure.
    uint64_t CodeDigest = 0;
    std::string Log;
    bool LimitHit = false;
  };
  /// Source, object and library lie in \p Folder.
  Built build(Words Options, std::string Unit, const std::string &Folder);

  std::map<Words, int> Precompiled; ///< Open memory files, or -1.
  /// What was built last, the newest first: one kernel on other data is the
  /// same code. It is opened anew, so that device globals start as written.
  std::deque<Built> Kept;
  std::string Path, Name, Version, Runtime, Scratch;
  Words SearchPath; ///< Of headers, as the compiler says.
  Words Included;   ///< See include().
  int Worker = -1;
  unsigned Opened = 0; ///< Libraries, and the last one's name.
};

/// What the runtime needs of the standard library, in order.
extern const std::vector<std::string> RuntimeHeaders;

/// The whole translation unit: the CPU runtime, the request's macros and
/// source, the function `mep_place`, and per kernel N and symbol N the
/// functions `mep_entry_N`, `mep_parameters_N` and `mep_symbol_N`.
std::string hostSource(const CompileRequest &Request);

/// A line that says what \p DeviceText, which did not compile, uses and the CPU
/// platform has not, and shows where; empty if nothing of the kind is known.
std::string lackingOnCpu(const std::string &DeviceText);

} // namespace mepworker

#endif // MEP_WORKER_CPU_HOSTCOMPILER_H
