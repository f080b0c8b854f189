/// \file
/// Where candidates come from.

#ifndef MEP_OPTIMIZE_PROPOSER_H
#define MEP_OPTIMIZE_PROPOSER_H

#include "mep/Model/Candidate.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Result.h"
#include <memory>

namespace mep {

/// All a proposer may look at.
struct ProposalContext {
  const Closure &Source;
  const Workload &Data;
  const Device &On;
  const Baseline &Base;
  const std::vector<Trial> &History; ///< All trials so far.
  std::vector<const Trial *> Beam;   ///< Best first; empty in the first round.
  unsigned Round = 0;
};

class Proposer {
public:
  virtual ~Proposer() = default;
  virtual const char *name() const = 0;
  /// Up to \p Wanted new candidates, none equal (Id) to one in the history. An
  /// empty list: nothing left to try. Error only if it cannot go on at all.
  virtual llvm::Expected<std::vector<Candidate>>
  propose(const ProposalContext &Context, unsigned Wanted) = 0;
};

/// The catalogue: AST moves with checked preconditions, no network.
std::unique_ptr<Proposer> makeBuiltinProposer();

/// A programmer's own versions: all files of \p Paths (files and folders, not
/// those below), each a reply as parseReply() takes it. One that cannot be
/// understood is a candidate with a Problem. Error (Input): a file cannot be
/// read, a folder has none.
llvm::Expected<std::unique_ptr<Proposer>>
makeFileProposer(llvm::ArrayRef<std::string> Paths);

/// Content hash that identifies a candidate.
std::string candidateId(const Candidate &C);

} // namespace mep

#endif // MEP_OPTIMIZE_PROPOSER_H
