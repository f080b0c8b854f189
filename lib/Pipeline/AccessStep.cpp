#include "AccessStep.h"
#include "mep/Access/ProbeAgreement.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"

using namespace mep;

AccessCheck mep::checkAccesses(const AccessModel &Model, Workload W,
                               const ProbeReport &Seen) {
  AccessCheck Check;
  for (Dimension &D : W.Dimensions)
    if (auto Ran = Seen.Dimensions.find(D.Name); Ran != Seen.Dimensions.end())
      D.Value = Ran->second;
  W.Shapes.resize(1);
  W.Shapes[0].Dimensions.clear();
  auto Shapes = resolveShapes(W);
  if (!Shapes) {
    Check.NotCompared = llvm::toString(Shapes.takeError());
    return Check;
  }
  return compareWithProbe(touchedElements(Model, W, Shapes->front()), Seen,
                          Model.Unknown.empty());
}
