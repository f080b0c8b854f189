#include "HostExpressions.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

// ---- what names mean -------------------------------------------------------

bool mep::putsFreshMemory(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"cudaMalloc", "cudaMallocManaged", "cudaMallocHost",
              "cudaHostAlloc", "cudaMallocPitch", "cudaMallocAsync"},
             true)
      .Cases({"cudaMallocFromPoolAsync", "cuMemAlloc", "cuMemAlloc_v2",
              "cuMemAllocManaged", "cuMemAllocHost", "posix_memalign"},
             true)
      .Cases({"hipMalloc", "hipMallocManaged", "hipMallocHost", "hipHostMalloc",
              "hipMallocPitch", "hipMallocAsync", "hipHostAlloc"},
             true)
      .Default(false);
}

bool mep::returnsFreshMemory(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"malloc", "calloc", "realloc", "aligned_alloc", "_mm_malloc",
              "memalign", "valloc", "strdup"},
             true)
      .Default(false);
}

bool mep::passesPointerOn(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"move", "forward", "raw_pointer_cast", "device_pointer_cast",
              "addressof", "__addressof", "to_address", "launder", "get"},
             true)
      .Cases({"data", "begin", "end", "cbegin", "cend", "c_str", "front", "at"},
             true)
      .Default(false);
}

bool mep::changesNoPointer(StringRef Name) {
  return Name.contains_insensitive("free") ||
         Name.contains_insensitive("destroy") ||
         Name.contains("LaunchKernel") ||
         Name.contains("LaunchCooperativeKernel") ||
         llvm::StringSwitch<bool>(Name)
             .Cases({"memset", "printf", "fprintf", "assert", "move", "forward",
                     "raw_pointer_cast", "addressof"},
                    true)
             .Cases({"__addressof", "cudaMemset", "cudaMemsetAsync",
                     "hipMemset", "hipMemsetAsync", "min", "max"},
                    true)
             .Default(false);
}

bool mep::isOfALibrary(const Decl *D) {
  const DeclContext *Outermost = nullptr;
  for (auto *C = D->getDeclContext(); !C->isTranslationUnit();
       C = C->getParent())
    Outermost = C;
  auto *N = llvm::dyn_cast_or_null<NamespaceDecl>(Outermost);
  return N && (N->getName() == "std" || N->getName() == "thrust");
}

bool mep::isOwner(QualType T) {
  auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && isOfALibrary(R) &&
         llvm::StringSwitch<bool>(R->getName())
             .Cases({"vector", "device_vector", "host_vector", "array",
                     "universal_vector", "unique_ptr", "basic_string",
                     "valarray"},
                    true)
             .Default(false);
}

bool mep::isTaker(QualType T) {
  return isOwner(T) &&
         T.getNonReferenceType()->getAsCXXRecordDecl()->getName() ==
             "unique_ptr";
}

QualType mep::ownedType(QualType T) {
  auto *R = isOwner(T) ? dyn_cast<ClassTemplateSpecializationDecl>(
                             T.getNonReferenceType()->getAsCXXRecordDecl())
                       : nullptr;
  if (!R || R->getTemplateArgs().size() == 0 ||
      R->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return {};
  QualType Of = R->getTemplateArgs()[0].getAsType().getCanonicalType();
  while (Of->isArrayType()) // unique_ptr<T[]>
    Of = Of->castAsArrayTypeUnsafe()->getElementType();
  return Of;
}

const Expr *mep::bareExpression(const Expr *E) {
  for (const Expr *Before = nullptr; E && E != Before;) {
    Before = E;
    E = E->IgnoreParenCasts();
    if (auto *F = dyn_cast<FullExpr>(E))
      E = F->getSubExpr();
    else if (auto *T = dyn_cast<MaterializeTemporaryExpr>(E))
      E = T->getSubExpr();
    else if (auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (auto *D = dyn_cast<CXXDefaultArgExpr>(E))
      E = D->getExpr();
    else if (auto *D = dyn_cast<CXXDefaultInitExpr>(E))
      E = D->getExpr();
    else if (auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = S->getReplacement();
  }
  return E;
}

const Expr *mep::argumentOf(const Expr *Call, unsigned Parameter) {
  if (auto *Made = dyn_cast<CXXConstructExpr>(Call))
    return Parameter < Made->getNumArgs() ? Made->getArg(Parameter) : nullptr;
  auto *C = cast<CallExpr>(Call);
  // The object is an operator's first argument.
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(C->getDirectCallee());
  unsigned I = Parameter +
               (isa<CXXOperatorCallExpr>(C) && Method && !Method->isStatic());
  return I < C->getNumArgs() ? C->getArg(I) : nullptr;
}

bool mep::isDeclaredIn(const VarDecl *V, const CompoundStmt *Block) {
  return V && V->hasLocalStorage() &&
         llvm::any_of(Block->body(), [&](const Stmt *S) {
           auto *D = dyn_cast<DeclStmt>(S);
           return D && llvm::any_of(D->decls(), [&](const Decl *Each) {
                    return Each->getCanonicalDecl() == V;
                  });
         });
}

std::string mep::calledName(const CallExpr *Call) {
  if (auto *F = Call->getDirectCallee())
    return F->getIdentifier() ? F->getName().str() : "";
  if (auto *O = dyn_cast<OverloadExpr>(Call->getCallee()->IgnoreParenCasts()))
    return O->getName().isIdentifier() ? O->getName().getAsString() : "";
  return "";
}

bool mep::isDataPointer(QualType T) {
  T = T.getNonReferenceType();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return T->isPointerType() && !T->isFunctionPointerType();
}

bool mep::mayHold(QualType T) {
  T = T.getNonReferenceType();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return isDataPointer(T) || T->isRecordType();
}

const Expr *mep::addressed(const Expr *E) {
  auto *U = dyn_cast<UnaryOperator>(bareExpression(E));
  return U && U->getOpcode() == UO_AddrOf ? bareExpression(U->getSubExpr())
                                          : nullptr;
}

const ValueDecl *mep::namedBy(const Expr *E) {
  E = bareExpression(E);
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && !V->getType()->isReferenceType()
               ? cast<ValueDecl>(V->getCanonicalDecl())
               : nullptr;
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->getMemberDecl()->getType()->isReferenceType())
      return nullptr;
    return cast<ValueDecl>(M->getMemberDecl()->getCanonicalDecl());
  }
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr *Base = bareExpression(S->getBase());
    return Base->getType()->isArrayType() ? namedBy(Base) : nullptr;
  }
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      O && O->getOperator() == OO_Subscript && isOwner(O->getArg(0)->getType()))
    return namedBy(O->getArg(0));
  return nullptr;
}
