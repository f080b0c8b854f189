/// \file
/// Evaluates C++ expressions with Clang: one small in-memory parse in which the
/// names are constants and every expression is a variable's initialiser.

#include "mep/Frontend/ConstantEvaluator.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"
#include <map>

using namespace mep;
using llvm::StringRef;

namespace {

/// Functions host code uses in sizes, usable in constant expressions with and
/// without `std::`. Newton's iteration and series are enough for sizes.
constexpr const char *Prelude = R"(
typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t;
typedef long long int64_t; typedef unsigned char uint8_t;
typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long long uint64_t; typedef unsigned uint;
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned long ulong;
namespace std {
using ::size_t; using ::int32_t; using ::int64_t; using ::uint32_t; using ::uint64_t;
constexpr double floor(double x) { long long i = (long long)x; return (double)(i > x ? i - 1 : i); }
constexpr double ceil(double x) { long long i = (long long)x; return (double)(i < x ? i + 1 : i); }
constexpr double round(double x) { return x < 0 ? ceil(x - 0.5) : floor(x + 0.5); }
constexpr double trunc(double x) { return (double)(long long)x; }
constexpr double fabs(double x) { return x < 0 ? -x : x; }
template <class T> constexpr T abs(T x) { return x < 0 ? -x : x; }
template <class A, class B> constexpr auto min(A a, B b) -> decltype(a + b) { return a < b ? a : b; }
template <class A, class B> constexpr auto max(A a, B b) -> decltype(a + b) { return a > b ? a : b; }
constexpr double sqrt(double x) { double r = x > 1 ? x : 1; for (int i = 0; i < 200; ++i) r = 0.5 * (r + x / r); return x == 0 ? 0 : r; }
constexpr double log2(double x) { double r = 0; while (x >= 2) { x /= 2; r += 1; } while (x < 1) { x *= 2; r -= 1; }
  double b = 0.5; for (int i = 0; i < 52; ++i) { x *= x; if (x >= 2) { x /= 2; r += b; } b /= 2; } return r; }
constexpr double log(double x) { return log2(x) * 0.693147180559945309417; }
constexpr double log10(double x) { return log2(x) * 0.301029995663981195214; }
constexpr double exp(double x) { double k = floor(x), f = x - k, t = 1, s = 1; for (int i = 1; i < 30; ++i) { t *= f / i; s += t; }
  double e = 2.718281828459045235360, r = 1; bool n = k < 0; for (long long i = (long long)(n ? -k : k); i; i >>= 1) { if (i & 1) r *= e; e *= e; } return s * (n ? 1 / r : r); }
constexpr double pow(double x, double y) { if (y == (double)(long long)y) { double r = 1; bool n = y < 0; long long i = (long long)(n ? -y : y);
  for (double b = x; i; i >>= 1) { if (i & 1) r *= b; b *= b; } return n ? 1 / r : r; } return exp(y * log(x)); }
constexpr double fmin(double a, double b) { return a < b ? a : b; }
constexpr double fmax(double a, double b) { return a > b ? a : b; }
constexpr double ceilf(double x) { return ceil(x); } constexpr double floorf(double x) { return floor(x); }
constexpr double sqrtf(double x) { return sqrt(x); }
}
using namespace std;
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {} };
constexpr int INT_MAX = __INT_MAX__; constexpr long LONG_MAX = __LONG_MAX__;
constexpr unsigned UINT_MAX = 2u * __INT_MAX__ + 1;
)";

/// `p.n` becomes an identifier the user cannot have written.
std::string identifier(StringRef Name) {
  std::string Plain;
  for (char C : Name)
    Plain += llvm::isAlnum(C) || C == '_' ? std::string(1, C)
                                          : std::string("__mep_dot__");
  return Plain;
}

/// Replaces every dotted name of \p Dotted in \p Expression, longest first.
std::string mapNames(
    std::string Expression,
    const std::map<size_t, std::vector<StringRef>, std::greater<>> &Dotted) {
  for (const auto &[Length, Names] : Dotted)
    for (StringRef Name : Names)
      for (size_t At = Expression.find(Name); At != std::string::npos;
           At = Expression.find(Name, At + 1)) {
        auto IsName = [](char C) {
          return llvm::isAlnum(C) || C == '_' || C == '.';
        };
        if ((At && IsName(Expression[At - 1])) ||
            (At + Length < Expression.size() &&
             (llvm::isAlnum(Expression[At + Length]) ||
              Expression[At + Length] == '_')))
          continue;
        Expression.replace(At, Length, identifier(Name));
      }
  return Expression;
}

