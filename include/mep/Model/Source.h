/// \file
/// Places in source files, as plain data: no Clang type outlives its parse.

#ifndef MEP_MODEL_SOURCE_H
#define MEP_MODEL_SOURCE_H

#include <string>

namespace mep {

/// Bytes [Begin, End) of \p File (absolute path); \p Line and \p Column of
/// Begin count from 1. An empty File means "no such place".
struct SourceSpan {
  std::string File;
  unsigned Begin = 0, End = 0;
  unsigned Line = 0, Column = 0;

  bool valid() const { return !File.empty(); }
  /// `file:line:column`, the form editors jump to.
  std::string str() const {
    return File + ":" + std::to_string(Line) + ":" + std::to_string(Column);
  }
};

} // namespace mep

#endif // MEP_MODEL_SOURCE_H
