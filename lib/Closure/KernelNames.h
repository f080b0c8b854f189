/// \file
/// Closure: how the compilers name what the closure defines.

#ifndef MEP_LIB_CLOSURE_KERNELNAMES_H
#define MEP_LIB_CLOSURE_KERNELNAMES_H

#include <string>

namespace clang {
class FunctionDecl;
class NamedDecl;
} // namespace clang

namespace mep {

/// The device symbol of \p D in the closure as nvcc mangles it: internal
/// linkage leaves no mark, an unnamed namespace is \c LocalNamespace.
std::string deviceSymbol(const clang::NamedDecl *D);

/// Name that finds \p D from outside; a kernel's without template arguments.
std::string reachableName(const clang::NamedDecl *D);

/// `template __global__ void k<float, 16>(float *);`, to stand in the scope of
/// the template; empty when an argument cannot be named. \p Arguments: as
/// written between the angle brackets.
std::string explicitInstantiation(const clang::FunctionDecl *Kernel,
                                  const std::string &Arguments);

/// The template arguments of \p Kernel as C++ text.
std::string templateArguments(const clang::FunctionDecl *Kernel);

} // namespace mep

#endif // MEP_LIB_CLOSURE_KERNELNAMES_H
