/// \file
/// Both views of a unit, its places and its errors. The stub headers serve, so
/// no toolkit is needed.

#include "mep/Frontend/ParsedUnit.h"
#include "TemporaryFolder.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "gtest/gtest.h"

using namespace mep;
using llvm::StringRef;

namespace {

class ParsedUnitTest : public ::testing::Test {
protected:
  UnitCommand command(StringRef File, std::vector<std::string> Flags = {}) {
    CommandOptions Options;
    Options.Files = {File.str()};
    Options.FixedFlags = std::move(Flags);
    Options.HasFixedFlags = true;
    Options.ToolkitPath = "none";
    auto Commands = loadCommands(Options);
    if (!Commands) {
      ADD_FAILURE() << llvm::toString(Commands.takeError());
      return {};
    }
    return Commands->front();
  }

  std::unique_ptr<ParsedUnit> parse(StringRef Text, View Side = View::Host) {
    auto Unit = parseUnit(command(Folder.write("a.cu", Text)), Side);
    if (!Unit) {
      ADD_FAILURE() << llvm::toString(Unit.takeError());
      return nullptr;
    }
    for (const UnitDiagnostic &D : (*Unit)->errors())
      Seen += D.Place.str() + ": " + D.Message + "\n";
    return std::move(*Unit);
  }

  /// The function \p Name of \p Unit.
  static const clang::FunctionDecl *function(const ParsedUnit &Unit,
                                             StringRef Name) {
    auto Found = Unit.context().getTranslationUnitDecl()->lookup(
        &Unit.context().Idents.get(Name));
    return Found.empty() ? nullptr
                         : llvm::dyn_cast<clang::FunctionDecl>(Found.front());
  }

