/// \file
/// Writing replaces a file whole or leaves it alone.

#include "mep/Support/Files.h"
#include "mep/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
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

/// The disk has room for \p Bytes of a file while this lives.
class SmallDisk {
public:
  explicit SmallDisk(rlim_t Bytes) : Before(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &Limit);
    rlimit Small{Bytes, Limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &Small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &Limit);
    signal(SIGXFSZ, Before);
  }

private:
  void (*Before)(int);
  rlimit Limit;
};

std::vector<std::string> namesIn(llvm::StringRef Folder) {
  std::vector<std::string> Names;
  std::error_code Problem;
  for (llvm::sys::fs::directory_iterator It(Folder, Problem), End;
       It != End && !Problem; It.increment(Problem))
    Names.push_back(llvm::sys::path::filename(It->path()).str());
  return Names;
}

TEST_F(FilesTest, FullDiskLeavesTheOldTextAndNothingElse) {
  ASSERT_FALSE(bool(writeFile(path("file"), "old")));
  llvm::Error E = [&] {
    SmallDisk Full(1000);
    return writeFile(path("file"), std::string(5000, 'x'));
  }();
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(failureOf(E), Failure::Output);
  std::string Message = llvm::toString(std::move(E));
  EXPECT_NE(Message.find(path("file")), std::string::npos) << Message;
  EXPECT_EQ(llvm::cantFail(readFile(path("file"))), "old");
  EXPECT_EQ(namesIn(Folder), std::vector<std::string>{"file"});
}

TEST_F(FilesTest, ALinkStaysOne) {
  ASSERT_FALSE(bool(writeFile(path("file"), "old")));
  ASSERT_EQ(symlink("file", path("link").c_str()), 0);
  ASSERT_FALSE(bool(writeFile(path("link"), "new")));
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(path("link")));
  EXPECT_EQ(llvm::cantFail(readFile(path("file"))), "new");
}

TEST_F(FilesTest, APipeIsWrittenTo) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  int Reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(Reader, 0);
  ASSERT_FALSE(bool(writeFile(path("pipe"), "text")));
  char Got[8] = {};
  EXPECT_EQ(read(Reader, Got, sizeof(Got)), 4);
  EXPECT_STREQ(Got, "text");
  close(Reader);
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
