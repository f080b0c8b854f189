#include "DependencyWalk.h"
#include "DeviceNames.h"
#include "HostLambda.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace mep;
using clang::cast;
using clang::CXXRecordDecl;
using clang::Decl;
using clang::dyn_cast;
using clang::FunctionDecl;
using clang::isa;
using clang::NamedDecl;
using clang::SourceLocation;
using clang::VarDecl;
using llvm::dyn_cast_or_null;

bool mep::isDeviceCallable(const FunctionDecl *F) {
  return F->hasAttr<clang::CUDADeviceAttr>() ||
         F->hasAttr<clang::CUDAGlobalAttr>() || F->isConstexpr() ||
         F->isImplicit() || F->isDefaulted() || F->isDeleted();
}

namespace {

/// Calls \p Need for every declaration that the visited code names, also
/// through types, qualifiers and implicit calls.
template <typename Derived>
class MentionVisitor : public clang::RecursiveASTVisitor<Derived> {
  using Base = clang::RecursiveASTVisitor<Derived>;
  Derived &self() { return *static_cast<Derived *>(this); }

public:
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr *E) {
    self().call(E->getDecl(), E->getLocation());
    self().need(E->getFoundDecl(), E->getLocation());
    self().need(E->getDecl(), E->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *E) {
    self().call(E->getMemberDecl(), E->getMemberLoc());
    self().need(E->getMemberDecl(), E->getMemberLoc());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *E) {
    self().call(E->getConstructor(), E->getLocation());
    self().need(E->getConstructor(), E->getLocation());
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr *E) {
    self().need(E->getConstructor(), E->getLocation());
    return true;
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr *E) {
    self().need(E->getOperatorNew(), E->getBeginLoc());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *E) {
    self().need(E->getOperatorDelete(), E->getBeginLoc());
    return true;
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr *E) {
    return Base::TraverseStmt(E->getExpr());
  }
  bool VisitCXXDefaultInitExpr(clang::CXXDefaultInitExpr *E) {
    return Base::TraverseStmt(E->getExpr());
  }
  bool VisitSizeOfPackExpr(clang::SizeOfPackExpr *E) {
    self().need(E->getPack(), E->getPackLoc());
    return true;
  }
  /// An unresolved call: what device code could call. The instantiation says
  /// which one it is, but the pattern must still parse.
  bool VisitOverloadExpr(clang::OverloadExpr *E) {
    self().mention(E->getName(), E->getNameLoc());
    for (NamedDecl *D : E->decls()) {
      const FunctionDecl *F = D->getUnderlyingDecl()->getAsFunction();
      if (!F || isDeviceCallable(F))
        self().need(D, E->getNameLoc());
    }
    return true;
  }
  bool VisitConceptReference(clang::ConceptReference *R) {
    self().need(R->getNamedConcept(), R->getConceptNameLoc());
    return true;
  }
  bool VisitTypeLoc(clang::TypeLoc TL) {
    self().needType(TL.getTypePtr(), TL.getBeginLoc());
    return true;
  }
  bool VisitType(clang::Type *T) {
    self().needType(T, SourceLocation());
    return true;
  }
  bool TraverseTemplateName(clang::TemplateName Name) {
    self().need(Name.getAsTemplateDecl(), SourceLocation());
    return Base::TraverseTemplateName(Name);
  }
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc Loc) {
    if (Loc) {
      clang::NestedNameSpecifier N = Loc.getNestedNameSpecifier();
      if (N.getKind() == clang::NestedNameSpecifier::Kind::Namespace)
        self().need(N.getAsNamespaceAndPrefix().Namespace,
                    Loc.getLocalBeginLoc());
    }
    return Base::TraverseNestedNameSpecifierLoc(Loc);
  }

  void mention(clang::DeclarationName, SourceLocation) {}
  void call(const Decl *, SourceLocation) {}