  TemporaryFolder Folder;
  std::string Seen;
};

TEST_F(ParsedUnitTest, EachViewTakesItsOwnBranch) {
  StringRef Text = "#ifdef __CUDA_ARCH__\n"
                   "__device__ void onDevice() {}\n"
                   "#else\n"
                   "void onHost() {}\n"
                   "#endif\n";
  auto Host = parse(Text, View::Host), Device = parse(Text, View::Device);
  ASSERT_TRUE(Host && Device);
  EXPECT_EQ(Seen, "");
  EXPECT_TRUE(function(*Host, "onHost"));
  EXPECT_FALSE(function(*Host, "onDevice"));
  EXPECT_TRUE(function(*Device, "onDevice"));
  EXPECT_FALSE(function(*Device, "onHost"));
}

TEST_F(ParsedUnitTest, SpansAreTheBytesOfTheFile) {
  StringRef Text = "// \xC3\xA4\n\n  int twice(int x) { return 2 * x; }\n";
  auto Unit = parse(Text);
  ASSERT_TRUE(Unit);
  const auto *F = function(*Unit, "twice");
  ASSERT_TRUE(F);
  SourceSpan Span = Unit->span(F->getSourceRange());
  EXPECT_EQ(Span.File, Folder.path("a.cu"));
  EXPECT_EQ(Span.Line, 3u);
  EXPECT_EQ(Span.Column, 3u);
  EXPECT_EQ(Text.slice(Span.Begin, Span.End),
            "int twice(int x) { return 2 * x; }");
  EXPECT_EQ(Unit->text(Span), Text.slice(Span.Begin, Span.End));
  EXPECT_EQ(Unit->fileText(Folder.path("a.cu")), Text);
}

TEST_F(ParsedUnitTest, PartOfAMacroStandsWhereTheMacroDoes) {
  auto Unit = parse("#define MAKE(Name) int Name() { return 1; }\n"
                    "MAKE(one)\n");
  ASSERT_TRUE(Unit);
  const auto *F = function(*Unit, "one");
  ASSERT_TRUE(F);
  EXPECT_EQ(Unit->text(F->getSourceRange()), "MAKE(one)");
}

TEST_F(ParsedUnitTest, ErrorsAreKeptWithTheirPlaces) {
  auto Unit = parse("void good() {}\n"
                    "void bad() { undeclared(); }\n");
  ASSERT_TRUE(Unit);
  ASSERT_EQ(Unit->errors().size(), 1u);
  const UnitDiagnostic &D = Unit->errors().front();
  EXPECT_EQ(D.Place.Line, 2u);
  EXPECT_TRUE(StringRef(D.Message).contains("undeclared"));
  EXPECT_TRUE(
      Unit->hasErrorIn(Unit->span(function(*Unit, "bad")->getSourceRange())));
  EXPECT_FALSE(
      Unit->hasErrorIn(Unit->span(function(*Unit, "good")->getSourceRange())));
}

TEST_F(ParsedUnitTest, AMissingIncludeLeavesTheRest) {
  auto Unit = parse("#include \"nowhere.h\"\n"
                    "void here() {}\n");
  ASSERT_TRUE(Unit);
  EXPECT_EQ(Unit->errors().size(), 1u);
  EXPECT_TRUE(function(*Unit, "here"));
}

TEST_F(ParsedUnitTest, OverlaysReplaceFilesWithoutWritingThem) {
  std::string Header = Folder.write("h.h", "#define N 1\n");
  std::string File = Folder.write("a.cu", "#include \"h.h\"\nint a[N];\n");
  auto Unit =
      parseUnit(command(File), View::Host,
                {{Header, "#define N 2\nvoid fromOverlay();\n"},
                 {File, "#include \"h.h\"\nstatic_assert(N == 2, \"\");\n"}});
  ASSERT_TRUE(bool(Unit)) << llvm::toString(Unit.takeError());
  EXPECT_TRUE((*Unit)->errors().empty());
  EXPECT_TRUE(function(**Unit, "fromOverlay"));
  EXPECT_EQ((*Unit)->fileText(Header), "#define N 2\nvoid fromOverlay();\n");
}

TEST_F(ParsedUnitTest, ProjectHeadersAreNotTheSystems) {
  Folder.write("mine.h", "void mine();\n");
  auto Unit = parse("#include \"mine.h\"\n#include <stdlib.h>\n");
  ASSERT_TRUE(Unit);
  EXPECT_FALSE(Unit->isSystem(function(*Unit, "mine")->getLocation()));
  EXPECT_TRUE(Unit->isSystem(function(*Unit, "malloc")->getLocation()));
  EXPECT_TRUE(Unit->isSystem(clang::SourceLocation()));
}

TEST_F(ParsedUnitTest, TheRecordKnowsMacroExpansions) {
  auto Unit = parse("#define N 3\nint a[N];\n");
  ASSERT_TRUE(Unit);
  bool Found = false;
  for (clang::PreprocessedEntity *E : Unit->record())
    if (auto *X = llvm::dyn_cast<clang::MacroExpansion>(E))
      Found |= X->getName() && X->getName()->getName() == "N";
  EXPECT_TRUE(Found);
}

/// A unit that only nvcc's macros make whole is parsed with them.
TEST_F(ParsedUnitTest, NvccsMacrosWhereTheCodeAsksForThem) {
  auto Unit = parse("#ifdef __NVCC__\n"
                    "#define BOTH __host__ __device__\n"
                    "#else\n"
                    "#define BOTH\n"
                    "#endif\n"
                    "BOTH int twice(int x) { return 2 * x; }\n"
                    "__global__ void k(int *p) { *p = twice(*p); }\n",
                    View::Device);
  ASSERT_TRUE(Unit);
  EXPECT_EQ(Seen, "");
}

TEST_F(ParsedUnitTest, ACommandClangRefusesStillParses) {
  auto Unit = parseUnit(
      command(Folder.write("a.cu", "#include \"h.h\"\nint x = H;\n"),
              {"-fno-such-flag", "-I" + Folder.path("inc"), "-arch=sm_999"}),
      View::Host);
  Folder.write("inc/h.h", "#define H 1\n");
  ASSERT_TRUE(bool(Unit)) << llvm::toString(Unit.takeError());
  Unit = parseUnit((*Unit)->command(), View::Host);
  ASSERT_TRUE(bool(Unit));
  EXPECT_TRUE((*Unit)->errors().empty());
}

TEST_F(ParsedUnitTest, DeviceTextNeedsNoFile) {
  auto Unit =
      parseDeviceText("#ifndef N\n#define N 4\n#endif\n"
                      "__global__ void k(float *p) {\n"
                      "  __shared__ float s[N];\n"
                      "  s[threadIdx.x] = sqrtf(p[blockIdx.x]);\n"
                      "  __syncthreads();\n"
                      "  atomicAdd(p, __shfl_down_sync(~0u, s[0], 1));\n"
                      "}\n",
                      {"-std=c++17", "-DN=8", "-fmad=false"});
  ASSERT_TRUE(bool(Unit)) << llvm::toString(Unit.takeError());
  EXPECT_EQ((*Unit)->view(), View::Device);
  EXPECT_TRUE((*Unit)->errors().empty());
  EXPECT_TRUE(function(**Unit, "k"));
}

TEST_F(ParsedUnitTest, AFileThatIsGoneIsAnError) {
  UnitCommand Command = command(Folder.write("a.cu", ""));
  llvm::sys::fs::remove(Command.File);
  auto Unit = parseUnit(Command, View::Host);
  if (Unit) {
    EXPECT_FALSE((*Unit)->errors().empty());
    return;
  }
  llvm::Error E = Unit.takeError();
  EXPECT_EQ(failureOf(E), Failure::Input);
  EXPECT_TRUE(StringRef(llvm::toString(std::move(E))).contains("a.cu"));
}

} // namespace
