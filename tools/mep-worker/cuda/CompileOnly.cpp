#include "CompileOnly.h"
#include "../Protocol.h"
#include "../Sandbox.h"
#include "CompilePool.h"
#include "Toolkit.h"
#include <iostream>

using namespace mepworker;
using namespace mepworker::cuda;

static std::string answerTo(const Request &Asked, CompilePool &Pool,
                            const std::string &Arch) {
  auto *Given = std::get_if<CompileCheck>(&Asked.Op);
  if (!Given)
    return errorAnswer(Asked.Id, "request",
                       "with --compile-only only compile is answered", false);
  PoolResult Made = Pool.compile(
      {Given->Source, {Given->Kernel}, {}, {}, Given->Flags, Arch});
  if (!Made.Image.Ok)
    return errorAnswer(Asked.Id, "baseline", Made.Image.Log, false);
  return compileAnswer(Asked.Id, Made.ByNvcc ? "nvcc -cubin" : "nvrtc");
}

int mepworker::cuda::serveCompiles(const std::string &Arch,
                                   const std::string &CudaPath, Output &Out) {
  Toolkit Tools = findToolkit(CudaPath);
  CompilePool Pool;
  Pool.start(Tools.Nvrtc);
  std::string Version, Error;
  if (!Pool.open(Tools.Includes, Tools.Nvcc, Version, Error) &&
      Tools.Nvcc.empty()) {
    std::fprintf(stderr, "mep-worker: error: no CUDA toolkit in %s: %s\n",
                 Tools.searched().c_str(), Error.c_str());
    return 1;
  }
  enterSandbox({Duty::Library, libraryFolders(), {"/dev/null"}, 0});
  std::string Line;
  while (std::getline(std::cin, Line)) {
    std::string Id = "null";
    try {
      Request Asked = parseRequest(Line, Id);
      if (std::holds_alternative<QuitRequest>(Asked.Op))
        break;
      Out.send(answerTo(Asked, Pool, Arch));
    } catch (const RequestError &Wrong) {
      Out.send(errorAnswer(Id, "request", Wrong.what(), false));
    }
  }
  return 0;
}
