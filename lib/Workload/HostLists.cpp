#include "HostLists.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;

namespace {

/// A longer list is no table that somebody wrote.
constexpr uint64_t MostListed = 8192;
/// Integers beyond this have no exact double.
constexpr double MostExact = 9007199254740992.0;

class ListReader {
public:
  ListReader(HostValues &Values, const HostMemory &M, Point Copied)
      : Values(Values), M(M), Copied(std::move(Copied)),
        Context(Values.host().context()) {}

  std::optional<std::vector<double>> run();

private:
  bool initialise(const Expr *Init, QualType T, const Point &At);
  bool list(const InitListExpr *L, QualType T, const Point &At);
  bool text(const StringLiteral *S, QualType T);
  bool scalar(const Expr *E, const Point &At);
  bool zeros(QualType T);
  bool assign(const Definition &D);
  bool runsBefore(const Definition &D) const;
  bool changesMembers(QualType T) const;
  std::optional<uint64_t> elementOf(const Definition &D) const;
  void put(double Value) {
    Numbers.push_back(Value);
    Known.push_back(true);
  }

  HostValues &Values;
  const HostMemory &M;
  const Point Copied;
  ASTContext &Context;
  std::vector<double> Numbers;
  std::vector<bool> Known;
};

// ---- initialisers ----------------------------------------------------------

bool ListReader::scalar(const Expr *E, const Point &At) {
  Expr::EvalResult R;
  std::optional<double> Value;
  if (!E->isValueDependent() && E->EvaluateAsRValue(R, Context)) {
    if (R.Val.isInt() && R.Val.getInt().getSignificantBits() <= 64)
      Value = R.Val.getInt().isSigned() ? double(R.Val.getInt().getSExtValue())
                                        : double(R.Val.getInt().getZExtValue());
    else if (R.Val.isFloat()) {
      llvm::APFloat F = R.Val.getFloat();
      bool Lossy;
      F.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &Lossy);
      Value = F.convertToDouble();
    }
  } else {
    Values.forget();
    Value = Values.number(E, At);
  }
  if (!Value || !std::isfinite(*Value) ||
      (!E->getType()->isRealFloatingType() && std::fabs(*Value) > MostExact))
    return false;
  put(*Value);
  return true;
}

/// What a list leaves out.
bool ListReader::zeros(QualType T) {
  if (const auto *A = Context.getAsConstantArrayType(T)) {
    uint64_t Count = A->getSize().getZExtValue();
    for (uint64_t I = 0; I < Count; ++I)
      if (Numbers.size() > MostListed || !zeros(A->getElementType()))
        return false;
    return true;
  }
  if (const RecordDecl *R = T->getAsRecordDecl()) {
    if (R->isUnion())
      return false;
    return llvm::all_of(R->fields(), [&](const FieldDecl *F) {
      return !F->isBitField() && zeros(F->getType());
    });
  }
  if (!T->isArithmeticType() && !T->isEnumeralType())
    return false;
  put(0);
  return true;
}

bool ListReader::text(const StringLiteral *S, QualType T) {
  const auto *A = Context.getAsConstantArrayType(T);
  if (!A || S->getCharByteWidth() != 1 ||
      A->getSize().getZExtValue() > MostListed)
    return false;
  bool Signed = A->getElementType()->isSignedIntegerType();
  for (uint64_t I = 0; I < A->getSize().getZExtValue(); ++I) {
    uint8_t Byte = I < S->getLength() ? uint8_t(S->getCodeUnit(I)) : 0;
    put(Signed ? double(int8_t(Byte)) : double(Byte));
  }
  return true;
}

bool ListReader::list(const InitListExpr *L, QualType T, const Point &At) {
  if (const auto *A = Context.getAsConstantArrayType(T)) {
    uint64_t Count = A->getSize().getZExtValue();
    for (uint64_t I = 0; I < Count; ++I) {
      const Expr *Each = I < L->getNumInits() ? L->getInit(I) : nullptr;
      if (Numbers.size() > MostListed ||
          !(Each ? initialise(Each, A->getElementType(), At)
                 : zeros(A->getElementType())))
        return false;
    }
    return true;
  }
  const RecordDecl *R = T->getAsRecordDecl();
  if (R) {
    auto *Class = dyn_cast<CXXRecordDecl>(R);
    if (R->isUnion() || (Class && Class->getNumBases()))
      return false;
    unsigned I = 0;
    for (const FieldDecl *F : R->fields()) {
      const Expr *Each = I < L->getNumInits() ? L->getInit(I) : nullptr;
      ++I;
      if (F->isBitField() ||
          !(Each ? initialise(Each, F->getType(), At) : zeros(F->getType())))
        return false;
    }
    return true;
  }
  return L->getNumInits() == 1 ? initialise(L->getInit(0), T, At) : zeros(T);
}

bool ListReader::initialise(const Expr *Init, QualType T, const Point &At) {
  const Expr *E = bare(Init);
  if (auto *L = dyn_cast<InitListExpr>(E))
    return list(
        L->isSemanticForm() || !L->getSemanticForm() ? L : L->getSemanticForm(),
        T, At);
  if (isa<ImplicitValueInitExpr>(E))
    return zeros(T);
  if (auto *S = dyn_cast<StringLiteral>(E))
    return text(S, T);
  if (Context.getAsArrayType(T) || T->isRecordType())
    return false;
  return scalar(Init, At);
}

