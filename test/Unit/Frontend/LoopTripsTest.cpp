/// \file
/// How often loops run, by their heads.

#include "mep/Frontend/LoopTrips.h"
#include "TemporaryFolder.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

/// Of the only loop in a function of `int n`, where constants are known; -1:
/// not known.
double trips(const std::string &Loop) {
  TemporaryFolder Folder;
  CommandOptions Options;
  Options.Files = {
      Folder.write("a.cu", "void f(int n) { int i; " + Loop + " }\n")};
  Options.HasFixedFlags = true;
  Options.ToolkitPath = "none";
  auto Commands = loadCommands(Options);
  if (!Commands)
    return ADD_FAILURE() << llvm::toString(Commands.takeError()), 0;
  auto Unit = parseUnit(Commands->front(), View::Host);
  if (!Unit)
    return ADD_FAILURE() << llvm::toString(Unit.takeError()), 0;
  const clang::ASTContext &Context = (*Unit)->context();
  auto Found =
      Context.getTranslationUnitDecl()->lookup(&Context.Idents.get("f"));
  auto *Body = llvm::cast<clang::CompoundStmt>(
      llvm::cast<clang::FunctionDecl>(Found.front())->getBody());
  return loopTrips(Body->body_back(),
                   [&](const clang::Expr *E) -> std::optional<int64_t> {
                     clang::Expr::EvalResult R;
                     if (!E->EvaluateAsInt(R, Context))
                       return std::nullopt;
                     return R.Val.getInt().getExtValue();
                   })
      .value_or(-1);
}

TEST(LoopTrips, StepsThatAdd) {
  EXPECT_EQ(trips("for (int k = 0; k < 10; k++) {}"), 10);
  EXPECT_EQ(trips("for (int k = 0; k <= 10; ++k) {}"), 11);
  EXPECT_EQ(trips("for (int k = 1; 10 > k; k += 4) {}"), 3);
  EXPECT_EQ(trips("for (int k = 10; k > 0; k--) {}"), 10);
  EXPECT_EQ(trips("for (int k = 9; k >= 0; k = k - 3) {}"), 4);
  EXPECT_EQ(trips("for (i = 2; i != 8; i += 2) {}"), 3);
  EXPECT_EQ(trips("for (i = 5; i < 5; i++) {}"), 0);
}

TEST(LoopTrips, StepsThatMultiplyDivideOrShift) {
  EXPECT_EQ(trips("for (int k = 1; k < 1024; k *= 2) {}"), 10);
  EXPECT_EQ(trips("for (int k = 256; k > 0; k /= 2) {}"), 9);
  EXPECT_EQ(trips("for (int k = 256; k > 32; k >>= 1) {}"), 3);
  EXPECT_EQ(trips("for (int k = 1; k <= 64; k <<= 2) {}"), 4);
}

TEST(LoopTrips, OtherLoops) {
  EXPECT_EQ(trips("do {} while (0);"), 1);
  EXPECT_EQ(trips("int a[7]; for (int k : a) {}"), 7);
}

TEST(LoopTrips, WhatIsNotKnown) {
  EXPECT_EQ(trips("for (int k = 0; k < n; k++) {}"), -1);
  EXPECT_EQ(trips("for (int k = n; k < 10; k++) {}"), -1);
  EXPECT_EQ(trips("for (int k = 0; k < 10; k += n) {}"), -1);
  EXPECT_EQ(trips("for (int k = 0; i < 10; k++) {}"), -1);
  EXPECT_EQ(trips("for (int k = 0; k < 10; k--) {}"), -1);
  EXPECT_EQ(trips("for (int k = 0; k != 9; k += 2) {}"), -1);
  EXPECT_EQ(trips("for (int k = 0; k < 10; k *= 2) {}"), -1);
  EXPECT_EQ(trips("while (n > 1) n /= 2;"), -1);
  EXPECT_EQ(trips("do {} while (n);"), -1);
  EXPECT_EQ(trips("for (;;) {}"), -1);
}

} // namespace
