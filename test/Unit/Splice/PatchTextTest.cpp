/// \file
/// Patches as text: what `patch` and `git apply` take, and when a patch is
/// refused.

#include "../../../lib/Splice/LineDiff.h"
#include "../Frontend/TemporaryFolder.h"
#include "mep/Splice/Splicer.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>

using namespace mep;
using llvm::StringRef;

namespace {

bool runs(const std::string &Command) {
  return std::system((Command + " >/dev/null 2>&1").c_str()) == 0;
}

std::string textOf(const std::string &Path) {
  auto Text = readFile(Path);
  return Text ? *Text : llvm::toString(Text.takeError());
}

Patch patchOf(const std::string &File, StringRef Before, StringRef After) {
  Patch P;
  P.Files.push_back({File, Before.str(), After.str()});
  return P;
}

/// Writes \p Before, diffs it to \p After, and lets both programs apply it.
void expectApplies(StringRef Before, StringRef After,
                   StringRef Name = "src/a.cu") {
  TemporaryFolder Folder;
  std::string File = Folder.write(Name, Before);
  std::string Diff = unifiedDiff(patchOf(File, Before, After), Folder.Root);
  std::string DiffFile = Folder.write("change.diff", Diff);
  if (llvm::sys::findProgramByName("patch")) {
    EXPECT_TRUE(runs("patch -p1 -d " + Folder.Root + " -i " + DiffFile))
        << Diff;
    EXPECT_EQ(textOf(File), After.str()) << Diff;
    Folder.write(Name, Before);
  }
  if (llvm::sys::findProgramByName("git")) {
    EXPECT_TRUE(runs("cd " + Folder.Root + " && git apply " + DiffFile))
        << Diff;
    EXPECT_EQ(textOf(File), After.str()) << Diff;
  }
}

std::string numbered(unsigned Lines) {
  std::string Text;
  for (unsigned I = 0; I < Lines; ++I)
    Text += "line " + std::to_string(I) + "\n";
  return Text;
}

TEST(PatchText, ChangesInTheMiddleAndFarApart) {
  std::string Before = numbered(60), After = Before;
  After.replace(After.find("line 5\n"), 7, "five\nfive and a half\n");
  After.erase(After.find("line 30\n"), 8);
  After += "end\n";
  expectApplies(Before, After);
}

TEST(PatchText, FirstLineLastLineAndWholeFile) {
  expectApplies("a\nb\nc\n", "x\nb\nc\n");
  expectApplies("a\nb\nc\n", "a\nb\nx\n");
  expectApplies("a\nb\n", "c\nd\ne\n");
}

TEST(PatchText, NoNewlineAtTheEnd) {
  expectApplies("a\nb", "a\nc");
  expectApplies("a\nb", "a\nb\n");
  expectApplies("a\nb\n", "a\nb");
  expectApplies("a\nb\nc\nd", "x\nb\nc\nd");
}

TEST(PatchText, CarriageReturnsStay) {
  TemporaryFolder Folder;
  std::string Before = "a\r\nb\r\nc\r\n", After = "a\r\nx\r\nc\r\n";
  std::string File = Folder.write("a.cu", Before);
  std::string Diff = unifiedDiff(patchOf(File, Before, After), Folder.Root);
  EXPECT_NE(Diff.find("-b\r\n+x\r\n"), std::string::npos) << Diff;
  if (llvm::sys::findProgramByName("git")) {
    EXPECT_TRUE(
        runs("cd " + Folder.Root + " && git apply " + Folder.write("d", Diff)));
    EXPECT_EQ(textOf(File), After);
  }
}

TEST(PatchText, NamesWithBlanks) {
  expectApplies("a\nb\n", "a\nc\n", "my code/a b.cu");
}

TEST(PatchText, AnUnchangedFileLeavesNoTrace) {
  EXPECT_EQ(unifiedDiff(patchOf("/x/a.cu", "a\n", "a\n"), "/x"), "");
}

TEST(LineDiff, StepsMakeBothTextsAndAreFew) {
  std::mt19937 Random(7);
  for (unsigned Round = 0; Round < 500; ++Round) {
    std::string Before, After;
    for (unsigned I = Random() % 12; I > 0; --I)
      Before += {char('a' + Random() % 4), '\n'};
    for (unsigned I = Random() % 12; I > 0; --I)
      After += {char('a' + Random() % 4), '\n'};
    std::string Old, New;
    for (const LineStep &S : diffLines(Before, After)) {
      if (S.What != LineOp::Add)
        Old += S.Line;
      if (S.What != LineOp::Remove)
        New += S.Line;
    }
    ASSERT_EQ(Old, Before);
    ASSERT_EQ(New, After);
  }
  unsigned Changes = 0;
  for (const LineStep &S : diffLines("a\nb\nc\nd\n", "a\nc\nd\ne\n"))
    Changes += S.What != LineOp::Keep;
  EXPECT_EQ(Changes, 2u);
}

Edit editOf(const std::string &File, unsigned Begin, unsigned End,
            StringRef Was, StringRef Becomes) {
  SourceSpan Place;
  Place.File = File;
  Place.Begin = Begin;
  Place.End = End;
  Place.Line = Place.Column = 1;
  return {Place, Becomes.str(), contentHash(Was)};
}

TEST(MakePatch, AppliesEditsInAnyOrder) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "one two three");
  auto P = makePatch(
      {editOf(File, 8, 13, "three", "3"), editOf(File, 0, 3, "one", "1")});
  ASSERT_TRUE(bool(P)) << llvm::toString(P.takeError());
  ASSERT_EQ(P->Files.size(), 1u);
  EXPECT_EQ(P->Files[0].After, "1 two 3");
}

