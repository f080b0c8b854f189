#include "mep/Closure/ClosureBuilder.h"
#include "ChunkTable.h"
#include "ClosureText.h"
#include "DependencyWalk.h"
#include "HostLambda.h"
#include "IncludePlan.h"
#include "KernelNames.h"
#include "MacroTable.h"
#include "mep/Closure/ElementLayout.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Frontend/TakenBranches.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "clang/Lex/Preprocessor.h"

using namespace mep;
using clang::Decl;
using clang::dyn_cast;
using clang::FunctionDecl;
using clang::NamedDecl;
using clang::SourceLocation;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Something that stands in the closure, at its place in the unit.
struct Item {
  SourceLocation Place;
  enum { Include, Macro, Declaration, Lambda } Kind;
  const PlannedInclude *Header = nullptr;
  const MacroEvent *Event = nullptr;
  size_t Index = 0;
};

class Builder {
public:
  Builder(const ParsedUnit &Unit, const KernelSite &Site,
          const FunctionDecl *Kernel, std::string Arguments)
      : Unit(Unit), Site(Site), Kernel(Kernel), Arguments(std::move(Arguments)),
        Chunks(Unit, Files), Macros(Unit), Headers(Unit) {}

  Expected<Closure> build(bool WholeUnit);

private:
  Error checkParse() const;
  Error checkParameters() const;
  void dropHostBodies();
  void keepCalls();
  Error writeLambdas();
  void renderChunks();
  void reachMacros();
  void planHeaders(bool WholeUnit);
  std::vector<Item> orderedItems() const;
  void write();
  void writeInclude(ClosureText &Text, const PlannedInclude &Header) const;
  void writeMacro(ClosureText &Text, const MacroEvent &Event);
  void writeChunk(ClosureText &Text, size_t Index);
  void writeLambda(ClosureText &Text, size_t Index) const;
  void writeKernel(ClosureText &Text, size_t Index);
  void describeGlobals();
  void describeKernel();
  std::string extentOf(const clang::VarDecl *Global,
                       clang::QualType &Element) const;

  SourceSpan spanOf(const FileRange &Range) const;
  bool isDimension(StringRef Name) const;
  bool insideKept(const MacroEvent &Event) const;

  const ParsedUnit &Unit;
  const KernelSite &Site;
  const FunctionDecl *Kernel;
  std::string Arguments;
  SourceFiles Files{Unit};
  ChunkTable Chunks;
  MacroTable Macros;
  IncludePlan Headers;
  Needs Needed;
  std::map<size_t, std::string> Rendered;
  NamedLambdas Lambdas;
  std::vector<std::string> LambdaTexts;
  llvm::StringSet<> Words; ///< Identifiers of the kept text and its macros.
  llvm::StringSet<> Reached;
  std::vector<PlannedInclude> Includes;
  std::vector<std::string> KernelScopes;
  Closure Result;
};

// ---- checks ----------------------------------------------------------------

/// What to write where nvcc takes what the standard, and Clang, do not; empty
/// for other errors.
static const char *portableForm(StringRef Message) {
  if (Message.contains("'template' keyword") ||
      Message.contains(
          "reference to overloaded function could not be resolved"))
    return "where a name depends on a template parameter, the standard wants "
           "'template' before a template of it: T::template f<N>(...)";
  if (Message.contains("operator '=' is ambiguous") &&
      Message.contains("and 'void')"))
    return "name the type that the braces make: x = T{}";
  return "";
}

Error Builder::checkParse() const {
  for (size_t Index : Needed.Chunks) {
    SourceSpan Span = spanOf(Chunks[Index].Range);
    if (!Unit.hasErrorIn(Span))
      continue;
    for (const UnitDiagnostic &D : Unit.errors())
      if (D.Place.File == Span.File && D.Offset >= Span.Begin &&
          D.Offset < Span.End)
        return makeError(Failure::Input,
                         "code that kernel '" + Site.QualifiedName +
                             "' needs has an error: " + D.Message,
                         D.Place.str(), portableForm(D.Message));
  }
  return Error::success();
}

