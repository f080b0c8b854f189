/// \file
/// Host expressions to terms: literals keep the name of their macro, variables
/// are replaced by the definition that reaches them.

#include "HostProgram.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

/// Deeper than any real chain of definitions; ends recursive ones.
static constexpr unsigned MaxDepth = 96;

std::string HostValues::placeOf(SourceLocation L) const {
  SourceSpan Span = Host.span(SourceRange(L, L));
  return Span.valid() ? Span.str() : Host.command().File;
}

void HostValues::note(std::string Text) {
  if (!llvm::is_contained(Notes, Text))
    Notes.push_back(std::move(Text));
}

void HostValues::forget() {
  Why.clear();
  Where.clear();
  Program.beginQuery();
}

TermRef HostValues::unknown(std::string Text, SourceLocation L) {
  if (Why.empty()) {
    Why = std::move(Text);
    Where = placeOf(L);
  }
  return nullptr;
}

std::optional<double> HostValues::number(const Expr *E, const Point &P) {
  std::string OldWhy = Why, OldWhere = Where;
  auto Value = mep::evaluate(value(E, P), Dimensions.values());
  Why = OldWhy;
  Where = OldWhere;
  if (!Value)
    return std::nullopt;
  return Value->asDouble();
}

std::optional<bool> HostValues::decide(const Expr *Condition, const Point &P) {
  std::optional<double> Value = number(Condition, P);
  if (!Value)
    return std::nullopt;
  return *Value != 0;
}

// ---- literals and macros ---------------------------------------------------

/// Name of the object-like macro whose whole body is the literal at \p L.
static StringRef macroOfLiteral(const ParsedUnit &Host, SourceLocation L) {
  const SourceManager &SM = Host.sources();
  while (L.isMacroID() && SM.isMacroArgExpansion(L))
    L = SM.getImmediateSpellingLoc(L);
  if (!L.isMacroID())
    return {};
  StringRef Name = Lexer::getImmediateMacroName(L, SM, Host.language());
  Preprocessor &PP = Host.preprocessor();
  IdentifierInfo *Id = PP.getIdentifierInfo(Name);
  SourceLocation Body = SM.getSpellingLoc(L);
  for (MacroDirective *D = PP.getLocalMacroDirectiveHistory(Id); D;
       D = D->getPrevious()) {
    const MacroInfo *Info = D->getMacroInfo();
    if (!Info || Info->isFunctionLike() || Info->getNumTokens() == 0)
      continue;
    unsigned Literals = 0, Others = 0;
    bool Holds = false;
    for (const Token &T : Info->tokens()) {
      Holds |= T.getLocation() == Body;
      if (T.is(tok::numeric_constant))
        ++Literals;
      else if (!T.isOneOf(tok::l_paren, tok::r_paren))
        ++Others;
    }
    if (Holds)
      return Literals == 1 && Others == 0 ? Name : StringRef();
  }
  return {};
}

TermRef HostValues::literal(const Expr *E, int64_t Value) {
  StringRef Macro = macroOfLiteral(Host, E->getExprLoc());
  if (Macro.empty() || Value < 2)
    return integerTerm(Value);
  return Dimensions.macro(
      Macro, Value, placeOf(Host.sources().getSpellingLoc(E->getExprLoc())));
}

/// What Clang itself can evaluate; the last resort.
TermRef HostValues::folded(const Expr *E) {
  if (E->isValueDependent())
    return nullptr;
  Expr::EvalResult R;
  if (E->getType()->isIntegralOrEnumerationType() &&
      E->EvaluateAsInt(R, Host.context()) &&
      R.Val.getInt().getSignificantBits() <= 64)
    return integerTerm(R.Val.getInt().getExtValue());
  llvm::APFloat F(0.0);
  if (E->getType()->isRealFloatingType() &&
      E->EvaluateAsFloat(F, Host.context())) {
    bool Lossy;
    F.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
              &Lossy);
    return floatTerm(F.convertToDouble());
  }
  return nullptr;
}

// ---- operators -------------------------------------------------------------

