/// Models at numbers, against counting every execution one by one.
#include "mep/Access/AccessNumbers.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace mep;

namespace {

using Values = std::map<std::string, int64_t>;

/// What C++ makes of \p E, for whole numbers without overflow.
int64_t evaluate(const Index &E, const Values &At) {
  auto Of = [&](size_t I) { return evaluate(E->Operands[I], At); };
  switch (E->Op) {
  case IndexOp::Number:
    return E->Value;
  case IndexOp::Symbol:
    return At.at(E->Name);
  case IndexOp::Add:
    return Of(0) + Of(1);
  case IndexOp::Multiply:
    return Of(0) * Of(1);
  case IndexOp::Divide:
    return Of(0) / Of(1);
  case IndexOp::Remainder:
    return Of(0) % Of(1);
  case IndexOp::ShiftRight:
    return Of(0) >> Of(1);
  case IndexOp::BitAnd:
    return Of(0) & Of(1);
  case IndexOp::BitOr:
    return Of(0) | Of(1);
  case IndexOp::BitXor:
    return Of(0) ^ Of(1);
  case IndexOp::Min:
    return std::min(Of(0), Of(1));
  case IndexOp::Max:
    return std::max(Of(0), Of(1));
  case IndexOp::Select:
    return Of(0) ? Of(1) : Of(2);
  case IndexOp::Convert:
    return E->Bits == 8 ? (E->IsSigned ? int64_t(int8_t(Of(0)))
                                       : int64_t(uint8_t(Of(0))))
                        : int64_t(uint32_t(Of(0)));
  case IndexOp::Less:
    return Of(0) < Of(1);
  case IndexOp::LessEqual:
    return Of(0) <= Of(1);
  case IndexOp::Equal:
    return Of(0) == Of(1);
  case IndexOp::And:
    return Of(0) && Of(1);
  case IndexOp::Or:
    return Of(0) || Of(1);
  case IndexOp::Not:
    return !Of(0);
  default:
    ADD_FAILURE() << "no value";
    return 0;
  }
}

Index thread() { return symbol("threadIdx.x", SymbolKind::Thread); }
Index block() { return symbol("blockIdx.x", SymbolKind::Block); }
Index counter(const char *Name) { return symbol(Name, SymbolKind::Counter); }

AccessPoint launch(uint64_t Grid, uint64_t Block) {
  AccessPoint At;
  At.Grid = {Grid, 1, 1};
  At.Block = {Block, 1, 1};
  return At;
}

/// One buffer of 4-byte elements and one loop of 0 to 6 around every access.
AccessModel oneLoop() {
  AccessModel M;
  AccessedBuffer B;
  B.Name = "a";
  B.ElementBytes = 4;
  M.Buffers = {B};
  AccessLoop L;
  L.Counter = "#0";
  L.Condition = binary(IndexOp::Less, counter("#0"), number(7));
  M.Loops = {L};
  return M;
}

void add(AccessModel &M, AccessKind Kind, Index Element,
         std::vector<Index> Guards) {
  MemoryAccess A;
  A.Kind = Kind;
  A.Offset = multiply(number(4), std::move(Element));
  A.Bytes = 4;
  A.Loops = {0};
  A.Guards = {M.Loops[0].Condition};
  A.Guards.insert(A.Guards.end(), Guards.begin(), Guards.end());
  A.Order = unsigned(M.Accesses.size());
  M.Accesses.push_back(std::move(A));
}

class Arithmetic {
public:
  explicit Arithmetic(unsigned Seed) : Random(Seed) {}