Error Builder::checkParameters() const {
  for (const clang::ParmVarDecl *P : Kernel->parameters()) {
    clang::QualType T = P->getType().getCanonicalType();
    if (T->isFunctionPointerType() || T->isMemberPointerType())
      return makeError(Failure::Unsupported,
                       "kernel parameter '" + P->getNameAsString() +
                           "' is a function pointer, whose value only the "
                           "application knows",
                       Unit.span(P->getSourceRange()).str());
  }
  return Error::success();
}

// ---- places ----------------------------------------------------------------

SourceSpan Builder::spanOf(const FileRange &Range) const {
  const clang::SourceManager &SM = Unit.sources();
  SourceLocation Begin =
      SM.getLocForStartOfFile(Range.File).getLocWithOffset(Range.Begin);
  SourceSpan Span = Unit.span(clang::SourceRange(Begin));
  Span.Begin = Range.Begin;
  Span.End = Range.End;
  return Span;
}

// ---- what is kept ----------------------------------------------------------

/// Where the body of \p F begins in its file's text: `{`, `try` or the `:` of
/// its member initialisers.
static unsigned bodyBegin(const RawFile &Raw, unsigned After) {
  auto It = llvm::partition_point(
      Raw.Tokens, [&](const RawToken &T) { return T.Begin <= After; });
  int Depth = 0;
  for (; It != Raw.Tokens.end(); ++It) {
    if (It->Kind == clang::tok::l_paren)
      ++Depth;
    else if (It->Kind == clang::tok::r_paren)
      --Depth;
    else if (Depth == 0 &&
             (It->Kind == clang::tok::l_brace || It->Kind == clang::tok::colon))
      return It->Begin;
  }
  return 0;
}

/// Bodies of host-only methods that would drag host code in are replaced by a
/// semicolon: device code cannot call them.
void Builder::dropHostBodies() {
  const clang::SourceManager &SM = Unit.sources();
  for (const FunctionDecl *F : Needed.HostMethods) {
    clang::FunctionTypeLoc Type = F->getFunctionTypeLoc();
    if (!F->getBody() || !Type || F->getEndLoc().isMacroID() ||
        Type.getRParenLoc().isMacroID() ||
        bodyNeedsOnly(Unit, Chunks, F, Needed.Chunks))
      continue;
    auto [File, After] = SM.getDecomposedLoc(Type.getRParenLoc());
    auto [EndFile, Last] = SM.getDecomposedLoc(F->getBody()->getEndLoc());
    unsigned Begin = bodyBegin(Files.file(File), After);
    if (File == EndFile && Begin && Begin < Last)
      Files.replace({File, Begin, Last + 1}, ";");
  }
}

/// A closure in which the compiler could inline what the application calls
/// would be another kernel, and a faster one.
void Builder::keepCalls() {
  if (!callsAcrossUnits(Unit.command()))
    return;
  const clang::SourceManager &SM = Unit.sources();
  for (const FunctionDecl *F : Needed.CalledAcross) {
    auto [File, Begin] =
        SM.getDecomposedLoc(SM.getExpansionLoc(F->getInnerLocStart()));
    const RawFile &Raw = Files.file(File);
    auto First = llvm::find_if(Raw.Tokens, [&, At = Begin](const RawToken &T) {
      return T.Begin == At;
    });
    if (First != Raw.Tokens.end())
      Files.replace({File, First->Begin, First->End},
                    "__noinline__ " +
                        Raw.Text.slice(First->Begin, First->End).str());
  }
}

void Builder::renderChunks() {
  for (size_t Index : Needed.Chunks)
    Rendered[Index] = Files.render(Chunks[Index].Range);
}

/// Gives the lambdas that host code passes names and texts.
Error Builder::writeLambdas() {
  for (const clang::CXXRecordDecl *L : Needed.Lambdas)
    Lambdas.push_back(nameLambda(L, Lambdas.size()));
  for (size_t I = 0; I != Lambdas.size(); ++I) {
    auto Text = functionObject(Unit, Files, Lambdas, I);
    if (!Text)
      return Text.takeError();
    LambdaTexts.push_back(std::move(*Text));
  }
  Arguments = withLambdaNames(std::move(Arguments), Lambdas);
  return Error::success();
}

