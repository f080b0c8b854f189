/// \file
/// What a kernel is called and where it stands.

#include "KernelNames.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"

using namespace mep;
using clang::FunctionDecl;

const FunctionDecl *mep::patternOf(const FunctionDecl *Kernel) {
  const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern();
  if (!Pattern)
    Pattern = Kernel;
  if (const FunctionDecl *Definition = Pattern->getDefinition())
    return Definition;
  return Pattern;
}

SourceSpan mep::definitionSpan(const ParsedUnit &Unit,
                               const FunctionDecl &Kernel) {
  clang::SourceManager &Sources = Unit.sources();
  clang::SourceLocation Begin = Kernel.getBeginLoc();
  if (const auto *Template = Kernel.getDescribedFunctionTemplate())
    Begin = Template->getBeginLoc();
  else if (const auto *Linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(
               Kernel.getLexicalDeclContext()))
    if (!Linkage->hasBraces())
      Begin = Linkage->getBeginLoc();
  // An attribute before the type (`__global__`) is not part of the
  // declaration's range.
  auto [File, Offset] = Sources.getDecomposedExpansionLoc(Begin);
  for (const clang::Attr *A : Kernel.attrs()) {
    if (A->isImplicit() || A->isInherited() || A->getLocation().isInvalid())
      continue;
    auto [AttrFile, AttrOffset] =
        Sources.getDecomposedExpansionLoc(A->getLocation());
    if (AttrFile == File && AttrOffset < Offset) {
      Offset = AttrOffset;
      Begin = A->getLocation();
    }
  }
  SourceSpan First = Unit.span(Begin);
  SourceSpan Whole = Unit.span(Kernel.getSourceRange());
  if (!First.valid() || !Whole.valid() || First.File != Whole.File)
    return Whole;
  First.End = Whole.End;
  // `__attribute__((global))` spelled out: the attribute's own location is
  // inside the parentheses.
  llvm::StringRef Before = Unit.fileText(First.File).take_front(First.Begin);
  if (Before.ends_with("__attribute__((")) {
    First.Begin -= 15;
    First.Column -= 15;
  }
  return First;
}

std::string mep::deviceSymbol(const ParsedUnit &Unit,
                              const FunctionDecl &Kernel) {
  clang::ASTContext &Context = Unit.context();
  std::unique_ptr<clang::MangleContext> Mangler(
      clang::ItaniumMangleContext::create(Context, Context.getDiagnostics()));
  if (!Mangler->shouldMangleDeclName(&Kernel))
    return Kernel.getNameAsString();
  std::string Symbol;
  llvm::raw_string_ostream OS(Symbol);
  Mangler->mangleName(
      clang::GlobalDecl(&Kernel, clang::KernelReferenceKind::Kernel), OS);
  return Symbol;
}

std::string mep::templateArguments(const ParsedUnit &Unit,
                                   const FunctionDecl &Kernel) {
  const auto *Arguments = Kernel.getTemplateSpecializationArgs();
  if (!Arguments)
    return {};
  clang::PrintingPolicy Policy(Unit.language());
  Policy.SuppressTagKeyword = true;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto Print = [&](const clang::TemplateArgument &A) {
    if (!Text.empty())
      OS << ", ";
    A.print(Policy, OS, /*IncludeType=*/true);
  };
  for (const clang::TemplateArgument &A : Arguments->asArray()) {
    if (A.getKind() == clang::TemplateArgument::Pack)
      for (const clang::TemplateArgument &Element : A.pack_elements())
        Print(Element);
    else
      Print(A);
  }
  return Text;
}
