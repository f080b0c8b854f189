/// \file
/// Values that are assumed: scalars, sizes, the grid.

#include "Choices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using llvm::StringRef;

/// Sizes are not made smaller than this.
static constexpr int64_t SmallestSize = 2;

/// \p Name is a word of the expression \p Text.
static bool uses(StringRef Text, StringRef Name) {
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = Text.find(Name); At != StringRef::npos;
       At = Text.find(Name, At + 1)) {
    size_t End = At + Name.size();
    if ((At == 0 || !IsPart(Text[At - 1])) &&
        (End == Text.size() || !IsPart(Text[End])))
      return true;
  }
  return false;
}

std::vector<std::string> Choices::assumed(Assumption::Kind Which) const {
  std::vector<std::string> Names;
  for (const Assumption &A : W.Assumptions)
    if (A.What == Which)
      Names.push_back(A.Name);
  return Names;
}

bool Choices::inBlock(StringRef Name) const {
  return llvm::any_of(W.Launch.Block,
                      [&](StringRef Side) { return uses(Side, Name); });
}

static bool setScalar(Workload &W, StringRef Name, const std::string &Value) {
  for (Argument &A : W.Arguments)
    for (ArgumentPart &P : A.Parts)
      if (P.Name == Name && P.Buffer.empty() && P.Value != Value) {
        P.Value = Value;
        return true;
      }
  return false;
}

void Choices::scalars(llvm::ArrayRef<const char *> Values) {
  std::vector<std::string> Names = assumed(Assumption::Scalar);
  for (const char *Value : Values) {
    add("the assumed " + quotedList(Names) + " " +
            (Names.size() == 1 ? "is " : "are ") + Value,
        [&](Workload &Other) {
          bool Any = false;
          for (const std::string &Name : Names)
            Any |= setScalar(Other, Name, Value);
          return Any;
        });
    for (size_t I = 0; Names.size() > 1 && I < Names.size(); ++I)
      if (I < MostSingles)
        add("the assumed '" + Names[I] + "' is " + Value,
            [&](Workload &Other) { return setScalar(Other, Names[I], Value); });
  }
}

/// A count may go as far as a buffer.
void Choices::scalarsAsExtents() {
  std::vector<std::string> Seen;
  for (const Buffer &B : W.Buffers) {
    if (B.Extent == "1" || llvm::is_contained(Seen, B.Extent) ||
        Seen.size() == 2)
      continue;
    Seen.push_back(B.Extent);
    std::vector<std::string> Names = assumed(Assumption::Scalar);
    add("the assumed " + quotedList(Names) + " go to '" + B.Extent + "'",
        [&](Workload &Other) {
          bool Any = false;
          for (const std::string &Name : Names)
            Any |= setScalar(Other, Name, B.Extent);
          return Any;
        });
  }
}

/// How assumed sizes go together is not known: no other shape can be made.
static void keepBase(Workload &W) {
  for (Dimension &D : W.Dimensions)
    D.Fixed = true;
  keepBaseShape(W, "assumed sizes have changed");
}

void Choices::sizesSmaller(llvm::ArrayRef<int64_t> Parts) {
  std::vector<std::string> Names;
  for (const std::string &Name : assumed(Assumption::Dimension))
    if (!inBlock(Name))
      Names.push_back(Name);
  if (Names.empty())
    return;
  for (int64_t Part : Parts)
    add("the assumed " + quotedList(Names) + " divided by " +
            std::to_string(Part),
        [&](Workload &Other) {
          bool Any = false;
          for (Dimension &D : Other.Dimensions)
            if (llvm::is_contained(Names, D.Name) && D.Value > SmallestSize) {
              D.Value = std::max(D.Value / Part, SmallestSize);
              Any = true;
            }
          keepBase(Other);
          return Any;
        });
}

/// Assumed sizes that are no size of anything: an index, a mode, a seed.
void Choices::counts(llvm::ArrayRef<int64_t> Values) {
  auto SizesSomething = [&](StringRef Name) {
    auto In = [&](StringRef Text) { return uses(Text, Name); };
    return llvm::any_of(W.Launch.Grid, In) || inBlock(Name) ||
           In(W.Launch.SharedBytes) ||
           llvm::any_of(W.Buffers, [&](const Buffer &B) {
             return In(B.Extent) || In(B.Fill.High);
           });
  };
  std::vector<std::string> Names;
  for (const std::string &Name : assumed(Assumption::Dimension))
    if (!SizesSomething(Name))
      Names.push_back(Name);
  if (Names.empty())
    return;
  for (int64_t Value : Values)
    add("the assumed " + quotedList(Names) +
            (Names.size() == 1 ? " is " : " are ") + std::to_string(Value),
        [&](Workload &Other) {
          for (Dimension &D : Other.Dimensions)
            if (llvm::is_contained(Names, D.Name))
              D.Value = Value;
          return true;
        });
}

void Choices::sizesSingly(llvm::ArrayRef<int64_t> Values) {
  std::vector<std::string> Names;
  for (const std::string &Name : assumed(Assumption::Dimension))
    if (!inBlock(Name) && Names.size() < 2 * MostSingles)
      Names.push_back(Name);
  for (int64_t Value : Values)
    for (const std::string &Name : Names)
      add("the assumed '" + Name + "' is " + std::to_string(Value),
          [&](Workload &Other) {
            bool Any = false;
            for (Dimension &D : Other.Dimensions)
              if (D.Name == Name && D.Value != Value) {
                D.Value = Value;
                Any = true;
              }
            keepBase(Other);
            return Any;
          });
}

/// An assumed grid covers the longest buffer; the threads may be meant for
/// another one.
void Choices::grids() {
  if (assumed(Assumption::Grid).empty())
    return;
  std::vector<std::string> Seen;
  for (const Buffer &B : W.Buffers) {
    if (llvm::is_contained(Seen, B.Extent) || Seen.size() == MostSingles)
      continue;
    Seen.push_back(B.Extent);
    add("the assumed grid covers '" + B.Name + "'", [&](Workload &Other) {
      std::string Grid =
          "(" + B.Extent +
          " + block_x * block_y * block_z - 1) / (block_x * block_y * block_z)";
      bool Any = Other.Launch.Grid[0] != Grid;
      Other.Launch.Grid = {Grid, "1", "1"};
      keepBase(Other);
      return Any;
    });
  }
  add("the assumed grid is one block", [&](Workload &Other) {
    bool Any = Other.Launch.Grid[0] != "1";
    Other.Launch.Grid = {"1", "1", "1"};
    keepBase(Other);
    return Any;
  });
}
