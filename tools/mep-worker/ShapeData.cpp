/// \file
/// Filling, refreshing, restoring and reading the buffers of one shape.

#include "ShapeData.h"
#include "Answer.h"
#include <algorithm>
#include <cstring>
#include <thread>

using namespace mepworker;

namespace {
/// Shapes up to this size are filled anew for fresh data.
constexpr uint64_t SmallBytes = 1 << 20;

void fillOnThreads(const BufferSpec &Spec, uint8_t *To, uint64_t Seed) {
  unsigned Threads =
      Spec.bytes() < SmallBytes
          ? 1
          : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  uint64_t Step = (Spec.Count + Threads - 1) / Threads;
  auto Part = [&](uint64_t Begin, uint64_t End) {
    mep_fill::fillRange(To + Begin * Spec.ElementBytes, Spec.ElementBytes,
                        Spec.Components.data(), Spec.Components.size(),
                        Spec.Count, Spec.Rule, Spec.Low, Spec.High, Seed,
                        mep_fill::nameHash(Spec.Name), Begin, End);
  };
  std::vector<std::thread> Crew;
  for (uint64_t Begin = Step; Begin < Spec.Count; Begin += Step)
    Crew.emplace_back(Part, Begin, std::min(Begin + Step, Spec.Count));
  Part(0, std::min(Step, Spec.Count));
  for (std::thread &Each : Crew)
    Each.join();
}
} // namespace

ShapeData::ShapeData(Platform &P, ShapeSpec Given, Initializers Initial)
    : Device(P), Spec(std::move(Given)), Initial(std::move(Initial)),
      Buffers(Spec.Buffers.size()) {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    const BufferSpec &Buffer = Spec.Buffers[I];
    if (Buffer.Symbol.empty())
      Buffers[I].Work.emplace(Device, Buffer.Name, Buffer.bytes());
    if (Buffer.isInput())
      Buffers[I].Master = DeviceMemory(Device, Buffer.bytes());
  }
}

uint64_t ShapeData::bytes() const {
  uint64_t Total = 0;
  for (const BufferSpec &Buffer : Spec.Buffers)
    Total += Buffer.bytes();
  return Total;
}

void ShapeData::treatAsInput(unsigned Buffer) {
  Spec.Buffers[Buffer].Use = Role::InOut;
  Buffers[Buffer].Master = DeviceMemory(Device, Spec.Buffers[Buffer].bytes());
  fillOne(Buffer, FirstSeed);
}

void ShapeData::fill(uint64_t Seed) {
  FirstSeed = Seed;
  reset();
  for (size_t I = 0; I < Buffers.size(); ++I)
    fillOne(I, Seed);
}

void ShapeData::fillOne(unsigned Number, uint64_t Seed) {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  Held &Own = Buffers[Number];
  if (!Buffer.isInput())
    return;
  Own.Host.resize(Buffer.bytes());
  if (Buffer.KeepsInitializer) {
    const std::vector<uint8_t> &Value = Initial[Buffer.Symbol];
    std::memcpy(Own.Host.data(), Value.data(),
                std::min(Value.size(), Own.Host.size()));
  } else {
    fillOnThreads(Buffer, Own.Host.data(), Seed);
  }
  std::string Error;
  must(Device.upload(Own.Master.address(), Own.Host.data(), Own.Host.size(),
                     Error),
       Error);
}

bool ShapeData::canTurn(const BufferSpec &Buffer) const {
  return Buffer.isInput() && !Buffer.KeepsInitializer && Buffer.Count > 512 &&
         (Buffer.Rule == mep_fill::Rule::Uniform ||
          Buffer.Rule == mep_fill::Rule::Index ||
          Buffer.Rule == mep_fill::Rule::Permutation);
}

void ShapeData::refresh(std::mt19937_64 &Random) {
  if (bytes() <= SmallBytes) {
    Refilled = true;
    uint64_t Seed = Random();
    for (size_t I = 0; I < Buffers.size(); ++I)
      fillOne(I, Seed);
    return;
  }
  turn(Random);
}

void ShapeData::turn(std::mt19937_64 &Random) {
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (canTurn(Spec.Buffers[I]))
      Buffers[I].Turn = Random() % (Spec.Buffers[I].Count / 256) * 256;
}

