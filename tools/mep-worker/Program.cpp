/// \file
/// Binding a plan's launches to a module and a shape's buffers, and the limits
/// that are checked before any launch.

#include "Program.h"
#include "Answer.h"
#include <algorithm>
#include <cstring>

using namespace mepworker;

namespace {

/// `ns::k<T>` as `ns::`, `k`, `<T>`.
struct SplitName {
  std::string Scope, Base, Arguments;
  explicit SplitName(const std::string &Name) {
    size_t Angle = Name.find('<');
    Arguments = Angle == std::string::npos ? "" : Name.substr(Angle);
    std::string Plain = Name.substr(0, Angle);
    size_t Colons = Plain.rfind("::");
    Scope = Colons == std::string::npos ? "" : Plain.substr(0, Colons + 2);
    Base = Colons == std::string::npos ? Plain : Plain.substr(Colons + 2);
  }
};

uint64_t product(const std::array<uint64_t, 3> &Extent) {
  uint64_t Result = 1;
  for (uint64_t Each : Extent)
    if (__builtin_mul_overflow(Result, Each, &Result))
      return UINT64_MAX;
  return Result;
}

[[noreturn]] void tooMuch(const std::string &Where, uint64_t Wanted,
                          const char *Of, uint64_t Limit) {
  throw Failure(status::ResourceLimit, Where + ": " + std::to_string(Wanted) +
                                           Of + std::to_string(Limit));
}

} // namespace

/// Extents as in the CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability"; all platforms keep to them.
void mepworker::checkLimits(const Geometry &Shape, const DeviceFacts &Facts,
                            const KernelResources &Kernel,
                            const std::string &Where) {
  static constexpr uint64_t GridLimit[] = {2147483647, 65535, 65535};
  static constexpr uint64_t BlockLimit[] = {1024, 1024, 64};
  for (unsigned I = 0; I < 3; ++I) {
    if (Shape.Grid[I] == 0 || Shape.Block[I] == 0)
      throw Failure(status::ResourceLimit,
                    Where + ": grid and block must not be zero");
    if (Shape.Grid[I] > GridLimit[I])
      tooMuch(Where + ".grid", Shape.Grid[I], " blocks, the limit is ",
              GridLimit[I]);
    if (Shape.Block[I] > BlockLimit[I])
      tooMuch(Where + ".block", Shape.Block[I], " threads, the limit is ",
              BlockLimit[I]);
  }
  uint64_t Threads = product(Shape.Block);
  uint64_t Most = std::min(Facts.MaxThreadsPerBlock, Kernel.MaxThreadsPerBlock);
  if (Threads > Most)
    tooMuch(Where + ".block", Threads,
            " threads a block, this kernel on this device can have ", Most);
  uint64_t Shared = Shape.SharedBytes;
  if (Shared > Facts.SharedBytesPerBlock ||
      Shared + Kernel.SharedBytes > Facts.SharedBytesPerBlock)
    tooMuch(Where + ".shared_bytes", Shared + Kernel.SharedBytes,
            " bytes of shared memory with the static part, the device has ",
            Facts.SharedBytesPerBlock);
}

std::string mepworker::kernelExpression(const std::string &Prepared,
                                        const std::string &Name) {
  if (Name.empty() || Name == Prepared)
    return Prepared;
  SplitName Known(Prepared), Asked(Name);
  if (Asked.Scope.empty())
    Asked.Scope = Known.Scope;
  if (Asked.Scope == Known.Scope && Asked.Base == Known.Base &&
      Asked.Arguments.empty())
    Asked.Arguments = Known.Arguments;
  return Asked.Scope + Asked.Base + Asked.Arguments;
}

Plan mepworker::originalPlan(const ShapeSpec &Shape) {
  return {{{"", {}, Shape.Launch}}, {}};
}

std::vector<std::string> mepworker::argumentsOf(const PlannedLaunch &What,
                                                const ShapeSpec &Shape,
                                                const std::string &Kernel,
                                                int Wanted,
                                                const std::string &Where) {
  std::vector<std::string> Names = What.Arguments;
  if (Names.empty())
    for (const ArgumentSpec &Argument : Shape.Arguments)
      Names.push_back(Argument.Name);
  if (Wanted >= 0 && Names.size() != size_t(Wanted))
    throw Failure(status::LaunchFailed, Where + ": kernel " + Kernel + " has " +
                                            std::to_string(Wanted) +
                                            " parameters, the launch gives " +
                                            std::to_string(Names.size()) +
                                            " arguments");
  return Names;
}

