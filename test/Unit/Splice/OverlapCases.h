/// \file
/// What the overlap proof says of small programs whose launches all are of one
/// kernel that takes two pointers.

#ifndef MEP_TEST_UNIT_SPLICE_OVERLAPCASES_H
#define MEP_TEST_UNIT_SPLICE_OVERLAPCASES_H

#include "../../../lib/Splice/ArgumentOverlap.h"
#include "../Frontend/TemporaryFolder.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"

namespace mep {

/// A workload of `k(float *y, float *x, int n)`: which buffer each one gets.
inline Workload measuredOn(llvm::StringRef Y, llvm::StringRef X) {
  Workload W;
  for (auto [Name, Of] : {std::make_pair("y", Y), std::make_pair("x", X)}) {
    Argument A;
    A.Name = Name;
    A.Parts.emplace_back();
    A.Parts[0].Buffer = Of.str();
    W.Arguments.push_back(A);
    Buffer B;
    B.Name = Of.str();
    W.Buffers.push_back(B);
  }
  return W;
}

class OverlapCases : public testing::Test {
protected:
  /// What is said of the launches, by the functions that hold them; the worst
  /// where one holds several.
  std::map<std::string, std::string> judge(llvm::StringRef Code) {
    std::map<std::string, std::string> Said;
    std::string File = Folder.write(
        "app.cu",
        "#include <cuda_runtime.h>\n#include <utility>\n"
        "#include <functional>\n#include <vector>\n"
        "__global__ void k(float *y, float *x, int n) { y[n] += x[n]; }\n"
        "template <typename T> void swapped(T &a, T &b) {\n"
        "  T t = a; a = b; b = t; }\n" +
            Code.str());
    auto Command = deviceTextCommand({}, /*Stubs=*/true);
    if (!Command)
      return {{"", llvm::toString(Command.takeError())}};
    Command->File = File;
    Command->Directory = Folder.Root;
    auto Host = parseUnit(*Command, View::Host);
    if (!Host)
      return {{"", llvm::toString(Host.takeError())}};
    for (const UnitDiagnostic &D : (*Host)->errors())
      if (!MayHaveErrors)
        ADD_FAILURE() << D.Place.str() << ": " << D.Message;
    for (const KernelSite &Site : discoverKernels(**Host)) {
      ArgumentOverlap Arguments(Site, Data,
                                [&](llvm::StringRef) { return Host->get(); });
      for (const LaunchSite &L : Site.Launches) {
        std::string Why = Arguments.whyNot(L);
        std::string &Known = Said[L.Function];
        Known = Known.empty() ? Why : Known;
      }
      Assumed = Arguments.assumed();
    }
    return Said;
  }

  /// Every launch is judged the same.
  void all(bool Apart, llvm::StringRef Code) {
    auto Said = judge(Code);
    EXPECT_FALSE(Said.empty());
    for (const auto &[Function, Why] : Said)
      EXPECT_EQ(Why.empty(), Apart) << Function << ": " << Why;
  }

  /// The same, with `AB`: two pointers to memory of their own.
  void fresh(bool Apart, llvm::StringRef Code) {
    all(Apart, "#define AB float *a, *b; cudaMalloc(&a, n); "
               "cudaMalloc(&b, n)\n" +
                   Code.str());
  }

  TemporaryFolder Folder;
  Workload Data = measuredOn("y", "x");
  std::set<std::string> Assumed;
  bool MayHaveErrors = false;
};

} // namespace mep

#endif // MEP_TEST_UNIT_SPLICE_OVERLAPCASES_H
