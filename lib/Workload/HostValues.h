/// \file
/// Host expressions as terms over dimensions, and host pointers as device
/// allocations.

#ifndef MEP_LIB_WORKLOAD_HOSTVALUES_H
#define MEP_LIB_WORKLOAD_HOSTVALUES_H

#include "DimensionTable.h"
#include "HostFlow.h"
#include "llvm/ADT/SmallVector.h"

namespace mep {

/// Members of nested structures, outermost first.
using FieldPath = llvm::SmallVector<const clang::FieldDecl *, 4>;

/// What a pointer points at.
struct PointerValue {
  enum Kind { Unknown, Null, Memory, Symbol } What = Unknown;
  std::string Id; ///< Same for the same allocation; empty if not known.
  TermRef Bytes;  ///< Of the allocation; null if not known.
  TermRef OffsetBytes = integerTerm(0);
  /// Of one of several, told by the element or the object it is found in: the
  /// Id that all of them would have. Empty for others.
  std::string Family;
  bool IsElementKnown = false; ///< The element, from the source alone.
  std::string Name;            ///< Of a Symbol.
  std::string Where;
  /// Of a pointer in an array of them: each was allocated by itself; how far
  /// one is from the one before.
  bool IsRepeated = false;
  TermRef StrideBytes;
};

/// Both may be the same allocation: where it is not known which of several one
/// of them is, it may be any.
bool mayBeSame(const PointerValue &A, const PointerValue &B);

/// Host memory that is copied to device memory.
struct HostSource {
  const clang::Expr *E = nullptr; ///< Points at it.
  Point At;
  /// Only this member is copied, from the variable E; null: all of it.
  const clang::ValueDecl *Member = nullptr;
};

class HostProgram;
struct LoopTrip;

class HostValues {
public:
  /// Values in the unit of \p Program that launches. What host loops change is
  /// taken as it is after \p LoopQuarters (1 to 3) quarters of the loop.
  HostValues(HostProgram &Program, DimensionTable &Dimensions,
             unsigned LoopQuarters = 2);

  /// Values in another unit of it.
  HostValues(HostProgram &Program, DimensionTable &Dimensions,
             const ParsedUnit &Host, const HostIndex &Index);

  const HostFlow &flow() const { return Flow; }
  const HostIndex &index() const { return Index; }
  std::string placeOf(clang::SourceLocation L) const;
  const ParsedUnit &host() const { return Host; }

  /// Null when analysis ends; then why() and where() say why.
  TermRef value(const clang::Expr *E, const Point &P);
  /// Member \p Path of the structure \p E. Null as above.
  TermRef member(const clang::Expr *E, const FieldPath &Path, const Point &P);
  PointerValue pointer(const clang::Expr *E, const Point &P);
  PointerValue pointerMember(const clang::Expr *E, const FieldPath &Path,
                             const Point &P);
  /// Pointer \p Path (empty: the element) of the elements that \p E points at;
  /// \p E may be null: any object of the type.
  PointerValue elementPointer(const clang::Expr *E, const FieldPath &Path,
                              const Point &P);
  /// What copies fill the memory that \p E points at with, and single members
  /// of any; the last copy first. Asks one question for each copy.
  std::vector<HostSource> copiedTo(const clang::Expr *E, const Point &P);
  /// The number that \p E is in the base shape, if it is known.
  TermValues dimensionValues() const { return Dimensions.values(); }
  std::optional<double> number(const clang::Expr *E, const Point &P);
  std::optional<bool> decide(const clang::Expr *Condition, const Point &P);

  /// Members of this dim3 stand for `block_x` and so on; null: none does.
  void setBlockVariable(const clang::ValueDecl *D) { BlockVariable = D; }

