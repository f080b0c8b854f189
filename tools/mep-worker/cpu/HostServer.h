/// \file
/// CPU platform: the compile server. The worker runs candidates in itself, so
/// its sandbox leaves it no way to start a compiler, or to write a file.

#ifndef MEP_WORKER_CPU_HOSTSERVER_H
#define MEP_WORKER_CPU_HOSTSERVER_H

#include "../Channel.h"
#include "HostCompiler.h"

namespace mepworker {

class HostServer {
public:
  /// Finds a compiler and forks the server. \p Believed: all requests are the
  /// tool's own, as nothing but the worker's code ever runs in this process.
  /// Else the folders of headers that the first one names are the only ones
  /// that compilers may ever read.
  bool start(bool Believed, std::string &Error);

  const std::string &name() const { return Compiler.name(); }
  const std::string &version() const { return Compiler.version(); }
  /// Where the libraries are that are to be opened.
  const std::string &folder() const { return Folder; }

  HostCompiler::Output compile(const CompileRequest &Request);

private:
  static void serve(HostCompiler &Compiler, int Channel, bool Believed);

  HostCompiler Compiler; ///< As it was when the server was forked.
  std::string Folder;
  ServerProcess Server;
};

} // namespace mepworker

#endif // MEP_WORKER_CPU_HOSTSERVER_H
