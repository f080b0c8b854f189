/// \file
/// The walk behind findUses: what expressions point into, which accesses the
/// statements make of it.

#ifndef MEP_LIB_WORKLOAD_USEWALK_H
#define MEP_LIB_WORKLOAD_USEWALK_H

#include "KernelUses.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace mep {

class UseWalk {
public:
  enum Access { ReadOnly = 1, WriteOnly = 2, Both = 3 };

  UseWalk(const clang::ASTContext &Context, KernelUses &Uses)
      : Context(Context), Uses(Uses) {}

  void kernel(const clang::FunctionDecl *F,
              const std::vector<std::string> &Names);

private:
  // What an expression points into.
  std::string root(const clang::Expr *E) const;
  std::string rootOfName(const clang::ValueDecl *D) const;
  bool isInBuffer(const clang::Expr *E) const;
  bool loadsPointer(const clang::Expr *E) const;
  std::string pointedBy(const clang::Expr *E) const;
  bool isMemory(const clang::Expr *E) const;

  // Statements and expressions.
  void walk(const clang::Stmt *S);
  void walkIf(const clang::IfStmt *If);
  void walkLoop(const clang::Stmt *Loop);
  void walkFor(const clang::ForStmt *For);
  void walkVariable(const clang::VarDecl *V);
  void walkCall(const clang::CallExpr *C);
  void enter(const clang::FunctionDecl *F, const clang::CallExpr *C);
  void enterLambda(const clang::CXXRecordDecl *Lambda,
                   const clang::CallExpr *C);
  void walkLvalue(const clang::Expr *E, Access How);
  void touch(const clang::Expr *E, Access How);
  std::string textOf(const clang::Expr *E) const;
  void subscript(const clang::Expr *Base, const clang::Expr *Index);
  void mark(const clang::Expr *E, bool BufferUse::*Property);

  // Which buffers' elements an expression is made of.
  void collect(const clang::Expr *E, std::set<std::string> &Keys,
               unsigned Depth = 0) const;
  const clang::Expr *expanded(const clang::Expr *E) const;
  bool isElementOf(const clang::Expr *E, const std::string &Key) const;
  bool findSteps(const clang::Expr *E, const std::string &Key,
                 std::vector<IndexStep> &Steps, unsigned Depth = 0) const;
  bool findStep(const clang::BinaryOperator *B, const std::string &Key,
                std::vector<IndexStep> &Steps, unsigned Depth) const;
  bool isFollowed(const clang::Expr *Index,
                  const std::vector<IndexStep> &Steps) const;
  bool holdsChanged(const clang::Stmt *S, unsigned Depth = 0) const;
  bool isMadeOf(const clang::Expr *E, const std::string &Key) const;
  bool numbersOf(const clang::Expr *E, IndexStep &Step) const;
  std::string uniform(const clang::Expr *E) const;
  std::string lengthOf(const clang::Expr *E) const;
  void findChanged(const clang::Stmt *S);
  void remember(const clang::ForStmt *For, const clang::VarDecl *Index,
                const clang::Expr *First);
  void findTargets(const clang::Stmt *S, const clang::ValueDecl *Index,
                   std::set<std::string> &Targets) const;

  const clang::ASTContext &Context;
  KernelUses &Uses;
  std::map<const clang::Decl *, std::string>
      Aliases; ///< Pointers to their buffer.
  std::map<const clang::Decl *, const clang::Expr *>
      Bound; ///< Scalars of callees.
  std::map<const clang::Decl *, std::string> ScalarNames; ///< The kernel's own.
  std::set<const clang::Decl *> Changed; ///< Given more than a first value.
  /// First and last value of loop counters, where both are the same for all
  /// threads.
  std::map<const clang::Decl *, std::pair<std::string, std::string>> Counters;
  unsigned Depth = 0, Loops = 0;
  bool Conditional = false;
  /// Elements, as they are written, that the thread has overwritten before:
  /// reading them back is no use of what the buffer held.
  std::set<std::string> Overwritten;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_USEWALK_H
