/// \file
/// A patch as a unified diff and as clang-apply-replacements' YAML.

#include "LineDiff.h"
#include "mep/Splice/Splicer.h"
#include "clang/Tooling/Core/Replacement.h"
#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/YAMLTraits.h"
#include <algorithm>

using namespace mep;
using llvm::StringRef;

namespace {

void printStep(const LineStep &S, std::string &Out) {
  Out += S.What == LineOp::Keep ? ' ' : S.What == LineOp::Remove ? '-' : '+';
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
void printHunks(const std::vector<LineStep> &Steps, std::string &Out) {
  constexpr size_t Context = 3;
  size_t At = 0, OldLine = 1, NewLine = 1;
  auto Advance = [&](size_t To) {
    for (; At < To; ++At) {
      OldLine += Steps[At].What != LineOp::Add;
      NewLine += Steps[At].What != LineOp::Remove;
    }
  };
  while (true) {
    size_t Change = At;
    while (Change < Steps.size() && Steps[Change].What == LineOp::Keep)
      ++Change;
    if (Change == Steps.size())
      return;
    Advance(Change - std::min(Context, Change - At));
    size_t End = Change, Quiet = 0;
    for (size_t I = Change; I < Steps.size() && Quiet <= 2 * Context; ++I) {
      Quiet = Steps[I].What == LineOp::Keep ? Quiet + 1 : 0;
      if (!Quiet)
        End = I + 1;
    }
    End = std::min(End + Context, Steps.size());
    size_t Old = 0, New = 0;
    for (size_t I = At; I < End; ++I) {
      Old += Steps[I].What != LineOp::Add;
      New += Steps[I].What != LineOp::Remove;
    }
    Out += "@@ -" + range(OldLine, Old) + " +" + range(NewLine, New) + " @@\n";
    for (size_t I = At; I < End; ++I)
      printStep(Steps[I], Out);
    Advance(End);
  }
}

/// The path below \p Root. A tab ends a name that has blanks, as GNU diff
/// writes it and git reads it.
std::string nameIn(StringRef File, StringRef Root) {
  StringRef Name = File;
  if (Name.consume_front(Root.rtrim('/')) && Name.starts_with("/"))
    Name = Name.ltrim('/');
  else
    Name = File.ltrim('/');
  return Name.str() + (Name.contains(' ') ? "\t" : "");
}

} // namespace

std::string mep::unifiedDiff(const Patch &P, StringRef Root) {
  std::string Out;
  for (const FilePatch &F : P.Files) {
    if (F.Before == F.After)
      continue;
    std::string Name = nameIn(F.File, Root);
    Out += "--- a/" + Name + "\n+++ b/" + Name + "\n";
    printHunks(diffLines(F.Before, F.After), Out);
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
