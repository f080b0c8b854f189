/// \file
/// Whether a value that was read is needed: a compiler loads what is used in
/// some branches or iterations alone there, and what is not used not at all.

#ifndef MEP_LIB_ACCESS_CERTAINUSE_H
#define MEP_LIB_ACCESS_CERTAINUSE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace mep {

/// Whether each run of \p Body that comes past \p Set, a statement of it that
/// gives \p V its value, also comes to a use of \p V: none that is in a branch,
/// in a loop that may have no iteration or behind a conditional jump. False
/// where that is not seen.
bool isCertainlyUsed(const clang::VarDecl *V, const clang::Stmt *Set,
                     const clang::Stmt *Body);

} // namespace mep

#endif // MEP_LIB_ACCESS_CERTAINUSE_H
