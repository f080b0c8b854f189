#include "HostLambda.h"
#include "DependencyWalk.h"
#include "KernelNames.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::StringRef;

// ---- which lambdas ---------------------------------------------------------

const FunctionDecl *mep::hostHome(const Decl *D) {
  const FunctionDecl *Home = nullptr;
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (auto *F = dyn_cast<FunctionDecl>(C)) {
      auto *M = dyn_cast<CXXMethodDecl>(F);
      if (!M || !M->getParent()->isLambda())
        Home = F;
    }
  return Home && !isDeviceCallable(Home) ? Home : nullptr;
}

const CXXRecordDecl *mep::hostLambda(const Decl *D) {
  auto *Record = dyn_cast<CXXRecordDecl>(D);
  if (auto *M = dyn_cast<CXXMethodDecl>(D))
    Record = M->getParent();
  return Record && Record->isLambda() && hostHome(Record) ? Record : nullptr;
}

NamedLambda mep::nameLambda(const CXXRecordDecl *Lambda, size_t Number) {
  NamedLambda New;
  New.Lambda = Lambda;
  New.Name = New.Qualified = "mep_lambda_" + std::to_string(Number);
  for (const DeclContext *C = Lambda->getDeclContext(); C; C = C->getParent())
    if (auto *N = dyn_cast<NamespaceDecl>(C))
      if (!N->isAnonymousNamespace())
        New.Qualified = N->getNameAsString() + "::" + New.Qualified;
  return New;
}

std::string mep::withLambdaNames(std::string Text,
                                 const NamedLambdas &Lambdas) {
  for (const NamedLambda &L : Lambdas) {
    std::string Printed = typeText(
        L.Lambda->getASTContext().getCanonicalTagType(L.Lambda), L.Lambda);
    for (size_t At; (At = Text.find(Printed)) != std::string::npos;)
      Text.replace(At, Printed.size(), L.Qualified);
  }
  return Text;
}

// ---- the class -------------------------------------------------------------

namespace {

/// What the body names that is local to the function around the lambda and no
/// capture.
class LocalNames : public RecursiveASTVisitor<LocalNames> {
public:
  LocalNames(const CXXRecordDecl *Lambda, const FunctionDecl *Home)
      : Home(Home) {
    for (const LambdaCapture &C : Lambda->captures())
      if (C.capturesVariable())
        Captured.insert(C.getCapturedVar());
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (V && isOfHome(V) && !Captured.contains(V) &&
        !llvm::is_contained(Variables, V))
      Variables.push_back(V);
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc TL) {
    if (isOfHome(TL.getDecl()) && !llvm::is_contained(Types, TL.getDecl()))
      Types.push_back(TL.getDecl());
    return true;
  }

  std::vector<const VarDecl *> Variables;
  std::vector<const TypedefNameDecl *> Types;

private:
  bool isOfHome(const Decl *D) const {
    const DeclContext *C = D->getDeclContext();
    return C->isFunctionOrMethod() && C == Home;
  }
  const FunctionDecl *Home;
  llvm::DenseSet<const ValueDecl *> Captured;
};

class ObjectWriter {
public:
  ObjectWriter(const ParsedUnit &Unit, const SourceFiles &Files,
               const NamedLambdas &Lambdas, size_t Index)
      : Unit(Unit), Files(Files), Lambdas(Lambdas), Own(Lambdas[Index]),
        Call(Own.Lambda->getLambdaCallOperator()), Home(hostHome(Own.Lambda)) {}

  llvm::Expected<std::string> write();

private:
  void templateNames(const TemplateParameterList *Parameters,
                     llvm::ArrayRef<TemplateArgument> Arguments);
  void enclosingTemplates();
  void locals();
  void captures();
  std::string text(SourceRange Range) const;
  std::string type(QualType T) const {
    return withLambdaNames(typeText(T, Own.Lambda), Lambdas);
  }
  void line(const std::string &Text) { Members += "  " + Text + "\n"; }
  void fail(std::string Why) {
    if (Problem.empty())
      Problem = std::move(Why);
  }