TEST(MakePatch, RefusesChangedAndOverlappingText) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "one two three");
  auto Changed = makePatch({editOf(File, 0, 3, "uno", "1")});
  ASSERT_FALSE(bool(Changed));
  std::string Message = llvm::toString(Changed.takeError());
  EXPECT_NE(Message.find("changed since it was parsed"), std::string::npos);
  EXPECT_NE(Message.find("a.cu:1:1"), std::string::npos) << Message;
  auto Overlap = makePatch({editOf(File, 0, 7, "one two", "x"),
                            editOf(File, 4, 13, "two three", "y")});
  ASSERT_FALSE(bool(Overlap));
  EXPECT_NE(llvm::toString(Overlap.takeError()).find("same text"),
            std::string::npos);
}

TEST(MakePatch, YamlNamesEveryEdit) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "one two");
  auto P = makePatch({editOf(File, 4, 7, "two", "2\n\"x\"")});
  ASSERT_TRUE(bool(P)) << llvm::toString(P.takeError());
  std::string Yaml = replacementsYaml(*P);
  EXPECT_NE(Yaml.find("Offset:          4"), std::string::npos) << Yaml;
  EXPECT_NE(Yaml.find("Length:          3"), std::string::npos) << Yaml;
  auto Tool = llvm::sys::findProgramByName("clang-apply-replacements-22");
  if (!Tool)
    GTEST_SKIP() << "no clang-apply-replacements-22";
  Folder.write("fixes/a.yaml", Yaml);
  EXPECT_TRUE(runs(*Tool + " " + Folder.path("fixes")));
  EXPECT_EQ(textOf(File), "one 2\n\"x\"");
}

TEST(ApplyPatch, AllOrNothing) {
  TemporaryFolder Folder;
  std::string First = Folder.write("a.cu", "one");
  // A folder in the second file's place makes its write fail.
  std::string Second = Folder.path("b.cu");
  llvm::sys::fs::create_directories(Second + "/in-the-way");
  Patch P;
  P.Files.push_back({First, "one", "1"});
  P.Files.push_back({Second, "two", "2"});
  llvm::Error E = applyPatch(P);
  EXPECT_EQ(failureOf(E), Failure::Output);
  llvm::consumeError(std::move(E));
  EXPECT_EQ(textOf(First), "one");
}

} // namespace
