/// \file
/// Where a kernel is named in text that no parse reads: other branches of
/// `#if`, bodies of macros, units that were not looked at.

#ifndef MEP_LIB_SPLICE_UNSEENMENTIONS_H
#define MEP_LIB_SPLICE_UNSEENMENTIONS_H

#include "mep/Model/KernelSite.h"
#include <string>
#include <vector>

namespace mep {
class ParsedUnit;
struct SpliceSurroundings;

struct UnseenMentions {
  std::vector<std::string> Places; ///< In the order of the text; no doubles.
  /// One of them defines another kernel of that name: which one an edited
  /// launch would get depends on the build.
  bool Defines = false;
};

/// Adds to \p Out what the files of \p Unit, without those of the system, say
/// of \p Site's kernel where its parse did not go. The definition of \p Site
/// and its launches are seen, also where a file is included again.
void addUnseenMentions(const ParsedUnit &Unit, const KernelSite &Site,
                       UnseenMentions &Out);

/// The same of the units of the database, beside \p Host, that may name a
/// kernel which \p Host launches.
void addOtherUnits(const ParsedUnit &Host, const KernelSite &Site,
                   const SpliceSurroundings &Around, UnseenMentions &Out);

} // namespace mep

#endif // MEP_LIB_SPLICE_UNSEENMENTIONS_H