  /// The declarations that \p T names itself; its parts are visited apart.
  void needType(const clang::Type *T, SourceLocation At) {
    if (const auto *Typedef = dyn_cast<clang::TypedefType>(T))
      self().need(Typedef->getDecl(), At);
    else if (const auto *Using = dyn_cast<clang::UsingType>(T))
      self().need(Using->getDecl(), At);
    else if (const auto *Tag = dyn_cast<clang::TagType>(T))
      self().need(Tag->getDecl(), At);
    else if (const auto *Special =
                 dyn_cast<clang::TemplateSpecializationType>(T)) {
      self().need(Special->getTemplateName().getAsTemplateDecl(), At);
      if (const CXXRecordDecl *Record = T->getAsCXXRecordDecl())
        self().need(Record, At);
    } else if (const auto *Deduced =
                   dyn_cast<clang::DeducedTemplateSpecializationType>(T))
      self().need(Deduced->getTemplateName().getAsTemplateDecl(), At);
    else if (const auto *Auto = dyn_cast<clang::AutoType>(T)) {
      if (!Auto->getDeducedType().isNull())
        Base::TraverseType(Auto->getDeducedType());
    }
  }
};

// ---- the walk --------------------------------------------------------------

class Walker : public MentionVisitor<Walker> {
  using Base = MentionVisitor<Walker>;

public:
  Walker(const ParsedUnit &Unit, const ChunkTable &Chunks,
         const FunctionDecl *Kernel)
      : Unit(Unit), Chunks(Chunks), Kernel(Kernel) {}

  llvm::Error run();
  void addChunk(size_t Index, SourceLocation At);
  void drain();
  void finishUsingDirectives();

  void need(const Decl *D, SourceLocation At);
  void mention(clang::DeclarationName Name, SourceLocation At);
  void call(const Decl *D, SourceLocation At);

  bool TraverseFunctionDecl(FunctionDecl *F) {
    return hidden(F) || Base::TraverseFunctionDecl(F);
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *F) {
    return hidden(F) || Base::TraverseCXXMethodDecl(F);
  }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl *F) {
    return hidden(F) || Base::TraverseCXXConstructorDecl(F);
  }
  bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl *F) {
    return hidden(F) || Base::TraverseCXXDestructorDecl(F);
  }
  bool TraverseCXXConversionDecl(clang::CXXConversionDecl *F) {
    return hidden(F) || Base::TraverseCXXConversionDecl(F);
  }
  bool VisitVarDecl(VarDecl *V);
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *E);
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *S);
  bool VisitLambdaExpr(clang::LambdaExpr *E);
  bool VisitCompoundLiteralExpr(clang::CompoundLiteralExpr *) {
    return Result.UsesHostDialect = true;
  }
  bool VisitStmtExpr(clang::StmtExpr *) {
    return Result.UsesHostDialect = true;
  }

  Needs Result;

private:
  bool hidden(FunctionDecl *F);
  void needFunction(const FunctionDecl *F, SourceLocation At);
  void needRecord(const CXXRecordDecl *R, SourceLocation At);
  void needVariable(const VarDecl *V);
  void needLambda(const CXXRecordDecl *Lambda);
  void needText(const Decl *D, SourceLocation At);
  void needEarlierDeclarations(const Decl *Definition);
  void needArguments(llvm::ArrayRef<clang::TemplateArgument> Arguments);
  void fail(SourceLocation At, std::string Message);
  std::string place(SourceLocation At) const;

  const ParsedUnit &Unit;
  const ChunkTable &Chunks;
  const FunctionDecl *Kernel;
  llvm::DenseSet<const Decl *> Seen;
  std::vector<const Decl *> Queue;
  llvm::DenseSet<const FunctionDecl *> Shown; ///< Bodies to walk anyway.
  std::string Problem, ProblemPlace;
};

std::string Walker::place(SourceLocation At) const {
  SourceLocation Where = Unit.sources().getExpansionLoc(At);
  return Where.isInvalid() ? std::string()
                           : Unit.span(clang::SourceRange(Where)).str();
}

void Walker::fail(SourceLocation At, std::string Message) {
  if (!Problem.empty())
    return;
  Problem = std::move(Message);
  ProblemPlace = place(At);
}

