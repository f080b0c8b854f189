/// \file
/// Confinement of the worker's processes: candidates are code that nobody has
/// read. Each process closes a sandbox around itself, once and for all:
/// Landlock (which files), seccomp (which system calls), rlimits (how much).
/// README.md, section Isolation, says which process has which.

#ifndef MEP_WORKER_SANDBOX_H
#define MEP_WORKER_SANDBOX_H

#include <cstdint>
#include <string>
#include <vector>

namespace mepworker {

/// What a process has to be able to do beside computing.
enum class Duty {
  Kernels,  ///< Runs candidates in itself: nothing.
  Prober,   ///< Forks processes that run them: fork, and signals to them.
  Gpu,      ///< Holds a GPU's driver: what is not known to be unneeded.
  Compiler, ///< Is, or becomes, a compiler of several programs.
  Library,  ///< Is a compiler in one process.
};

struct SandboxSpec {
  Duty For = Duty::Kernels;
  std::vector<std::string> Readable; ///< Files and folders; need not exist.
  std::vector<std::string> Writable; ///< The same, read as well.
  uint64_t MemoryBytes = 0; ///< That it may take from now on; 0: no limit.
};

/// Which of the three became active.
struct Protections {
  bool Landlock = false, Seccomp = false, Limits = false;
  /// `landlock`, `seccomp`, `rlimits`.
  std::vector<std::string> names() const;
};

/// Confines the calling process, and all that it starts from now on. To be
/// called while no other thread runs: Landlock binds the caller's thread and
/// those that it makes. What this system lacks is left out.
Protections enterSandbox(const SandboxSpec &Needs);

/// For a process forked by a Prober: from now on it is one that runs kernels,
/// with the files and the limits of the one that forked it.
void becomeKernels();

/// `--no-sandbox`: from now on enterSandbox() and cleanEnvironment() do
/// nothing, in this process and those forked from it.
void disableSandbox();

/// `--allow-read=PATH`: every process may read it.
void allowReading(const std::string &Path);

/// Wipes every environment variable that no compiler or driver needs, where it
/// lies: keys of the user are among them.
void cleanEnvironment();

/// What every program of this system needs to read: libraries, and the
/// processor's description.
std::vector<std::string> libraryFolders();
/// Those, with programs and headers, and what the environment says of where
/// compilers look.
std::vector<std::string> toolFolders();
/// The folder that \p Program (a path, or a name in PATH) is installed in with
/// its libraries and headers; empty when there is none but its own.
std::string prefixOf(const std::string &Program);

/// The files and folders that a compiler's \p Flags name, absolute ones and
/// what follows `-I`: they are the user's words.
std::vector<std::string> pathsIn(const std::vector<std::string> &Flags);

} // namespace mepworker

#endif // MEP_WORKER_SANDBOX_H