bool isOneExpression(StringRef Text) {
  int Depth = 0;
  for (char C : Text) {
    if (C == '(' || C == '[' || C == '{')
      ++Depth;
    if ((C == ')' || C == ']' || C == '}') && --Depth < 0)
      return false;
    if (C == ';' || C == '#' || C == '\\' || C == '"' || C == '\n')
      return false;
  }
  return Depth == 0 && !Text.trim().empty();
}

llvm::Error wrong(StringRef Expression, const llvm::Twine &Why,
                  StringRef Where) {
  return makeError(Failure::Workload,
                   ("expression '" + Expression + "': " + Why).str(),
                   Where.str());
}

/// Remembers the first error; a later one is mostly its consequence.
class FirstErrorConsumer : public clang::DiagnosticConsumer {
public:
  explicit FirstErrorConsumer(std::string &Text) : Text(Text) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    if (Level < clang::DiagnosticsEngine::Error || !Text.empty())
      return;
    llvm::SmallString<128> Message;
    Info.FormatDiagnostic(Message);
    Text = Message.str().str();
  }

private:
  std::string &Text;
};

/// Parses \p Source without Clang's driver: looking for the machine's compilers
/// would take longer than the parse. \p FirstError must outlive the unit.
std::unique_ptr<clang::ASTUnit> parse(const std::string &Source,
                                      std::string &FirstError) {
  constexpr const char *Name = "expressions.cpp";
  // The host's types: geometry and sizes are computed there.
  const std::string Triple = llvm::sys::getDefaultTargetTriple();
  const char *const Arguments[] = {
      "-triple",
      Triple.c_str(),
      "-fsyntax-only",
      "-w",
      "-std=c++20",
      "-nostdsysteminc",
      "-nobuiltininc",
      "-fcxx-exceptions",
      "-x",
      "c++",
      Name,
  };
  auto Options = std::make_shared<clang::DiagnosticOptions>();
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Files->addFile(Name, 0, llvm::MemoryBuffer::getMemBuffer(Source, Name));
  auto Diagnostics = clang::CompilerInstance::createDiagnostics(
      *Files, *Options, new FirstErrorConsumer(FirstError),
      /*ShouldOwnClient=*/true);
  auto Invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*Invocation, Arguments,
                                                 *Diagnostics))
    return nullptr;
  Invocation->getFrontendOpts().DisableFree = false;
  auto Manager = llvm::makeIntrusiveRefCnt<clang::FileManager>(
      Invocation->getFileSystemOpts(), Files);
  return clang::ASTUnit::LoadFromCompilerInvocation(
      Invocation, std::make_shared<clang::PCHContainerOperations>(), Options,
      Diagnostics, Manager);
}

const clang::VarDecl *findVariable(clang::ASTContext &Context, StringRef Name) {
  auto Found =
      Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(Name));
  return Found.empty() ? nullptr
                       : llvm::dyn_cast<clang::VarDecl>(Found.front());
}

/// Why Clang does not take \p Initializer as a constant, in one line.
std::string
explain(const llvm::SmallVectorImpl<clang::PartialDiagnosticAt> &Notes,
        clang::ASTContext &Context) {
  if (Notes.empty())
    return "is no constant";
  llvm::SmallString<128> Text;
  Notes.front().second.EmitToString(Context.getDiagnostics(), Text);
  return Text.str().str();
}

llvm::Expected<ConstantValue> valueOf(const clang::VarDecl *Variable,
                                      clang::ASTContext &Context,
                                      StringRef Expression, StringRef Where) {
  const clang::Expr *Initializer = Variable ? Variable->getInit() : nullptr;
  if (!Initializer || Initializer->containsErrors() ||
      Initializer->isValueDependent())
    return wrong(Expression, "is not valid", Where);
  llvm::SmallVector<clang::PartialDiagnosticAt, 4> Notes;
  clang::Expr::EvalResult Result;
  Result.Diag = &Notes;
  if (!Initializer->EvaluateAsRValue(Result, Context) ||
      Result.HasSideEffects || !Notes.empty())
    return wrong(Expression, explain(Notes, Context), Where);
  ConstantValue Value;
  if (Result.Val.isFloat()) {
    Value.IsFloat = true;
    Value.Float = Result.Val.getFloat().convertToDouble();
    return Value;
  }
  if (!Result.Val.isInt())
    return wrong(Expression, "is no number", Where);
  const llvm::APSInt &Integer = Result.Val.getInt();
  if (Integer.isUnsigned() ? Integer.getActiveBits() > 63
                           : Integer.getSignificantBits() > 64)
    return wrong(Expression, "is too large", Where);
  Value.Integer = Integer.getExtValue();
  return Value;
}