/// A method of a kept class that device code cannot call: its signature counts,
/// its body does not.
bool Walker::hidden(FunctionDecl *F) {
  if (F->hasAttr<clang::CUDAHostAttr>() &&
      !F->hasAttr<clang::CUDADeviceAttr>() &&
      !F->getAttr<clang::CUDAHostAttr>()->isImplicit())
    Result.UsesHostDialect = true;
  if (isDeviceCallable(F) || Shown.contains(F))
    return false;
  if (!isa<CXXRecordDecl>(F->getDeclContext()) ||
      !F->doesThisDeclarationHaveABody())
    return false;
  Result.HostMethods.insert(F);
  if (clang::TypeSourceInfo *Type = F->getTypeSourceInfo())
    TraverseTypeLoc(Type->getTypeLoc());
  return true;
}

void Walker::needArguments(llvm::ArrayRef<clang::TemplateArgument> Arguments) {
  for (const clang::TemplateArgument &A : Arguments) {
    TraverseTemplateArgument(A);
    if (A.getKind() == clang::TemplateArgument::Declaration)
      need(A.getAsDecl(), SourceLocation());
    else if (A.getKind() == clang::TemplateArgument::Pack)
      needArguments(A.getPackAsArray());
  }
}

void Walker::addChunk(size_t Index, SourceLocation At) {
  if (!Result.Chunks.insert(Index).second)
    return;
  for (const Decl *D : Chunks[Index].Decls) {
    Queue.push_back(D);
    if (const auto *Linkage = dyn_cast<clang::LinkageSpecDecl>(D))
      for (const Decl *Inner : Linkage->decls())
        if (const auto *Named = dyn_cast<NamedDecl>(Inner))
          need(Named, At);
    if (const auto *Named = dyn_cast<NamedDecl>(D))
      if (!isa<FunctionDecl>(D) || D->getAsFunction() != Kernel)
        need(Named, At);
  }
}

void Walker::needText(const Decl *D, SourceLocation At) {
  if (auto Index = Chunks.at(D->getLocation()))
    addChunk(*Index, At);
}

/// Declarations before the definition may be what makes a use before it legal,
/// and may hold default arguments. Friends and local ones come with what holds
/// them.
void Walker::needEarlierDeclarations(const Decl *Definition) {
  for (const Decl *D : Definition->redecls())
    if (D != Definition && D->getLexicalDeclContext()->isFileContext() &&
        !D->isImplicit() && !Unit.isSystem(D->getLocation()) &&
        Unit.sources().isBeforeInTranslationUnit(D->getLocation(),
                                                 Definition->getLocation()))
      needText(D, D->getLocation());
}

void Walker::need(const Decl *D, SourceLocation At) {
  if (!D || D->getLocation().isInvalid() || !Seen.insert(D).second)
    return;
  if (const CXXRecordDecl *Lambda = hostLambda(D))
    return needLambda(Lambda);
  // Variables and type names around such a lambda: it is written with its own.
  if ((isa<VarDecl>(D) || isa<clang::TypedefNameDecl>(D)) && hostHome(D))
    return;
  if (const auto *Shadow = dyn_cast<clang::UsingShadowDecl>(D)) {
    if (!isa<clang::ConstructorUsingShadowDecl>(Shadow))
      need(Shadow->getIntroducer(), At);
    need(Shadow->getTargetDecl(), At);
    return;
  }
  if (const auto *Named = dyn_cast<NamedDecl>(D);
      Named && Named->getIdentifier())
    mention(Named->getDeclName(), At);
  if (const auto *Alias = dyn_cast<clang::NamespaceAliasDecl>(D))
    need(Alias->getNamespace(), At);
  if (isa<clang::NamespaceDecl>(D) && !Unit.isSystem(D->getLocation()))
    return;
  if (Unit.isSystem(D->getLocation())) {
    if (const auto *Named = dyn_cast<NamedDecl>(D))
      Result.System.insert(Named);
    if (const auto *R = dyn_cast<clang::ClassTemplateSpecializationDecl>(D))
      needArguments(R->getTemplateArgs().asArray());
    if (const auto *F = dyn_cast<FunctionDecl>(D))
      if (const auto *Arguments = F->getTemplateSpecializationArgs())
        needArguments(Arguments->asArray());
    return;
  }
  if (const auto *F = D->getAsFunction())
    needFunction(F, At);
  else if (const auto *R = dyn_cast<CXXRecordDecl>(D))
    needRecord(R, At);
  else if (const auto *T = dyn_cast<clang::ClassTemplateDecl>(D))
    need(T->getTemplatedDecl(), At);
  else if (const auto *V = dyn_cast<VarDecl>(D))
    needVariable(V);
  if (const auto *Tag = dyn_cast<clang::TagDecl>(D))
    if (const clang::TagDecl *Definition = Tag->getDefinition()) {
      needText(Definition, At);
      needEarlierDeclarations(Definition);
    }
  needText(D, At);
}

