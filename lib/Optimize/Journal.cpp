/// \file
/// Reads, locks and appends to a session's journal.

#include "Journal.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Support/Json.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

using namespace mep;
using llvm::StringRef;

static constexpr const char *Schema = "mep-session/1";

static llvm::Error cannot(StringRef What, StringRef Path) {
  return makeError(Failure::Output,
                   ("cannot " + What + ": " + std::strerror(errno)).str(),
                   Path.str());
}

/// True if \p Line is the first line of a journal of \p Session.
static bool isHeader(StringRef Line, StringRef Session) {
  auto Header = parseJson(Line, "journal");
  if (!Header) {
    llvm::consumeError(Header.takeError());
    return false;
  }
  JsonReader Reader(*Header, "journal");
  std::string Is, Key;
  Reader.read("schema", Is);
  Reader.read("session", Key);
  if (llvm::Error E = Reader.takeError()) {
    llvm::consumeError(std::move(E));
    return false;
  }
  return Is == Schema && Key == Session;
}

static std::string freePath(StringRef Path) {
  for (unsigned N = 1;; ++N) {
    std::string Name = (Path + "." + llvm::Twine(N)).str();
    if (!llvm::sys::fs::exists(Name))
      return Name;
  }
}

llvm::Expected<std::unique_ptr<Journal>>
Journal::open(StringRef Path, StringRef Session, std::string &SetAside) {
  std::unique_ptr<Journal> J(new Journal);
  J->Path = Path.str();
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path));
  auto OpenLocked = [&]() -> llvm::Error {
    J->File =
        ::open(J->Path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (J->File < 0)
      return cannot("open the session's journal", Path);
    if (::flock(J->File, LOCK_EX | LOCK_NB) != 0)
      return makeError(Failure::Output,
                       "another run is working on this kernel's session",
                       Path.str(), "wait for it, or choose another -o DIR");
    return llvm::Error::success();
  };
  if (llvm::Error E = OpenLocked())
    return std::move(E);
  auto Text = readFile(Path);
  if (!Text)
    return Text.takeError();
  StringRef Rest = *Text;
  StringRef First = Rest.split('\n').first;
  if (!Rest.empty() && !isHeader(First, Session)) {
    SetAside = freePath(Path);
    if (::rename(J->Path.c_str(), SetAside.c_str()) != 0)
      return cannot("set the other session's journal aside", Path);
    ::close(J->File);
    if (llvm::Error E = OpenLocked())
      return std::move(E);
    Rest = "";
  }
  if (!Rest.contains('\n')) { // New, or killed over its first line.
    if (::ftruncate(J->File, 0) != 0)
      return cannot("repair the session's journal", Path);
    Json Header = {{"schema", Schema}, {"session", Session.str()}};
    if (llvm::Error E = J->append(printJson(Header)))
      return std::move(E);
    return std::move(J);
  }
  size_t Whole = 0;
  while (!Rest.empty()) {
    auto [Line, After] = Rest.split('\n');
    bool Torn = Line.size() == Rest.size();
    auto Value = parseJson(Line, "journal");
    if (!Value || Torn) {
      if (!Value)
        llvm::consumeError(Value.takeError());
      break; // The line that was being written when the tool was killed.
    }
    Whole += Line.size() + 1;
    Rest = After;
    JsonReader Reader(*Value, "journal");
    Reader.object("evaluation", [&](JsonReader &Inner) {
      auto E = evaluationFromJson(Inner.value(), "journal");
      if (E)
        J->Known[{E->Candidate, E->Tune}] = *E;
      else
        llvm::consumeError(E.takeError());
    });
    Reader.object("candidate", [&](JsonReader &Inner) {
      std::string Id;
      Inner.read("id", Id);
      J->Candidates.insert(Id);
    });
    llvm::consumeError(Reader.takeError());
  }
  if (::ftruncate(J->File, Whole) != 0)
    return cannot("repair the session's journal", Path);
  return std::move(J);
}

Journal::~Journal() {
  if (File >= 0)
    ::close(File);
}

const Evaluation *
Journal::find(const std::string &Candidate,
              const std::map<std::string, int64_t> &Tune) const {
  auto It = Known.find({Candidate, Tune});
  return It == Known.end() ? nullptr : &It->second;
}

llvm::Error Journal::append(const std::string &Line) {
  std::string Whole = Line + "\n";
  for (size_t At = 0; At < Whole.size();) {
    ssize_t Wrote = ::write(File, Whole.data() + At, Whole.size() - At);
    if (Wrote < 0 && errno == EINTR)
      continue;
    if (Wrote <= 0)
      return cannot("write the session's journal", Path);
    At += size_t(Wrote);
  }
  ::fdatasync(File);
  return llvm::Error::success();
}

llvm::Error Journal::record(const Candidate &C) {
  if (!Candidates.insert(C.Id).second)
    return llvm::Error::success();
  Json Line;
  Line["candidate"] = toJson(C);
  return append(printJson(Line));
}

llvm::Error Journal::record(const Evaluation &E) {
  Known[{E.Candidate, E.Tune}] = E;
  Json Line;
  Line["evaluation"] = toJson(E);
  return append(printJson(Line));
}
