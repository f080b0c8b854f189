/// \file
/// What a candidate's text may not hold, seen before any of it is parsed: as
/// tokens, so that neither comments nor spliced lines hide a word.

#ifndef MEP_LIB_OPTIMIZE_CANDIDATETEXT_H
#define MEP_LIB_OPTIMIZE_CANDIDATETEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mep {

/// The first thing in \p Text that is refused, empty if there is none:
/// directives that reach out of it, conditional ones that \p Original does not
/// have (admission would see other code than a compiler does), pragmas but
/// those of unrolling, assembly, macros with the name of a keyword or with a
/// reserved one, and names of the harness.
std::string foreignText(llvm::StringRef Text, llvm::StringRef Original);

/// True for names that the worker's own code begins with.
bool isHarnessName(llvm::StringRef Name);

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_CANDIDATETEXT_H
