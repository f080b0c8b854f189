/// \file
/// Closure, header level: which system headers kept text needs, and what stands
/// for them where NVRTC has no such header.

#ifndef MEP_LIB_CLOSURE_INCLUDEPLAN_H
#define MEP_LIB_CLOSURE_INCLUDEPLAN_H

#include "SourceFiles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace mep {

struct PlannedInclude {
  clang::SourceLocation Place; ///< Of the directive's file name.
  std::string Spelling;        ///< `<cmath>`, `"cuda_fp16.h"`.
  bool HostOnly = false;       ///< NVRTC neither has it nor needs it.
};

class IncludePlan {
public:
  explicit IncludePlan(const ParsedUnit &Unit);

  /// Kept text uses \p Name, which a system header declares at \p Place.
  /// \p InStd: as `std::Name`.
  void need(llvm::StringRef Name, clang::SourceLocation Place, bool InStd);
  /// Keep every system header that the project includes.
  void needAll();

  std::vector<PlannedInclude> includes() const;
  /// Lines that only NVRTC reads, in the order of their need.
  const std::vector<std::string> &nvrtcLines() const { return Lines; }
  /// Standard headers, `<cstdint>`, for a compiler other than NVRTC: the parse
  /// had their names from headers that only it includes by itself.
  const std::set<std::string> &hostHeaders() const { return HostHeaders; }
  bool nvrtcClean() const { return Clean; }

private:
  struct Directive {
    clang::SourceLocation Place;
    std::string Spelling;
  };
  const Directive *directiveFor(clang::SourceLocation Place) const;
  Directive directiveAt(clang::SourceLocation Place) const;
  bool teachNvrtc(llvm::StringRef Name, bool InStd);
  void addLine(std::string Line);
  void use(const Directive &D, bool HostOnly);

  const ParsedUnit &Unit;
  /// Files that a directive of the project names, by unique path.
  llvm::StringMap<Directive> ByFile;
  std::vector<Directive> All; ///< Those that name a system header.
  mutable std::map<unsigned, Directive> ByPlace;
  std::map<std::string, PlannedInclude> Used; ///< By spelling.
  std::vector<std::string> Lines;
  llvm::StringSet<> SeenLines;
  std::set<std::string> HostHeaders;
  bool Clean = true;
};

} // namespace mep

#endif // MEP_LIB_CLOSURE_INCLUDEPLAN_H
