#include "DataSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace mep;

namespace {

struct Start {
  Workload Data;
  Trouble What;
};

/// One start for each trouble is enough.
bool isNew(const std::vector<Start> &Starts, Trouble What) {
  return llvm::none_of(Starts, [&](const Start &S) { return S.What == What; });
}

} // namespace

llvm::Expected<bool> mep::searchData(Workload &W, Trouble First,
                                     const DataSearchLimits &Limits,
                                     DataJudge Judge, unsigned &Tries) {
  using Clock = std::chrono::steady_clock;
  const auto End = Clock::now() + std::chrono::duration<double>(Limits.Seconds);
  std::vector<Start> Starts{{W, First}};
  Tries = 0;
  for (size_t From = 0; From < Starts.size(); ++From) {
    std::vector<Workload> Choices =
        dataChoices(Starts[From].Data, Starts[From].What);
    if (From == 0 && Limits.Unchanged)
      Choices.insert(Choices.begin(), W);
    for (Workload &Choice : Choices) {
      if (Tries == Limits.Tries || Clock::now() > End)
        return false;
      ++Tries;
      Workload Asked = Choice;
      auto Wrong = Judge(Asked);
      if (!Wrong)
        return Wrong.takeError();
      if (!*Wrong) {
        W = std::move(Asked);
        return true;
      }
      if (isNew(Starts, **Wrong))
        Starts.push_back({std::move(Choice), **Wrong});
    }
  }
  return false;
}
