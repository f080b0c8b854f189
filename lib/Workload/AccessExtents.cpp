/// \file
/// From an access model's bounds to extents in a workload's own words.

#include "AccessExtents.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;

namespace {

const ArgumentPart *scalarPart(const Workload &W, llvm::StringRef Name) {
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Name == Name && P.Buffer.empty() && !isFloating(P.Kind))
        return &P;
  return nullptr;
}

/// \p S in the words of extents; null when they have none for it.
Index worded(const IndexExpr &S, const AccessModel &Model, const Workload &W,
             bool Widens) {
  switch (S.Kind) {
  case SymbolKind::BlockSize:
    return symbol(std::string("block_") + S.Name.back(), S.Kind);
  case SymbolKind::GridSize: {
    const std::string &Grid = W.Launch.Grid[size_t(S.Name.back() - 'x')];
    return Grid.empty() ? nullptr : symbol("(" + Grid + ")", S.Kind);
  }
  case SymbolKind::Parameter: {
    const ArgumentPart *P = scalarPart(W, S.Name);
    if (!P || P->Value.empty())
      return nullptr;
    // Products of int would overflow before they become an extent.
    return symbol((Widens && byteSize(P->Kind) < 8 ? "(long long)" : "") +
                      S.Name,
                  S.Kind);
  }
  case SymbolKind::Macro:
    for (const Dimension &D : W.Dimensions)
      if (D.Name == S.Name)
        return symbol(S.Name, S.Kind);
    for (auto &[Name, Value] : Model.Macros)
      if (Name == S.Name)
        return number(Value);
    return nullptr;
  default:
    return nullptr;
  }
}

/// Empty when \p Last cannot be said.
std::string extentText(const Index &Last, const AccessModel &Model,
                       const Workload &W) {
  bool Known = true, Widens = false;
  everyPart(Last, [&](const IndexExpr &E) {
    Widens |= E.Op == IndexOp::Multiply;
    Known &= E.Op != IndexOp::Power && E.Op != IndexOp::Decay &&
             E.Op != IndexOp::Unknown; // No C++.
    return true;
  });
  Index Said = replaced(add(Last, number(1)), [&](const IndexExpr &S) {
    Index Word = worded(S, Model, W, Widens);
    Known &= bool(Word);
    return Word;
  });
  return Known ? print(Said) : std::string();
}

/// A pointer into the middle of something is none of its first elements.
bool staysInside(const Index &First) {
  return everyPart(First, [](const IndexExpr &E) {
    return E.Op != IndexOp::Number || E.Value >= 0;
  });
}

/// What \p Model says of \p B where one pointer to its begin is all there is.
const AccessedBuffer *accessesOf(const AccessModel &Model, const Buffer &B,
                                 const Workload &W) {
  const AccessedBuffer *Found = nullptr;
  unsigned Pointers = 0;
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Buffer == B.Name && P.BufferOffset == "0") {
        ++Pointers;
        Found = Model.find(P.Name);
      }
  bool Fits = Pointers == 1 && Found && Found->ElementBytes == B.Element.Bytes;
  return Fits ? Found : nullptr;
}

} // namespace

std::vector<std::string>
mep::emptiedBy(const AccessModel &Model, const Buffer &B, const Workload &W,
               llvm::function_ref<Index(const IndexExpr &)> ValueOf) {
  const AccessedBuffer *Found = accessesOf(Model, B, W);
  if (!Found || !Found->Last || !staysInside(Found->First))
    return {};
  Index Last = replaced(Found->Last, ValueOf);
  std::vector<std::string> Scalars;
  if (Last->Op == IndexOp::Number && Last->Value < 0)
    everyPart(Found->Last, [&](const IndexExpr &E) {
      if (E.Op == IndexOp::Symbol && E.Kind == SymbolKind::Parameter)
        Scalars.push_back(E.Name);
      return true;
    });
  return Scalars;
}

void mep::takeExtents(const AccessModel &Model,
                      llvm::function_ref<bool(const Buffer &)> IsUnknown,
                      Workload &W) {
  for (Buffer &B : W.Buffers) {
    if (!IsUnknown(B))
      continue;
    const AccessedBuffer *Found = accessesOf(Model, B, W);
    if (!Found)
      continue;
    std::string Extent;
    if (Found->Last && staysInside(Found->First))
      Extent = extentText(Found->Last, Model, W);
    // Elements the kernel does not touch need no room, but one has to be there.
    else if (!Found->IsRead && !Found->IsWritten && Model.Unknown.empty())
      Extent = "1";
    if (Extent.empty())
      continue;
    B.Extent = std::move(Extent);
    B.Source = "the kernel's accesses";
  }
}

void mep::takeWrittenRoles(const AccessModel &Model, Workload &W) {
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts) {
      const AccessedBuffer *Seen =
          P.Buffer.empty() ? nullptr : Model.find(P.Name);
      if (!Seen || !Seen->IsWritten)
        continue;
      for (Buffer &B : W.Buffers)
        if (B.Name == P.Buffer && B.Use == Role::In)
          B.Use = Role::InOut;
    }
}
