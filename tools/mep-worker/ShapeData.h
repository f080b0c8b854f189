/// \file
/// The buffers of one shape: filled, turned into fresh data, put back before
/// each run, read after it.

#ifndef MEP_WORKER_SHAPEDATA_H
#define MEP_WORKER_SHAPEDATA_H

#include "DeviceMemory.h"
#include "Request.h"
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace mepworker {

/// Content of each buffer of a shape; empty for those that are only read.
using Contents = std::vector<std::vector<uint8_t>>;
/// Keyed hashes of the outputs, per buffer, made on the device; 0 for those
/// that are only read. Equal hashes mean equal contents.
using Fingerprint = std::vector<uint64_t>;
struct ElementRange {
  uint64_t Begin, End;
};
/// The value that the source gives each device global.
using Initializers = std::map<std::string, std::vector<uint8_t>>;

/// Inputs are kept on the device and on the host. Fresh data costs no host
/// work: large buffers of independent random elements are turned, that is
/// copied from another first element on; small shapes are filled anew.
class ShapeData {
public:
  ShapeData(Platform &P, ShapeSpec Spec, Initializers Initial);

  const ShapeSpec &spec() const { return Spec; }
  uint64_t bytes() const;
  void treatAsInput(unsigned Buffer); ///< An output that is also read.

  void fill(uint64_t Seed);
  /// Other data from the next restore on: turned, or (small shapes) new.
  void refresh(std::mt19937_64 &Random);
  void turn(std::mt19937_64 &Random);
  void reset(); ///< The data of the first fill again.
  void move(unsigned Place);

  /// Address of a buffer that is no device global.
  char *address(unsigned Buffer) const {
    return Buffers[Buffer].Work->address();
  }

  /// Inputs as filled, outputs all \p Poison, red zones painted. \p Globals:
  /// per buffer, where a module keeps it (null: nowhere, or no global).
  void restore(const std::vector<void *> &Globals, uint8_t Poison);
  /// Puts \p Data in place of the restored content of buffer \p Buffer.
  void overwrite(const std::vector<void *> &Globals, unsigned Buffer,
                 const std::vector<uint8_t> &Data);

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

  Contents outputs(const std::vector<void *> &Globals) const;
  Fingerprint fingerprint(const std::vector<void *> &Globals) const;
  /// Sets the outputs aside on the device, for when they are wanted after
  /// another run.
  void setAside(const std::vector<void *> &Globals);
  Contents takeAside() const;
  /// What a buffer holds before a launch with this \p Poison.
  std::vector<uint8_t> before(unsigned Buffer, uint8_t Poison) const;

private:
  struct Held {
    std::vector<uint8_t> Host; ///< As filled; empty for outputs.
    DeviceMemory Master;       ///< The same on the device.
    std::optional<GuardedBuffer> Work;
    DeviceMemory Other; ///< Another filling, for the read probe.
    DeviceMemory Aside; ///< Outputs of an earlier run.
    bool IsAside = false;
    uint64_t Turn = 0;   ///< First element, of the data in use.
    uint64_t Digest = 0; ///< Of Master as filled.
    /// Of Master as turned, once that is asked for.
    std::optional<uint64_t> TurnedDigest;
  };

  void fillOne(unsigned Buffer, uint64_t Seed);
  void pointElements(unsigned Buffer, uint8_t *Data) const;
  void keep(unsigned Buffer);
  void putBack(unsigned Buffer, char *To, uint8_t Poison);
  static void setTurn(Held &Buffer, uint64_t First);
  bool canTurn(const BufferSpec &Buffer) const;
  char *place(const std::vector<void *> &Globals, unsigned Buffer) const;
  uint64_t digest(unsigned Buffer, const char *From, uint64_t Begin,
                  uint64_t End, uint64_t First) const;
  uint64_t expectedDigest(unsigned Buffer);
  std::vector<uint8_t> content(const char *From, uint64_t Bytes) const;

  Platform &Device;
  ShapeSpec Spec;
  Initializers Initial;
  std::vector<Held> Buffers;
  uint64_t FirstSeed = 1, Key;
  bool Refilled = false;
};

} // namespace mepworker

#endif // MEP_WORKER_SHAPEDATA_H