void Walker::needFunction(const FunctionDecl *F, SourceLocation At) {
  if (F->hasAttr<clang::CUDAGlobalAttr>() && F != Kernel &&
      F->getTemplateInstantiationPattern() != Kernel &&
      Kernel->getTemplateInstantiationPattern() != F &&
      F->getCanonicalDecl() != Kernel->getCanonicalDecl() &&
      isDeviceCallable(F) && !F->isDependentContext())
    return;
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    need(Pattern, At);
  if (const auto *Arguments = F->getTemplateSpecializationArgs())
    needArguments(Arguments->asArray());
  const FunctionDecl *Definition = F->getDefinition();
  const bool IsMember = isa<CXXRecordDecl>(F->getDeclContext());
  if (!Definition) {
    bool Expected = F->getBuiltinID() || F->isPureVirtual() ||
                    F->isDefaulted() || F->isDeleted() || F->isImplicit() ||
                    F->isTemplateInstantiation() || F->isDependentContext();
    // An explicit instantiation elsewhere; in `decltype` none is needed.
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    if (Pattern && !Pattern->isDefined() && F->isUsed())
      Expected = F->isDeleted() || F->isDefaulted();
    if (!Expected && F->hasAttr<clang::CUDADeviceAttr>()) {
      Result.Elsewhere.insert(F->getNameAsString());
      fail(F->getLocation(), "device function '" +
                                 F->getQualifiedNameAsString() +
                                 "' is defined in another unit");
    }
    return;
  }
  if (IsMember && !isDeviceCallable(F))
    return;
  Shown.insert(Definition);
  needText(Definition, At);
  if (Definition->getCanonicalDecl() != Kernel->getCanonicalDecl())
    needEarlierDeclarations(Definition);
  if (Definition->isTemplateInstantiation())
    Queue.push_back(Definition);
}

void Walker::needRecord(const CXXRecordDecl *R, SourceLocation At) {
  if (const auto *Special =
          dyn_cast<clang::ClassTemplateSpecializationDecl>(R)) {
    need(Special->getSpecializedTemplate(), At);
    auto From = Special->getSpecializedTemplateOrPartial();
    if (auto *Partial =
            llvm::dyn_cast<clang::ClassTemplatePartialSpecializationDecl *>(
                From))
      need(Partial, At);
    needArguments(Special->getTemplateArgs().asArray());
    if (Special->getSpecializationKind() != clang::TSK_ExplicitSpecialization)
      for (Decl *Member : Special->decls())
        if (isa<clang::FieldDecl, clang::TypedefNameDecl, VarDecl>(Member))
          TraverseDecl(Member);
  }
  const CXXRecordDecl *Definition = R->getDefinition();
  if (!Definition)
    return;
  for (const clang::CXXBaseSpecifier &B : Definition->bases())
    TraverseType(B.getType());
  for (const clang::CXXMethodDecl *Method : Definition->methods()) {
    const FunctionDecl *Body = Method->getDefinition();
    if (Body && Body != Method && isDeviceCallable(Method))
      need(Method, At);
  }
}

/// Not the host function it stands in: the lambda is written as a class of its
/// own, with what its members and its body need.
void Walker::needLambda(const CXXRecordDecl *Lambda) {
  if (Result.Lambdas.contains(Lambda))
    return;
  for (const clang::FieldDecl *Field : Lambda->fields())
    TraverseType(Field->getType());
  if (!Result.Lambdas.insert(Lambda))
    return;
  const clang::CXXMethodDecl *Call = Lambda->getLambdaCallOperator();
  if (!Call)
    return;
  for (clang::ParmVarDecl *P : Call->parameters())
    TraverseType(P->getType());
  TraverseType(Call->getReturnType());
  if (Call->getBody())
    TraverseStmt(Call->getBody());
}

