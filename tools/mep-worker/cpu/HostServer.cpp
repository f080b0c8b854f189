/// \file
/// Requests and answers of the host compiler's process.

#include "HostServer.h"
#include "../Sandbox.h"
#include <cstdlib>
#include <utility>

using namespace mepworker;

namespace {

Fields pack(const CompileRequest &Request) {
  Fields Out = {Request.Source, Request.NeedsFibers ? "1" : "0",
                Request.Recorded ? "1" : "0"};
  for (const auto *List :
       {&Request.Kernels, &Request.Symbols, &Request.Defines, &Request.Flags})
    packList(Out, *List);
  return Out;
}

bool unpack(const Fields &In, CompileRequest &Request) {
  constexpr size_t Single = 3;
  if (In.size() < Single)
    return false;
  Request.Source = In[0];
  Request.NeedsFibers = In[1] == "1";
  Request.Recorded = In[2] == "1";
  size_t At = Single;
  for (auto *List :
       {&Request.Kernels, &Request.Symbols, &Request.Defines, &Request.Flags})
    *List = unpackList(In, At);
  return true;
}

} // namespace

/// A kernel could write to the channel itself; it would get no other folder,
/// no other program and no other flags by that.
void HostServer::serve(HostCompiler &Compiler, int Channel, bool Believed) {
  Fields Message;
  for (bool IsFirst = true; receiveFields(Channel, Message); IsFirst = false) {
    CompileRequest Request;
    if (!unpack(Message, Request))
      return;
    if (IsFirst || Believed)
      Compiler.include(pathsIn(Request.Flags));
    HostCompiler::Output Made = Compiler.compile(Request, Channel);
    if (!sendFields(Channel, {Made.Library, std::to_string(Made.CodeDigest),
                              Made.Log, Made.LimitHit ? "1" : "0"}))
      return;
  }
}

bool HostServer::start(bool Believed, std::string &Error) {
  PrivateFolder Scratch;
  if (Scratch.Path.empty()) {
    Error = "cannot make a folder for temporary files; TMPDIR says where";
    return false;
  }
  if (!Compiler.find(Scratch.Path, Error))
    return false;
  if (!Server.start("mep-compile", [&](int Channel) {
        serve(Compiler, Channel, Believed);
        Scratch.remove();
      })) {
    Error = "cannot start a process for the compiler";
    return false;
  }
  // The server removes it: that ends last.
  std::swap(Folder, Scratch.Path);
  return true;
}

HostCompiler::Output HostServer::compile(const CompileRequest &Request) {
  Fields Answer;
  if (!sendFields(Server.channel(), pack(Request)) ||
      !receiveFields(Server.channel(), Answer) || Answer.size() != 4)
    return {"", 0, "error: the compile server has ended", false};
  return {Answer[0], std::strtoull(Answer[1].c_str(), nullptr, 10), Answer[2],
          Answer[3] == "1"};
}
