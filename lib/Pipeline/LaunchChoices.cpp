/// \file
/// Which of the application's launches is the base.

#include "Choices.h"
#include "mep/Workload/Rebase.h"

using namespace mep;

/// Sizes and numbers of the application's own, so that nothing is made up; the
/// launch that was the base is still one of the shapes.
void Choices::otherLaunches() {
  for (size_t I = 1; I < W.Shapes.size(); ++I) {
    const Shape &S = W.Shapes[I];
    if (S.Weight > 0)
      add("the base is another of the application's launches, until now shape "
          "'" +
              S.Name + "', which is what was the base instead",
          [&](Workload &Other) {
            Other = rebasedWorkload(Other, I);
            return true;
          });
  }
}
