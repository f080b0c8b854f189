#include "MilderData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mep;
using llvm::StringRef;

static bool holds(const Buffer &B, bool Integers) {
  return llvm::any_of(B.Element.Components, [&](const Component &C) {
    return isFloating(C.Kind) != Integers;
  });
}

bool mep::takeMilderData(Workload &W, StringRef Problem) {
  bool Wild = Problem.contains("ADDRESS") || Problem.contains("crash") ||
              Problem.contains("out-of-bounds") ||
              Problem.contains("took longer");
  bool NotFinite = Problem.contains("not finite");
  if (!Wild && !NotFinite)
    return false;
  const char *Low = Wild ? "0" : "0.1", *High = "1";
  std::string Changed;
  for (Buffer &B : W.Buffers) {
    if (B.Use == Role::Out || B.Fill.Rule != "uniform" || !holds(B, Wild) ||
        (B.Fill.Low == Low && B.Fill.High == High))
      continue;
    B.Fill.Low = Low;
    B.Fill.High = High;
    Changed += (Changed.empty() ? "'" : ", '") + B.Name + "'";
  }
  if (Changed.empty())
    return false;
  W.Notes.push_back(
      Wild ? "integers in " + Changed +
                 " are 0 or 1: on larger ones the kernel leaves its buffers or "
                 "does not end"
           : "numbers in " + Changed +
                 " are in [0.1, 1): on others the results are not finite");
  return true;
}
