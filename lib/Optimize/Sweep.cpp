#include "Sweep.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace mep;

namespace {
/// Spaces up to this size are measured whole.
constexpr size_t SmallSpace = 16;
/// Points that a search of a large space begins with.
constexpr size_t StartPoints = 8;
/// More combinations than anyone can measure; keeps their number from wrapping.
constexpr size_t MostPoints = 1 << 20;
} // namespace

Sweep::Sweep(const LaunchPlan &Plan, unsigned Limit,
             std::function<bool(const Tune &)> IsValid)
    : Tunables(Plan.Tunables), Left(Limit), IsValid(std::move(IsValid)) {
  while (size() > MostPoints)
    for (Tunable &Each : Tunables)
      if (Each.Values.size() > 2)
        Each.Values.pop_back();
}

size_t Sweep::size() const {
  size_t Product = 1;
  for (const Tunable &Each : Tunables) {
    if (Each.Values.empty())
      return 0;
    Product *= Each.Values.size();
    if (Product > MostPoints)
      break;
  }
  return Product;
}

Tune Sweep::tune(const Point &At) const {
  Tune Values;
  for (size_t I = 0; I < At.size(); ++I)
    Values[Tunables[I].Name] = Tunables[I].Values[At[I]];
  return Values;
}

Sweep::Point Sweep::point(size_t Number) const {
  Point At;
  for (const Tunable &Each : Tunables) {
    At.push_back(Number % Each.Values.size());
    Number /= Each.Values.size();
  }
  return At;
}

void Sweep::add(const Point &At, std::vector<Tune> &Batch) {
  if (Left == 0 || !Scores.try_emplace(At, 0).second)
    return;
  Tune Values = tune(At);
  if (!IsValid(Values))
    return;
  --Left;
  Batch.push_back(std::move(Values));
}

/// The middle first: it is seldom bad. The others in a fixed random order.
std::vector<Tune> Sweep::start() {
  std::vector<Tune> Batch;
  const size_t All = size();
  if (All == 0)
    return Batch;
  Point Middle;
  for (const Tunable &Each : Tunables)
    Middle.push_back(Each.Values.size() / 2);
  add(Middle, Batch);
  std::vector<size_t> Numbers(All);
  std::iota(Numbers.begin(), Numbers.end(), size_t(0));
  std::mt19937 Random(1);
  std::shuffle(Numbers.begin(), Numbers.end(), Random);
  const size_t Wanted = All <= SmallSpace ? All : StartPoints;
  for (size_t Number : Numbers)
    if (Batch.size() < Wanted)
      add(point(Number), Batch);
  return Batch;
}

/// One step of one tunable; with \p Pairs one up and another down, which keeps
/// a product (threads of a block) near what it was.
std::vector<Tune> Sweep::neighbours(bool Pairs) {
  std::vector<Tune> Batch;
  auto Step = [&](Point At, size_t I, int By) {
    size_t To = At[I] + size_t(By);
    if (To < Tunables[I].Values.size())
      At[I] = To;
    return At;
  };
  for (size_t I = 0; I < Best.size(); ++I) {
    if (!Pairs) {
      for (int By : {1, -1})
        add(Step(Best, I, By), Batch);
      continue;
    }
    for (size_t J = 0; J < Best.size(); ++J)
      if (J != I)
        add(Step(Step(Best, I, 1), J, -1), Batch);
  }
  return Batch;
}

std::vector<Tune> Sweep::next() {
  if (!Started) {
    Started = true;
    return start();
  }
  if (BestScore <= 0)
    return {};
  std::vector<Tune> Batch = neighbours(/*Pairs=*/false);
  return Batch.empty() ? neighbours(/*Pairs=*/true) : Batch;
}

void Sweep::tell(const Tune &Values, double Score) {
  Point At;
  for (const Tunable &Each : Tunables) {
    auto Value = Values.find(Each.Name);
    if (Value == Values.end())
      return;
    auto Found =
        std::find(Each.Values.begin(), Each.Values.end(), Value->second);
    At.push_back(size_t(Found - Each.Values.begin()));
  }
  Scores[At] = Score;
  if (Score <= BestScore)
    return;
  BestScore = Score;
  Best = At;
}
