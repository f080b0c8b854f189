/// \file
/// Host memory through which the contents of buffers pass. Buffers may be
/// larger than the host's memory; what looks at them sees one piece after
/// another.

#ifndef MEP_WORKER_STAGING_H
#define MEP_WORKER_STAGING_H

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace mepworker {

/// Two pieces for each content that is looked at together, so that one is
/// worked on while the next one travels. Pieces are made when they are needed
/// and kept. They are plain memory: pages that are pinned for faster copies are
/// within reach of kernels, and pieces of right answers lie here.
class Staging {
public:
  /// Of one piece. At most three contents are looked at together: 192 MiB.
  static constexpr uint64_t DefaultBytes = 32 << 20;

  explicit Staging(uint64_t PieceBytes = DefaultBytes)
      : PieceBytes(PieceBytes) {}
  Staging(const Staging &) = delete;

  /// Puts elements \p Begin to \p End of a content at \p To.
  using Read = std::function<void(uint8_t *To, uint64_t Begin, uint64_t End)>;
  /// One piece of each content; false when no more need be looked at.
  using Work = std::function<bool(const std::vector<uint8_t *> &Pieces,
                                  uint64_t Begin, uint64_t End)>;
  /// Takes elements \p Begin to \p End of the first content away.
  using Write =
      std::function<void(const uint8_t *From, uint64_t Begin, uint64_t End)>;

  /// Brings \p Count elements of \p ElementBytes of every content of \p From
  /// here (none: one empty piece), in order, has \p Do work on each piece and
  /// \p To take it away. \p From and \p To are called in this thread, as the
  /// device wants; \p Do in another one meanwhile.
  void pass(uint64_t Count, uint64_t ElementBytes,
            const std::vector<Read> &From, const Work &Do,
            const Write &To = nullptr);

private:
  struct Slot {
    std::unique_ptr<uint8_t[]> Memory;
    uint64_t Bytes = 0;
  };
  std::vector<uint8_t *> pieces(unsigned Parity, size_t Contents,
                                uint64_t Bytes);

  uint64_t PieceBytes;
  std::vector<Slot> Slots; ///< Two for each content.
};

} // namespace mepworker

#endif // MEP_WORKER_STAGING_H