void Walker::needVariable(const VarDecl *V) {
  if (const VarDecl *Pattern = V->getTemplateInstantiationPattern())
    need(Pattern, V->getLocation());
  if (!V->hasGlobalStorage() || V->isLocalVarDecl())
    return;
  const VarDecl *Definition = V->getDefinition();
  // Clang marks the host's constants that device code reads; they are values,
  // in no memory that could be filled.
  const auto *Constant = V->getAttr<clang::CUDAConstantAttr>();
  const bool IsDevice = V->hasAttr<clang::CUDADeviceAttr>() ||
                        (Constant && !Constant->isImplicit()) ||
                        V->hasAttr<clang::HIPManagedAttr>();
  if (IsDevice && !Definition && !V->getAnyInitializer()) {
    Result.Elsewhere.insert(V->getNameAsString());
    fail(V->getLocation(), "device variable '" + V->getQualifiedNameAsString() +
                               "' is defined in another unit");
  }
  // A member constant that is only named needs no storage.
  if (IsDevice && (Definition || !V->getAnyInitializer()) &&
      !V->hasAttr<clang::CUDASharedAttr>() && !V->isConstexpr() &&
      !V->getType()->isDependentType() && !V->getDescribedVarTemplate())
    Result.Globals.insert(Definition ? Definition : V);
  if (Definition) {
    needText(Definition, V->getLocation());
    needEarlierDeclarations(Definition);
  }
}

// ---- what the code does ----------------------------------------------------

void Walker::call(const Decl *D, SourceLocation At) {
  const FunctionDecl *F = D->getAsFunction();
  if (!F || Unit.command().Joined.empty() || At.isInvalid())
    return;
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  const FunctionDecl *Definition = F->getDefinition();
  if (!Definition)
    return;
  const clang::SourceManager &SM = Unit.sources();
  auto FileAt = [&](SourceLocation L) {
    return SM.getFileID(SM.getExpansionLoc(L));
  };
  // What a header defines is part of the unit that includes it.
  if (FileAt(Definition->getLocation()) != FileAt(At) &&
      llvm::is_contained(Unit.command().Joined,
                         Unit.span(Definition->getLocation()).File))
    Result.CalledAcross.insert(Definition);
}

void Walker::mention(clang::DeclarationName Name, SourceLocation) {
  if (!Name.isIdentifier() || !Name.getAsIdentifierInfo())
    return;
  llvm::StringRef Text = Name.getAsIdentifierInfo()->getName();
  Result.UsesBarrier |= isBarrierName(Text);
  Result.UsesAtomics |= isAtomicName(Text);
}

bool Walker::VisitVarDecl(VarDecl *V) {
  Result.UsesHostDialect |= V->getStorageClass() == clang::SC_Register;
  if (!V->hasAttr<clang::CUDASharedAttr>())
    return true;
  if (V->hasExternalStorage() || V->getType()->isIncompleteArrayType()) {
    Result.UsesDynamicShared = true;
    return true;
  }
  if (V->getType()->isDependentType() || V->isInvalidDecl() ||
      V->getDeclContext()->isDependentContext())
    return true;
  const clang::ASTContext &Context = Unit.context();
  uint64_t Align = Context.getDeclAlign(V).getQuantity();
  Result.StaticSharedBytes =
      llvm::alignTo(Result.StaticSharedBytes, Align ? Align : 1) +
      Context.getTypeSizeInChars(V->getType()).getQuantity();
  return true;
}

bool Walker::VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *E) {
  fail(E->getBeginLoc(), "dynamic parallelism (a launch inside device code)");
  return true;
}

bool Walker::VisitGCCAsmStmt(clang::GCCAsmStmt *S) {
  std::string Text = S->getAsmString();
  Result.UsesBarrier |= isBarrierAssembly(Text);
  Result.UsesAtomics |= isAtomicAssembly(Text);
  return true;
}

bool Walker::VisitLambdaExpr(clang::LambdaExpr *E) {
  return TraverseStmt(E->getBody());
}

// ---- driving ---------------------------------------------------------------

