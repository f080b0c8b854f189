/// \file
/// Private stdout, and the last words of a dying worker.

#include "Output.h"
#include <atomic>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace mepworker;

namespace {

// Plain memory: a signal handler may use nothing else.
int AnswerFile = 1;
constexpr size_t MostWords = 8192;
char WordsBefore[MostWords], WordsAfter[MostWords];
std::atomic<bool> HasWords{false};

bool writeAll(const char *From, size_t Bytes) {
  while (Bytes) {
    ssize_t Written = write(AnswerFile, From, Bytes);
    if (Written < 0)
      return false;
    From += Written;
    Bytes -= size_t(Written);
  }
  return true;
}

const char *signalName(int Signal) {
  switch (Signal) {
  case SIGSEGV:
    return "SIGSEGV (bad address)";
  case SIGBUS:
    return "SIGBUS (bad address)";
  case SIGFPE:
    return "SIGFPE (division by zero)";
  case SIGSYS:
    return "SIGSYS (tries to reach beyond its process)";
  case SIGILL:
    return "SIGILL (trap)";
  default:
    return "SIGABRT (abort)";
  }
}

void onCrash(int Signal) {
  if (HasWords.exchange(false)) {
    const char *Name = signalName(Signal);
    writeAll(WordsBefore, strlen(WordsBefore));
    writeAll(Name, strlen(Name));
    writeAll(WordsAfter, strlen(WordsAfter));
    _exit(3);
  }
  signal(Signal, SIG_DFL);
  raise(Signal);
}

} // namespace

Output::Output() {
  AnswerFile = fcntl(1, F_DUPFD_CLOEXEC, 3);
  int Nowhere = open("/dev/null", O_WRONLY);
  if (AnswerFile < 0 || Nowhere < 0 || dup2(Nowhere, 1) < 0)
    _exit(1);
  close(Nowhere);
  signal(SIGPIPE, SIG_IGN);
}

void Output::send(const std::string &Line) {
  std::lock_guard<std::mutex> Lock(Mutex);
  HasWords = false;
  std::string Whole = Line + "\n";
  if (!writeAll(Whole.data(), Whole.size()))
    _exit(0);
}

void Output::setLastWords(const std::string &Before, const std::string &After) {
  HasWords = false;
  if (Before.size() >= MostWords || After.size() + 1 >= MostWords)
    return;
  strcpy(WordsBefore, Before.c_str());
  strcpy(WordsAfter, (After + "\n").c_str());
  HasWords = true;
}

void Output::clearLastWords() { HasWords = false; }

void Output::catchCrashes() {
  for (int Signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS})
    signal(Signal, onCrash);
}
