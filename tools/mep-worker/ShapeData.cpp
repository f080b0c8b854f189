/// \file
/// Filling, refreshing, restoring and reading the buffers of one shape.

#include "ShapeData.h"
#include "Answer.h"
#include "ElementPointers.h"
#include "Parallel.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace mepworker;

namespace {
/// Shapes up to this size are filled anew for fresh data.
constexpr uint64_t SmallBytes = 1 << 20;

uint64_t randomKey() {
  std::random_device Source;
  return uint64_t(Source()) << 32 | Source();
}

void fillOnThreads(const BufferSpec &Spec, uint8_t *To, uint64_t Seed) {
  constexpr uint64_t FillBlock = 1 << 16;
  forBlocks(Spec.Count, FillBlock, [&](uint64_t, uint64_t Begin, uint64_t End) {
    mep_fill::fillRange(To + Begin * Spec.ElementBytes, Spec.ElementBytes,
                        Spec.Components.data(), Spec.Components.size(),
                        Spec.Count, Spec.Rule, Spec.Low, Spec.High, Seed,
                        mep_fill::nameHash(Spec.Name), Begin, End);
  });
}
} // namespace

ShapeData::ShapeData(Platform &P, ShapeSpec Given, Initializers Initial)
    : Device(P), Spec(std::move(Given)), Initial(std::move(Initial)),
      Buffers(Spec.Buffers.size()), Key(randomKey()) {
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
    pointElements(Number, Own.Host.data());
  }
  keep(Number);
}

/// Writes the addresses that the elements of \p Data hold.
void ShapeData::pointElements(unsigned Number, uint8_t *Data) const {
  mepworker::pointElements(
      Spec, Number, Data, 0, Spec.Buffers[Number].Count,
      [&](unsigned Target) { return Buffers[Target].Work->address(); });
}

/// Puts what an input holds on the device, as the master copy.
void ShapeData::keep(unsigned Number) {
  Held &Own = Buffers[Number];
  std::string Error;
  must(Device.upload(Own.Master.address(), Own.Host.data(), Own.Host.size(),
                     Error),
       Error);
  Own.Digest =
      digest(Number, Own.Master.address(), 0, Spec.Buffers[Number].Count, 0);
  Own.TurnedDigest.reset();
}

