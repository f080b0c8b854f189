/// \file
/// Filling, refreshing, restoring and reading the buffers of one shape.

#include "ShapeData.h"
#include "Answer.h"
#include "ElementPointers.h"
#include "Elements.h"
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
} // namespace

ShapeData::ShapeData(Platform &P, Staging &Host, ShapeSpec Given,
                     Initializers Initial)
    : Device(P), Host(Host), Spec(std::move(Given)),
      Initial(std::move(Initial)), Buffers(Spec.Buffers.size()),
      Key(randomKey()) {
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
  if (!Buffer.KeepsInitializer)
    fillByRule(Number, Seed, Own.Master.address());
  else if (!Own.IsFilled)
    takeInitializer(Number);
  else
    return; // The same for every seed.
  Own.Seed = Seed;
  Own.IsFilled = true;
  Own.Digest = digest(Number, Own.Master.address(), 0, Buffer.Count, 0);
  Own.TurnedDigest.reset();
}

void ShapeData::takeInitializer(unsigned Number) {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  const Initializer &Known = Initial[Buffer.Symbol];
  const uint64_t Bytes = std::min(Known.Bytes, Buffer.bytes());
  char *To = Buffers[Number].Master.address();
  std::string Error;
  must(Device.set(To + Bytes, 0, Buffer.bytes() - Bytes, Error), Error);
  if (Known.Value)
    must(Device.copy(To, Known.Value->address(), Bytes, Error), Error);
}

/// Makes the elements from \p Begin to \p End at \p To, with the addresses that
/// they hold.
void ShapeData::make(unsigned Number, uint64_t Seed, uint8_t *To,
                     uint64_t Begin, uint64_t End) const {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  constexpr uint64_t FillBytes = 1 << 18;
  const uint64_t Block = std::max<uint64_t>(1, FillBytes / Buffer.ElementBytes);
  const uint64_t Name = mep_fill::nameHash(Buffer.Name);
  forBlocksOf(Begin, End, Block, [&](uint64_t, uint64_t First, uint64_t Last) {
    uint8_t *At = To + (First - Begin) * Buffer.ElementBytes;
    mep_fill::fillRange(At, Buffer.ElementBytes, Buffer.Components.data(),
                        Buffer.Components.size(), Buffer.Count, Buffer.Rule,
                        Buffer.Low, Buffer.High, Seed, Name, First, Last,
                        Buffer.details());
    pointElements(Spec, Number, At, First, Last, [&](unsigned Target) {
      return Buffers[Target].Work->address();
    });
  });
}

/// Large enough to be worth the device's own code.
bool ShapeData::isForDevice(const BufferSpec &Buffer) const {
  constexpr uint64_t LargeBytes = 16 << 20;
  return Buffer.bytes() >= LargeBytes && Buffer.Table.empty() &&
         Device.fillsBuffers();
}

void ShapeData::fillByRule(unsigned Number, uint64_t Seed, char *To) const {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  const uint64_t Size = Buffer.ElementBytes;
  if (isForDevice(Buffer) && Buffer.Pointers.empty() && Buffer.Values.empty()) {
    std::string Error;
    return must(Device.fill(Buffer, Seed, To, Error), Error);
  }
  Host.pass(
      Buffer.Count, Size, {},
      [&](auto &Pieces, uint64_t Begin, uint64_t End) {
        make(Number, Seed, Pieces[0], Begin, End);
        return true;
      },
      [&](const uint8_t *From, uint64_t Begin, uint64_t End) {
        std::string Error;
        must(
            Device.upload(To + Begin * Size, From, (End - Begin) * Size, Error),
            Error);
      });
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
  forgetAside();
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
    if (!Spec.Buffers[I].Pointers.empty() && Buffers[I].IsFilled)
      fillOne(I, Buffers[I].Seed);
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

void ShapeData::nudgeInputs(const std::vector<void *> &Globals) {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    const BufferSpec &Buffer = Spec.Buffers[I];
    char *To = place(Globals, I);
    if (!Buffer.isInput() || !To)
      continue;
    if (isForDevice(Buffer)) {
      std::string Error;
      must(Device.nudge(Buffer, To, Error), Error);
      continue;
    }
    Host.pass(
        Buffer.Count, Buffer.ElementBytes, {before(I, 0)},
        [&](auto &Pieces, uint64_t Begin, uint64_t End) {
          nudge(Buffer, Pieces[0], Begin, End);
          return true;
        },
        [&](const uint8_t *From, uint64_t Begin, uint64_t End) {
          std::string Error;
          must(Device.upload(To + Begin * Buffer.ElementBytes, From,
                             (End - Begin) * Buffer.ElementBytes, Error),
               Error);
        });
  }
}

void ShapeData::flip(const std::vector<void *> &Globals, unsigned Number,
                     uint64_t Byte, uint8_t Bits) {
  uint8_t Value = 0;
  std::string Error;
  char *At = place(Globals, Number) + Byte;
  must(Device.download(&Value, At, 1, Error), Error);
  Value ^= Bits;
  must(Device.upload(At, &Value, 1, Error), Error);
}

