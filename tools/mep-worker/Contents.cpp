/// \file
/// Comparisons, counts, hashes and checksums of contents on their way through
/// the host.

#include "Contents.h"

using namespace mepworker;

static void passForScale(Staging &Host, const BufferSpec &Buffer,
                         const Staging::Read &Expected,
                         const Staging::Read &Got, const CompareOptions &How,
                         Comparison &Both) {
  std::vector<Staging::Read> From{Expected};
  if (How.Change)
    From.push_back(Got);
  Host.pass(Buffer.Count, Buffer.ElementBytes, From,
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              if (How.Change)
                How.Change(Pieces[0], Pieces[1],
                           (End - Begin) * Buffer.ElementBytes);
              Both.addToScale(Pieces[0], Begin, End);
              return true;
            });
}

Difference mepworker::compareContents(Staging &Host, const BufferSpec &Buffer,
                                      const Staging::Read &Expected,
                                      const Staging::Read &Got,
                                      const BufferTolerance &Allowed,
                                      const CompareOptions &How) {
  Comparison Both(Buffer, Allowed, How.Poison);
  if (How.Scales)
    Both.setScales(*How.Scales);
  if (Both.needsScale())
    passForScale(Host, Buffer, Expected, Got, How, Both);
  if (How.Scales)
    *How.Scales = Both.scales();
  Host.pass(Buffer.Count, Buffer.ElementBytes, {Expected, Got},
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              if (How.Change)
                How.Change(Pieces[0], Pieces[1],
                           (End - Begin) * Buffer.ElementBytes);
              Both.look(Pieces[0], Pieces[1], Begin, End);
              if (How.Also)
                How.Also(Pieces[1], Begin, End);
              return true;
            });
  return Both.result();
}

/// Counts all of it, or until something is seen to be written.
static Census takeCensus(Staging &Host, const BufferSpec &Buffer,
                         const Staging::Read &Before,
                         const Staging::Read &After, bool UntilWritten) {
  Census Seen;
  Host.pass(Buffer.Count, Buffer.ElementBytes, {Before, After},
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              count(Buffer, Pieces[0], Pieces[1], Begin, End, Seen);
              return !UntilWritten || Seen.WrittenBytes == 0;
            });
  return Seen;
}

Census mepworker::censusOf(Staging &Host, const BufferSpec &Buffer,
                           const Staging::Read &Before,
                           const Staging::Read &After) {
  return takeCensus(Host, Buffer, Before, After, /*UntilWritten=*/false);
}

bool mepworker::isWritten(Staging &Host, const BufferSpec &Buffer,
                          const Staging::Read &Before,
                          const Staging::Read &After) {
  return takeCensus(Host, Buffer, Before, After, /*UntilWritten=*/true)
             .WrittenBytes != 0;
}

LargestWritten mepworker::largestWritten(Staging &Host,
                                         const BufferSpec &Buffer,
                                         const Staging::Read &Before,
                                         const Staging::Read &After) {
  LargestWritten Seen;
  Host.pass(Buffer.Count, Buffer.ElementBytes, {Before, After},
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              findLargest(Buffer, Pieces[0], Pieces[1], Begin, End, Seen);
              return true;
            });
  return Seen;
}

ScalarHashes mepworker::hashesOf(Staging &Host, const BufferSpec &Buffer,
                                 const Staging::Read &Content, uint8_t Poison,
                                 uint64_t Key) {
  ScalarHashes Hashes(Buffer, Poison, Key);
  Host.pass(Buffer.Count, Buffer.ElementBytes, {Content},
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              Hashes.add(Pieces[0], Begin, End);
              return true;
            });
  return Hashes;
}

uint64_t mepworker::checksumOf(Staging &Host, const BufferSpec &Buffer,
                               const Staging::Read &Content, uint64_t State) {
  mep_fill::RunningChecksum Sum(State, Buffer.ElementBytes,
                                Buffer.Components.data(),
                                Buffer.Components.size(), Buffer.Count);
  Host.pass(Buffer.Count, Buffer.ElementBytes, {Content},
            [&](auto &Pieces, uint64_t Begin, uint64_t End) {
              Sum.add(Pieces[0], End - Begin);
              return true;
            });
  return Sum.state();
}
