/// \file
/// Candidates that lie in files: a programmer's own versions of a kernel.

#include "mep/Optimize/Proposer.h"
#include "mep/Optimize/Reply.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mep;
using llvm::StringRef;

namespace {

class FileProposer : public Proposer {
public:
  explicit FileProposer(std::vector<Candidate> Given)
      : Given(std::move(Given)) {}
  const char *name() const override { return "files"; }
  llvm::Expected<std::vector<Candidate>> propose(const ProposalContext &,
                                                 unsigned) override {
    return std::exchange(Given, {});
  }

private:
  std::vector<Candidate> Given;
};

/// \p Path itself, or the files in it in order of their names.
llvm::Expected<std::vector<std::string>> filesAt(StringRef Path) {
  std::vector<std::string> Files;
  if (!llvm::sys::fs::is_directory(Path)) {
    Files.push_back(Path.str());
    return Files;
  }
  std::error_code Problem;
  for (llvm::sys::fs::directory_iterator It(Path, Problem), End;
       It != End && !Problem; It.increment(Problem))
    if (!llvm::sys::fs::is_directory(It->path()))
      Files.push_back(It->path());
  if (Problem)
    return makeError(Failure::Input, Problem.message(), Path.str());
  if (Files.empty())
    return makeError(Failure::Input, "the folder holds no file", Path.str());
  llvm::sort(Files);
  return Files;
}

llvm::Expected<Candidate> candidateIn(const std::string &File) {
  auto Text = readFile(File);
  if (!Text)
    return Text.takeError();
  Candidate Result;
  if (auto Read = parseReply(*Text))
    Result = std::move(*Read);
  else
    Result.Problem = llvm::toString(Read.takeError());
  Result.Proposer = "files";
  Result.Origin = llvm::sys::path::filename(File).str();
  // What cannot be read has no text to be known by.
  Result.Id = Result.Problem.empty() ? candidateId(Result)
                                     : contentHash(*Text + Result.Problem);
  return Result;
}

} // namespace

llvm::Expected<std::unique_ptr<Proposer>>
mep::makeFileProposer(llvm::ArrayRef<std::string> Paths) {
  std::vector<Candidate> Given;
  for (const std::string &Path : Paths) {
    auto Files = filesAt(Path);
    if (!Files)
      return Files.takeError();
    for (const std::string &File : *Files) {
      auto Read = candidateIn(File);
      if (!Read)
        return Read.takeError();
      Given.push_back(std::move(*Read));
    }
  }
  return std::make_unique<FileProposer>(std::move(Given));
}
