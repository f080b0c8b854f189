/// \file
/// The words of the sandbox, and programs that are run in one. What candidates
/// cannot do is in test/Worker/escape-*.test.

#include "Sandbox.h"
#include "Channel.h"
#include "Programs.h"
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mepworker;

namespace {

using Words = std::vector<std::string>;

TEST(Sandbox, PathsInFlags) {
  EXPECT_EQ(
      pathsIn({"-I/a", "-I", "/b c", "-Irelative", "-std=c++17", "-DX=1"}),
      Words({"/a", "/b c", "relative"}));
  EXPECT_EQ(pathsIn({"-isystem=/c", "-Xcompiler=-imacros,/d.h,-w", "-ccbin",
                     "/opt/bin/g++"}),
            Words({"/c", "/d.h", "/opt/bin/g++"}));
  EXPECT_EQ(pathsIn({"-I"}), Words({}));
}

TEST(Sandbox, NamesWhatIsActive) {
  Protections Some;
  Some.Landlock = Some.Limits = true;
  EXPECT_EQ(Some.names(), Words({"landlock", "rlimits"}));
  EXPECT_EQ(Protections().names(), Words());
}

TEST(Sandbox, TheHomeFolderIsNoPrefix) {
  PrivateFolder Home;
  const std::string Bin = Home.Path + "/bin";
  ASSERT_EQ(
      system(("mkdir -p " + Bin + " " + Home.Path + "/llvm/bin && touch " +
              Bin + "/own " + Home.Path + "/llvm/bin/tool")
                 .c_str()),
      0);
  const char *Before = getenv("HOME");
  const std::string Old = Before ? Before : "";
  setenv("HOME", Home.Path.c_str(), 1);
  EXPECT_EQ(prefixOf(Bin + "/own"), "");
  EXPECT_EQ(prefixOf(Home.Path + "/llvm/bin/tool"), Home.Path + "/llvm");
  setenv("HOME", Old.c_str(), 1);
}

TEST(Channel, MessagesAndTheirEnd) {
  int Ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends), 0);
  Fields Sent = {"", "one\ntwo", std::string(3, '\0')}, Got;
  packList(Sent, {"a", "b"});
  ASSERT_TRUE(sendFields(Ends[0], Sent));
  ASSERT_TRUE(receiveFields(Ends[1], Got));
  EXPECT_EQ(Got, Sent);
  size_t At = 3;
  EXPECT_EQ(unpackList(Got, At), Words({"a", "b"}));
  EXPECT_FALSE(hasHungUp(Ends[1]));
  ASSERT_EQ(write(Ends[0], "\xff\xff\xff\xff\xff\xff\xff\xff", 8), 8);
  EXPECT_FALSE(receiveFields(Ends[1], Got)) << "more fields than there can be";
  close(Ends[0]);
  EXPECT_TRUE(hasHungUp(Ends[1]));
  close(Ends[1]);
}

ProgramRun shell(const PrivateFolder &In, const std::string &Text) {
  ProgramRun What;
  What.Words = {"/bin/sh", "-c", Text};
  What.Folder = In.Path;
  What.IsInside = true;
  What.Log = In.Path + "/log";
  return What;
}

TEST(Programs, SaysHowItEnded) {
  PrivateFolder Own;
  EXPECT_TRUE(
      runProgram(shell(Own, "echo said; echo made > here")).succeeded());
  EXPECT_EQ(contentsOf(Own.Path + "/log"), "said\n");
  EXPECT_EQ(contentsOf(Own.Path + "/here"), "made\n");
  EXPECT_EQ(WEXITSTATUS(runProgram(shell(Own, "exit 3")).Status), 3);
  ProgramRun Missing = shell(Own, "");
  Missing.Words = {"/nonexistent"};
  EXPECT_FALSE(runProgram(Missing).succeeded());
}

/// Gone, or only waiting for somebody to take note of its end.
bool hasEnded(pid_t Process) {
  std::string Line = contentsOf("/proc/" + std::to_string(Process) + "/stat");
  size_t State = Line.rfind(") ");
  return State == std::string::npos || Line[State + 2] == 'Z';
}

/// What was started in the background ends with the program.
void expectNoneLeft(const PrivateFolder &Own) {
  const pid_t Started = atoi(contentsOf(Own.Path + "/pid").c_str());
  ASSERT_GT(Started, 0);
  for (int Tries = 0; !hasEnded(Started) && Tries < 3000; ++Tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(hasEnded(Started));
}

constexpr const char *InBackground = "sleep 1000 & echo $! > pid; ";

TEST(Programs, LeavesNothingBehind) {
  PrivateFolder Own;
  EXPECT_TRUE(runProgram(shell(Own, InBackground)).succeeded());
  expectNoneLeft(Own);
}

TEST(Programs, EndsWithItsTime) {
  PrivateFolder Own;
  ProgramRun What = shell(Own, std::string(InBackground) + "wait");
  What.Seconds = 0.2;
  EXPECT_TRUE(runProgram(What).TimedOut);
  expectNoneLeft(Own);
}

TEST(Programs, EndsWithTheWorker) {
  int Ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends), 0);
  PrivateFolder Own;
  ProgramRun What = shell(Own, std::string(InBackground) + "wait");
  What.Worker = Ends[1];
  std::thread Worker([&] {
    while (contentsOf(Own.Path + "/pid").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    close(Ends[0]);
  });
  Ran Done = runProgram(What);
  Worker.join();
  EXPECT_TRUE(WIFSIGNALED(Done.Status));
  EXPECT_FALSE(Done.TimedOut);
  expectNoneLeft(Own);
  close(Ends[1]);
}

} // namespace
