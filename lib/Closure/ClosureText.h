/// \file
/// Closure, writing: pieces and the glue between them.

#ifndef MEP_LIB_CLOSURE_CLOSURETEXT_H
#define MEP_LIB_CLOSURE_CLOSURETEXT_H

#include "mep/Model/Closure.h"
#include "llvm/ADT/StringRef.h"

namespace mep {

class ClosureText {
public:
  explicit ClosureText(Closure &Out) : Out(Out) {}

  /// Opens and closes scopes so that what follows stands in \p Scopes.
  void enter(const std::vector<std::string> &Scopes);
  /// One or more whole lines that belong to nothing.
  void glue(llvm::StringRef Lines);
  void piece(PieceKind Kind, llvm::StringRef Name, llvm::StringRef Text,
             SourceSpan Origin, std::string Condition = "");
  /// Glue without a line break.
  void raw(llvm::StringRef Text) { Out.Text += Text; }

private:
  Closure &Out;
  std::vector<std::string> Open;
};

} // namespace mep

#endif // MEP_LIB_CLOSURE_CLOSURETEXT_H
