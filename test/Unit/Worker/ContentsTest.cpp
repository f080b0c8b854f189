/// \file
/// Counts, hashes and checksums of contents that come in pieces.

#include "Contents.h"
#include "HostDevice.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mepworker;
using mep_fill::Kind;

namespace {

Staging::Read readOf(const std::vector<uint8_t> &From, uint64_t ElementBytes) {
  return [&From, ElementBytes](uint8_t *To, uint64_t Begin, uint64_t End) {
    std::memcpy(To, &From[Begin * ElementBytes], (End - Begin) * ElementBytes);
  };
}

template <typename T> std::vector<uint8_t> bytes(const std::vector<T> &Values) {
  std::vector<uint8_t> Result(Values.size() * sizeof(T));
  std::memcpy(Result.data(), Values.data(), Result.size());
  return Result;
}

std::string checksumInPieces(const BufferSpec &Spec,
                             const std::vector<uint8_t> &Data,
                             uint64_t PieceBytes) {
  Staging Host(PieceBytes);
  return mep_fill::checksumText(checksumOf(
      Host, Spec, readOf(Data, Spec.ElementBytes), mep_fill::ChecksumStart));
}

TEST(Contents, ChecksumsDoNotDependOnPieces) {
  std::vector<uint8_t> Data(80);
  for (size_t I = 0; I < Data.size(); ++I)
    Data[I] = uint8_t(I * 7 + 1);
  BufferSpec Packed = bufferSpec("p", Role::Out, 25);
  Packed.ElementBytes = 3; // Words lie across pieces.
  Packed.Components = {{Kind::U8, 0, 3}};
  BufferSpec Padded = bufferSpec("s", Role::Out, 10);
  Padded.ElementBytes = 8;
  Padded.Components = {{Kind::I8, 0, 1}, {Kind::I32, 4, 1}};
  for (uint64_t Piece : {1, 4, 10, 31, 64, 1000}) {
    EXPECT_EQ(checksumInPieces(Packed, Data, Piece), "5f6573ac2fbb4275")
        << Piece;
    EXPECT_EQ(checksumInPieces(Padded, Data, Piece), "76bfec7289d9d87d")
        << Piece;
  }
}

TEST(Contents, CountsAndTheLargestDoNotDependOnPieces) {
  const float Inf = HUGE_VALF;
  const std::vector<uint8_t> Before = bytes<float>({9, 0, 0, 0, 4, 0, 0}),
                             After = bytes<float>({9, 1, Inf, -7, 4, NAN, 7});
  BufferSpec Spec = bufferSpec("y", Role::Out, 7);
  for (uint64_t Piece : {4, 8, 12, 100}) {
    Staging Host(Piece);
    Census Seen = censusOf(Host, Spec, readOf(Before, 4), readOf(After, 4));
    EXPECT_EQ(Seen.WrittenBytes, 20u);
    EXPECT_EQ(Seen.Floats, 5u);
    EXPECT_EQ(Seen.NotFinite, 2u);
    EXPECT_EQ(Seen.FirstNotFinite, 2u);
    LargestWritten Most =
        largestWritten(Host, Spec, readOf(Before, 4), readOf(After, 4));
    EXPECT_TRUE(Most.IsAny);
    EXPECT_EQ(Most.Element, 3u); // The first of equals; 9 is not written.
    EXPECT_TRUE(isWritten(Host, Spec, readOf(Before, 4), readOf(After, 4)));
    EXPECT_FALSE(isWritten(Host, Spec, readOf(After, 4), readOf(After, 4)));
  }
}

std::string hashDifference(Kind K, const std::vector<uint8_t> &A,
                           const std::vector<uint8_t> &B, uint64_t PieceOfA) {
  BufferSpec Spec =
      bufferSpec("y", Role::Out, A.size() / mep_fill::byteSize(K), K);
  Staging HostA(PieceOfA), HostB;
  return hashesOf(HostA, Spec, readOf(A, Spec.ElementBytes), 0x7B, 5)
      .difference(hashesOf(HostB, Spec, readOf(B, Spec.ElementBytes), 0x7B, 5));
}

TEST(Contents, HashesDifferWhereAComparisonFindsADifference) {
  const float NaN = std::nanf("");
  const std::vector<float> Same{1, 0, NaN, 3, 4}, Also{1, -0.0f, -NaN, 3, 4};
  std::vector<float> Swapped{1, 0, NaN, 4, 3}, Number{1, 0, 5, 3, 4};
  for (uint64_t Piece : {4, 8, 12}) {
    EXPECT_EQ(hashDifference(Kind::F32, bytes(Same), bytes(Also), Piece), "");
    EXPECT_EQ(hashDifference(Kind::F32, bytes(Same), bytes(Swapped), Piece),
              "among y[0] to y[4]");
    EXPECT_NE(hashDifference(Kind::F32, bytes(Same), bytes(Number), Piece), "");
  }
  // What nobody wrote is no NaN and no zero.
  std::vector<uint8_t> Unwritten(4, 0x7B);
  EXPECT_NE(hashDifference(Kind::F32, Unwritten, bytes<float>({NaN}), 4), "");
  EXPECT_NE(hashDifference(Kind::F32, Unwritten, bytes<float>({0}), 4), "");
  EXPECT_EQ(hashDifference(Kind::F32, Unwritten, Unwritten, 4), "");
}

} // namespace
