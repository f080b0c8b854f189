/// \file
/// Measured times of an application's kernels, as a profiler wrote them.

#ifndef MEP_DISCOVERY_PROFILE_H
#define MEP_DISCOVERY_PROFILE_H

#include "mep/Model/KernelSite.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mep {

struct ProfileEntry {
  std::string Name; ///< Qualified, without return type, template arguments and
                    ///< parameters; `(anonymous namespace)` left out.
  double TotalNs = 0;
  unsigned Calls = 0;
};

struct Profile {
  std::vector<ProfileEntry> Entries; ///< Each name once, longest first.
  double totalNs() const;
};

/// Reads CSV of `nsys stats` (cuda_gpu_kern_sum, cuda_gpu_trace), of
/// `ncu --csv` (details or raw page; the times that ncu measured) or of rocprof
/// (results, stats, kernel trace). Lines before the table are skipped. Errors
/// (Input): unreadable, no such table, a time that is no number; they name the
/// file and line.
llvm::Expected<Profile> readProfile(llvm::StringRef Path);
llvm::Expected<Profile> parseProfile(llvm::StringRef Text,
                                     llvm::StringRef Where);

/// Ranks \p Sites by their measured times: Rank is the time in nanoseconds,
/// RankReason the share of all kernels' time. Sites that the profile has not
/// rank behind those it has. Gives the entries that are no kernel of \p Sites.
std::vector<ProfileEntry> rankByProfile(const Profile &Measured,
                                        std::vector<KernelSite> &Sites);

} // namespace mep

#endif // MEP_DISCOVERY_PROFILE_H
