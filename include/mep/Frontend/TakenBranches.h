/// \file
/// Conditional code inside a place: under which condition it reads as it was
/// parsed.

#ifndef MEP_FRONTEND_TAKENBRANCHES_H
#define MEP_FRONTEND_TAKENBRANCHES_H

#include "mep/Model/Source.h"
#include "llvm/Support/Error.h"

namespace mep {
class ParsedUnit;

/// The condition, as one would write it behind `#if` in front of \p Place,
/// under which the preprocessor takes the branches in it that \p Unit took:
/// `!defined(A) && (N > 3)`. Empty when there is no conditional code. Error
/// (Unsupported): a condition rests on a macro that \p Place itself defines;
/// names it and its place.
llvm::Expected<std::string> takenCondition(const ParsedUnit &Unit,
                                           const SourceSpan &Place);

} // namespace mep

#endif // MEP_FRONTEND_TAKENBRANCHES_H
