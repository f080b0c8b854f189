/// \file
/// The form in which people and models hand in a candidate: device code in one
/// fenced block, the launch plan as JSON in another.

#ifndef MEP_OPTIMIZE_REPLY_H
#define MEP_OPTIMIZE_REPLY_H

#include "mep/Model/Candidate.h"

namespace mep {

/// Longest reply that is looked at, in bytes.
constexpr size_t MostReplyBytes = 4 << 20;

/// Reads a reply. The code is the fenced blocks that define kernels, or all of
/// \p Text when it has no fence and defines one; a block marked json (or one
/// that begins with a brace) holds the members of a plan (launches, scratch,
/// tune), or an object with `plan`, `moves` and `summary`. Without one the
/// launch stays the original's. Read as meant: other line ends, a byte-order
/// mark, invalid UTF-8, control characters, comments and trailing commas in
/// JSON. Error (Unsupported) where the intent is not plain: no code, a kernel
/// defined twice, a block that is never closed, two plans, a plan that is none,
/// more than MostReplyBytes. The candidate has no Id and no Proposer yet.
llvm::Expected<Candidate> parseReply(llvm::StringRef Text);

} // namespace mep

#endif // MEP_OPTIMIZE_REPLY_H