  const ParsedUnit &Unit;
  const SourceFiles &Files;
  const NamedLambdas &Lambdas;
  const NamedLambda &Own;
  const CXXMethodDecl *Call;
  const FunctionDecl *Home;
  llvm::StringSet<> Words; ///< Of the lambda's own text.
  std::string Members, Problem;
};

std::string ObjectWriter::text(SourceRange Range) const {
  const SourceManager &SM = Unit.sources();
  auto [File, Begin] = SM.getDecomposedExpansionLoc(Range.getBegin());
  auto [EndFile, Last] = SM.getDecomposedExpansionLoc(Range.getEnd());
  if (File != EndFile || Last < Begin || Range.getBegin().isMacroID() ||
      Range.getEnd().isMacroID())
    return {};
  unsigned Length = Lexer::MeasureTokenLength(Range.getEnd(), SM,
                                              Unit.context().getLangOpts());
  return Files.render({File, Begin, Last + Length});
}

/// The names of template parameters, which the text goes on using.
void ObjectWriter::templateNames(const TemplateParameterList *Parameters,
                                 llvm::ArrayRef<TemplateArgument> Arguments) {
  for (unsigned I = 0; I < Parameters->size() && I < Arguments.size(); ++I) {
    std::string Name = Parameters->getParam(I)->getNameAsString();
    const TemplateArgument &A = Arguments[I];
    if (!Words.contains(Name))
      continue;
    if (A.getKind() == TemplateArgument::Type)
      line("using " + Name + " = " + type(A.getAsType()) + ";");
    else if (A.getKind() == TemplateArgument::Integral)
      line("static constexpr " + type(A.getIntegralType()) + " " + Name +
           " = static_cast<" + type(A.getIntegralType()) + ">(" +
           llvm::toString(A.getAsIntegral(), 10) + ");");
    else
      fail("uses the template parameter '" + Name +
           "' of its function, which is neither a type nor a number");
  }
}

void ObjectWriter::enclosingTemplates() {
  for (const DeclContext *C = Home; C; C = C->getParent()) {
    if (auto *F = dyn_cast<FunctionDecl>(C);
        F && F->getTemplateSpecializationArgs() && F->getPrimaryTemplate())
      templateNames(F->getPrimaryTemplate()->getTemplateParameters(),
                    F->getTemplateSpecializationArgs()->asArray());
    if (auto *R = dyn_cast<ClassTemplateSpecializationDecl>(C))
      templateNames(R->getSpecializedTemplate()->getTemplateParameters(),
                    R->getTemplateArgs().asArray());
  }
}

void ObjectWriter::locals() {
  LocalNames Found(Own.Lambda, Home);
  Found.TraverseStmt(Call->getBody());
  for (const TypedefNameDecl *T : Found.Types)
    line("using " + T->getNameAsString() + " = " +
         type(T->getUnderlyingType()) + ";");
  for (const VarDecl *V : Found.Variables) {
    const APValue *Value = V->hasInit() && !V->getInit()->isValueDependent()
                               ? V->evaluateValue()
                               : nullptr;
    QualType T = V->getType().getUnqualifiedType();
    if (!Value || !(Value->isInt() || Value->isFloat())) {
      fail("uses '" + V->getNameAsString() +
           "', which is local to its function");
      continue;
    }
    line("static constexpr " + type(T) + " " + V->getNameAsString() + " = " +
         Value->getAsString(Unit.context(), T) + ";");
  }
}

void ObjectWriter::captures() {
  auto Field = Own.Lambda->field_begin();
  for (const LambdaCapture &C : Own.Lambda->captures()) {
    const FieldDecl *F = *Field++;
    if (!C.capturesVariable() || C.getCaptureKind() != LCK_ByCopy)
      return fail(C.capturesVariable() ? "captures by reference"
                                       : "captures 'this' or a bound");
    std::string Name = C.getCapturedVar()->getNameAsString();
    QualType T = F->getType().getUnqualifiedType();
    const auto *Array = Unit.context().getAsConstantArrayType(T);
    std::string Bounds;
    for (; Array; Array = Unit.context().getAsConstantArrayType(T)) {
      Bounds += "[" + llvm::toString(Array->getSize(), 10, false) + "]";
      T = Array->getElementType();
    }
    line(type(T) + " " + Name + Bounds + ";");
  }
}

llvm::Expected<std::string> ObjectWriter::write() {
  FunctionTypeLoc Type = Call->getFunctionTypeLoc();
  std::string Body =
      Call->getBody() ? text(Call->getBody()->getSourceRange()) : std::string();
  std::string Parameters =
      Type ? text({Type.getLParenLoc(), Type.getRParenLoc()}) : std::string();
  if (Parameters.empty() && Call->getNumParams() == 0)
    Parameters = "()";
  if (Own.Lambda->isGenericLambda())
    fail("is generic");
  if (Body.empty() || Parameters.empty())
    fail("is made by a macro");
  for (const std::string &Word : identifiersIn(Parameters + Body))
    Words.insert(Word);
  enclosingTemplates();
  locals();
  captures();
  if (!Problem.empty())
    return makeError(Failure::Unsupported,
                     "a lambda is passed to the kernel that " + Problem,
                     Unit.span(Own.Lambda->getSourceRange()).str());
  auto *Host = Call->getAttr<CUDAHostAttr>();
  std::string Result = "struct " + Own.Name + " {\n" + Members + "  ";
  if (Host && !Host->isImplicit())
    Result += "__host__ ";
  Result += "__device__ " + type(Call->getReturnType()) + " operator()" +
            Parameters + (Call->isConst() ? " const " : " ") + Body + "\n};";
  return Result;
}

} // namespace

llvm::Expected<std::string> mep::functionObject(const ParsedUnit &Unit,
                                                const SourceFiles &Files,
                                                const NamedLambdas &Lambdas,
                                                size_t Index) {
  return ObjectWriter(Unit, Files, Lambdas, Index).write();
}