/// Names of the variables that hold the values; users cannot write them.
constexpr llvm::StringLiteral ValueOfConstant = "__mep_constant_";
constexpr llvm::StringLiteral ValueOfExpression = "__mep_value_";

std::string declare(const std::string &Type, const std::string &Name,
                    const std::string &Value) {
  return Type + " " + Name + " = (" + Value + ");\n";
}

llvm::Expected<ConstantValue> valueNamed(const std::string &Name,
                                         StringRef Expression,
                                         clang::ASTContext &Context,
                                         const std::string &FirstError,
                                         StringRef Where) {
  const clang::VarDecl *Variable = findVariable(Context, Name);
  bool Broken = !Variable || Variable->isInvalidDecl() ||
                !Variable->getInit() || Variable->getInit()->containsErrors();
  if (Broken && !FirstError.empty())
    return wrong(Expression, FirstError, Where);
  return valueOf(Variable, Context, Expression, Where);
}

/// A constant whose value its type cannot hold would be cut silently.
llvm::Error checkConstant(const NamedConstant &C, size_t Index,
                          clang::ASTContext &Context,
                          const std::string &FirstError, StringRef Where) {
  auto Given = valueNamed((ValueOfConstant + llvm::Twine(Index)).str(), C.Value,
                          Context, FirstError, Where);
  if (!Given)
    return Given.takeError();
  const clang::VarDecl *Variable = findVariable(Context, identifier(C.Name));
  if (!Variable || Variable->isInvalidDecl())
    return wrong(C.Value,
                 "value of '" + C.Name + "' is not valid" +
                     (FirstError.empty() ? "" : ": " + FirstError),
                 Where);
  auto Held = valueOf(Variable, Context, C.Value, Where);
  if (!Held)
    return Held.takeError();
  if (!Given->IsFloat && !Held->IsFloat && Given->Integer != Held->Integer &&
      !Variable->getType()->isBooleanType())
    return wrong(C.Value,
                 "value of '" + C.Name + "' does not fit its type " + C.Type,
                 Where);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<ConstantValue>>
mep::evaluateConstants(llvm::ArrayRef<NamedConstant> Constants,
                       llvm::ArrayRef<std::string> Expressions,
                       StringRef Where) {
  if (Expressions.empty())
    return std::vector<ConstantValue>();
  std::map<size_t, std::vector<StringRef>, std::greater<>> Dotted;
  for (const NamedConstant &C : Constants)
    if (identifier(C.Name) != C.Name)
      Dotted[C.Name.size()].push_back(C.Name);
  std::string Source = Prelude;
  for (size_t I = 0; I < Constants.size(); ++I) {
    const NamedConstant &C = Constants[I];
    if (!isOneExpression(C.Value))
      return wrong(C.Value, "is not one expression", Where);
    Source += declare("const auto", (ValueOfConstant + llvm::Twine(I)).str(),
                      mapNames(C.Value, Dotted));
    std::string Type = C.Type.empty() ? "auto" : C.Type;
    std::string Cast = C.Type.empty() ? "" : "(" + C.Type + ")";
    Source += declare("constexpr " + Type, identifier(C.Name),
                      Cast + "(" + mapNames(C.Value, Dotted) + ")");
  }
  for (size_t I = 0; I < Expressions.size(); ++I) {
    if (!isOneExpression(Expressions[I]))
      return wrong(Expressions[I], "is not one expression", Where);
    Source += declare("const auto", (ValueOfExpression + llvm::Twine(I)).str(),
                      mapNames(Expressions[I], Dotted));
  }
  std::string FirstError; // Outlives the unit, which writes to it.
  auto Unit = parse(Source, FirstError);
  if (!Unit)
    return makeError(Failure::Workload, "cannot be evaluated: " + FirstError,
                     Where.str());
  clang::ASTContext &Context = Unit->getASTContext();
  for (size_t I = 0; I < Constants.size(); ++I)
    if (llvm::Error E =
            checkConstant(Constants[I], I, Context, FirstError, Where))
      return E;
  std::vector<ConstantValue> Values;
  for (size_t I = 0; I < Expressions.size(); ++I) {
    auto Value = valueNamed((ValueOfExpression + llvm::Twine(I)).str(),
                            Expressions[I], Context, FirstError, Where);
    if (!Value)
      return Value.takeError();
    Values.push_back(*Value);
  }
  return Values;
}
