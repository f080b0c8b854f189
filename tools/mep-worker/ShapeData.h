/// \file
/// The buffers of one shape: filled, turned into fresh data, put back before
/// each run, read after it.

#ifndef MEP_WORKER_SHAPEDATA_H
#define MEP_WORKER_SHAPEDATA_H

#include "DeviceMemory.h"
#include "Request.h"
#include "Staging.h"
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace mepworker {

/// Keyed hashes of the outputs, per buffer, made on the device; 0 for those
/// that are only read. Equal hashes mean equal contents.
using Fingerprint = std::vector<uint64_t>;
struct ElementRange {
  uint64_t Begin, End;
};
/// A device global as the source makes it: its size, and its value, which stays
/// on the device, where a buffer keeps it.
struct Initializer {
  uint64_t Bytes = 0;
  std::shared_ptr<DeviceMemory> Value;
};
using Initializers = std::map<std::string, Initializer>;

/// Inputs are kept on the device; the host sees buffers in pieces only. Fresh
/// data costs no host work: large buffers of independent random elements are
/// turned, that is copied from another first element on; small shapes are
/// filled anew.
class ShapeData {
public:
  ShapeData(Platform &P, Staging &Host, ShapeSpec Spec, Initializers Initial);

  const ShapeSpec &spec() const { return Spec; }
  uint64_t bytes() const;
  void treatAsInput(unsigned Buffer); ///< An output that is also read.

  void fill(uint64_t Seed);
  /// Other data from the next restore on: turned, or (small shapes) new.
  void refresh(std::mt19937_64 &Random);
  void turn(std::mt19937_64 &Random);
  void reset(); ///< The data of the first fill again; nothing is aside.
  void move(unsigned Place);

  /// Address of a buffer that is no device global.
  char *address(unsigned Buffer) const {
    return Buffers[Buffer].Work->address();
  }

  /// Inputs as filled, outputs all \p Poison, red zones painted. \p Globals:
  /// per buffer, where a module keeps it (null: nowhere, or no global).
  void restore(const std::vector<void *> &Globals, uint8_t Poison);
  /// Moves every floating scalar of the restored inputs by one ulp.
  void nudgeInputs(const std::vector<void *> &Globals);
  /// Changes one byte of what lies in a buffer, by exclusive or.
  void flip(const std::vector<void *> &Globals, unsigned Buffer, uint64_t Byte,
            uint8_t Bits);

  /// For the read probe: another filling of an input, made and let go; a part
  /// of it put in place of the restored content.
  void prepareOther(unsigned Buffer);
  void dropOther(unsigned Buffer) { Buffers[Buffer].Other = DeviceMemory(); }
  void overwriteFromOther(const std::vector<void *> &Globals, unsigned Buffer,
                          const std::vector<ElementRange> &Parts);
  /// With the outputs of a run on the data as filled set aside, and its hash
  /// \p Expected: whether a run with another filling of \p Parts (hash \p Got)
  /// wrote anything else to this buffer.
  bool dependsOnOther(const std::vector<void *> &Globals, unsigned Buffer,
                      const std::vector<ElementRange> &Parts, uint64_t Got,
                      uint64_t Expected) const;

  /// Throws Failure (out-of-bounds, input-changed).
  void checkZones() const;
  void checkInputs(const std::vector<void *> &Globals);
  /// Throws Failure (out-of-bounds) when the kept inputs themselves changed.
  void checkMasters() const;

  /// Whether \p Buffer is an output that a module of \p Globals has.
  bool hasOutput(const std::vector<void *> &Globals, unsigned Buffer) const {
    return place(Globals, Buffer) && Spec.Buffers[Buffer].isOutput();
  }
  Fingerprint fingerprint(const std::vector<void *> &Globals) const;
  /// Sets the outputs aside on the device, for when they are wanted after
  /// another run.
  void setAside(const std::vector<void *> &Globals);
  bool isAside(unsigned Buffer) const { return Buffers[Buffer].IsAside; }
  /// Makes what was set aside unreadable: it may be the right answer to data
  /// that comes again.
  void forgetAside();

  // ---- contents, for Staging::pass ----
  Staging &host() const { return Host; }
  Staging::Read inPlace(const std::vector<void *> &Globals,
                        unsigned Buffer) const;
  Staging::Read aside(unsigned Buffer) const;
  /// What a buffer holds before a launch with this \p Poison.
  Staging::Read before(unsigned Buffer, uint8_t Poison) const;
  /// For hashes that nobody can foresee.
  uint64_t key() const { return Key; }

private:
  struct Held {
    DeviceMemory Master; ///< As filled; none for outputs.
    std::optional<GuardedBuffer> Work;
    DeviceMemory Other; ///< Another filling, for the read probe.
    DeviceMemory Aside; ///< Outputs of an earlier run.
    bool IsAside = false;
    bool IsFilled = false;
    uint64_t Seed = 0;   ///< Of the filling.
    uint64_t Turn = 0;   ///< First element, of the data in use.
    uint64_t Digest = 0; ///< Of Master as filled.
    /// Of Master as turned, once that is asked for.
    std::optional<uint64_t> TurnedDigest;
  };

  void fillOne(unsigned Buffer, uint64_t Seed);
  bool isForDevice(const BufferSpec &Buffer) const;
  void fillByRule(unsigned Buffer, uint64_t Seed, char *To) const;
  void takeInitializer(unsigned Buffer);
  void make(unsigned Buffer, uint64_t Seed, uint8_t *To, uint64_t Begin,
            uint64_t End) const;
  void putBack(unsigned Buffer, char *To, uint8_t Poison);
  static void setTurn(Held &Buffer, uint64_t First);
  bool canTurn(const BufferSpec &Buffer) const;
  char *place(const std::vector<void *> &Globals, unsigned Buffer) const;
  uint64_t digest(unsigned Buffer, const char *From, uint64_t Begin,
                  uint64_t End, uint64_t First) const;
  uint64_t expectedDigest(unsigned Buffer);
  uint64_t firstChange(const std::vector<void *> &Globals,
                       unsigned Buffer) const;
  Staging::Read elements(unsigned Buffer, const char *From) const;

  Platform &Device;
  Staging &Host;
  ShapeSpec Spec;
  Initializers Initial;
  std::vector<Held> Buffers;
  uint64_t FirstSeed = 1, Key;
  bool Refilled = false;
};

} // namespace mepworker

#endif // MEP_WORKER_SHAPEDATA_H
