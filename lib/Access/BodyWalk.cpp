/// \file
/// Begin of the walk over a kernel: its parameters, and what all parts of the
/// walk use.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;

Value mep::launchVariable(StringRef Name) {
  Value V;
  V.Is = Value::Record;
  auto Kind = llvm::StringSwitch<std::optional<SymbolKind>>(Name)
                  .Case("threadIdx", SymbolKind::Thread)
                  .Case("blockIdx", SymbolKind::Block)
                  .Case("blockDim", SymbolKind::BlockSize)
                  .Case("gridDim", SymbolKind::GridSize)
                  .Default(std::nullopt);
  if (Kind)
    for (const char *Axis : {"x", "y", "z"})
      V.Fields[Axis] = Value::of(symbol(Name.str() + "." + Axis, *Kind));
  return V;
}

const Expr *mep::unwrapped(const Expr *E) {
  while (E) {
    const Expr *Inner = E->IgnoreParens();
    if (auto *C = dyn_cast<FullExpr>(Inner))
      Inner = C->getSubExpr();
    else if (auto *T = dyn_cast<SubstNonTypeTemplateParmExpr>(Inner))
      Inner = T->getReplacement();
    else if (auto *D = dyn_cast<CXXDefaultArgExpr>(Inner))
      Inner = D->getExpr();
    else if (auto *D = dyn_cast<CXXDefaultInitExpr>(Inner))
      Inner = D->getExpr();
    else if (auto *B = dyn_cast<CXXBindTemporaryExpr>(Inner))
      Inner = B->getSubExpr();
    else if (auto *O = dyn_cast<OpaqueValueExpr>(Inner);
             O && O->getSourceExpr())
      Inner = O->getSourceExpr();
    if (Inner == E)
      return E;
    E = Inner;
  }
  return E;
}

std::string BodyWalk::where(const Stmt *S) const {
  SourceSpan Span = Unit.span(S->getSourceRange());
  if (Span.valid())
    return Span.str();
  PresumedLoc Loc = Unit.sources().getPresumedLoc(S->getBeginLoc());
  return Loc.isValid() ? std::string(Loc.getFilename()) + ":" +
                             std::to_string(Loc.getLine()) + ":" +
                             std::to_string(Loc.getColumn())
                       : std::string();
}

/// As it is written, white space as single blanks.
std::string BodyWalk::text(const Expr *E) const {
  const SourceManager &SM = Unit.sources();
  std::string Out;
  for (char C : Lexer::getSourceText(SM.getExpansionRange(E->getSourceRange()),
                                     SM, Unit.language()))
    if (!llvm::isSpace(C))
      Out += C;
    else if (!Out.empty() && Out.back() != ' ')
      Out += ' ';
  return Out;
}

/// True if an array in \p T has a size that a macro may have given.
static bool hasArray(QualType T) {
  if (T->isArrayType())
    return true;
  auto *R = T->getAsRecordDecl();
  return R && R->getDefinition() &&
         llvm::any_of(R->getDefinition()->fields(), [](const FieldDecl *F) {
           return hasArray(F->getType());
         });
}

/// True if \p F is an instantiation for numbers, which macros may have given.
static bool isForNumbers(const FunctionDecl *F) {
  auto HasNumber = [](const TemplateArgumentList *L) {
    return L && llvm::any_of(L->asArray(), [](const TemplateArgument &A) {
             return A.getKind() != TemplateArgument::Type;
           });
  };
  if (HasNumber(F->getTemplateSpecializationArgs()))
    return true;
  auto *M = dyn_cast<CXXMethodDecl>(F);
  auto *S =
      M ? dyn_cast<ClassTemplateSpecializationDecl>(M->getParent()) : nullptr;
  return S && HasNumber(&S->getTemplateArgs());
}

void BodyWalk::noteNumbersOf(const FunctionDecl *F) {
  Model.HoldsForMacros |= isForNumbers(F);
}

void BodyWalk::noteNumbersOf(QualType T) const {
  Model.HoldsForMacros |= hasArray(T);
}

int64_t BodyWalk::sizeOf(QualType T) const {
  if (T->isReferenceType())
    T = T->getPointeeType();
  noteNumbersOf(T);
  if (T->isVoidType() || T->isFunctionType() || T->isIncompleteType() ||
      T->isDependentType())
    return 1;
  return Unit.context().getTypeSizeInChars(T).getQuantity();
}

/// \p N as a value of integer type \p T.
Index BodyWalk::asType(Index N, QualType T) const {
  if (!T->isIntegralOrEnumerationType() || T->isBooleanType())
    return N;
  return convert(std::move(N), unsigned(Unit.context().getTypeSize(T)),
                 T->isSignedIntegerOrEnumerationType());
}

/// Guards from number \p From on, as one.
Index BodyWalk::allGuards(size_t From) const {
  Index All = number(1);
  for (size_t I = From; I < Guards.size(); ++I)
    All = conjunction(All, Guards[I]);
  return All;
}

/// A scalar is a symbol, a pointer a buffer, a structure has both.
Value BodyWalk::parameterValue(QualType T, const std::string &Name) {
  T = T.getCanonicalType();
  Value V;
  if (T->isPointerType()) {
    QualType Pointee = T->getPointeeType();
    AccessedBuffer B;
    B.Name = Name;
    B.ElementName = Pointee.getUnqualifiedType().getAsString(
        Unit.context().getPrintingPolicy());
    B.ElementBytes = uint64_t(std::max<int64_t>(sizeOf(Pointee), 1));
    Model.Buffers.push_back(std::move(B));
    V.Is = Value::Pointer;
    V.Buffer = int(Model.Buffers.size()) - 1;
    V.Offset = number(0);
  } else if (auto *R = T->getAsRecordDecl(); R && !R->isUnion()) {
    V.Is = Value::Record;
    if (auto *Class = dyn_cast<CXXRecordDecl>(R);
        Class && Class->hasDefinition())
      for (const CXXBaseSpecifier &Base : Class->bases())
        V.Fields.merge(parameterValue(Base.getType(), Name).Fields);
    for (const FieldDecl *F : R->fields())
      if (!F->isBitField() && F->getIdentifier())
        V.Fields[F->getNameAsString()] =
            parameterValue(F->getType(), Name + "." + F->getNameAsString());
  } else if (T->isIntegralOrEnumerationType()) {
    V.Number = symbol(Name, SymbolKind::Parameter);
  } else {
    V.Number = unknown("'" + Name + "' is no integer", "");
  }
  return V;
}

void BodyWalk::kernel(const FunctionDecl *F,
                      const std::vector<std::string> &Names) {
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    const ParmVarDecl *P = F->getParamDecl(I);
    QualType T = P->getType();
    if (T->isReferenceType()) // Only of constants the host can bind.
      References[P] = Place::lost("'" + Names[I] + "' is a reference", "");
    else
      Locals[P] = parameterValue(T, Names[I]);
  }
  noteNumbersOf(F);
  Frames.emplace_back();
  Frames.back().Function = F;
  walk(F->getBody());
  Frames.pop_back();
}
