/// \file
/// Whole contents of buffers looked at piece by piece: the step between a
/// device that holds them and the judgement over their scalars.

#ifndef MEP_WORKER_CONTENTS_H
#define MEP_WORKER_CONTENTS_H

#include "Elements.h"
#include "ShapeData.h"

namespace mepworker {

/// How two contents are compared, beside their tolerance.
struct CompareOptions {
  uint8_t Poison = 0;
  /// Changes one piece of both before they are compared.
  std::function<void(uint8_t *Expected, uint8_t *Got, uint64_t Bytes)> Change =
      nullptr;
  /// Sees every piece of what is judged.
  std::function<void(const uint8_t *Got, uint64_t Begin, uint64_t End)> Also =
      nullptr;
  /// Of the expected content, by component; empty: not known, and then given.
  /// With it contents travel once instead of twice.
  std::vector<double> *Scales = nullptr;
};

/// As `compare` of Elements.h.
Difference compareContents(Staging &Host, const BufferSpec &Buffer,
                           const Staging::Read &Expected,
                           const Staging::Read &Got,
                           const BufferTolerance &Allowed,
                           const CompareOptions &How);

/// What is written of \p After, which was \p Before.
Census censusOf(Staging &Host, const BufferSpec &Buffer,
                const Staging::Read &Before, const Staging::Read &After);
/// Whether anything is.
bool isWritten(Staging &Host, const BufferSpec &Buffer,
               const Staging::Read &Before, const Staging::Read &After);
LargestWritten largestWritten(Staging &Host, const BufferSpec &Buffer,
                              const Staging::Read &Before,
                              const Staging::Read &After);

ScalarHashes hashesOf(Staging &Host, const BufferSpec &Buffer,
                      const Staging::Read &Content, uint8_t Poison,
                      uint64_t Key);

/// \p State of mep_fill's checksum with one more content.
uint64_t checksumOf(Staging &Host, const BufferSpec &Buffer,
                    const Staging::Read &Content, uint64_t State);

} // namespace mepworker

#endif // MEP_WORKER_CONTENTS_H
