/// \file
/// What a kernel is called and where it stands.

#ifndef MEP_LIB_DISCOVERY_KERNELNAMES_H
#define MEP_LIB_DISCOVERY_KERNELNAMES_H

#include "mep/Model/Source.h"

namespace clang {
class FunctionDecl;
}

namespace mep {
class ParsedUnit;

/// From the first specifier or attribute to the closing brace.
SourceSpan definitionSpan(const ParsedUnit &Unit,
                          const clang::FunctionDecl &Kernel);

/// The pattern a specialisation was made from, or the function itself.
const clang::FunctionDecl *patternOf(const clang::FunctionDecl *Kernel);

/// `float, 16` of a specialisation; empty for a plain function.
std::string templateArguments(const ParsedUnit &Unit,
                              const clang::FunctionDecl &Kernel);

} // namespace mep

#endif // MEP_LIB_DISCOVERY_KERNELNAMES_H
