#include "InstanceSets.h"
#include <set>

using namespace mep;
using namespace mep::isl;

std::vector<std::string> mep::varying(const AccessInstance &I) {
  std::set<std::string> Names;
  auto Add = [&](const IndexExpr &E) {
    if (E.isVarying())
      Names.insert(E.Name);
    return true;
  };
  everyPart(I.Offset, Add);
  for (const Index &G : I.Guards)
    everyPart(G, Add);
  return {Names.begin(), Names.end()};
}

Set mep::domainOf(const SetBuilder &B, const AccessInstance &I, bool &IsExact) {
  Set Domain = B.universe();
  for (unsigned D = 0; D < B.names().size(); ++D)
    if (auto It = I.Known.find(B.names()[D]); It != I.Known.end())
      Domain = B.bounded(std::move(Domain), D, It->second);
  for (const Index &G : I.Guards)
    Domain = Domain & B.holds(G, false, IsExact);
  return Domain;
}