void Walker::drain() {
  while (!Queue.empty() && Problem.empty()) {
    const Decl *D = Queue.back();
    Queue.pop_back();
    TraverseDecl(const_cast<Decl *>(D));
  }
}

/// A using directive is kept when a kept name lives in the namespace it opens.
void Walker::finishUsingDirectives() {
  std::set<const clang::DeclContext *> Homes;
  auto Note = [&](const Decl *D) {
    for (const clang::DeclContext *C = D->getDeclContext(); C;
         C = C->getParent())
      if (C->isNamespace())
        Homes.insert(C->getPrimaryContext());
  };
  for (const NamedDecl *D : Result.System)
    Note(D);
  for (size_t Index : Result.Chunks)
    for (const Decl *D : Chunks[Index].Decls)
      Note(D);
  for (size_t Index = 0; Index != Chunks.size(); ++Index)
    for (const Decl *D : Chunks[Index].Decls)
      if (const auto *Using = dyn_cast<clang::UsingDirectiveDecl>(D))
        if (Homes.count(Using->getNominatedNamespace()->getPrimaryContext()))
          addChunk(Index, D->getLocation());
}

llvm::Error Walker::run() {
  needFunction(Kernel, Kernel->getLocation());
  needText(Kernel, Kernel->getLocation());
  drain();
  finishUsingDirectives();
  drain();
  if (Problem.empty())
    return llvm::Error::success();
  return makeError(Failure::Unsupported, Problem, ProblemPlace);
}

class Mentions : public MentionVisitor<Mentions> {
public:
  Mentions(const ParsedUnit &Unit, const ChunkTable &Chunks,
           const std::set<size_t> &Kept)
      : Unit(Unit), Chunks(Chunks), Kept(Kept) {}
  void need(const Decl *D, SourceLocation) {
    if (!D || D->getLocation().isInvalid() || D->isImplicit())
      return;
    auto Index = Chunks.at(D->getLocation());
    const FunctionDecl *F = D->getAsFunction();
    OnlyKept &= Index ? Kept.count(*Index) != 0 : !F;
    OnlyKept &= !F || isDeviceCallable(F);
  }
  const ParsedUnit &Unit;
  const ChunkTable &Chunks;
  const std::set<size_t> &Kept;
  bool OnlyKept = true;
};

} // namespace

llvm::Expected<Needs> mep::findNeeds(const ParsedUnit &Unit,
                                     const ChunkTable &Chunks,
                                     const FunctionDecl *Kernel) {
  Walker W(Unit, Chunks, Kernel);
  if (llvm::Error E = W.run())
    return std::move(E);
  return std::move(W.Result);
}

std::set<std::string> mep::findElsewhere(const ParsedUnit &Unit,
                                         const ChunkTable &Chunks,
                                         const FunctionDecl *Kernel) {
  Walker W(Unit, Chunks, Kernel);
  llvm::consumeError(W.run());
  return std::move(W.Result.Elsewhere);
}

static bool belongsToHost(const Decl *D) {
  if (const FunctionDecl *F = D->getAsFunction())
    return !isDeviceCallable(F);
  if (const auto *V = dyn_cast<VarDecl>(D))
    return !V->hasAttr<clang::CUDADeviceAttr>() &&
           !V->hasAttr<clang::CUDAConstantAttr>() &&
           !V->getType().isConstQualified();
  return false;
}

Needs mep::findUnitNeeds(const ParsedUnit &Unit, const ChunkTable &Chunks,
                         const FunctionDecl *Kernel) {
  Walker W(Unit, Chunks, Kernel);
  llvm::consumeError(W.run());
  Needs Own = std::move(W.Result);
  for (size_t Index = 0; Index != Chunks.size(); ++Index)
    if (!llvm::all_of(Chunks[Index].Decls, belongsToHost))
      Own.Chunks.insert(Index);
  return Own;
}

bool mep::bodyNeedsOnly(const ParsedUnit &Unit, const ChunkTable &Chunks,
                        const FunctionDecl *F, const std::set<size_t> &Kept) {
  Mentions M(Unit, Chunks, Kept);
  M.TraverseDecl(const_cast<FunctionDecl *>(F));
  return M.OnlyKept;
}
