/// \file
/// Closure: how the compilers name what the closure defines.

#ifndef MEP_LIB_CLOSURE_KERNELNAMES_H
#define MEP_LIB_CLOSURE_KERNELNAMES_H

#include "clang/AST/TypeBase.h"
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class NamedDecl;
} // namespace clang

namespace mep {

struct NamedLambda;
using NamedLambdas = std::vector<NamedLambda>;

/// The device symbol of \p D in the closure as nvcc mangles it: internal
/// linkage leaves no mark, an unnamed namespace is \c LocalNamespace.
std::string deviceSymbol(const clang::NamedDecl *D);

/// Name that finds \p D from outside; a kernel's without template arguments.
std::string reachableName(const clang::NamedDecl *D);

/// \p T as the closure's text can name it; \p Near: any declaration of the
/// unit.
std::string typeText(clang::QualType T, const clang::NamedDecl *Near);

/// `template __global__ void k<float, 16>(float *);`, to stand in the scope of
/// the template; empty when an argument cannot be named. \p Arguments: as
/// written between the angle brackets; \p Lambdas have names there.
std::string explicitInstantiation(const clang::FunctionDecl *Kernel,
                                  const std::string &Arguments,
                                  const NamedLambdas &Lambdas);

/// The template arguments of \p Kernel as C++ text.
std::string templateArguments(const clang::FunctionDecl *Kernel);

} // namespace mep

#endif // MEP_LIB_CLOSURE_KERNELNAMES_H
