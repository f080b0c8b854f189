/// \file
/// A device for tests: its memory is the host's, its kernels are functions of
/// the test, and it remembers what passed between the two sides.

#ifndef MEP_TEST_WORKER_HOSTDEVICE_H
#define MEP_TEST_WORKER_HOSTDEVICE_H

#include "Program.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

namespace mepworker {

class HostDevice : public Platform {
public:
  using Kernel = std::function<void(const std::vector<void *> &Arguments)>;
  struct Code : Module {
    Kernel Run;
  };

  const DeviceFacts &facts() const override { return Facts; }
  CompileResult compile(const CompileRequest &) override { return {}; }
  KernelResources resources(Module &, unsigned) override { return {}; }
  bool symbol(Module &, const std::string &, void *&, uint64_t &) override {
    return false;
  }
  void *allocate(uint64_t Bytes) override {
    void *Got = std::malloc(Bytes);
    Memory[static_cast<char *>(Got)] = Bytes;
    return Got;
  }
  void release(void *Pointer) override {
    Memory.erase(static_cast<char *>(Pointer));
    std::free(Pointer);
  }
  bool upload(void *To, const void *From, uint64_t Bytes,
              std::string &Error) override {
    MostAtOnce = std::max(MostAtOnce, Bytes);
    return copy(To, From, Bytes, Error);
  }
  bool download(void *To, const void *From, uint64_t Bytes,
                std::string &Error) override {
    MostAtOnce = std::max(MostAtOnce, Bytes);
    return copy(To, From, Bytes, Error);
  }
  bool copy(void *To, const void *From, uint64_t Bytes,
            std::string &) override {
    std::memcpy(To, From, Bytes);
    return true;
  }
  bool set(void *To, uint8_t Value, uint64_t Bytes, std::string &) override {
    std::memset(To, Value, Bytes);
    return true;
  }
  bool digest(const void *From, uint64_t Bytes, unsigned Unit, uint64_t First,
              uint64_t Key, uint64_t &Sum, std::string &) override {
    Sum = 0;
    for (uint64_t I = 0; I < Bytes / Unit; ++I) {
      uint64_t Word = 0;
      std::memcpy(&Word, static_cast<const char *>(From) + I * Unit, Unit);
      Word = (Word + Key) ^ ((First + I) * 0x9e3779b97f4a7c15u);
      Word = (Word ^ Word >> 33) * 0xff51afd7ed558ccdu;
      Word = (Word ^ Word >> 33) * 0xc4ceb9fe1a85ec53u;
      Sum += Word ^ Word >> 33;
    }
    return true;
  }
  bool launch(const Launch &L, std::string &) override {
    static_cast<Code *>(L.In)->Run(L.Arguments);
    return true;
  }
  bool synchronize(std::string &) override { return true; }
  bool time(const std::vector<Launch> &Launches, unsigned, bool, double &Ns,
            std::string &Error) override {
    Ns = 1000;
    return launch(Launches.front(), Error);
  }

  /// Whether \p Wanted lies anywhere on the device outside \p Where.
  bool holds(const std::vector<float> &Wanted, const void *Where) const {
    const char *First = reinterpret_cast<const char *>(Wanted.data());
    const char *Last = First + Wanted.size() * sizeof(float);
    for (auto [Start, Bytes] : Memory)
      for (const char *At = Start; At != Start + Bytes; ++At)
        if ((At = std::search(At, static_cast<const char *>(Start) + Bytes,
                              First, Last)) == Start + Bytes)
          break;
        else if (At != Where)
          return true;
    return false;
  }

  uint64_t MostAtOnce = 0; ///< Bytes of the largest copy to or from the host.

private:
  DeviceFacts Facts;
  std::map<char *, uint64_t> Memory;
};

/// A program of one kernel, `k`.
inline Program programOf(HostDevice::Kernel Run) {
  auto Made = std::make_unique<HostDevice::Code>();
  Made->Run = std::move(Run);
  Program Result;
  Result.Loaded = std::move(Made);
  Result.Kernels = {"k"};
  Result.Resources = {{}};
  return Result;
}

template <typename T> T *pointer(const std::vector<void *> &Arguments, int I) {
  return *static_cast<T **>(Arguments[I]);
}

inline BufferSpec bufferSpec(const std::string &Name, Role Use, uint64_t Count,
                             mep_fill::Kind Kind = mep_fill::Kind::F32) {
  BufferSpec B;
  B.Name = Name;
  B.ElementBytes = mep_fill::byteSize(Kind);
  B.Count = Count;
  B.Components = {{Kind, 0, 1}};
  B.Use = Use;
  return B;
}

/// One argument for each buffer.
inline ShapeSpec shapeOf(std::vector<BufferSpec> Buffers) {
  ShapeSpec Shape;
  Shape.Name = "base";
  for (const BufferSpec &Each : Buffers)
    Shape.Arguments.push_back(
        {Each.Name, std::vector<uint8_t>(8), {{0, Each.Name, 0}}});
  Shape.Buffers = std::move(Buffers);
  return Shape;
}

} // namespace mepworker

#endif // MEP_TEST_WORKER_HOSTDEVICE_H
