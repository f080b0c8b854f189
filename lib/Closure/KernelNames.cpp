#include "KernelNames.h"
#include "ChunkTable.h"
#include "HostLambda.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using clang::FunctionDecl;
using clang::NamedDecl;

static void replaceAll(std::string &Text, const std::string &From,
                       const std::string &To) {
  for (size_t At = Text.find(From); At != std::string::npos;
       At = Text.find(From, At + To.size()))
    Text.replace(At, From.size(), To);
}

std::string mep::deviceSymbol(const NamedDecl *D) {
  clang::ASTContext &Context = D->getASTContext();
  std::unique_ptr<clang::MangleContext> Mangler(
      clang::ItaniumMangleContext::create(Context, Context.getDiagnostics()));
  std::string Name = D->getNameAsString();
  if (!Mangler->shouldMangleDeclName(D))
    return Name;
  bool AtFileScope =
      D->getDeclContext()->getRedeclContext()->isTranslationUnit();
  if (clang::isa<clang::VarDecl>(D) && AtFileScope &&
      !clang::isa<clang::VarTemplateSpecializationDecl>(D))
    return Name;
  std::string Symbol;
  llvm::raw_string_ostream OS(Symbol);
  if (const auto *F = clang::dyn_cast<FunctionDecl>(D))
    Mangler->mangleName(
        clang::GlobalDecl(F, clang::KernelReferenceKind::Kernel), OS);
  else
    Mangler->mangleName(clang::GlobalDecl(clang::cast<clang::VarDecl>(D)), OS);
  std::string Own = std::to_string(Name.size()) + Name;
  replaceAll(Symbol, "L" + Own, Own);
  std::string Local = LocalNamespace;
  replaceAll(Symbol, "12_GLOBAL__N_1", std::to_string(Local.size()) + Local);
  return Symbol;
}

static clang::PrintingPolicy namingPolicy(const NamedDecl *D) {
  clang::PrintingPolicy Policy(D->getASTContext().getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Policy.FullyQualifiedName = true;
  Policy.PrintAsCanonical = true;
  return Policy;
}

static std::string printed(const NamedDecl *D,
                           llvm::ArrayRef<clang::TemplateArgument> Arguments) {
  clang::PrintingPolicy Policy = namingPolicy(D);
  std::vector<std::string> Parts;
  auto Print = [&](const clang::TemplateArgument &A) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    A.print(Policy, OS, /*IncludeType=*/false);
    Parts.push_back(Text);
  };
  for (const clang::TemplateArgument &A : Arguments) {
    if (A.getKind() != clang::TemplateArgument::Pack)
      Print(A);
    else
      for (const clang::TemplateArgument &Inner : A.getPackAsArray())
        Print(Inner);
  }
  return llvm::join(Parts, ", ");
}

std::string mep::templateArguments(const FunctionDecl *Kernel) {
  const clang::TemplateArgumentList *Arguments =
      Kernel->getTemplateSpecializationArgs();
  return Arguments ? printed(Kernel, Arguments->asArray()) : std::string();
}

std::string mep::reachableName(const NamedDecl *D) {
  std::string Result = D->getNameAsString();
  if (const auto *V = clang::dyn_cast<clang::VarTemplateSpecializationDecl>(D))
    Result += "<" + printed(D, V->getTemplateArgs().asArray()) + ">";
  for (const clang::DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (const auto *N = clang::dyn_cast<clang::NamespaceDecl>(C))
      if (!N->isAnonymousNamespace())
        Result = N->getNameAsString() + "::" + Result;
  return Result;
}

std::string mep::typeText(clang::QualType T, const NamedDecl *Near) {
  return T.getCanonicalType().getAsString(namingPolicy(Near));
}

/// The name of \p Kernel where its definition stands, which may be outside the
/// namespace it was declared in (`void ns::k() {}`).
static std::string nameAtDefinition(const FunctionDecl *Kernel) {
  const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern();
  bool IsOutside = Pattern && !Pattern->getLexicalDeclContext()->Equals(
                                  Pattern->getDeclContext());
  return IsOutside ? reachableName(Kernel) : Kernel->getNameAsString();
}

std::string mep::explicitInstantiation(const FunctionDecl *Kernel,
                                       const std::string &Arguments,
                                       const NamedLambdas &Lambdas) {
  clang::PrintingPolicy Policy = namingPolicy(Kernel);
  std::vector<std::string> Types;
  for (const clang::ParmVarDecl *P : Kernel->parameters())
    Types.push_back(withLambdaNames(
        P->getType().getCanonicalType().getAsString(Policy), Lambdas));
  std::string Result = "template __global__ void " + nameAtDefinition(Kernel) +
                       "<" + Arguments + ">(" + llvm::join(Types, ", ") + ");";
  bool Unnamed = Result.find("(lambda") != std::string::npos ||
                 Result.find("(unnamed") != std::string::npos ||
                 Result.find("(anonymous") != std::string::npos;
  return Unnamed ? std::string() : Result;
}
