/// \file
/// The comparison of access model and probe as JSON.

#include "mep/Model/AccessCheck.h"
#include <nlohmann/json.hpp>

using namespace mep;

Json mep::toJson(const AccessCheck &Check) {
  Json Value{{"exact", Check.Exact},
             {"at_most", Check.AtMost},
             {"open", Check.Open},
             {"differences", Check.Differences}};
  if (!Check.NotCompared.empty())
    Value["not_compared"] = Check.NotCompared;
  return Value;
}
