/// \file
/// What single expressions and names of host code mean to whoever follows
/// pointers: what is named, what a library's functions do to memory.

#ifndef MEP_LIB_SPLICE_HOSTEXPRESSIONS_H
#define MEP_LIB_SPLICE_HOSTEXPRESSIONS_H

#include "clang/AST/Type.h"
#include <string>

namespace clang {
class CallExpr;
class CompoundStmt;
class Decl;
class Expr;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace mep {

/// \p E without casts, parentheses and what keeps temporaries.
const clang::Expr *bareExpression(const clang::Expr *E);
/// What \p Call, a call or a construction, gives its callee's parameter number
/// \p Parameter; null: nothing.
const clang::Expr *argumentOf(const clang::Expr *Call, unsigned Parameter);
/// The name of what \p Call calls, of overloads too; empty: none.
std::string calledName(const clang::CallExpr *Call);
/// A class of the standard library or Thrust whose objects never share memory.
bool isOwner(clang::QualType T);
/// An owner that takes memory over that is made elsewhere.
bool isTaker(clang::QualType T);
/// What an owner of type \p T holds; null: it is none.
clang::QualType ownedType(clang::QualType T);
/// True if \p V is a variable of \p Block itself: a new one each time.
bool isDeclaredIn(const clang::VarDecl *V, const clang::CompoundStmt *Block);
/// Functions that return memory that is nobody else's.
bool returnsFreshMemory(llvm::StringRef Name);
/// Functions that return what their argument, or object, points into.
bool passesPointerOn(llvm::StringRef Name);

/// Functions that put new memory into what their first argument points to.
bool putsFreshMemory(llvm::StringRef Name);
/// Functions of interfaces that change no pointer of the caller's, whatever
/// their parameters' types allow.
bool changesNoPointer(llvm::StringRef Name);
/// A class of these names may be the application's own.
bool isOfALibrary(const clang::Decl *D);
/// A pointer to data, or an array or reference of such.
bool isDataPointer(clang::QualType T);
/// Such a pointer, or a record, which may hold some.
bool mayHold(clang::QualType T);
/// `x` of `&x`, else null.
const clang::Expr *addressed(const clang::Expr *E);
/// The variable or member that \p E names, of an array's elements too; null if
/// it is reached through a pointer or a reference.
const clang::ValueDecl *namedBy(const clang::Expr *E);

} // namespace mep

#endif // MEP_LIB_SPLICE_HOSTEXPRESSIONS_H
