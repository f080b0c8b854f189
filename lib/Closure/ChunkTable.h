/// \file
/// Closure, declaration level: the top-level declarations of the project as
/// stretches of text. Declarations that share text (`struct S {} s;`, one macro
/// call that makes several) are one chunk: they stay or go together.

#ifndef MEP_LIB_CLOSURE_CHUNKTABLE_H
#define MEP_LIB_CLOSURE_CHUNKTABLE_H

#include "SourceFiles.h"
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Decl;
class DeclContext;
} // namespace clang

namespace mep {

struct Chunk {
  FileRange Range;
  std::vector<const clang::Decl *> Decls;
  /// What opens each enclosing scope, outermost first: `namespace a {`,
  /// `extern "C" {`.
  std::vector<std::string> Scopes;
};

/// The scope that stands for an unnamed namespace: transparent like it, but its
/// symbols have the same name in every compile.
inline constexpr const char *LocalNamespace = "mep_local";

class ChunkTable {
public:
  ChunkTable(const ParsedUnit &Unit, const SourceFiles &Files);

  size_t size() const { return Chunks.size(); }
  const Chunk &operator[](size_t Index) const { return Chunks[Index]; }
  /// The chunk whose text holds \p Location (expansions where they stand).
  std::optional<size_t> at(clang::SourceLocation Location) const;

private:
  void collect(const clang::DeclContext *Context,
               std::vector<std::string> &Scopes);
  void add(const clang::Decl *D, const std::vector<std::string> &Scopes);
  FileRange rangeOf(const clang::Decl *D) const;

  const ParsedUnit &Unit;
  const SourceFiles &Files;
  std::vector<Chunk> Chunks; ///< In the order of the translation unit.
  std::map<clang::FileID, std::map<unsigned, size_t>> ByBegin;
};

} // namespace mep

#endif // MEP_LIB_CLOSURE_CHUNKTABLE_H
