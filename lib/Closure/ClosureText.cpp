#include "ClosureText.h"

using namespace mep;

void ClosureText::enter(const std::vector<std::string> &Scopes) {
  size_t Common = 0;
  while (Common < Open.size() && Common < Scopes.size() &&
         Open[Common] == Scopes[Common])
    ++Common;
  while (Open.size() > Common) {
    Out.Text += "}\n";
    Open.pop_back();
  }
  for (; Common < Scopes.size(); ++Common) {
    Out.Text += Scopes[Common] + "\n";
    Open.push_back(Scopes[Common]);
  }
}

void ClosureText::glue(llvm::StringRef Lines) {
  Out.Text += Lines;
  if (!Lines.ends_with("\n"))
    Out.Text += '\n';
}

void ClosureText::piece(PieceKind Kind, llvm::StringRef Name,
                        llvm::StringRef Text, SourceSpan Origin,
                        std::string Condition) {
  size_t Begin = Out.Text.size();
  Out.Text += Text;
  Out.Pieces.push_back({Kind, Name.str(), Begin, Out.Text.size(),
                        std::move(Origin), std::move(Condition)});
}
