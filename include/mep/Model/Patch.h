/// \file
/// Edits of the application's files.

#ifndef MEP_MODEL_PATCH_H
#define MEP_MODEL_PATCH_H

#include "mep/Model/Source.h"
#include <string>
#include <vector>

namespace mep {

/// Bytes of one file replaced. \p Hash is \c contentHash of the text that was
/// there when the edit was made; applying refuses if it changed.
struct Edit {
  SourceSpan Place;
  std::string Replacement;
  std::string Hash;
};

struct FilePatch {
  std::string File; ///< Absolute.
  std::string Before, After;
};

struct Patch {
  std::vector<Edit> Edits; ///< Disjoint, by file and place.
  std::vector<FilePatch> Files;
};

} // namespace mep

#endif // MEP_MODEL_PATCH_H