  Index value(unsigned Depth) {
    int64_t Small = 1 + pick(9);
    switch (Depth == 0 ? pick(4) : pick(14)) {
    case 0:
      return thread();
    case 1:
      return block();
    case 2:
      return counter("#0");
    case 3:
      return number(pick(40) - 10);
    case 4:
    case 5:
      return mep::add(value(Depth - 1), value(Depth - 1));
    case 6:
      return multiply(number(pick(13) - 4), value(Depth - 1));
    case 7:
      return binary(IndexOp::Divide, value(Depth - 1), number(Small + 1));
    case 8:
      return binary(IndexOp::Remainder, value(Depth - 1), number(Small + 1));
    case 9:
      return binary(IndexOp::ShiftRight, value(Depth - 1), number(pick(4)));
    case 10: {
      IndexOp Ops[] = {IndexOp::BitAnd, IndexOp::BitOr, IndexOp::BitXor};
      return binary(Ops[pick(3)], value(Depth - 1), number(pick(64)));
    }
    case 11:
      return binary(pick(2) ? IndexOp::Min : IndexOp::Max, value(Depth - 1),
                    value(Depth - 1));
    case 12:
      return select(condition(Depth - 1), value(Depth - 1), value(Depth - 1));
    default:
      return convert(value(Depth - 1), pick(3) ? 8 : 32, false);
    }
  }