void ShapeData::reset() {
  for (Held &Each : Buffers)
    Each.Turn = 0;
  if (!Refilled)
    return;
  Refilled = false;
  for (size_t I = 0; I < Buffers.size(); ++I)
    fillOne(I, FirstSeed);
}

void ShapeData::move(unsigned Place) {
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (Buffers[I].Work)
      Buffers[I].Work->move(Place + I);
}

char *ShapeData::place(const std::vector<void *> &Globals,
                       unsigned Buffer) const {
  return Buffers[Buffer].Work ? Buffers[Buffer].Work->address()
                              : static_cast<char *>(Globals[Buffer]);
}

void ShapeData::putBack(unsigned Number, char *To, uint8_t Poison) {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  const Held &Own = Buffers[Number];
  std::string Error;
  if (!Buffer.isInput())
    return must(Device.set(To, Poison, Buffer.bytes(), Error), Error);
  uint64_t Skipped = Own.Turn * Buffer.ElementBytes;
  uint64_t Rest = Buffer.bytes() - Skipped;
  must(Device.copy(To, Own.Master.address() + Skipped, Rest, Error), Error);
  if (Skipped)
    must(Device.copy(To + Rest, Own.Master.address(), Skipped, Error), Error);
}

void ShapeData::restore(const std::vector<void *> &Globals, uint8_t Poison) {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    if (Buffers[I].Work)
      Buffers[I].Work->paintZones();
    if (char *To = place(Globals, I))
      putBack(I, To, Poison);
  }
}

void ShapeData::restoreOutputs(const std::vector<void *> &Globals,
                               uint8_t Poison) {
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (char *To = place(Globals, I); To && Spec.Buffers[I].isOutput())
      putBack(I, To, Poison);
}

void ShapeData::overwrite(const std::vector<void *> &Globals, unsigned Buffer,
                          const std::vector<uint8_t> &Data) {
  std::string Error;
  if (char *To = place(Globals, Buffer))
    must(Device.upload(To, Data.data(), Data.size(), Error), Error);
}

void ShapeData::checkZones() const {
  for (const Held &Each : Buffers)
    if (Each.Work)
      Each.Work->checkZones();
}

std::vector<uint8_t> ShapeData::before(unsigned Number, uint8_t Poison) const {
  const Held &Own = Buffers[Number];
  if (!Spec.Buffers[Number].isInput())
    return std::vector<uint8_t>(Spec.Buffers[Number].bytes(), Poison);
  std::vector<uint8_t> Data = Own.Host;
  std::rotate(Data.begin(),
              Data.begin() + Own.Turn * Spec.Buffers[Number].ElementBytes,
              Data.end());
  return Data;
}

void ShapeData::checkInputs(const std::vector<void *> &Globals) const {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    const BufferSpec &Buffer = Spec.Buffers[I];
    char *From = place(Globals, I);
    if (Buffer.Use != Role::In || !From || Buffer.Count == 0)
      continue;
    std::vector<uint8_t> Now = content(From, Buffer.bytes());
    const uint8_t *Host = Buffers[I].Host.data();
    uint64_t Skipped = Buffers[I].Turn * Buffer.ElementBytes;
    uint64_t Rest = Buffer.bytes() - Skipped;
    if (std::memcmp(Now.data(), Host + Skipped, Rest) == 0 &&
        std::memcmp(Now.data() + Rest, Host, Skipped) == 0)
      continue;
    std::vector<uint8_t> Was = before(I, 0);
    uint64_t At =
        std::mismatch(Now.begin(), Now.end(), Was.begin()).first - Now.begin();
    throw Failure(status::InputChanged,
                  "changes input buffer '" + Buffer.Name + "', first element " +
                      std::to_string(At / Buffer.ElementBytes));
  }
}

std::vector<uint8_t> ShapeData::content(const char *From,
                                        uint64_t Bytes) const {
  std::vector<uint8_t> Data(Bytes);
  std::string Error;
  must(Device.download(Data.data(), From, Bytes, Error), Error);
  return Data;
}

Contents ShapeData::outputs(const std::vector<void *> &Globals) const {
  Contents All(Buffers.size());
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (char *From = place(Globals, I); From && Spec.Buffers[I].isOutput())
      All[I] = content(From, Spec.Buffers[I].bytes());
  return All;
}