/// Gives \p T the type of \p To where that changes the value.
TermRef HostValues::convert(const Expr *To, TermRef T) {
  QualType Type = To->getType().getCanonicalType();
  if (Type->isBooleanType() || !T)
    return T;
  if (Type->isIntegralOrEnumerationType())
    return castTerm("long long", T);
  if (Type->isRealFloatingType() && !T->IsFloat)
    return castTerm(Type->isSpecificBuiltinType(BuiltinType::Float) ? "float"
                                                                    : "double",
                    T);
  if (Type->isSpecificBuiltinType(BuiltinType::Float) && T->IsFloat &&
      T->What != Term::Call)
    return castTerm("float", T);
  return T;
}

TermRef HostValues::binary(const BinaryOperator *B, const Point &P) {
  if (B->isAssignmentOp() || B->getOpcode() == BO_Comma)
    return value(B->getRHS(), P);
  TermRef Left = value(B->getLHS(), P), Right = value(B->getRHS(), P);
  return binaryTerm(BinaryOperator::getOpcodeStr(B->getOpcode()), Left, Right);
}

TermRef HostValues::unary(const UnaryOperator *U, const Point &P) {
  switch (U->getOpcode()) {
  case UO_Plus:
  // Its effect is a definition behind the place that asks.
  case UO_PostInc:
  case UO_PostDec:
    return value(U->getSubExpr(), P);
  case UO_PreInc:
  case UO_PreDec:
    return binaryTerm(U->getOpcode() == UO_PreInc ? "+" : "-",
                      value(U->getSubExpr(), P), integerTerm(1));
  case UO_Minus:
  case UO_Not:
  case UO_LNot:
    return unaryTerm(UnaryOperator::getOpcodeStr(U->getOpcode()),
                     value(U->getSubExpr(), P));
  case UO_Deref: {
    // `*p` where p is a parameter that the caller gave `&x`.
    auto *R = dyn_cast<DeclRefExpr>(bare(U->getSubExpr()));
    if (!R)
      break;
    Reach From = Flow.find(
        R->getDecl(), nullptr, P,
        [&](const Expr *C, const Point &At) { return decide(C, At); });
    const Expr *Pointer = From.What == Reach::Parameter ? From.Argument
                          : From.What == Reach::Defined ? From.Source->Value
                                                        : nullptr;
    auto *Address = Pointer ? dyn_cast<UnaryOperator>(bare(Pointer)) : nullptr;
    if (Address && Address->getOpcode() == UO_AddrOf)
      return value(Address->getSubExpr(), From.Place);
    break;
  }
  default:
    break;
  }
  return unknown("'" + Host.text(U->getSourceRange()).str() +
                     "' is not followed",
                 U->getExprLoc());
}

// ---- calls -----------------------------------------------------------------

/// The function of a term that a library call stands for; empty if none.
static StringRef mathFunction(StringRef Name) {
  return llvm::StringSwitch<StringRef>(Name)
      .Cases({"ceil", "ceilf"}, "ceil")
      .Cases({"floor", "floorf"}, "floor")
      .Cases({"round", "roundf"}, "round")
      .Cases({"sqrt", "sqrtf"}, "sqrt")
      .Cases({"log2", "log2f"}, "log2")
      .Cases({"log", "logf"}, "log")
      .Cases({"exp", "expf"}, "exp")
      .Cases({"pow", "powf"}, "pow")
      .Cases({"abs", "labs", "fabs", "fabsf"}, "abs")
      .Cases({"min", "fmin", "fminf"}, "min")
      .Cases({"max", "fmax", "fmaxf"}, "max")
      .Default("");
}

const Expr *HostValues::returned(const FunctionDecl *F, const Expr *Call,
                                 const Point &P, Point &Inside) {
  Inside = Flow.inside(F, Call, P);
  for (const CallPlace &R : Index.returns(F)) {
    std::optional<bool> Runs = true;
    for (const Guard &G : R.Under) {
      auto *If = dyn_cast<IfStmt>(G.Statement);
      auto Known = If ? decide(If->getCond(), {Inside.In, R.Order, R.Under})
                      : std::nullopt;
      if (!Known) {
        Runs = std::nullopt;
        break;
      }
      if (*Known != (G.Where == Guard::Then))
        Runs = false;
    }
    if (!Runs)
      return nullptr;
    if (*Runs) {
      Inside.Order = R.Order;
      Inside.Under = R.Under;
      return R.Call;
    }
  }
  return nullptr;
}