Binding::Binding(Platform &P, Program &From, const ShapeData &Data,
                 const Plan &What, const std::string &Prepared,
                 const std::string &Where)
    : Device(P), Planned(What) {
  for (const auto &[Name, Bytes] : What.Scratch)
    try {
      Scratch.push_back(std::make_unique<GuardedBuffer>(P, Name, Bytes));
    } catch (const DeviceError &NoRoom) {
      throw Failure(status::ResourceLimit,
                    Where + "scratch '" + Name + "': " + NoRoom.what());
    }
  for (const BufferSpec &Buffer : Data.spec().Buffers) {
    void *Address = nullptr;
    uint64_t Bytes = 0;
    if (!Buffer.Symbol.empty() &&
        P.symbol(*From.Loaded, Buffer.Symbol, Address, Bytes) &&
        Bytes < Buffer.bytes())
      throw RequestError("buffer '" + Buffer.Name + "' has " +
                         std::to_string(Buffer.bytes()) +
                         " bytes, the device global " + Buffer.Symbol +
                         " only " + std::to_string(Bytes));
    Globals.push_back(Address);
  }
  Resources.MaxThreadsPerBlock = P.facts().MaxThreadsPerBlock;
  for (size_t I = 0; I < What.Launches.size(); ++I)
    bindLaunch(From, Data, What.Launches[I], Prepared,
               Where + "launches[" + std::to_string(I) + "]");
  patch(Data);
}

void Binding::bindLaunch(Program &From, const ShapeData &Data,
                         const PlannedLaunch &What, const std::string &Prepared,
                         const std::string &Where) {
  std::string Kernel = kernelExpression(Prepared, What.Kernel);
  auto Found = std::find(From.Kernels.begin(), From.Kernels.end(), Kernel);
  if (Found == From.Kernels.end())
    throw RequestError(Where + ".kernel: '" + Kernel + "' was not compiled");
  unsigned Index = Found - From.Kernels.begin();
  const KernelResources &Used = From.Resources[Index];
  checkLimits(What.Shape, Device.facts(), Used, Where);
  Resources.Registers = std::max(Resources.Registers, Used.Registers);
  Resources.LocalBytes = std::max(Resources.LocalBytes, Used.LocalBytes);
  Resources.SharedBytes = std::max(Resources.SharedBytes,
                                   Used.SharedBytes + What.Shape.SharedBytes);

  int Wanted = Used.Parameters;
  if (Wanted < 0 && Kernel == Prepared)
    Wanted = int(Data.spec().Arguments.size());
  const std::vector<std::string> Names =
      argumentsOf(What, Data.spec(), Kernel, Wanted, Where);
  std::vector<Bound> Bounds;
  for (size_t I = 0; I < Names.size(); ++I)
    Bounds.push_back(
        bindArgument(Data, Planned, Names[I],
                     Where + ".arguments[" + std::to_string(I) + "]"));
  Arguments.push_back(std::move(Bounds));
  Launches.push_back({From.Loaded.get(), Index, What.Shape, {}});
}

Binding::Bound Binding::bindArgument(const ShapeData &Data, const Plan &What,
                                     const std::string &Name,
                                     const std::string &Where) const {
  Bound Result;
  for (const ArgumentSpec &Argument : Data.spec().Arguments)
    if (Argument.Name == Name) {
      Result.Words.resize(Argument.Bytes.size() / 8 + 1);
      std::memcpy(Result.Words.data(), Argument.Bytes.data(),
                  Argument.Bytes.size());
      Result.Pointers = Argument.Pointers;
      return Result;
    }
  for (size_t I = 0; I < What.Scratch.size(); ++I)
    if (What.Scratch[I].first == Name) {
      Result.Words.resize(1);
      Result.Scratch = int(I);
      return Result;
    }
  throw RequestError(Where + ": '" + Name +
                     "' is neither a parameter nor a scratch buffer");
}

char *Binding::pointee(const ShapeData &Data, const std::string &Name) const {
  const auto &Buffers = Data.spec().Buffers;
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (Buffers[I].Name == Name)
      return Buffers[I].Symbol.empty() ? Data.address(I)
                                       : static_cast<char *>(Globals[I]);
  return nullptr;
}

void Binding::patch(const ShapeData &Data) {
  for (size_t L = 0; L < Launches.size(); ++L) {
    Launches[L].Arguments.clear();
    for (Bound &Each : Arguments[L]) {
      auto *Bytes = reinterpret_cast<char *>(Each.Words.data());
      if (Each.Scratch >= 0)
        Each.Words[0] =
            reinterpret_cast<uint64_t>(Scratch[Each.Scratch]->address());
      for (const PointerSpec &Pointer : Each.Pointers) {
        char *To = pointee(Data, Pointer.Buffer) + Pointer.ByteOffset;
        std::memcpy(Bytes + Pointer.Offset, &To, sizeof(To));
      }
      Launches[L].Arguments.push_back(Bytes);
    }
  }
}

void Binding::poisonScratch(uint8_t Poison) {
  std::string Error;
  for (auto &Each : Scratch) {
    Each->paintZones();
    must(Device.set(Each->address(), Poison, Each->bytes(), Error), Error);
  }
}

void Binding::checkScratch() const {
  for (const auto &Each : Scratch)
    Each->checkZones();
}
