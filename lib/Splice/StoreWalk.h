/// \file
/// The walk over a unit's host code that HostStores is made by.

#ifndef MEP_LIB_SPLICE_STOREWALK_H
#define MEP_LIB_SPLICE_STOREWALK_H

#include "HostStores.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"

namespace mep {

/// Enters what it reads into a HostStores.
class StoreWalk {
public:
  explicit StoreWalk(HostStores &To) : Out(To), Unit(To.Unit) {}

  void function(const clang::FunctionDecl *F);
  void variable(const clang::VarDecl *V);
  /// What runs before main, or where a value is left out.
  void initializer(const clang::Expr *E) {
    Here = {};
    walk(E);
  }

private:
  struct Place {
    const clang::CompoundStmt *Block = nullptr;
    unsigned Position = 0;
  };

  void walk(const clang::Stmt *S);
  void block(const clang::CompoundStmt *B);
  void rotations(const clang::CompoundStmt *B);
  void assign(const clang::Expr *Target, const clang::Expr *From);
  void call(const clang::CallExpr *Call);
  void construct(const clang::CXXConstructExpr *Made);
  void passed(const clang::Expr *Argument, clang::QualType To,
              const std::string &Name);
  void exchange(std::vector<const clang::Expr *> Partners);
  bool methodOf(const clang::CXXMemberCallExpr *Call, const std::string &Name);
  void countCopies(const clang::Expr *E);
  void number(HostStore S);
  void reach(const clang::Expr *E);
  void statement(const clang::Stmt *S);
  void declared(const clang::VarDecl *V, Place At);
  void lambda(const clang::LambdaExpr *L);
  void region(const clang::OMPExecutableDirective *Region);
  void assembly(const clang::AsmStmt *S);
  void body(const clang::Stmt *Body);
  void copied(const clang::VarDecl *V, bool Changes, llvm::StringRef By);
  void ownerMethod(const clang::CXXMemberCallExpr *Call,
                   const clang::Expr *Object, const std::string &Name);
  void unseen(const clang::Expr *Place, bool ToElement, const std::string &Why);
  void handOn(const clang::Expr *E);
  void handOn(const clang::FunctionDecl *Library);
  void escapes(const clang::CXXRecordDecl *R, bool Constructors);
  void launch(const clang::CallExpr *Call);
  void reinterpreted(const clang::ExplicitCastExpr *Cast);
  void localClass(const clang::CXXRecordDecl *R);
  HostStore make(HostStore::What How, const clang::Expr *Target) const;

  HostStores &Out;
  const ParsedUnit &Unit;
  const clang::FunctionDecl *In = nullptr;
  /// Labels let jumps run a statement again without those before it.
  bool HasLabels = false;
  Place Here;
  /// Assignments that are part of a rotation.
  std::map<const clang::Stmt *, std::vector<const clang::Expr *>> Rotated;
  /// `&p` that only an allocating function gets.
  std::set<const clang::Stmt *> Allocating;
  /// `f` of `f(x)`, and `v.begin()` of `for (x : v)`.
  std::set<const clang::Stmt *> Called, Iterating;
};

} // namespace mep

#endif // MEP_LIB_SPLICE_STOREWALK_H
