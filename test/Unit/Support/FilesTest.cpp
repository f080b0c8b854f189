/// \file
/// Writing replaces a file whole or leaves it alone.

#include "mep/Support/Files.h"
#include "mep/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace mep;

namespace {

class FilesTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mep-files", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }
  std::string path(llvm::StringRef Name) {
    llvm::SmallString<128> P(Folder);
    llvm::sys::path::append(P, Name);
    return P.str().str();
  }
  llvm::SmallString<128> Folder;
};

TEST_F(FilesTest, WritesThroughMissingFolders) {
  ASSERT_FALSE(bool(writeFile(path("a/b/c.txt"), "text")));
  auto Text = readFile(path("a/b/c.txt"));
  ASSERT_TRUE(bool(Text));
  EXPECT_EQ(*Text, "text");
}

TEST_F(FilesTest, KeepsTheModeOfTheFileItReplaces) {
  ASSERT_FALSE(bool(writeFile(path("run"), "1")));
  ASSERT_EQ(chmod(path("run").c_str(), 0755), 0);
  ASSERT_FALSE(bool(writeFile(path("run"), "2")));
  struct stat Info;
  ASSERT_EQ(stat(path("run").c_str(), &Info), 0);
  EXPECT_EQ(Info.st_mode & 0777, 0755u);
}

TEST_F(FilesTest, FullDiskLeavesTheOldText) {
  if (!llvm::sys::fs::exists("/dev/full"))
    GTEST_SKIP();
  llvm::Error E = writeFile("/dev/full/x", "text");
  EXPECT_TRUE(bool(E));
  EXPECT_EQ(failureOf(E), Failure::Output);
  llvm::consumeError(std::move(E));
}

TEST_F(FilesTest, MissingFileAndFolderAreInputErrors) {
  for (std::string Path : {path("none"), Folder.str().str()}) {
    auto Text = readFile(Path);
    ASSERT_FALSE(bool(Text));
    llvm::Error E = Text.takeError();
    EXPECT_EQ(failureOf(E), Failure::Input);
    EXPECT_NE(llvm::toString(std::move(E)).find(Path), std::string::npos);
  }
}

TEST(ContentHash, IsSha256AndTellsTextsApart) {
  EXPECT_EQ(contentHash("abc"), "ba7816bf8f01cfea");
  EXPECT_NE(contentHash("a"), contentHash("b"));
}

} // namespace
