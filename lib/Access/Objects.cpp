/// \file
/// Values of objects: constructors, lists of members, lambdas.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"

using namespace mep;
using namespace clang;

Value BodyWalk::evalConstruct(const CXXConstructExpr *C) {
  const CXXConstructorDecl *D = C->getConstructor();
  if (auto Group = groupCopy(C))
    return *Group;
  if (D->isCopyOrMoveConstructor() && C->getNumArgs() >= 1 &&
      (D->isImplicit() || D->isDefaulted() || D->isTrivial())) {
    const Expr *A = C->getArg(0);
    return A->isGLValue() ? load(place(A), C->getType(), A) : eval(A);
  }
  Place Object;
  Object.Is = Place::Temporary;
  Object.Held = std::make_shared<Value>();
  Object.Held->Is = Value::Record;
  std::vector<const Expr *> Arguments(C->arg_begin(), C->arg_end());
  const FunctionDecl *Body = nullptr;
  if (D->hasBody(Body))
    enter(Body, Arguments, Object, C);
  else
    for (const Expr *A : Arguments)
      A->isGLValue() ? void(place(A)) : void(eval(A));
  return *Object.Held;
}

Value BodyWalk::evalList(const InitListExpr *L) {
  if (L->isSyntacticForm() && L->getSemanticForm())
    L = L->getSemanticForm();
  auto *R = L->getType()->getAsRecordDecl();
  Value V;
  if (R && !R->isUnion()) {
    V.Is = Value::Record;
    unsigned I = 0;
    if (auto *Class = dyn_cast<CXXRecordDecl>(R))
      for (unsigned B = 0; B < Class->getNumBases() && I < L->getNumInits();
           ++B)
        eval(L->getInit(I++));
    for (const FieldDecl *F : R->fields()) {
      if (I >= L->getNumInits())
        break;
      const Expr *E = L->getInit(I++);
      V.Fields[F->getNameAsString()] =
          E->isGLValue() ? load(place(E), E->getType(), E) : eval(E);
    }
    return V;
  }
  if (L->getNumInits() == 1 && !L->getType()->isArrayType() && !R)
    return eval(L->getInit(0));
  for (const Expr *E : L->inits())
    E->isGLValue() ? void(place(E)) : void(eval(E));
  return L->getNumInits() == 0 && L->getType()->isIntegerType()
             ? Value::of(number(0))
             : opaque(L->getType(), "a list of values", L);
}

/// A lambda is what it captured by value; what it captured by reference is
/// found under its own name when it is called.
Value BodyWalk::evalLambda(const LambdaExpr *L) {
  Value V;
  V.Is = Value::Record;
  for (const LambdaCapture &C : L->captures())
    if (C.capturesVariable() && C.getCaptureKind() == LCK_ByCopy)
      if (auto *Var = dyn_cast<VarDecl>(C.getCapturedVar()))
        if (auto Known = Locals.find(Var); Known != Locals.end())
          V.Fields[Var->getNameAsString()] = Known->second;
  return V;
}