/// `std::vector<T> v = {…}`, `v(n)` or `v(n, value)`: one run of scalars.
static const InitListExpr *containerList(const CXXConstructExpr *C) {
  for (const Expr *A : C->arguments())
    if (auto *S = dyn_cast<CXXStdInitializerListExpr>(A->IgnoreImplicit()))
      return dyn_cast<InitListExpr>(bare(S->getSubExpr()));
  return nullptr;
}

// ---- assignments -----------------------------------------------------------

bool ListReader::runsBefore(const Definition &D) const {
  return !Copied.In || D.In != Copied.In->Function || D.Order < Copied.Order;
}

/// Its number, where that is a constant of the source.
std::optional<uint64_t> ListReader::elementOf(const Definition &D) const {
  uint64_t Element = 0;
  const Expr *E = D.Target;
  while (E && !isa<DeclRefExpr>(E) && !isa<MemberExpr>(E)) {
    const Expr *Subscript = nullptr, *Base = nullptr;
    if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Subscript = S->getIdx();
      Base = bare(S->getBase());
    } else if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
               O && O->getOperator() == OO_Subscript) {
      Subscript = O->getArg(1);
      Base = bare(O->getArg(0));
    } else {
      return std::nullopt;
    }
    Expr::EvalResult R;
    if (Subscript->isValueDependent() ||
        !Subscript->EvaluateAsInt(R, Context) || R.Val.getInt().isNegative() ||
        R.Val.getInt().getActiveBits() > 32)
      return std::nullopt;
    uint64_t Scalars = 1;
    QualType T = E->getType().getNonReferenceType();
    for (; const auto *Row = Context.getAsConstantArrayType(T);
         T = Row->getElementType())
      Scalars *= Row->getSize().getZExtValue();
    if (!T->isArithmeticType() && !T->isEnumeralType())
      return std::nullopt;
    if (Base->getType()->isPointerType() && !isa<DeclRefExpr>(Base) &&
        !isa<MemberExpr>(Base))
      return std::nullopt;
    Element += R.Val.getInt().getZExtValue() * Scalars;
    E = Base;
  }
  return E ? std::optional(Element) : std::nullopt;
}

bool ListReader::assign(const Definition &D) {
  auto Element = elementOf(D);
  if (!Element || *Element >= MostListed || D.How != Definition::Assignment ||
      !D.Value)
    return false;
  Point At = Values.flow().pointOf(D, Copied);
  for (const Guard &G : D.Under) {
    auto *If = dyn_cast<IfStmt>(G.Statement);
    auto Holds = If ? Values.decide(If->getCond(), At) : std::nullopt;
    if (!Holds)
      return false;
    if (*Holds != (G.Where == Guard::Then))
      return true; // It does not run.
  }
  if (!scalar(D.Value, At))
    return false;
  double Value = Numbers.back();
  Numbers.pop_back();
  Known.pop_back();
  if (*Element >= Numbers.size()) {
    Numbers.resize(*Element + 1);
    Known.resize(*Element + 1);
  }
  Numbers[*Element] = Value;
  Known[*Element] = true;
  return true;
}

/// Some member of the variable is given a value of its own.
bool ListReader::changesMembers(QualType T) const {
  const RecordDecl *R = Context.getBaseElementType(T)->getAsRecordDecl();
  if (!R || !R->getDefinition())
    return false;
  return llvm::any_of(R->getDefinition()->fields(), [&](const FieldDecl *F) {
    return changesMembers(F->getType()) ||
           llvm::any_of(Values.index().definitions(F), [&](const auto &D) {
             return D.Base == M.Variable->getCanonicalDecl();
           });
  });
}

std::optional<std::vector<double>> ListReader::run() {
  const ValueDecl *D = M.Variable;
  if (!D || !M.IsBegin || !usesOf(Values, D).empty())
    return std::nullopt;
  QualType T = D->getType().getNonReferenceType().getCanonicalType();
  if (changesMembers(T))
    return std::nullopt;
  for (const Definition &Each : Values.index().definitions(D)) {
    if (!runsBefore(Each))
      continue;
    if (Each.Subscript || Each.How == Definition::Through) {
      if (!assign(Each))
        return std::nullopt;
      continue;
    }
    if (Each.How != Definition::Initializer || !Each.Value)
      return std::nullopt;
    Point At = Values.flow().pointOf(Each, M.At);
    auto *C = dyn_cast<CXXConstructExpr>(bare(Each.Value));
    const InitListExpr *Inner = C ? containerList(C) : nullptr;
    if (Inner) {
      for (const Expr *E : Inner->inits())
        if (Numbers.size() > MostListed || !scalar(E, At))
          return std::nullopt;
    } else if (Context.getAsArrayType(T) ||
               (T->isRecordType() && isa<InitListExpr>(bare(Each.Value)))) {
      if (!initialise(Each.Value, T, At))
        return std::nullopt;
    } else if (!T->isPointerType()) {
      return std::nullopt;
    }
  }
  for (const Definition &Each : Values.index().elements(D))
    if (runsBefore(Each) && !assign(Each))
      return std::nullopt;
  Values.forget();
  if (Numbers.empty() || Numbers.size() > MostListed ||
      llvm::is_contained(Known, false))
    return std::nullopt;
  return Numbers;
}

} // namespace

std::optional<std::vector<double>> mep::listedNumbers(HostValues &Values,
                                                      const HostMemory &M,
                                                      const Point &Copied) {
  if (!M.Variable)
    return std::nullopt;
  return ListReader(Values, M, Copied).run();
}
