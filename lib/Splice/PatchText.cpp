/// \file
/// A patch as a unified diff and as clang-apply-replacements' YAML.

#include "mep/Splice/Splicer.h"
#include "clang/Tooling/Core/Replacement.h"
#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/YAMLTraits.h"
#include <algorithm>

using namespace mep;
using llvm::StringRef;

namespace {

using Lines = std::vector<StringRef>;

/// Lines with their ends; the last may lack one.
Lines splitLines(StringRef Text) {
  Lines Out;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    size_t Length = End == StringRef::npos ? Text.size() : End + 1;
    Out.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Out;
}

enum class Op { Keep, Remove, Add };
struct Step {
  Op What;
  StringRef Line;
};

/// Longest common subsequence of the two middles, by table: a kernel is a few
/// hundred lines. Beyond a bound the whole middle is replaced, which is a
/// correct if coarse diff.
void diffMiddle(llvm::ArrayRef<StringRef> A, llvm::ArrayRef<StringRef> B,
                std::vector<Step> &Out) {
  constexpr size_t MaxCells = 16u << 20;
  if (A.size() * B.size() > MaxCells) {
    for (StringRef Line : A)
      Out.push_back({Op::Remove, Line});
    for (StringRef Line : B)
      Out.push_back({Op::Add, Line});
    return;
  }
  size_t Width = B.size() + 1;
  std::vector<unsigned> Common((A.size() + 1) * Width, 0);
  for (size_t I = A.size(); I-- > 0;)
    for (size_t J = B.size(); J-- > 0;)
      Common[I * Width + J] = A[I] == B[J]
                                  ? Common[(I + 1) * Width + J + 1] + 1
                                  : std::max(Common[(I + 1) * Width + J],
                                             Common[I * Width + J + 1]);
  size_t I = 0, J = 0;
  while (I < A.size() || J < B.size()) {
    if (I < A.size() && J < B.size() && A[I] == B[J]) {
      Out.push_back({Op::Keep, A[I]});
      ++I, ++J;
    } else if (J == B.size() ||
               (I < A.size() &&
                Common[(I + 1) * Width + J] >= Common[I * Width + J + 1])) {
      Out.push_back({Op::Remove, A[I++]});
    } else {
      Out.push_back({Op::Add, B[J++]});
    }
  }
}

std::vector<Step> diffLines(const Lines &A, const Lines &B) {
  size_t Head = 0, Tail = 0;
  while (Head < A.size() && Head < B.size() && A[Head] == B[Head])
    ++Head;
  while (Tail < A.size() - Head && Tail < B.size() - Head &&
         A[A.size() - 1 - Tail] == B[B.size() - 1 - Tail])
    ++Tail;
  std::vector<Step> Steps;
  for (size_t I = 0; I < Head; ++I)
    Steps.push_back({Op::Keep, A[I]});
  diffMiddle(llvm::ArrayRef(A).slice(Head, A.size() - Head - Tail),
             llvm::ArrayRef(B).slice(Head, B.size() - Head - Tail), Steps);
  for (size_t I = A.size() - Tail; I < A.size(); ++I)
    Steps.push_back({Op::Keep, A[I]});
  return Steps;
}

void printStep(const Step &S, std::string &Out) {
  Out += S.What == Op::Keep ? ' ' : S.What == Op::Remove ? '-' : '+';
  Out += S.Line;
  if (!S.Line.ends_with("\n"))
    Out += "\n\\ No newline at end of file\n";
}

std::string range(size_t First, size_t Count) {
  // A range of no lines names the line before it.
  return std::to_string(Count ? First : First - 1) + "," +
         std::to_string(Count);
}

/// Hunks with three lines of context; changes closer than six lines share one.
void printHunks(const std::vector<Step> &Steps, std::string &Out) {
  constexpr size_t Context = 3;
  size_t At = 0, OldLine = 1, NewLine = 1;
  auto Advance = [&](size_t To) {
    for (; At < To; ++At) {
      OldLine += Steps[At].What != Op::Add;
      NewLine += Steps[At].What != Op::Remove;
    }
  };
  while (true) {
    size_t Change = At;
    while (Change < Steps.size() && Steps[Change].What == Op::Keep)
      ++Change;
    if (Change == Steps.size())
      return;
    Advance(Change - std::min(Context, Change - At));
    size_t End = Change, Quiet = 0;
    for (size_t I = Change; I < Steps.size() && Quiet <= 2 * Context; ++I) {
      Quiet = Steps[I].What == Op::Keep ? Quiet + 1 : 0;
      if (!Quiet)
        End = I + 1;
    }
    End = std::min(End + Context, Steps.size());
    size_t Old = 0, New = 0;
    for (size_t I = At; I < End; ++I) {
      Old += Steps[I].What != Op::Add;
      New += Steps[I].What != Op::Remove;
    }
    Out += "@@ -" + range(OldLine, Old) + " +" + range(NewLine, New) + " @@\n";
    for (size_t I = At; I < End; ++I)
      printStep(Steps[I], Out);
    Advance(End);
  }
}

} // namespace

std::string mep::unifiedDiff(const Patch &P, StringRef Root) {
  std::string Out;
  for (const FilePatch &F : P.Files) {
    if (F.Before == F.After)
      continue;
    StringRef Name = F.File;
    if (Name.consume_front(Root))
      Name = Name.ltrim('/');
    Out += ("--- a/" + Name + "\n+++ b/" + Name + "\n").str();
    printHunks(diffLines(splitLines(F.Before), splitLines(F.After)), Out);
  }
  return Out;
}

std::string mep::replacementsYaml(const Patch &P) {
  clang::tooling::TranslationUnitReplacements All;
  if (!P.Files.empty())
    All.MainSourceFile = P.Files.front().File;
  for (const Edit &E : P.Edits)
    All.Replacements.emplace_back(E.Place.File, E.Place.Begin,
                                  E.Place.End - E.Place.Begin, E.Replacement);
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  llvm::yaml::Output Yaml(OS);
  Yaml << All;
  return Text;
}
