/// \file
/// A found launch as plain data: its kind, its places and its texts.

#ifndef MEP_LIB_DISCOVERY_LAUNCHSITES_H
#define MEP_LIB_DISCOVERY_LAUNCHSITES_H

#include "KernelFinder.h"
#include "mep/Model/KernelSite.h"

namespace mep {

LaunchSite makeLaunch(const ParsedUnit &Unit, const FoundLaunch &Launch);

} // namespace mep

#endif // MEP_LIB_DISCOVERY_LAUNCHSITES_H