TermRef HostValues::inlined(const Expr *C, const Point &P) {
  const FunctionDecl *F = calledFunction(C);
  if (!F || !F->hasBody())
    return nullptr;
  Point Inside;
  const Expr *R = returned(F, C, P, Inside);
  return R ? convert(R, value(R, Inside)) : nullptr;
}

TermRef HostValues::call(const CallExpr *C, const Point &P) {
  StringRef Name = calledName(C);
  if (StringRef Math = mathFunction(Name); !Math.empty()) {
    std::vector<TermRef> Parts;
    for (const Expr *A : C->arguments())
      Parts.push_back(value(A, P));
    return callTerm(Math, std::move(Parts));
  }
  if (TermRef T = commandLineNumber(C, P))
    return T;
  if (auto *M = dyn_cast<CXXMemberCallExpr>(C);
      M && (Name == "size" || Name == "length"))
    if (TermRef T = containerSize(M->getImplicitObjectArgument(), P))
      return T;
  if (TermRef T = Flow.options() ? Flow.options()->returned(C) : nullptr)
    return T;
  if (TermRef T = inlined(C, P))
    return T;
  if (TermRef T = folded(C))
    return T;
  return unknown("'" + Host.text(C->getSourceRange()).str() +
                     "' is known only when the application runs",
                 C->getExprLoc());
}

// ---- variables -------------------------------------------------------------

static bool isCount(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  return T->isIntegerType() && !T->isBooleanType() &&
         !T->isAnyCharacterType() && !T->isEnumeralType();
}

/// A variable with a plain number as its value becomes a dimension, so that
/// shapes can vary it.
TermRef HostValues::named(const ValueDecl *D, TermRef T, SourceLocation L) {
  if (!isCount(D->getType()))
    return T;
  if (!T)
    return Dimensions.missing(D->getCanonicalDecl(), D->getName(), Why, Where);
  if (T->What != Term::Integer || T->Int == 1)
    return T;
  if (T->Int <= 0)
    return Dimensions.nothing(D->getCanonicalDecl(), D->getName(), T->Int,
                              placeOf(L));
  auto *V = dyn_cast<VarDecl>(D);
  return Dimensions.variable(D->getCanonicalDecl(), D->getName(), T->Int,
                             V && V->isFileVarDecl(), placeOf(L));
}

TermRef HostValues::passed(const ValueDecl *D, const Definition &Def,
                           const Point &P) {
  StringRef Name = calledName(Def.Call);
  if ((Name == "cudaMallocPitch" || Name == "hipMallocPitch") &&
      Def.Argument == 1) {
    // Rows are aligned to the texture pitch, 512 bytes on current devices.
    TermRef Width = value(callArgument(Def.Call, 2), P);
    return binaryTerm("*",
                      binaryTerm("/", binaryTerm("+", Width, integerTerm(511)),
                                 integerTerm(512)),
                      integerTerm(512));
  }
  if (TermRef T = setByDevice(Def))
    return T;
  const FunctionDecl *F = calledFunction(Def.Call);
  if (F && F->hasBody() && Def.Argument < F->getNumParams()) {
    Point Inside = Flow.inside(F, Def.Call, P);
    const auto &Given = Index.definitions(F->getParamDecl(Def.Argument));
    for (auto I = Given.rbegin(); I != Given.rend(); ++I)
      if (TermRef T = I->In == F ? fromOptions(*I, {}) : nullptr)
        return T;
      else if (I->In == F && Flow.options() &&
               Flow.options()->settles(*I, {}) == false)
        continue;
      else if (I->In == F && I->Value && I->Under.empty())
        return value(I->Value, {Inside.In, I->Order, I->Under});
      else if (I->In == F)
        break; // Which of several values counts depends on the run.
  }
  return unknown("'" + D->getName().str() + "' is set by " +
                     (Name.empty() ? "a call that is not followed"
                                   : "'" + Name.str() + "'"),
                 Def.At);
}