void Builder::reachMacros() {
  std::vector<std::string> Seeds;
  for (const std::string &Text : LambdaTexts)
    for (std::string &Word : identifiersIn(Text))
      if (Words.insert(Word).second)
        Seeds.push_back(std::move(Word));
  for (const auto &[Index, Text] : Rendered)
    for (std::string &Word : identifiersIn(Text))
      if (Words.insert(Word).second)
        Seeds.push_back(std::move(Word));
  // What only the template arguments name needs its header too.
  if (!Arguments.empty())
    for (const std::string &Word :
         identifiersIn(explicitInstantiation(Kernel, Arguments, Lambdas)))
      Words.insert(Word);
  Reached = Macros.reach(Seeds);
  for (const auto &Name : Reached)
    for (const MacroEvent &E : Macros.history(Name.first()))
      for (const std::string &Word : identifiersIn(E.Body))
        Words.insert(Word);
}

static bool isInStd(const Decl *D) {
  for (const clang::DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (C->isStdNamespace())
      return true;
  return false;
}

void Builder::planHeaders(bool WholeUnit) {
  for (const NamedDecl *D : Needed.System) {
    std::string Name =
        D->getDeclName().isIdentifier() ? D->getNameAsString() : std::string();
    if (!D->getDeclContext()->getRedeclContext()->isFileContext() ||
        D->isImplicit() || (!Name.empty() && !Words.contains(Name)) ||
        Name == "std" || clang::isa<clang::UsingDirectiveDecl>(D))
      continue;
    if (Name.empty() && !dyn_cast<FunctionDecl>(D))
      continue;
    Headers.need(Name, D->getLocation(), isInStd(D) && !Name.empty());
  }
  for (const auto &Name : Reached) {
    SourceLocation Place = Macros.systemDefinition(Name.first());
    if (Place.isValid() && Macros.history(Name.first()).empty())
      Headers.need(Name.first(), Place, false);
  }
  if (WholeUnit)
    Headers.needAll();
  Includes = Headers.includes();
}

// ---- writing ---------------------------------------------------------------

bool Builder::insideKept(const MacroEvent &Event) const {
  return llvm::any_of(Needed.Chunks, [&](size_t Index) {
    return Files.contains(Chunks[Index].Range, Event.Place);
  });
}

std::vector<Item> Builder::orderedItems() const {
  const clang::SourceManager &SM = Unit.sources();
  std::vector<Item> Items;
  SourceLocation Last;
  auto PlaceOf = [&](const FileRange &R) {
    return SM.getLocForStartOfFile(R.File).getLocWithOffset(R.Begin);
  };
  for (size_t Index : Needed.Chunks) {
    SourceLocation Place = PlaceOf(Chunks[Index].Range);
    Items.push_back({Place, Item::Declaration, nullptr, nullptr, Index});
    if (Last.isInvalid() || SM.isBeforeInTranslationUnit(Last, Place))
      Last = Place;
  }
  for (size_t I = 0; I != Lambdas.size(); ++I) {
    SourceLocation Place = SM.getExpansionLoc(Lambdas[I].Lambda->getLocation());
    Items.push_back({Place, Item::Lambda, nullptr, nullptr, I});
    if (Last.isInvalid() || SM.isBeforeInTranslationUnit(Last, Place))
      Last = Place;
  }
  for (const auto &Name : Reached)
    for (const MacroEvent &E : Macros.history(Name.first()))
      if (E.OnCommandLine ||
          (SM.isBeforeInTranslationUnit(E.Place, Last) && !insideKept(E)))
        Items.push_back({E.Place, Item::Macro, nullptr, &E});
  for (const PlannedInclude &I : Includes)
    Items.push_back({I.Place, Item::Include, &I});
  auto OnCommandLine = [](const Item &I) {
    return I.Event && I.Event->OnCommandLine;
  };
  llvm::sort(Items, [&](const Item &A, const Item &B) {
    if (OnCommandLine(A) != OnCommandLine(B))
      return OnCommandLine(A);
    if (A.Place == B.Place)
      return A.Kind < B.Kind;
    return SM.isBeforeInTranslationUnit(A.Place, B.Place);
  });
  return Items;
}

void Builder::writeInclude(ClosureText &Text,
                           const PlannedInclude &Header) const {
  std::string Line = "#include " + Header.Spelling;
  const clang::SourceManager &SM = Unit.sources();
  auto [File, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(Header.Place));
  SourceSpan Origin =
      spanOf({File, Offset, Offset + unsigned(Header.Spelling.size())});
  Text.enter({});
  if (Header.HostOnly)
    Text.glue("#ifndef __CUDACC_RTC__");
  Text.piece(PieceKind::Include, Header.Spelling, Line, Origin);
  Text.raw("\n");
  if (Header.HostOnly)
    Text.glue("#endif");
}

bool Builder::isDimension(StringRef Name) const {
  llvm::ArrayRef<MacroEvent> History = Macros.history(Name);
  return History.size() == 1 && History[0].Literal &&
         Macros.systemDefinition(Name).isInvalid() && !insideKept(History[0]);
}

void Builder::writeMacro(ClosureText &Text, const MacroEvent &Event) {
  SourceSpan Origin = Event.OnCommandLine ? SourceSpan() : spanOf(Event.Range);
  std::string Line = (Event.IsDefine ? "#define " : "#undef ") + Event.Body;
  bool Dimension = isDimension(Event.Name);
  if (Dimension)
    Result.Dimensions.push_back({Event.Name, *Event.Literal});
  bool Guarded = Dimension || Event.OnCommandLine;
  if (Guarded)
    Text.glue("#ifndef " + Event.Name);
  Text.piece(PieceKind::Macro, Event.Name, Line, Origin);
  Text.raw("\n");
  if (Guarded)
    Text.glue("#endif");
}

static PieceKind kindOf(const Chunk &C) {
  const Decl *D = C.Decls.front();
  if (D->getAsFunction())
    return PieceKind::Function;
  if (D->hasAttr<clang::CUDADeviceAttr>() ||
      D->hasAttr<clang::CUDAConstantAttr>())
    return PieceKind::Global;
  return PieceKind::Declaration;
}

static std::string nameOf(const Chunk &C) {
  if (const auto *Named = dyn_cast<NamedDecl>(C.Decls.front()))
    return Named->getNameAsString();
  return {};
}

/// The N of the `#pragma pack(N)` that \p C stands under; 0: none. The pragma
/// itself belongs to no declaration, and without it the layout is another.
static unsigned packedBytes(const Chunk &C) {
  for (const Decl *D : C.Decls) {
    if (const auto *Template = dyn_cast<clang::ClassTemplateDecl>(D))
      D = Template->getTemplatedDecl();
    if (const auto *Pack = D->getAttr<clang::MaxFieldAlignmentAttr>())
      return Pack->getAlignment() / 8;
  }
  return 0;
}

void Builder::writeKernel(ClosureText &Text, size_t Index) {
  FileRange Whole = Chunks[Index].Range, Own = Whole;
  SourceSpan Span = spanOf(Whole);
  if (Site.Definition.File == Span.File &&
      Site.Definition.Begin >= Whole.Begin && Site.Definition.End <= Whole.End)
    Own = {Whole.File, Site.Definition.Begin, Site.Definition.End};
  Text.raw(Files.render({Whole.File, Whole.Begin, Own.Begin}));
  // Without a condition a winner is only not spliced, which says why then.
  auto Condition = takenCondition(Unit, spanOf(Own));
  if (!Condition)
    llvm::consumeError(Condition.takeError());
  Text.piece(PieceKind::Kernel, Site.QualifiedName, Files.render(Own),
             spanOf(Own), Condition ? *Condition : "");
  Text.raw(Files.render({Whole.File, Own.End, Whole.End}));
  Text.raw("\n");
  KernelScopes = Chunks[Index].Scopes;
}

void Builder::writeChunk(ClosureText &Text, size_t Index) {
  const Chunk &C = Chunks[Index];
  Text.enter(C.Scopes);
  if (Files.contains(C.Range, Kernel->getLocation()))
    return writeKernel(Text, Index);
  if (const auto *Using = dyn_cast<clang::UsingDirectiveDecl>(C.Decls.front()))
    if (Using->getNominatedNamespace()->isStdNamespace() && C.Scopes.empty())
      Text.glue("namespace std {}");
  unsigned Packed = packedBytes(C);
  if (Packed)
    Text.glue("#pragma pack(push, " + std::to_string(Packed) + ")");
  Text.piece(kindOf(C), nameOf(C), Rendered[Index], spanOf(C.Range));
  Text.raw("\n");
  if (Packed)
    Text.glue("#pragma pack(pop)");
}

void Builder::writeLambda(ClosureText &Text, size_t Index) const {
  const clang::CXXRecordDecl *Lambda = Lambdas[Index].Lambda;
  if (auto Home = Chunks.at(hostHome(Lambda)->getLocation()))
    Text.enter(Chunks[*Home].Scopes);
  Text.piece(PieceKind::Declaration, Lambdas[Index].Name, LambdaTexts[Index],
             Unit.span(Lambda->getSourceRange()));
  Text.raw("\n");
}

void Builder::write() {
  ClosureText Text(Result);
  std::vector<Item> Items = orderedItems();
  if (!Headers.nvrtcLines().empty()) {
    Text.glue("#ifdef __CUDACC_RTC__");
    for (const std::string &Line : Headers.nvrtcLines())
      Text.glue(Line);
    if (!Headers.hostHeaders().empty())
      Text.glue("#else");
    for (const std::string &Header : Headers.hostHeaders())
      Text.glue("#include " + Header);
    Text.glue("#endif");
  }
  for (const Item &I : Items) {
    if (I.Kind == Item::Include)
      writeInclude(Text, *I.Header);
    else if (I.Kind == Item::Macro)
      writeMacro(Text, *I.Event);
    else if (I.Kind == Item::Lambda)
      writeLambda(Text, I.Index);
    else
      writeChunk(Text, I.Index);
  }
  // At the end, since the arguments may be declared after the template.
  if (!Arguments.empty()) {
    Text.enter(KernelScopes);
    Text.glue(explicitInstantiation(Kernel, Arguments, Lambdas));
  }
  Text.enter({});
}

// ---- description -----------------------------------------------------------

/// Elements of \p Global as text over dimension macros, or as a number.
std::string Builder::extentOf(const clang::VarDecl *Global,
                              clang::QualType &Element) const {
  const clang::ASTContext &Context = Unit.context();
  std::string Symbolic;
  uint64_t Count = 1;
  bool Usable = true;
  clang::TypeLoc Loc = Global->getTypeSourceInfo()
                           ? Global->getTypeSourceInfo()->getTypeLoc()
                           : clang::TypeLoc();
  Element = Global->getType();
  while (const auto *Array = Context.getAsConstantArrayType(Element)) {
    Count *= Array->getSize().getZExtValue();
    Element = Array->getElementType();
    auto ArrayLoc =
        Loc.isNull() ? clang::ArrayTypeLoc() : Loc.getAs<clang::ArrayTypeLoc>();
    const clang::Expr *Size = ArrayLoc ? ArrayLoc.getSizeExpr() : nullptr;
    StringRef Text = Size ? Unit.text(Size->getSourceRange()) : StringRef();
    Usable &= !Text.empty();
    for (const std::string &Word : identifiersIn(Text))
      Usable &= isDimension(Word);
    Symbolic += (Symbolic.empty() ? "(" : " * (") + Text.str() + ")";
    if (ArrayLoc)
      Loc = ArrayLoc.getElementLoc();
  }
  return Usable && !Symbolic.empty() ? Symbolic : std::to_string(Count);
}

void Builder::describeGlobals() {
  for (const clang::VarDecl *G : Needed.Globals) {
    DeviceGlobal Global;
    clang::QualType Element;
    Global.Name = reachableName(G);
    Global.Symbol = deviceSymbol(G);
    Global.Extent = extentOf(G, Element);
    std::vector<PointerField> Pointers;
    if (auto Layout = describeElement(Unit.context(), Element, &Pointers))
      Global.Element = *Layout;
    else {
      Global.Element.Name = Element.getUnqualifiedType().getAsString();
      Global.Element.Bytes =
          Unit.context().getTypeSizeInChars(Element).getQuantity();
    }
    Global.IsConstant = G->hasAttr<clang::CUDAConstantAttr>();
    Global.HasInitializer = G->hasInit() && !G->getInit()->containsErrors() &&
                            !clang::isa<clang::CXXConstructExpr>(G->getInit());
    Result.Globals.push_back(std::move(Global));
  }
}

void Builder::describeKernel() {
  Result.Kernel = reachableName(Kernel);
  Result.NameExpression = Result.Kernel;
  if (!Arguments.empty())
    Result.NameExpression += "<" + Arguments + ">";
  Result.Symbol = deviceSymbol(Kernel);
  Result.Flags = Unit.command().DeviceFlags;
  for (StringRef Flag : {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr",
                         "--extended-lambda", "-extended-lambda"})
    if (llvm::is_contained(Unit.command().Original, Flag) &&
        !llvm::is_contained(Result.Flags, Flag))
      Result.Flags.push_back(Flag.str());
  Result.NvrtcClean = Headers.nvrtcClean() && !Needed.UsesHostDialect;
  Result.UsesBarrier = Needed.UsesBarrier;
  Result.UsesAtomics = Needed.UsesAtomics;
  Result.UsesDynamicShared = Needed.UsesDynamicShared;
  Result.StaticSharedBytes = Needed.StaticSharedBytes;
}

Expected<Closure> Builder::build(bool WholeUnit) {
  if (Error E = checkParameters())
    return std::move(E);
  if (WholeUnit) {
    Needed = findUnitNeeds(Unit, Chunks, Kernel);
  } else {
    auto Found = findNeeds(Unit, Chunks, Kernel);
    if (!Found)
      return Found.takeError();
    Needed = std::move(*Found);
  }
  if (Error E = checkParse())
    return std::move(E);
  if (Error E = writeLambdas())
    return std::move(E);
  if (Kernel->getTemplateSpecializationArgs() &&
      explicitInstantiation(Kernel, Arguments, Lambdas).empty())
    return makeError(Failure::Unsupported,
                     "kernel '" + Site.QualifiedName +
                         "' is instantiated with a type that has no name",
                     Site.Definition.str());
  dropHostBodies();
  keepCalls();
  renderChunks();
  reachMacros();
  planHeaders(WholeUnit);
  write();
  describeGlobals();
  describeKernel();
  Result.WholeUnit = WholeUnit;
  if (!Result.kernelPiece())
    return makeError(Failure::Unsupported,
                     "the text of kernel '" + Site.QualifiedName +
                         "' cannot be told from what is around it",
                     Site.Definition.str());
  return std::move(Result);
}

Expected<Closure> buildWith(const ParsedUnit &Device, const KernelSite &Site,
                            unsigned Instantiation, bool WholeUnit) {
  const FunctionDecl *Kernel = findKernel(Device, Site, Instantiation);
  if (!Kernel)
    return makeError(Failure::Input,
                     "kernel '" + Site.QualifiedName +
                         "' is not defined in what the device compiler sees",
                     Site.Definition.str());
  if (Kernel->isDependentContext())
    return makeError(Failure::Unsupported,
                     "kernel template '" + Site.QualifiedName +
                         "' is not instantiated in this unit",
                     Site.Definition.str());
  std::string Arguments = templateArguments(Kernel);
  Builder B(Device, Site, Kernel, std::move(Arguments));
  return B.build(WholeUnit);
}

} // namespace

