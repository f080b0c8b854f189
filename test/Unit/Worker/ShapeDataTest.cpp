/// \file
/// Buffers made, turned, nudged and read in pieces are what they are in one.

#include "ShapeData.h"
#include "Answer.h"
#include "ElementPointers.h"
#include "Elements.h"
#include "HostDevice.h"
#include "gtest/gtest.h"

using namespace mepworker;
using mep_fill::Kind;
using mep_fill::Rule;

namespace {

/// Less than two elements of some buffers below, and no multiple of others.
constexpr uint64_t SmallPiece = 40;
constexpr uint64_t Count = 1031;
const std::vector<void *> NoGlobals(8);

BufferSpec structSpec(const std::string &Name, Role Use, uint64_t Count) {
  BufferSpec B = bufferSpec(Name, Use, Count);
  B.ElementBytes = 24; // char, padding, two ints, a pointer of 8.
  B.Components = {{Kind::I8, 0, 1}, {Kind::I32, 4, 2}};
  return B;
}

std::vector<uint8_t> inPlace(const ShapeData &Data, unsigned Buffer) {
  const BufferSpec &Spec = Data.spec().Buffers[Buffer];
  return std::vector<uint8_t>(Data.address(Buffer),
                              Data.address(Buffer) + Spec.bytes());
}

/// The bytes by the rule, in one go, with addresses.
std::vector<uint8_t> wanted(const ShapeData &Data, unsigned Number,
                            uint64_t Seed) {
  const BufferSpec &Spec = Data.spec().Buffers[Number];
  std::vector<uint8_t> Whole(Spec.bytes());
  mep_fill::fill(Whole.data(), Spec.ElementBytes, Spec.Components.data(),
                 Spec.Components.size(), Spec.Count, Spec.Rule, Spec.Low,
                 Spec.High, Seed, mep_fill::nameHash(Spec.Name));
  pointElements(Data.spec(), Number, Whole.data(), 0, Spec.Count,
                [&](unsigned Target) { return Data.address(Target); });
  return Whole;
}

TEST(ShapeData, EveryRuleMakesTheSameBytesInPieces) {
  for (Rule How : {Rule::Uniform, Rule::Zero, Rule::Constant, Rule::Index,
                   Rule::Iota, Rule::Permutation, Rule::Offsets})
    for (Kind K : {Kind::F16, Kind::F32, Kind::F64, Kind::U8, Kind::I32,
                   Kind::I64, Kind::Bool}) {
      HostDevice Device;
      Staging Host(SmallPiece);
      BufferSpec Spec = bufferSpec("x", Role::In, Count, K);
      Spec.Rule = How;
      Spec.Low = 0;
      Spec.High = 100;
      ShapeData Data(Device, Host, shapeOf({Spec}), {});
      Data.fill(5);
      Data.restore(NoGlobals, 0xFF);
      EXPECT_EQ(inPlace(Data, 0), wanted(Data, 0, 5))
          << "rule " << int(How) << ", kind " << int(K);
    }
}

TEST(ShapeData, PointersAndValuesLieInEveryPiece) {
  HostDevice Device;
  Staging Host(SmallPiece);
  BufferSpec Holder = structSpec("p", Role::In, Count);
  Holder.Pointers = {{16, 1, "x", 8, 4}};
  Holder.Values = {{4, {9, 8, 7, 6}}};
  ShapeData Data(Device, Host,
                 shapeOf({Holder, bufferSpec("x", Role::In, 4 * Count)}), {});
  Data.fill(3);
  for (unsigned Place : {0u, 5u}) {
    Data.move(Place);
    Data.restore(NoGlobals, 0xFF);
    EXPECT_EQ(inPlace(Data, 0), wanted(Data, 0, 3)) << Place;
    EXPECT_EQ(inPlace(Data, 1), wanted(Data, 1, 3)) << Place;
  }
  Data.checkInputs(NoGlobals);
}

TEST(ShapeData, ContentBeforeARunIsReadInPiecesAsItIsTurned) {
  HostDevice Device;
  Staging Host(1 << 16);
  const uint64_t Large = 1 << 19; // Two MiB: turned, not filled anew.
  ShapeData Data(Device, Host, shapeOf({bufferSpec("x", Role::In, Large)}), {});
  Data.fill(1);
  std::mt19937_64 Random(4);
  Data.refresh(Random);
  Data.restore(NoGlobals, 0xFF);
  const std::vector<uint8_t> Now = inPlace(Data, 0);
  EXPECT_NE(Now, wanted(Data, 0, 1));
  for (uint64_t Step : {uint64_t(777), Large}) {
    std::vector<uint8_t> Read(Now.size());
    for (uint64_t At = 0; At < Large; At += Step)
      Data.before(0, 0xFF)(&Read[At * 4], At, std::min(At + Step, Large));
    EXPECT_TRUE(Read == Now);
  }
}

TEST(ShapeData, NudgesTheSameWayInPieces) {
  std::vector<std::vector<uint8_t>> Results;
  for (uint64_t Piece : {SmallPiece, Staging::DefaultBytes}) {
    HostDevice Device;
    Staging Host(Piece);
    ShapeData Data(Device, Host, shapeOf({bufferSpec("x", Role::In, Count)}),
                   {});
    Data.fill(1);
    Data.restore(NoGlobals, 0xFF);
    Data.nudgeInputs(NoGlobals);
    Results.push_back(inPlace(Data, 0));
  }
  EXPECT_NE(Results[0], std::vector<uint8_t>(Count * 4));
  EXPECT_EQ(Results[0], Results[1]);
}

TEST(ShapeData, AChangedInputIsFoundInWhateverPieceItLies) {
  for (uint64_t Element : {uint64_t(0), uint64_t(9), uint64_t(10), Count - 1}) {
    HostDevice Device;
    Staging Host(SmallPiece);
    ShapeData Data(Device, Host, shapeOf({bufferSpec("x", Role::In, Count)}),
                   {});
    Data.fill(1);
    Data.restore(NoGlobals, 0xFF);
    Data.flip(NoGlobals, 0, Element * 4 + 3, 1);
    try {
      Data.checkInputs(NoGlobals);
      ADD_FAILURE();
    } catch (const Failure &Wrong) {
      EXPECT_EQ(std::string(Wrong.what()),
                "changes input buffer 'x', first element " +
                    std::to_string(Element));
    }
  }
}

TEST(ShapeData, WhatWasAsideIsGoneWhenForgotten) {
  HostDevice Device;
  Staging Host(SmallPiece);
  ShapeData Data(Device, Host, shapeOf({bufferSpec("y", Role::Out, 64)}), {});
  Data.fill(1);
  Data.restore(NoGlobals, 0xFF);
  std::vector<float> Answer(64, 1.25f);
  std::memcpy(Data.address(0), Answer.data(), 256);
  Data.setAside(NoGlobals);
  EXPECT_TRUE(Device.holds(Answer, Data.address(0)));
  Data.reset();
  EXPECT_FALSE(Device.holds(Answer, Data.address(0)));
}

} // namespace