/// `n op= value`, when it runs once before the use.
TermRef HostValues::changed(const ValueDecl *D, const Reach &R,
                            const Point &P) {
  const Definition &Def = *R.Source;
  for (const Guard &G : Def.Under)
    if (G.isLoop() && !llvm::is_contained(P.Under, G))
      return unknown("'" + D->getName().str() + "' is changed in a loop",
                     Def.At);
  TermRef Step = Def.Value ? value(Def.Value, R.Place) : integerTerm(1);
  return binaryTerm(Def.Operator, variable(D, R.Place), Step);
}

/// What \p D gave in a loop over the command line, seen from \p P.
TermRef HostValues::fromOptions(const Definition &D, const Point &P) {
  return Flow.options() ? Flow.options()->given(D, P.Under) : nullptr;
}

TermRef HostValues::reached(const ValueDecl *D, const Reach &R,
                            const Point &P) {
  if (R.What == Reach::Parameter)
    return value(R.Argument, R.Place);
  if (R.Skipped)
    note("'" + D->getName().str() + "': took its definition at " +
         placeOf(R.Source->At) + ", not the one at " + placeOf(R.Skipped->At) +
         ", whose condition depends on the run");
  if (TermRef T = fromOptions(*R.Source, P))
    return T;
  switch (R.Source->How) {
  case Definition::Compound:
    return changed(D, R, P);
  case Definition::Passed:
    return passed(D, *R.Source, R.Place);
  default:
    return value(R.Source->Value, R.Place);
  }
}

bool HostValues::countsBytes(const Stmt *S) {
  if (!S)
    return false;
  if (isa<UnaryExprOrTypeTraitExpr>(S))
    return true;
  return llvm::any_of(S->children(), countsBytes);
}

/// A variable that starts from nothing and is then changed, as often as only a
/// run tells, is not known; nor is one that a loop before changes by steps;
/// else \p T.
TermRef HostValues::counted(const ValueDecl *D, const Reach &R, TermRef T) {
  if (T && R.Skipped && R.Skipped->How == Definition::Compound &&
      llvm::any_of(R.Skipped->Under, [](const Guard &G) { return G.isLoop(); }))
    return unknown("'" + D->getName().str() + "' is changed in a loop",
                   R.Skipped->At);
  if (!T || T->What != Term::Integer || T->Int != 0 || !R.Skipped ||
      !isCount(D->getType()))
    return T;
  return unknown("'" + D->getName().str() +
                     "' starts as 0, and how it changes depends on the run",
                 R.Skipped->At);
}

TermRef HostValues::variable(const ValueDecl *D, const Point &P) {
  if (isBound(D))
    return Bound.find(cast<ValueDecl>(D->getCanonicalDecl()))->second;
  auto Known = [&](const Expr *C, const Point &At) { return decide(C, At); };
  Reach R = Flow.find(D, nullptr, P, Known);
  if (auto *Parameter = dyn_cast<ParmVarDecl>(D);
      Parameter && R.What == Reach::Nothing) {
    auto *F = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
    if (F && F->isMain() && Parameter->getFunctionScopeIndex() == 0) {
      if (Program.arguments())
        return integerTerm(int64_t(Program.arguments()->size()) + 1);
      note("values are those of a run without command-line arguments");
      return integerTerm(1);
    }
  }
  if (R.What == Reach::Nothing) {
    TermRef T;
    if (auto *V = dyn_cast<VarDecl>(D); V && V->getAnyInitializer())
      T = folded(V->getAnyInitializer());
    if (!T)
      fromCaller(D, [&](HostValues &Other, const Expr *E, const Point &At) {
        T = Other.value(E, At);
      });
    if (!T)
      fromDefinition(D, [&](HostValues &Other, const ValueDecl *Same) {
        T = Other.variable(Same, {});
      });
    if (!T)
      unknown("nothing in the units looked at gives '" + D->getName().str() +
                  "' its value",
              D->getLocation());
    return named(D, T, D->getLocation());
  }
  if (R.Loop)
    if (TermRef T = atTrip(D, R, P))
      return T;
  if (R.Loop && R.Step->How == Definition::Passed && isCount(D->getType()))
    return named(D, readInLoop(D, R), R.Step->At);
  if (R.What == Reach::Defined && R.Loop)
    return inLoop(D, R, P);
  SourceLocation L = R.What == Reach::Defined ? R.Source->At : D->getLocation();
  TermRef T = counted(D, R, reached(D, R, P));
  if (T && D->getType().getNonReferenceType()->isRealFloatingType() &&
      !T->IsFloat)
    T = castTerm("double", T);
  if (T && isCount(D->getType()))
    T = castTerm("long long", T);
  // A number of bytes is no dimension: it would hide the number of elements.
  if (T && R.What == Reach::Defined && countsBytes(R.Source->Value))
    return T;
  return named(D, T, L);
}

