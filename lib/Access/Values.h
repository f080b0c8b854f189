/// \file
/// What the walk over a kernel's body knows of values and of lvalues.

#ifndef MEP_LIB_ACCESS_VALUES_H
#define MEP_LIB_ACCESS_VALUES_H

#include "mep/Model/IndexExpr.h"
#include <map>

namespace clang {
class VarDecl;
}

namespace mep {

struct Place;

/// A value of the kernel's program. Floating-point numbers and whatever else
/// no subscript is made of are Integer and Unknown.
struct Value {
  enum Form { Integer, Pointer, Record } Is = Integer;
  Index Number;                  ///< Of an Integer, never null then.
  int Buffer = -1;               ///< Of a Pointer into a buffer of the model.
  Index Offset;                  ///< In bytes, with Buffer.
  std::shared_ptr<Place> Target; ///< Of a Pointer to a variable.
  bool IsPrivate = false;        ///< Into an array of the thread's own.
  std::string Reason, Where;     ///< Of a Pointer to none of these.
  std::map<std::string, Value> Fields;

  static Value of(Index N) {
    Value V;
    V.Number = std::move(N);
    return V;
  }
  bool isBuffer() const { return Is == Pointer && Buffer >= 0; }
};

/// What an lvalue names.
struct Place {
  enum Form {
    Variable,  ///< A local variable or parameter, or a part of one.
    Temporary, ///< A value without a name.
    Memory,    ///< Of a buffer.
    Private,   ///< Memory of the thread's own that is not followed.
    Lost       ///< Not known; Reason says why.
  } Is = Lost;
  const clang::VarDecl *Var = nullptr;
  std::vector<std::string> Path; ///< Members, from Var or Held.
  std::shared_ptr<Value> Held;   ///< Of a Temporary.
  bool IsSnapshot = false;       ///< A Temporary for one of several variables.
  int Buffer = -1;
  Index Offset;
  std::string Reason, Where;

  static Place lost(std::string Reason, std::string Where) {
    Place P;
    P.Reason = std::move(Reason);
    P.Where = std::move(Where);
    return P;
  }
};

} // namespace mep

#endif // MEP_LIB_ACCESS_VALUES_H
