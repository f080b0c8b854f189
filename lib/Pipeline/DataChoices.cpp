#include "DataChoices.h"
#include "Choices.h"

using namespace mep;

std::optional<Trouble> mep::troubleOf(Status Why) {
  switch (Why) {
  case Status::Crashed:
  case Status::OutOfBounds:
  case Status::InputChanged: // A role that was not seen: the probe tells it.
  case Status::LaunchFailed:
  case Status::ResourceLimit:
    return Trouble::Astray;
  case Status::TimedOut:
    return Trouble::Endless;
  case Status::NotFinite:
    return Trouble::NotFinite;
  case Status::WritesNothing:
    return Trouble::WritesNothing;
  case Status::Nondeterministic:
    return Trouble::NotReproducible;
  default:
    return std::nullopt;
  }
}

static const char *describe(Trouble What) {
  switch (What) {
  case Trouble::Astray:
    return "the kernel leaves its buffers or cannot be launched";
  case Trouble::Endless:
    return "the kernel does not end";
  case Trouble::NotFinite:
    return "the results are not finite";
  case Trouble::WritesNothing:
    return "the kernel changes none of its outputs";
  case Trouble::NotReproducible:
    return "the results differ from run to run";
  }
  return "";
}

std::string mep::quotedList(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "'" : ", '") + Name + "'";
  return Text;
}

void Choices::add(const std::string &Note, Change Do) {
  Workload Other = W;
  if (!Do(Other))
    return;
  Other.Notes.push_back(Note + ": on the values taken before " +
                        describe(What));
  All.push_back(std::move(Other));
}

namespace {
constexpr FillMove IntZero{"are 0", "zero", "0", "0"};
constexpr FillMove IntBit{"are 0 or 1", "uniform", "0", "1"};
constexpr FillMove IntOne{"are 1", "constant", "1", "1"};
constexpr FillMove IntSmall{"are 1 to 4", "uniform", "1", "4"};
constexpr FillMove IntWide{"are 0 to 255", "uniform", "0", "255"};
constexpr FillMove IntIota{"count up from 0", "iota", "0", "0"};
constexpr FillMove IntPermutation{"are a permutation", "permutation", "0", "0"};
constexpr FillMove IntAscending{"ascend from 0 to the last subscript",
                                "offsets", "0", ""};
constexpr FillMove RealPositive{"are in [0.1, 1)", "uniform", "0.1", "1"};
constexpr FillMove RealNegative{"are in [-1, -0.1)", "uniform", "-1", "-0.1"};
constexpr FillMove RealNearOne{"are in [0.99, 1.01)", "uniform", "0.99",
                               "1.01"};
constexpr FillMove RealSmall{"are in [-0.001, 0.001)", "uniform", "-0.001",
                             "0.001"};
constexpr FillMove RealZero{"are 0", "zero", "0", "0"};
constexpr FillMove RealOne{"are 1", "constant", "1", "1"};

} // namespace

std::vector<Workload> Choices::run() {
  fillAsHost();
  switch (What) {
  case Trouble::Astray:
    astray();
    break;
  case Trouble::Endless:
    endless();
    break;
  case Trouble::NotFinite:
    notFinite();
    break;
  case Trouble::WritesNothing:
    writesNothing();
    break;
  case Trouble::NotReproducible:
    notReproducible();
    break;
  }
  return std::move(All);
}

void Choices::astray() {
  grids();
  counts({1, 0});
  fill(IntBit, Kind::Loose);
  sizesSmaller({4, 16, 64});
  fill(IntSmall, Kind::Loose);
  fill(IntZero, Kind::Integers);
  fill(IntSmall, Kind::Integers);
  fill(IntOne, Kind::Loose);
  scalars({"2", "0"});
  fill(IntIota, Kind::Loose);
  fillOffsets();
  fill(IntAscending, Kind::Loose);
  sizesSingly({1, 16});
  fill(RealPositive, Kind::Reals);
  fill(RealZero, Kind::Reals);
  fillSingly({IntZero, IntOne, IntAscending});
}

/// Each of these may take as long as a launch is waited for: few.
void Choices::endless() {
  otherLaunches();
  fill(RealPositive, Kind::Reals);
  fill(IntBit, Kind::Loose);
  sizesSmaller({16});
  fill(IntZero, Kind::Integers);
  scalars({"2", "0"});
  counts({1});
  fill(IntOne, Kind::Integers);
  grids();
  fill(IntIota, Kind::Loose);
  fill(IntAscending, Kind::Loose);
  fill(RealZero, Kind::Reals);
}

void Choices::notFinite() {
  fill(RealPositive, Kind::Reals);
  fill(RealNegative, Kind::Reals);
  fill(RealNearOne, Kind::Reals);
  fill(RealSmall, Kind::Reals);
  otherLaunches();
  sizesSmaller({4, 16, 64});
  fill(IntOne, Kind::Loose);
  fill(IntSmall, Kind::Loose);
  scalars({"2", "0"});
  fill(RealOne, Kind::Reals);
  fill(RealZero, Kind::Reals);
  fill(IntZero, Kind::Integers);
  counts({1, 0});
  sizesSingly({1, 16, 64});
}

void Choices::writesNothing() {
  counts({1, 0, 16});
  scalars({"2", "0", "256"});
  fill(IntZero, Kind::Loose);
  fill(IntOne, Kind::Loose);
  fill(IntSmall, Kind::Loose);
  scalarsAsExtents();
  fill(RealPositive, Kind::Reals);
  fill(IntIota, Kind::Loose);
  fillOffsets();
  fill(IntSmall, Kind::Integers);
  fill(IntWide, Kind::Loose);
  fill(RealNegative, Kind::Reals);
  fill(RealZero, Kind::Reals);
  fill(IntAscending, Kind::Loose);
  sizesSmaller({4, 16, 64});
  fillSingly({IntZero, IntOne, IntSmall});
  fill(IntZero, Kind::Integers);
  sizesSingly({1, 2, 16});
}

void Choices::notReproducible() {
  // Sums of numbers of one sign depend less on their order.
  fill(RealPositive, Kind::Reals);
  fill(IntPermutation, Kind::Integers);
  fill(IntAscending, Kind::Integers);
  fill(IntIota, Kind::Integers);
  grids();
  fill(IntZero, Kind::Loose);
  fill(IntOne, Kind::Loose);
  fillSingly({IntPermutation, IntAscending, IntZero});
  sizesSmaller({4, 16, 64});
  scalars({"2", "0"});
  fill(RealZero, Kind::Reals);
}

std::vector<Workload> mep::dataChoices(const Workload &W, Trouble What) {
  return Choices(W, What).run();
}