/// An element of a local array: its last assignment before, under a known
/// subscript, else the initialiser's.
TermRef HostValues::element(const ArraySubscriptExpr *S, const Point &P) {
  auto *R = dyn_cast<DeclRefExpr>(bare(S->getBase()));
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  auto Number = [&](const Expr *E, const Point &At) -> std::optional<int64_t> {
    auto N = mep::evaluate(value(E, At), Dimensions.values());
    return N && !N->IsFloat ? std::optional(N->Integer) : std::nullopt;
  };
  auto Wanted =
      V && V->getType()->isArrayType() ? Number(S->getIdx(), P) : std::nullopt;
  auto Fail = [&] {
    return unknown("'" + Host.text(S->getSourceRange()).str() +
                       "' is an element that is not followed",
                   S->getExprLoc());
  };
  if (!Wanted)
    return Fail();
  for (const Definition &D : llvm::reverse(Index.definitions(V))) {
    if (P.In && D.In == P.In->Function && D.Order >= P.Order)
      continue;
    Point At = Flow.pointOf(D, P);
    if (D.How == Definition::Initializer) {
      auto *List = dyn_cast<InitListExpr>(bare(D.Value));
      if (List && *Wanted >= 0 && *Wanted < int64_t(List->getNumInits()))
        return value(List->getInit(unsigned(*Wanted)), At);
      return Fail();
    }
    auto Set = D.Subscript ? Number(D.Subscript, At) : std::nullopt;
    if (!Set || D.How != Definition::Assignment ||
        (P.In && D.In == P.In->Function && !encloses(D.Under, P.Under)))
      return Fail();
    if (*Set == *Wanted)
      return value(D.Value, At);
  }
  return Fail();
}

// ---- expressions -----------------------------------------------------------

TermRef HostValues::value(const Expr *E, const Point &P) {
  if (!E)
    return nullptr;
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (Depth > MaxDepth)
    return unknown("the definitions go in a circle", E->getExprLoc());
  if (Program.isExhausted())
    return unknown("too many definitions may reach this place",
                   E->getExprLoc());
  E = E->IgnoreParens();
  if (auto *Cast = dyn_cast<CastExpr>(E))
    return convert(Cast, value(Cast->getSubExpr(), P));
  if (const Expr *Inner = bare(E); Inner != E)
    return value(Inner, P);
  if (auto *I = dyn_cast<IntegerLiteral>(E))
    return I->getValue().getActiveBits() <= 63
               ? literal(I, int64_t(I->getValue().getZExtValue()))
               : integerTerm(int64_t(I->getValue().getZExtValue()));
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return binary(B, P);
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return unary(U, P);
  if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    if (auto Known = decide(C->getCond(), P))
      return value(*Known ? C->getTrueExpr() : C->getFalseExpr(), P);
    return conditionalTerm(value(C->getCond(), P), value(C->getTrueExpr(), P),
                           value(C->getFalseExpr(), P));
  }
  if (auto *C = dyn_cast<CallExpr>(E))
    return call(C, P);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return element(S, P);
  if (auto *R = dyn_cast<DeclRefExpr>(E))
    if (isa<VarDecl>(R->getDecl()))
      return variable(R->getDecl(), P);
  if (auto *M = dyn_cast<MemberExpr>(E))
    if (auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
      return member(M->getBase(), {F}, P);
  if (auto *L = dyn_cast<InitListExpr>(E); L && L->getNumInits() == 1)
    return value(L->getInit(0), P);
  if (auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() == 1)
    return value(C->getArg(0), P);
  if (TermRef T = folded(E))
    return T;
  return unknown("'" + Host.text(E->getSourceRange()).str() +
                     "' is not followed",
                 E->getExprLoc());
}