  Index condition(unsigned Depth) {
    switch (Depth == 0 ? pick(3) : pick(6)) {
    case 0:
      return binary(IndexOp::Less, value(Depth / 2), value(Depth / 2));
    case 1:
      return binary(IndexOp::LessEqual, value(Depth / 2), value(Depth / 2));
    case 2:
      return binary(IndexOp::Equal,
                    binary(IndexOp::Remainder, value(0), number(3)),
                    number(pick(3)));
    case 3:
      return conjunction(condition(Depth - 1), condition(Depth - 1));
    case 4:
      return disjunction(condition(Depth - 1), condition(Depth - 1));
    default:
      return negation(condition(Depth - 1));
    }
  }

private:
  int64_t pick(int64_t N) { return int64_t(Random() % uint64_t(N)); }
  std::mt19937 Random;
};

/// All elements of \p A's buffer, by running every thread and iteration.
std::set<int64_t> counted(const MemoryAccess &A, const AccessPoint &At) {
  std::set<int64_t> Out;
  for (uint64_t B = 0; B < At.Grid[0]; ++B)
    for (uint64_t T = 0; T < At.Block[0]; ++T)
      for (int64_t K = 0; K < 7; ++K) {
        Values V{
            {"blockIdx.x", int64_t(B)}, {"threadIdx.x", int64_t(T)}, {"#0", K}};
        bool Runs = true;
        for (const Index &G : A.Guards)
          Runs = Runs && evaluate(G, V);
        if (Runs)
          Out.insert(evaluate(A.Offset, V) / 4);
      }
  return Out;
}

TEST(AccessNumbers, AgreeWithCountingOnAnyArithmetic) {
  unsigned Exact = 0;
  for (unsigned Seed = 0; Seed < 150; ++Seed) {
    Arithmetic Any(Seed);
    AccessModel M = oneLoop();
    add(M, AccessKind::Read, Any.value(3), {Any.condition(2)});
    AccessPoint At = launch(3, 10);
    std::set<int64_t> Elements = counted(M.Accesses[0], At);
    AccessedElements T = touchedElements(M, At)[0];
    std::string What = print(M.Accesses[0].Offset) + " if " +
                       print(M.Accesses[0].Guards.back());
    if (T.Reads == AccessedElements::Exact) {
      ++Exact;
      ASSERT_EQ(T.Read.has_value(), !Elements.empty()) << What;
      if (T.Read) {
        EXPECT_EQ(T.Read->First, *Elements.begin()) << What;
        EXPECT_EQ(T.Read->Last, *Elements.rbegin()) << What;
      }
      if (T.ReadCount) {
        EXPECT_EQ(*T.ReadCount, Elements.size()) << What;
      }
    } else if (T.Reads == AccessedElements::AtMost && !Elements.empty()) {
      ASSERT_TRUE(T.Read) << What;
      EXPECT_LE(T.Read->First, *Elements.begin()) << What;
      EXPECT_GE(T.Read->Last, *Elements.rbegin()) << What;
    }
  }
  EXPECT_GT(Exact, 140u);
}

TEST(AccessNumbers, AnUnknownGuardMakesARangeAnUpperBound) {
  AccessModel M = oneLoop();
  add(M, AccessKind::Write, thread(), {unknown("data", "a.cu:1:1")});
  AccessedElements T = touchedElements(M, launch(1, 32))[0];
  EXPECT_EQ(T.Writes, AccessedElements::AtMost);
  EXPECT_EQ(T.Written->Last, 31);
  EXPECT_FALSE(T.WriteCount);
  // Another access that surely touches both ends makes the range sure.
  add(M, AccessKind::Write, thread(), {});
  EXPECT_EQ(touchedElements(M, launch(1, 32))[0].Writes,
            AccessedElements::Exact);
}

TEST(AccessNumbers, AnUnknownIndexLeavesABufferOpen) {
  AccessModel M = oneLoop();
  add(M, AccessKind::Read, unknown("data", "a.cu:1:1"), {});
  EXPECT_EQ(touchedElements(M, launch(1, 32))[0].Reads, AccessedElements::Open);
}

TEST(AccessNumbers, AWriteBeforeInTheSameThreadIsNoInput) {
  AccessModel M = oneLoop();
  add(M, AccessKind::Write, thread(), {});
  add(M, AccessKind::Read, thread(), {});
  EXPECT_EQ(touchedElements(M, launch(2, 8))[0].ReadsInput, false);
  // Written by another thread: what it held before may be seen.
  add(M, AccessKind::Read, mep::add(thread(), number(1)), {});
  EXPECT_EQ(touchedElements(M, launch(2, 8))[0].ReadsInput, true);
}

TEST(AccessNumbers, TheIterationBeforeCounts) {
  // Iteration k reads what iteration k - 1 wrote, but for the first.
  AccessModel M = oneLoop();
  Index K = counter("#0");
  Index Row = multiply(number(8), thread());
  add(M, AccessKind::Read, mep::add(Row, K),
      {binary(IndexOp::Less, number(0), K)});
  add(M, AccessKind::Write, mep::add(Row, mep::add(K, number(1))), {});
  EXPECT_EQ(touchedElements(M, launch(1, 8))[0].ReadsInput, false);
  M.Accesses[0].Guards.pop_back();
  EXPECT_EQ(touchedElements(M, launch(1, 8))[0].ReadsInput, true);
}

TEST(AccessNumbers, AnUnsignedCounterStopsBeforeItWraps) {
  AccessModel M = oneLoop();
  Index I = convert(mep::add(thread(), multiply(number(32), counter("#0"))), 32,
                    false);
  M.Loops[0].Condition = binary(IndexOp::Less, I, number(1000));
  add(M, AccessKind::Write, I, {});
  AccessedElements T = touchedElements(M, launch(1, 32))[0];
  EXPECT_EQ(T.Writes, AccessedElements::Exact);
  EXPECT_EQ(T.Written->Last, 999);
  EXPECT_EQ(T.WriteCount, 1000u);
}

TEST(AccessNumbers, PointersIntoOneBufferAreOne) {
  AccessModel M = oneLoop();
  M.Buffers.push_back(M.Buffers[0]);
  M.Buffers[1].Name = "b";
  add(M, AccessKind::Read, thread(), {});
  add(M, AccessKind::Read, thread(), {});
  M.Accesses[1].Buffer = 1;
  Workload W;
  Buffer All;
  All.Name = "all";
  All.Element = {"float", 4, {{ScalarKind::F32, 0, 1}}};
  W.Buffers = {All};
  ResolvedShape Shape;
  Shape.Launch.Block = {16, 1, 1};
  for (uint64_t Offset : {0, 400}) {
    ArgumentPart P;
    P.Name = Offset ? "b" : "a";
    P.Buffer = "all";
    W.Arguments.push_back({P.Name, "float *", 8, {P}});
    Shape.Arguments.push_back(
        {P.Name, std::vector<uint8_t>(8), {{0, "all", Offset}}});
  }
  auto T = touchedElements(M, W, Shape);
  ASSERT_EQ(T.size(), 1u);
  EXPECT_EQ(T[0].Read->First, 0);
  EXPECT_EQ(T[0].Read->Last, 115);
  EXPECT_EQ(T[0].ReadCount, 32u);
}

} // namespace