  /// From here on \p D, the counter of a loop, is \p T wherever it is used.
  void bind(const clang::ValueDecl *D, TermRef T) {
    Bound[llvm::cast<clang::ValueDecl>(D->getCanonicalDecl())] = std::move(T);
  }
  bool isBound(const clang::ValueDecl *D) const {
    return Bound.count(llvm::cast<clang::ValueDecl>(D->getCanonicalDecl()));
  }
  void unbind() { Bound.clear(); }
  /// Begins a query: no reasons yet.
  void forget();
  const std::string &why() const { return Why; }
  const std::string &where() const { return Where; }
  std::vector<std::string> &notes() { return Notes; }
  void note(std::string Text);

private:
  /// In another unit, on behalf of this one.
  HostValues(const HostValues &Asking, const ParsedUnit &Host,
             const HostIndex &Index);
  /// Gives \p Ask what a call in another unit passes for the parameter \p D,
  /// and who evaluates it where. False if \p D is none or there is no call.
  bool fromCaller(
      const clang::ValueDecl *D,
      llvm::function_ref<void(HostValues &, const clang::Expr *, const Point &)>
          Ask);
  /// Gives \p Ask the global or member \p D of another unit that defines it.
  bool fromDefinition(
      const clang::ValueDecl *D,
      llvm::function_ref<void(HostValues &, const clang::ValueDecl *)> Ask);
  TermRef memberElsewhere(const clang::Expr *E, const FieldPath &Path);
  PointerValue pointerElsewhere(const clang::Expr *E, const FieldPath &Path);
  void takeReasons(HostValues &Other);
  TermRef ofDevice(llvm::StringRef Name, clang::SourceLocation L);
  TermRef setByDevice(const Definition &Def);
  TermRef fromOptions(const Definition &D, const Point &P);
  TermRef commandLineNumber(const clang::CallExpr *C, const Point &P);
  std::optional<std::string> commandLineWord(const clang::Expr *E,
                                             const Point &P);
  bool isMainParameter(const clang::Expr *E, unsigned Which, const Point &P);

  PointerValue pointerVariable(const clang::ValueDecl *Key,
                               const clang::ValueDecl *Base, const Point &P,
                               bool Elements = false);
  struct ArrayElement;
  void subscripts(const clang::Expr *E, const Point &P, ArrayElement &Of);
  const clang::Expr *arrayOf(const clang::Expr *E, Point &P);
  PointerValue elementOfArray(const clang::Expr *E, const Point &P);
  PointerValue givenElement(const Definition &D, const ArrayElement &Of,
                            const Point &P);
  std::optional<int64_t> quietNumber(const clang::Expr *E, const Point &P);
  std::string objectName(const clang::Expr *E, const Point &P);
  PointerValue ofObject(PointerValue V, const clang::Expr *E, const Point &P);
  PointerValue elementVariable(const clang::ValueDecl *Key,
                               const clang::ValueDecl *Base, const Point &P);
  void lookForStride(const Definition &D, const Point &P, PointerValue &V);
  TermRef coefficient(const clang::Expr *E, const clang::ValueDecl *Of,
                      const Point &P);
  PointerValue definedPointer(const Definition &D, const Point &P);
  PointerValue allocated(const clang::Expr *Call, unsigned Argument,
                         const Point &P);
  PointerValue pointerCall(const clang::CallExpr *C, const Point &P);
  TermRef containerSize(const clang::Expr *E, const Point &P);
  PointerValue container(const clang::Expr *E, const Point &P);
  PointerValue shifted(PointerValue V, const clang::Expr *By,
                       clang::QualType Pointer, bool Minus, const Point &P);

  /// Where a value comes from: an expression, a definition, or a number.
  struct Origin {
    const clang::Expr *Value = nullptr;
    Point Place;
    Reach Via;            ///< When a definition gave it.
    TermRef Direct;       ///< When there is no expression.
    bool IsOfAny = false; ///< Of any object of the type, not of this one.
    bool isFound() const {
      return Value || Direct || Via.What != Reach::Nothing;
    }
  };

