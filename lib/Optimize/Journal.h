/// \file
/// The append-only record of one kernel's session: kill the tool anywhere, run
/// it again, and nothing that was measured is measured twice.

#ifndef MEP_LIB_OPTIMIZE_JOURNAL_H
#define MEP_LIB_OPTIMIZE_JOURNAL_H

#include "mep/Model/Candidate.h"
#include "mep/Model/Evaluation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <set>
#include <string>

namespace mep {

/// NDJSON: a first line `{"schema":"mep-session/1","session":KEY}`, then
/// `{"candidate":{…}}` once for each and `{"evaluation":{…}}`.
class Journal {
public:
  /// Opens or makes \p Path and locks it. A journal of another \p Session is
  /// renamed to `PATH.N` and \p SetAside names it; a torn last line is cut off.
  /// Errors: Output (cannot write, or another run holds it).
  static llvm::Expected<std::unique_ptr<Journal>>
  open(llvm::StringRef Path, llvm::StringRef Session, std::string &SetAside);
  ~Journal();

  /// The recorded evaluation of one variant; null when there is none.
  const Evaluation *find(const std::string &Candidate,
                         const std::map<std::string, int64_t> &Tune) const;
  /// Errors (Output): disk full and the like.
  llvm::Error record(const Candidate &C);
  llvm::Error record(const Evaluation &E);

private:
  Journal() = default;
  llvm::Error append(const std::string &Line);
  using Variant = std::pair<std::string, std::map<std::string, int64_t>>;

  std::string Path;
  int File = -1;
  std::map<Variant, Evaluation> Known;
  std::set<std::string> Candidates;
};

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_JOURNAL_H
