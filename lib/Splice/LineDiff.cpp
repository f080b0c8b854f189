#include "LineDiff.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

using namespace mep;
using llvm::StringRef;

namespace {

using Lines = std::vector<StringRef>;

Lines splitLines(StringRef Text) {
  Lines Out;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    size_t Length = End == StringRef::npos ? Text.size() : End + 1;
    Out.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Out;
}

/// Above this many differences the rest is replaced as one: right, if coarse.
constexpr int MaxDifferences = 4000;

/// Myers' greedy search. Frontier[D][K] is how far diagonal K (old minus new)
/// gets with D differences; walking back from the end gives the steps.
class Search {
public:
  Search(llvm::ArrayRef<StringRef> Old, llvm::ArrayRef<StringRef> New)
      : Old(Old), New(New), N(int(Old.size())), M(int(New.size())) {}

  bool run() {
    std::vector<int> Reach{0};
    for (int D = 0; D <= std::min(N + M, MaxDifferences); ++D) {
      std::vector<int> Next(size_t(2 * D + 1));
      for (int K = -D; K <= D; K += 2) {
        int X = D == 0 ? 0 : stepInto(Reach, D, K);
        while (X < N && X - K < M && X - K >= 0 && Old[X] == New[X - K])
          ++X;
        Next[size_t(K + D)] = X;
        if (X >= N && X - K >= M) {
          Trace.push_back(std::move(Next));
          return true;
        }
      }
      Trace.push_back(Next);
      Reach = std::move(Next);
    }
    return false;
  }

  std::vector<LineStep> steps() const {
    std::vector<LineStep> Out;
    int X = N, Y = M;
    for (int D = int(Trace.size()) - 1; D > 0; --D) {
      const std::vector<int> &Reach = Trace[size_t(D - 1)];
      int K = X - Y;
      bool Down = comesDown(Reach, D, K);
      int FromX = at(Reach, D - 1, Down ? K + 1 : K - 1);
      int FromY = FromX - (Down ? K + 1 : K - 1);
      while (X > FromX + (Down ? 0 : 1) && Y > FromY + (Down ? 1 : 0))
        Out.push_back({LineOp::Keep, Old[size_t(--X)]}), --Y;
      Out.push_back(Down ? LineStep{LineOp::Add, New[size_t(--Y)]}
                         : LineStep{LineOp::Remove, Old[size_t(--X)]});
    }
    while (X > 0)
      Out.push_back({LineOp::Keep, Old[size_t(--X)]});
    std::reverse(Out.begin(), Out.end());
    return Out;
  }

private:
  /// Reach of diagonal \p K after \p D differences; -1 where there is none.
  static int at(const std::vector<int> &Reach, int D, int K) {
    return K < -D || K > D ? -1 : Reach[size_t(K + D)];
  }

  /// The step onto diagonal \p K with difference \p D adds a line.
  bool comesDown(const std::vector<int> &Reach, int D, int K) const {
    return K == -D ||
           (K != D && at(Reach, D - 1, K - 1) < at(Reach, D - 1, K + 1));
  }

  int stepInto(const std::vector<int> &Reach, int D, int K) const {
    return comesDown(Reach, D, K) ? at(Reach, D - 1, K + 1)
                                  : at(Reach, D - 1, K - 1) + 1;
  }

  llvm::ArrayRef<StringRef> Old, New;
  int N, M;
  std::vector<std::vector<int>> Trace;
};

/// Removals first within every run of changes.
std::vector<LineStep> orderRuns(const std::vector<LineStep> &Steps) {
  std::vector<LineStep> Out, Added;
  for (const LineStep &S : Steps) {
    if (S.What == LineOp::Add) {
      Added.push_back(S);
      continue;
    }
    if (S.What == LineOp::Keep) {
      Out.insert(Out.end(), Added.begin(), Added.end());
      Added.clear();
    }
    Out.push_back(S);
  }
  Out.insert(Out.end(), Added.begin(), Added.end());
  return Out;
}

} // namespace

std::vector<LineStep> mep::diffLines(StringRef Before, StringRef After) {
  Lines A = splitLines(Before), B = splitLines(After);
  size_t Head = 0, Tail = 0;
  while (Head < A.size() && Head < B.size() && A[Head] == B[Head])
    ++Head;
  while (Tail < A.size() - Head && Tail < B.size() - Head &&
         A[A.size() - 1 - Tail] == B[B.size() - 1 - Tail])
    ++Tail;
  auto Old = llvm::ArrayRef(A).slice(Head, A.size() - Head - Tail);
  auto New = llvm::ArrayRef(B).slice(Head, B.size() - Head - Tail);

  std::vector<LineStep> Steps;
  for (size_t I = 0; I < Head; ++I)
    Steps.push_back({LineOp::Keep, A[I]});
  Search Middle(Old, New);
  if (Middle.run()) {
    for (const LineStep &S : Middle.steps())
      Steps.push_back(S);
  } else {
    for (StringRef Line : Old)
      Steps.push_back({LineOp::Remove, Line});
    for (StringRef Line : New)
      Steps.push_back({LineOp::Add, Line});
  }
  Steps = orderRuns(Steps);
  for (size_t I = A.size() - Tail; I < A.size(); ++I)
    Steps.push_back({LineOp::Keep, A[I]});
  return Steps;
}