  TermRef unknown(std::string Text, clang::SourceLocation L);
  TermRef literal(const clang::Expr *E, int64_t Value);
  TermRef element(const clang::ArraySubscriptExpr *S, const Point &P);
  TermRef binary(const clang::BinaryOperator *B, const Point &P);
  TermRef unary(const clang::UnaryOperator *U, const Point &P);
  TermRef call(const clang::CallExpr *C, const Point &P);
  TermRef inlined(const clang::Expr *C, const Point &P);
  TermRef convert(const clang::Expr *To, TermRef T);
  TermRef folded(const clang::Expr *E);
  TermRef named(const clang::ValueDecl *D, TermRef T, clang::SourceLocation L);
  TermRef reached(const clang::ValueDecl *D, const Reach &R, const Point &P);
  TermRef changed(const clang::ValueDecl *D, const Reach &R, const Point &P);
  TermRef passed(const clang::ValueDecl *D, const Definition &Def,
                 const Point &P);
  static bool countsBytes(const clang::Stmt *S);
  TermRef atTrip(const clang::ValueDecl *D, const Reach &R, const Point &P);
  TermRef afterTrip(const clang::ValueDecl *D, const Point &P, size_t Loop,
                    const LoopTrip &Trip);
  TermRef byStep(const clang::ValueDecl *D, const Point &P, size_t Loop,
                 const LoopTrip &Trip);
  TermRef byBounds(const clang::ValueDecl *D, const Point &P, size_t Loop,
                   const LoopTrip &Trip, TermRef First);
  TermRef readInLoop(const clang::ValueDecl *D, const Reach &R);
  TermRef inLoop(const clang::ValueDecl *D, const Reach &R, const Point &P);
  TermRef steps(const clang::ValueDecl *D, const Reach &R, TermRef First,
                TermRef Limit, const clang::ForStmt *For);
  TermRef counted(const clang::ValueDecl *D, const Reach &R, TermRef T);
  TermRef variable(const clang::ValueDecl *D, const Point &P);

  TermRef memberTerm(const clang::FieldDecl *F, const Origin &O,
                     clang::SourceLocation L);
  Origin memberOrigin(const clang::Expr *E, FieldPath Path, const Point &P);
  Origin memberAtFirst(const Reach &Whole, const FieldPath &Path,
                       const Point &P);
  Origin memberAnywhere(const FieldPath &Path, const Point &P);
  Origin memberOfVariable(const clang::ValueDecl *D, const FieldPath &Path,
                          const Point &P);
  Origin ownMember(const clang::FunctionDecl *F, const FieldPath &Path,
                   const Point &Inside);
  Origin memberByMethod(const clang::ValueDecl *D, const FieldPath &Path,
                        const Point &P, const Definition *Since);
  Origin memberOfThis(const FieldPath &Path, const Point &P);
  Origin memberOfConstruction(const clang::CXXConstructExpr *C,
                              const FieldPath &Path, const Point &P);
  Origin memberOfList(const clang::InitListExpr *L, const FieldPath &Path,
                      const Point &P);
  Origin memberOfCall(const clang::CallExpr *C, const FieldPath &Path,
                      const Point &P);
  Origin continued(const clang::Expr *E, const FieldPath &Path, const Point &P);
  /// The one return expression of \p F that runs, seen from inside it.
  const clang::Expr *returned(const clang::FunctionDecl *F,
                              const clang::Expr *Call, const Point &P,
                              Point &Inside);

  HostProgram &Program;
  const ParsedUnit &Host;
  const HostIndex &Index;
  HostFlow Flow;
  DimensionTable &Dimensions;
  unsigned LoopQuarters;
  const clang::ValueDecl *BlockVariable = nullptr;
  std::map<const clang::ValueDecl *, TermRef> Bound;
  unsigned Depth = 0;
  std::string Why, Where;
  std::vector<std::string> Notes;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTVALUES_H