void ShapeData::checkZones() const {
  for (const Held &Each : Buffers)
    if (Each.Work)
      Each.Work->checkZones();
}

// ---- contents ---------------------------------------------------------------

Staging::Read ShapeData::elements(unsigned Number, const char *From) const {
  return [this, From, Size = Spec.Buffers[Number].ElementBytes](
             uint8_t *To, uint64_t Begin, uint64_t End) {
    std::string Error;
    must(Device.download(To, From + Begin * Size, (End - Begin) * Size, Error),
         Error);
  };
}

Staging::Read ShapeData::inPlace(const std::vector<void *> &Globals,
                                 unsigned Number) const {
  return elements(Number, place(Globals, Number));
}

Staging::Read ShapeData::aside(unsigned Number) const {
  return elements(Number, Buffers[Number].Aside.address());
}

Staging::Read ShapeData::before(unsigned Number, uint8_t Poison) const {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  if (!Buffer.isInput())
    return [Poison, Size = Buffer.ElementBytes](uint8_t *To, uint64_t Begin,
                                                uint64_t End) {
      std::memset(To, Poison, (End - Begin) * Size);
    };
  // Element i of a turned content is element i + Turn of the master, around.
  const Held &Own = Buffers[Number];
  return [Master = elements(Number, Own.Master.address()), Turn = Own.Turn,
          Count = Buffer.Count, Size = Buffer.ElementBytes](
             uint8_t *To, uint64_t Begin, uint64_t End) {
    const uint64_t Middle = std::clamp(Count - Turn, Begin, End);
    if (Begin < Middle)
      Master(To, Begin + Turn, Middle + Turn);
    if (Middle < End)
      Master(To + (Middle - Begin) * Size, Middle + Turn - Count,
             End + Turn - Count);
  };
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
    throw Failure(status::InputChanged,
                  "changes input buffer '" + Buffer.Name + "', first element " +
                      std::to_string(firstChange(Globals, I)));
  }
}

/// The first element of an input that is not as it was.
uint64_t ShapeData::firstChange(const std::vector<void *> &Globals,
                                unsigned Number) const {
  const BufferSpec &Buffer = Spec.Buffers[Number];
  uint64_t First = Buffer.Count;
  Host.pass(Buffer.Count, Buffer.ElementBytes,
            {inPlace(Globals, Number), before(Number, 0)},
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              const uint64_t Bytes = (End - Begin) * Buffer.ElementBytes;
              const uint64_t At =
                  std::mismatch(Pieces[0], Pieces[0] + Bytes, Pieces[1]).first -
                  Pieces[0];
              if (At < Bytes)
                First = Begin + At / Buffer.ElementBytes;
              return At == Bytes;
            });
  return First;
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

Fingerprint ShapeData::fingerprint(const std::vector<void *> &Globals) const {
  Fingerprint All(Buffers.size());
  for (size_t I = 0; I < Buffers.size(); ++I)
    if (hasOutput(Globals, I))
      All[I] = digest(I, place(Globals, I), 0, Spec.Buffers[I].Count, 0);
  return All;
}

void ShapeData::setAside(const std::vector<void *> &Globals) {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    const BufferSpec &Buffer = Spec.Buffers[I];
    Buffers[I].IsAside = hasOutput(Globals, I);
    if (!Buffers[I].IsAside)
      continue;
    if (!Buffers[I].Aside)
      Buffers[I].Aside = DeviceMemory(Device, Buffer.bytes());
    std::string Error;
    must(Device.copy(Buffers[I].Aside.address(), place(Globals, I),
                     Buffer.bytes(), Error),
         Error);
  }
}

void ShapeData::forgetAside() {
  for (size_t I = 0; I < Buffers.size(); ++I) {
    std::string Error;
    if (Buffers[I].IsAside)
      must(Device.set(Buffers[I].Aside.address(), 0, Spec.Buffers[I].bytes(),
                      Error),
           Error);
    Buffers[I].IsAside = false;
  }
}

// ---- for the read probe -----------------------------------------------------

void ShapeData::prepareOther(unsigned Number) {
  constexpr uint64_t OtherSeed = 0x6a09e667f3bcc909;
  const BufferSpec &Buffer = Spec.Buffers[Number];
  Buffers[Number].Other = DeviceMemory(Device, Buffer.bytes());
  fillByRule(Number, FirstSeed ^ OtherSeed, Buffers[Number].Other.address());
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
  bool Depends = false;
  const uint64_t Size = Spec.Buffers[Number].ElementBytes;
  auto differs = [&](auto &Pieces, uint64_t Begin, uint64_t End) {
    const uint8_t *Was = Pieces[0], *Ref = Pieces[1], *New = Pieces[2];
    for (uint64_t At = 0; At < (End - Begin) * Size && !Depends; ++At)
      Depends = Ref[At] != Was[At] && New[At] != Ref[At];
    return !Depends;
  };
  for (auto [Begin, End] : Parts)
    if (!Depends)
      Host.pass(End - Begin, Size,
                {elements(Number, Own.Master.address() + Begin * Size),
                 elements(Number, Then + Begin * Size),
                 elements(Number, Now + Begin * Size)},
                differs);
  return Depends;
}