bool ShapeData::canTurn(const BufferSpec &Buffer) const {
  return Buffer.isInput() && !Buffer.KeepsInitializer &&
         Buffer.Pointers.empty() && Buffer.Count > 512 &&
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

void ShapeData::setTurn(Held &Buffer, uint64_t First) {
  if (Buffer.Turn != First)
    Buffer.TurnedDigest.reset();
  Buffer.Turn = First;
}

void ShapeData::turn(std::mt19937_64 &Random) {
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (canTurn(Spec.Buffers[I]))
      setTurn(Buffers[I], Random() % (Spec.Buffers[I].Count / 256) * 256);
}

void ShapeData::reset() {
  for (Held &Each : Buffers)
    setTurn(Each, 0);
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
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (Spec.Buffers[I].isInput() && !Spec.Buffers[I].Pointers.empty() &&
        !Buffers[I].Host.empty() && !Spec.Buffers[I].KeepsInitializer) {
      pointElements(I, Buffers[I].Host.data());
      keep(I);
    }
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

uint64_t ShapeData::digest(unsigned Number, const char *From, uint64_t Begin,
                           uint64_t End, uint64_t First) const {
  if (Begin == End)
    return 0;
  const BufferSpec &Buffer = Spec.Buffers[Number];
  unsigned Unit = unsigned(std::gcd(Buffer.ElementBytes, uint64_t(8)));
  uint64_t Words = Buffer.ElementBytes / Unit, Sum = 0;
  std::string Error;
  must(Device.digest(From + Begin * Buffer.ElementBytes,
                     (End - Begin) * Buffer.ElementBytes, Unit, First * Words,
                     Key, Sum, Error),
       Error);
  return Sum;
}

/// Of an input as the current turn shows it.
uint64_t ShapeData::expectedDigest(unsigned Number) {
  Held &Own = Buffers[Number];
  const uint64_t Count = Spec.Buffers[Number].Count;
  if (Own.Turn == 0)
    return Own.Digest;
  if (!Own.TurnedDigest) {
    const char *Master = Own.Master.address();
    Own.TurnedDigest = digest(Number, Master, Own.Turn, Count, 0) +
                       digest(Number, Master, 0, Own.Turn, Count - Own.Turn);
  }
  return *Own.TurnedDigest;
}

void ShapeData::checkInputs(const std::vector<void *> &Globals) {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    const BufferSpec &Buffer = Spec.Buffers[I];
    char *From = place(Globals, I);
    if (Buffer.Use != Role::In || !From || Buffer.Count == 0 ||
        digest(I, From, 0, Buffer.Count, 0) == expectedDigest(I))
      continue;
    std::vector<uint8_t> Now = content(From, Buffer.bytes());
    std::vector<uint8_t> Was = before(I, 0);
    uint64_t At =
        std::mismatch(Now.begin(), Now.end(), Was.begin()).first - Now.begin();
    throw Failure(status::InputChanged,
                  "changes input buffer '" + Buffer.Name + "', first element " +
                      std::to_string(At / Buffer.ElementBytes));
  }
}

void ShapeData::checkMasters() const {
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (Buffers[I].Master &&
        Buffers[I].Digest !=
            digest(I, Buffers[I].Master.address(), 0, Spec.Buffers[I].Count, 0))
      throw Failure(status::OutOfBounds,
                    "writes into memory that is none of its buffers: the kept "
                    "input '" +
                        Spec.Buffers[I].Name + "' has changed",
                    /*Fatal=*/true);
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

Fingerprint ShapeData::fingerprint(const std::vector<void *> &Globals) const {
  Fingerprint All(Buffers.size());
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (char *From = place(Globals, I); From && Spec.Buffers[I].isOutput())
      All[I] = digest(I, From, 0, Spec.Buffers[I].Count, 0);
  return All;
}

void ShapeData::setAside(const std::vector<void *> &Globals) {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    const BufferSpec &Buffer = Spec.Buffers[I];
    char *From = place(Globals, I);
    Buffers[I].IsAside = From && Buffer.isOutput();
    if (!Buffers[I].IsAside)
      continue;
    if (!Buffers[I].Aside)
      Buffers[I].Aside = DeviceMemory(Device, Buffer.bytes());
    std::string Error;
    must(Device.copy(Buffers[I].Aside.address(), From, Buffer.bytes(), Error),
         Error);
  }
}

Contents ShapeData::takeAside() const {
  Contents All(Buffers.size());
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (Buffers[I].IsAside)
      All[I] = content(Buffers[I].Aside.address(), Spec.Buffers[I].bytes());
  return All;
}

// ---- for the read probe -----------------------------------------------------

void ShapeData::prepareOther(unsigned Number) {
  constexpr uint64_t OtherSeed = 0x6a09e667f3bcc909;
  const BufferSpec &Buffer = Spec.Buffers[Number];
  std::vector<uint8_t> Filled(Buffer.bytes());
  fillOnThreads(Buffer, Filled.data(), FirstSeed ^ OtherSeed);
  pointElements(Number, Filled.data());
  Buffers[Number].Other = DeviceMemory(Device, Buffer.bytes());
  std::string Error;
  must(Device.upload(Buffers[Number].Other.address(), Filled.data(),
                     Filled.size(), Error),
       Error);
}

void ShapeData::overwriteFromOther(const std::vector<void *> &Globals,
                                   unsigned Number,
                                   const std::vector<ElementRange> &Parts) {
  const uint64_t Bytes = Spec.Buffers[Number].ElementBytes;
  std::string Error;
  char *To = place(Globals, Number);
  for (auto [Begin, End] : Parts)
    if (To)
      must(Device.copy(To + Begin * Bytes,
                       Buffers[Number].Other.address() + Begin * Bytes,
                       (End - Begin) * Bytes, Error),
           Error);
}

bool ShapeData::dependsOnOther(const std::vector<void *> &Globals,
                               unsigned Number,
                               const std::vector<ElementRange> &Parts,
                               uint64_t Got, uint64_t Expected) const {
  const Held &Own = Buffers[Number];
  if (!Own.IsAside || Got == Expected)
    return false;
  const char *Now = place(Globals, Number), *Then = Own.Aside.address();
  for (auto [Begin, End] : Parts) {
    Got -= digest(Number, Now, Begin, End, Begin);
    Expected -= digest(Number, Then, Begin, End, Begin);
  }
  if (Got != Expected)
    return true;
  // Inside the parts, what passes through unwritten differs by itself.
  const uint64_t Bytes = Spec.Buffers[Number].ElementBytes;
  for (auto [Begin, End] : Parts) {
    auto part = [&, From = Begin, To = End](const char *Of) {
      return content(Of + From * Bytes, (To - From) * Bytes);
    };
    std::vector<uint8_t> Was = part(Own.Master.address()), Ref = part(Then),
                         New = part(Now);
    for (uint64_t At = 0; At < Ref.size(); ++At)
      if (Ref[At] != Was[At] && New[At] != Ref[At])
        return true;
  }
  return false;
}
