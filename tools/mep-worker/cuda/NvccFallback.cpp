#include "NvccFallback.h"
#include "../Programs.h"
#include "../Sandbox.h"
#include "CubinSymbols.h"
#include <cerrno>
#include <cstring>
#include <fstream>

using namespace mepworker;
using namespace mepworker::cuda;

namespace {

constexpr double CompileSeconds = 50;

std::vector<std::string> commandLine(const std::string &Nvcc,
                                     const DeviceCompile &R) {
  std::vector<std::string> Words = {Nvcc,        "-cubin", "-arch=sm_" + R.Arch,
                                    "-w",        "-x",     "cu",
                                    "kernel.cu", "-o",     "kernel.cubin"};
  for (const std::string &Define : R.Defines)
    Words.push_back("-D" + Define);
  for (std::string &Flag : nvccFlags(R.Flags))
    Words.push_back(std::move(Flag));
  return Words;
}

DeviceImage failed(const std::string &Log) {
  DeviceImage Image;
  Image.Log = Log;
  return Image;
}

void takeNames(const DeviceCompile &Request, DeviceImage &Image) {
  CubinSymbols Symbols = readSymbols(Image.Image);
  for (size_t I = 0; I < Request.Kernels.size(); ++I)
    Image.KernelNames.push_back(findKernel(Symbols, Request.Kernels, I));
  for (const std::string &Symbol : Request.Symbols)
    Image.SymbolNames.push_back(findObject(Symbols, Symbol));
}

} // namespace

bool mepworker::cuda::wantsHostHeaders(const std::string &Log) {
  for (const char *Sign :
       {"cannot open source file", "could not open source file",
        "No such file or directory", "is undefined", "has no member",
        "must be a class or namespace", "#error",
        // Extensions of the host compiler that nvcc lets through.
        "expected an expression", "not allowed in JIT mode",
        "storage class specifier is not allowed"})
    if (Log.find(Sign) != Log.npos)
      return true;
  // An error placed in another file than ours is one inside a header.
  for (size_t At = 0; (At = Log.find("): error", At)) != Log.npos; ++At)
    return true;
  return false;
}

DeviceImage mepworker::cuda::compileWithNvcc(const std::string &Nvcc,
                                             const DeviceCompile &Request,
                                             int Worker) {
  PrivateFolder Folder;
  if (Folder.Path.empty())
    return failed(std::string("no scratch folder: ") + strerror(errno));
  std::ofstream Source(Folder.Path + "/kernel.cu", std::ios::binary);
  Source << Request.Source << nameTags(Request.Kernels);
  Source.close();
  if (!Source)
    return failed("cannot write to " + Folder.Path);
  ProgramRun What;
  What.Words = commandLine(Nvcc, Request);
  What.Folder = Folder.Path;
  What.IsInside = true;
  What.Log = Folder.Path + "/log";
  What.Seconds = CompileSeconds;
  What.Readable = pathsIn(Request.Flags);
  What.Worker = Worker;
  const Ran Done = runProgram(What);
  DeviceImage Image;
  Image.Log = tidyLog(contentsOf(What.Log));
  Image.LimitHit = Done.TimedOut;
  if (Done.TimedOut)
    Image.Log +=
        "nvcc took more than " + std::to_string(int(CompileSeconds)) + " s";
  if (!Done.succeeded()) {
    if (Image.Log.empty())
      Image.Log = "cannot run " + Nvcc;
    return Image;
  }
  Image.Image = contentsOf(Folder.Path + "/kernel.cubin");
  Image.Ok = !Image.Image.empty();
  if (Image.Ok)
    takeNames(Request, Image);
  return Image;
}
