#include "ReadOrder.h"
#include "InstanceSets.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace mep::isl;

namespace {

// isl operations; one may take a fraction of a millisecond.
constexpr unsigned long OrderOperations = 30000;
constexpr size_t MaxPairs = 400;

/// Renames the counters of \p I, so that two accesses' iterations differ.
AccessInstance renamed(AccessInstance I) {
  auto Rename = [](const Index &E) {
    return replaced(E, [](const IndexExpr &S) -> Index {
      return S.Kind == SymbolKind::Counter
                 ? symbol(S.Name + "'", SymbolKind::Counter)
                 : nullptr;
    });
  };
  I.Offset = Rename(I.Offset);
  for (Index &G : I.Guards)
    G = Rename(G);
  Ranges Known;
  for (auto &[Name, Range] : I.Known)
    Known[Name.front() == '#' ? Name + "'" : Name] = Range;
  I.Known = std::move(Known);
  return I;
}

/// Counter of a loop around \p I as a number or symbol.
Index counterOf(const AccessInstance &I, const std::string &Name,
                const char *Suffix) {
  auto It = I.Chosen.find(Name);
  return It != I.Chosen.end() ? number(It->second)
                              : symbol(Name + Suffix, SymbolKind::Counter);
}

/// Pairs in which the write, renamed, comes before the read in one thread.
Index isBefore(const AccessModel &Model, const AccessInstance &Write,
               const AccessInstance &Read) {
  const auto &W = Write.Access->Loops, &R = Read.Access->Loops;
  size_t Shared = 0;
  while (Shared < W.size() && Shared < R.size() && W[Shared] == R[Shared])
    ++Shared;
  Index Before = number(Write.Access->Order < Read.Access->Order);
  for (size_t L = Shared; L > 0; --L) {
    const std::string &Name = Model.Loops[W[L - 1]].Counter;
    Index A = counterOf(Write, Name, "'"), B = counterOf(Read, Name, "");
    Before = disjunction(binary(IndexOp::Less, A, B),
                         conjunction(binary(IndexOp::Equal, A, B), Before));
  }
  return Before;
}

/// Executions of \p Read that \p Write has written the bytes of, over the
/// dimensions \p Names. Null when isl gives up.
Set coveredBy(isl::Context &Context, const AccessModel &Model,
              const AccessInstance &Write, const AccessInstance &Read,
              const std::vector<std::string> &Names) {
  AccessInstance W = renamed(Write);
  Index Before = isBefore(Model, Write, Read);
  std::vector<std::string> All = Names;
  auto Add = [&](const IndexExpr &S) {
    if (S.isVarying() && !llvm::is_contained(All, S.Name))
      All.push_back(S.Name);
    return true;
  };
  everyPart(W.Offset, Add);
  for (const Index &G : W.Guards)
    everyPart(G, Add);
  everyPart(Before, Add);
  Ranges Known = Read.Known;
  Known.insert(W.Known.begin(), W.Known.end());
  SetBuilder B(Context, All, Known);
  // A counter that only the order names is an iteration all the same.
  for (const std::string &Name : All)
    Known.insert({Name, Interval{0, Interval::Infinite}});
  bool IsExact = true;
  Set Pairs =
      domainOf(B, W, IsExact) & B.holds(Before, false, IsExact) &
      B.holds(binary(IndexOp::Equal, Read.Offset, W.Offset), false, IsExact);
  if (!IsExact) // It may not happen: covers nothing.
    return Set(isl_set_empty(
        isl_space_set_alloc(Context.raw(), 0, unsigned(Names.size()))));
  return Set(isl_set_project_out(Pairs.take(), isl_dim_set,
                                 unsigned(Names.size()),
                                 unsigned(All.size() - Names.size())));
}

} // namespace

std::optional<bool> mep::readsInput(isl::Context &Context,
                                    const AccessModel &Model,
                                    const std::vector<AccessInstance> &Reads,
                                    const std::vector<AccessInstance> &Writes) {
  if (Reads.size() * std::max<size_t>(Writes.size(), 1) > MaxPairs)
    return std::nullopt;
  bool IsCertain = true;
  for (const AccessInstance &R : Reads) {
    if (!R.Problem.empty()) {
      IsCertain = false;
      continue;
    }
    Context.allow(OrderOperations);
    std::vector<std::string> Names = varying(R);
    // The iterations that the order speaks of belong to the read as well, and
    // so does every thread index that tells threads apart.
    for (unsigned L : R.Access->Loops)
      if (const std::string &Name = Model.Loops[L].Counter;
          !R.Chosen.count(Name) && !llvm::is_contained(Names, Name))
        Names.push_back(Name);
    for (const AccessInstance &W : Writes)
      for (const std::string &Name : varying(W))
        if (Name.front() != '#' && !llvm::is_contained(Names, Name))
          Names.push_back(Name);
    AccessInstance Read = R;
    for (const AccessInstance &W : Writes)
      for (auto &[Name, Range] : W.Known)
        if (Name.front() != '#')
          Read.Known.insert({Name, Range});
    SetBuilder B(Context, Names, Read.Known);
    bool IsExact = true;
    Set Exposed = domainOf(B, Read, IsExact);
    for (unsigned D = 0; D < Names.size(); ++D)
      if (!Read.Known.count(Names[D]))
        Exposed = B.bounded(std::move(Exposed), D, {0, Interval::Infinite});
    for (const AccessInstance &W : Writes)
      if (W.Problem.empty() && W.Access->State == AccessState::Affine &&
          W.Access->Bytes >= R.Access->Bytes)
        Exposed = Exposed - coveredBy(Context, Model, W, Read, Names);
    auto Empty = isEmpty(Exposed);
    if (Empty && *Empty)
      continue;
    if (Empty && IsExact)
      return true;
    IsCertain = false;
  }
  return IsCertain ? std::optional(false) : std::nullopt;
}