Expected<Closure> mep::buildClosure(const ParsedUnit &Device,
                                    const KernelSite &Site,
                                    unsigned Instantiation) {
  return buildWith(Device, Site, Instantiation, /*WholeUnit=*/false);
}

Expected<Closure> mep::buildWholeUnitClosure(const ParsedUnit &Device,
                                             const KernelSite &Site,
                                             unsigned Instantiation) {
  return buildWith(Device, Site, Instantiation, /*WholeUnit=*/true);
}

bool mep::callsAcrossUnits(const UnitCommand &Command) {
  auto LinksFirst = [](StringRef Word) {
    return Word == "-dlto" || Word == "--dlink-time-opt" ||
           Word.contains("lto_");
  };
  return Command.IsCuda && !Command.Joined.empty() &&
         llvm::none_of(Command.Original, LinksFirst);
}

std::vector<std::string> mep::definedElsewhere(const ParsedUnit &Device,
                                               const KernelSite &Site,
                                               unsigned Instantiation) {
  const FunctionDecl *Kernel = findKernel(Device, Site, Instantiation);
  if (!Kernel || Kernel->isDependentContext())
    return {};
  SourceFiles Files(Device);
  ChunkTable Chunks(Device, Files);
  std::set<std::string> Names = findElsewhere(Device, Chunks, Kernel);
  return {Names.begin(), Names.end()};
}
