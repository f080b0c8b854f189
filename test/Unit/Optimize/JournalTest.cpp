/// \file
/// The session's journal: what was recorded is found again, torn lines and
/// other sessions are survived, two runs exclude each other.

#include "../../../lib/Optimize/Journal.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

class JournalTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mep-journal", Folder));
    Path = Folder;
    llvm::sys::path::append(Path, "session.ndjson");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  std::unique_ptr<Journal> open(const char *Session) {
    SetAside.clear();
    auto J = Journal::open(Path, Session, SetAside);
    EXPECT_TRUE(bool(J));
    if (!J) {
      ADD_FAILURE() << llvm::toString(J.takeError());
      return nullptr;
    }
    return std::move(*J);
  }

  static Evaluation measured(const char *Id, int64_t Tile) {
    Evaluation E;
    E.Candidate = Id;
    E.Tune["TILE"] = Tile;
    E.Outcome = Status::Faster;
    E.Ratio = 2;
    return E;
  }

  llvm::SmallString<128> Folder, Path;
  std::string SetAside;
};

TEST_F(JournalTest, FindsWhatWasRecorded) {
  {
    auto J = open("a");
    EXPECT_FALSE(bool(J->record(measured("x", 8))));
  }
  auto J = open("a");
  ASSERT_NE(J->find("x", {{"TILE", 8}}), nullptr);
  EXPECT_EQ(J->find("x", {{"TILE", 8}})->Ratio, 2);
  EXPECT_EQ(J->find("x", {{"TILE", 16}}), nullptr);
  EXPECT_EQ(J->find("y", {{"TILE", 8}}), nullptr);
}

TEST_F(JournalTest, StoresACandidateOnce) {
  Candidate C;
  C.Id = "x";
  C.DeviceText = "only-once";
  {
    auto J = open("a");
    EXPECT_FALSE(bool(J->record(C)));
    EXPECT_FALSE(bool(J->record(C)));
  }
  EXPECT_FALSE(bool(open("a")->record(C)));
  auto Text = readFile(Path);
  ASSERT_TRUE(bool(Text));
  EXPECT_EQ(llvm::StringRef(*Text).count("only-once"), 1u);
}

TEST_F(JournalTest, CutsATornLine) {
  {
    auto J = open("a");
    EXPECT_FALSE(bool(J->record(measured("x", 8))));
    EXPECT_FALSE(bool(J->record(measured("x", 16))));
  }
  auto Text = readFile(Path);
  ASSERT_TRUE(bool(Text));
  ASSERT_FALSE(bool(writeFile(Path, llvm::StringRef(*Text).drop_back(9))));
  auto J = open("a");
  EXPECT_NE(J->find("x", {{"TILE", 8}}), nullptr);
  EXPECT_EQ(J->find("x", {{"TILE", 16}}), nullptr);
  EXPECT_FALSE(bool(J->record(measured("x", 32))));
  J.reset();
  EXPECT_NE(open("a")->find("x", {{"TILE", 32}}), nullptr);
}

TEST_F(JournalTest, SetsAnotherSessionAside) {
  {
    auto J = open("a");
    EXPECT_FALSE(bool(J->record(measured("x", 8))));
  }
  auto J = open("b");
  EXPECT_EQ(J->find("x", {{"TILE", 8}}), nullptr);
  EXPECT_TRUE(llvm::sys::fs::exists(SetAside)) << SetAside;
}

TEST_F(JournalTest, ExcludesASecondRun) {
  auto J = open("a");
  std::string Other;
  auto Second = Journal::open(Path, "a", Other);
  ASSERT_FALSE(bool(Second));
  llvm::Error E = Second.takeError();
  EXPECT_EQ(failureOf(E), Failure::Output);
  EXPECT_NE(llvm::toString(std::move(E)).find("another run"),
            std::string::npos);
}

TEST_F(JournalTest, AFirstLineWithoutItsEndIsWrittenAnew) {
  {
    open("a");
  }
  auto Text = readFile(Path);
  ASSERT_TRUE(bool(Text));
  ASSERT_FALSE(bool(writeFile(Path, llvm::StringRef(*Text).rtrim('\n').str())));
  {
    auto J = open("a");
    ASSERT_TRUE(J);
    EXPECT_EQ(SetAside, "");
    ASSERT_FALSE(bool(J->record(measured("x", 8))));
  }
  auto J = open("a");
  ASSERT_TRUE(J);
  EXPECT_EQ(SetAside, "");
  EXPECT_TRUE(J->find("x", {{"TILE", 8}}));
}

} // namespace
