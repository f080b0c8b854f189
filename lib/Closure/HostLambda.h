/// \file
/// Closure, writing: a lambda that host code passes to the kernel as a named
/// function object of the same members and the same body.

#ifndef MEP_LIB_CLOSURE_HOSTLAMBDA_H
#define MEP_LIB_CLOSURE_HOSTLAMBDA_H

#include "SourceFiles.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mep {

/// The lambda whose class or call operator \p D is, if it stands in a function
/// that only the host can call; else null.
const clang::CXXRecordDecl *hostLambda(const clang::Decl *D);

/// The host function around \p D, outside all lambdas; null if \p D is not in
/// one.
const clang::FunctionDecl *hostHome(const clang::Decl *D);

/// Lambdas in the order they are written, each with the class that stands for
/// it.
struct NamedLambda {
  const clang::CXXRecordDecl *Lambda = nullptr;
  std::string Name;      ///< `mep_lambda_0`
  std::string Qualified; ///< `ns::mep_lambda_0`
};
using NamedLambdas = std::vector<NamedLambda>;

/// \p Lambda with the next free name.
NamedLambda nameLambda(const clang::CXXRecordDecl *Lambda, size_t Number);

/// \p Text with the names of \p Lambdas in place of how Clang prints their
/// types.
std::string withLambdaNames(std::string Text, const NamedLambdas &Lambdas);

/// The class that is \p Lambdas[\p Index]. Error (Unsupported): it is generic,
/// captures by reference or `this`, or uses something local to its function.
llvm::Expected<std::string> functionObject(const ParsedUnit &Unit,
                                           const SourceFiles &Files,
                                           const NamedLambdas &Lambdas,
                                           size_t Index);

} // namespace mep

#endif // MEP_LIB_CLOSURE_HOSTLAMBDA_H
