/// \file
/// An access model at numbers: which elements, and how many.

#include "mep/Access/AccessNumbers.h"
#include "InstanceSets.h"
#include "ReadOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mep;
using namespace mep::isl;

namespace {

// isl operations; one may take a fraction of a millisecond.
constexpr unsigned long RangeOperations = 100000;
constexpr unsigned long CountOperations = 30000;
constexpr size_t MaxAccesses = 2000;
/// What has no simpler form is counted point by point.
constexpr uint64_t MaxCountedPoints = 200000;

/// The elements one instance touches.
struct Touched {
  bool IsKnown = false, IsExact = true, Happens = true;
  int64_t First = 0, Last = 0;
  Set Elements; ///< One dimension; null when isl gave up on it alone.
  std::string Note;
};

Set interval(isl::Context &Context, int64_t Low, int64_t High) {
  Ranges None;
  SetBuilder B(Context, {"e"}, None);
  return B.bounded(B.universe(), 0, {Low, High});
}

/// Values of \p F over \p Domain as a set.
Set image(const PwAff &F, const Set &Domain) {
  return Set(isl_map_range(
      isl_map_intersect_domain(isl_map_from_pw_aff(F.take()), Domain.take())));
}

Touched touched(isl::Context &Context, const AccessInstance &I, int64_t Size) {
  Touched T;
  if (!I.Problem.empty()) {
    T.Note = I.Problem;
    return T;
  }
  Context.allow(RangeOperations);
  SetBuilder B(Context, varying(I), I.Known);
  Set Domain = domainOf(B, I, T.IsExact);
  auto Empty = isEmpty(Domain);
  if (!Empty) {
    T.Note = "too complex for isl";
    return T;
  }
  if (*Empty) {
    T.IsKnown = true;
    T.Happens = false;
    return T;
  }
  auto At = wholeElements(I.Offset, Size);
  int64_t Bytes = int64_t(I.Access->Bytes);
  PwAff F = B.affine(At ? At->Whole : I.Offset);
  if (!F) {
    T.Note = "'" + print(I.Offset) + "' is not affine";
    return T;
  }
  auto Low = integer(Val(isl_pw_aff_min_val(
      isl_pw_aff_intersect_domain(F.take(), Domain.take()))));
  auto High = integer(Val(isl_pw_aff_max_val(
      isl_pw_aff_intersect_domain(F.take(), Domain.take()))));
  if (!Low || !High) {
    T.Note = "no bound found by isl";
    return T;
  }
  T.IsKnown = true;
  Set Values = image(F, Domain);
  int64_t Width = At ? (At->Rest + Bytes - 1) / Size : Bytes - 1;
  T.First = *Low;
  T.Last = *High + Width;
  if (Width > 0)
    Values =
        Set(isl_set_sum(Values.take(), interval(Context, 0, Width).take()));
  if (!At) { // Bytes, now to elements.
    T.First = llvm::divideFloorSigned(T.First, Size);
    T.Last = llvm::divideFloorSigned(T.Last, Size);
    Ranges None;
    SetBuilder Byte(Context, {"e"}, None);
    Index E =
        binary(IndexOp::Divide, symbol("e", SymbolKind::Counter), number(Size));
    PwAff ToElement(isl_pw_aff_floor(
        isl_pw_aff_scale_down_val(Byte.affine(E->Operands[0]).take(),
                                  isl_val_int_from_si(Context.raw(), Size))));
    Values = image(ToElement, Values);
  }
  T.Elements = std::move(Values);
  return T;
}

// ---- counting --------------------------------------------------------------

/// Number of elements of \p S, one by one.
std::optional<uint64_t> pointsOf(const Set &S) {
  std::set<int64_t> Points;
  auto Add = [](isl_point *P, void *To) {
    auto N = integer(Val(isl_point_get_coordinate_val(P, isl_dim_set, 0)));
    isl_point_free(P);
    if (!N)
      return isl_stat_error;
    static_cast<std::set<int64_t> *>(To)->insert(*N);
    return isl_stat_ok;
  };
  if (isl_set_foreach_point(S.keep(), Add, &Points) != isl_stat_ok)
    return std::nullopt;
  return Points.size();
}

/// Number of elements of \p S; nothing past the limit. Not coalesced before:
/// isl 0.25 then adds 5 to { e : 0 < e <= 6 and (e <= 2 or (e - 1) mod 3 = 0)
/// }.
std::optional<uint64_t> countOf(isl::Context &Context, Set S, int64_t Low,
                                int64_t High) {
  if (!S)
    return std::nullopt;
  Context.allow(CountOperations);
  if (isl_set_is_equal(S.keep(), interval(Context, Low, High).keep()) ==
      isl_bool_true)
    return uint64_t(High - Low) + 1;
  // Every n-th one.
  isl_stride_info *Info = isl_set_get_stride_info(S.keep(), 0);
  auto Stride = integer(Val(Info ? isl_stride_info_get_stride(Info) : nullptr));
  isl_stride_info_free(Info);
  if (Stride && *Stride > 1) {
    Ranges None;
    SetBuilder B(Context, {"e"}, None);
    bool IsExact = true;
    Index E = add(symbol("e", SymbolKind::Counter), number(-Low));
    Index Rest =
        subtract(E, multiply(number(*Stride),
                             binary(IndexOp::Divide, E, number(*Stride))));
    Set Every =
        interval(Context, Low, High) &
        B.holds(binary(IndexOp::Equal, Rest, number(0)), false, IsExact);
    if (isl_set_is_equal(S.keep(), Every.keep()) == isl_bool_true)
      return uint64_t((High - Low) / *Stride) + 1;
  }
  if (uint64_t(High - Low) >= MaxCountedPoints)
    return std::nullopt;
  return pointsOf(S);
}

// ---- one buffer ------------------------------------------------------------

/// Reads, or writes, of one buffer.
struct Side {
  AccessedElements::State State = AccessedElements::Exact;
  std::optional<ElementRange> Sure, All;
  std::vector<Set> Sets;
  bool AllSets = true, AnyMay = false;
  std::string Note;

  void open(const std::string &Why) {
    State = AccessedElements::Open;
    if (Note.empty())
      Note = Why;
  }

  static void extend(std::optional<ElementRange> &R, const Touched &T) {
    if (!R)
      R = ElementRange{T.First, T.Last};
    R->First = std::min(R->First, T.First);
    R->Last = std::max(R->Last, T.Last);
  }

  void add(const Touched &T, const MemoryAccess &A) {
    if (!T.IsKnown)
      return open(T.Note + " (" + A.Where + ")");
    if (!T.Happens)
      return;
    extend(All, T);
    if (T.IsExact) {
      extend(Sure, T);
    } else {
      AnyMay = true;
      if (Note.empty())
        Note = A.Reason.empty() ? "a guard is not affine" : A.Reason;
    }
    if (T.Elements)
      Sets.push_back(T.Elements);
    else
      AllSets = false;
  }

  void conclude(isl::Context &Context, std::optional<ElementRange> &Range,
                std::optional<uint64_t> &Count) {
    Range = All;
    if (State == AccessedElements::Open)
      return;
    bool Same =
        !All || (Sure && Sure->First == All->First && Sure->Last == All->Last);
    if (!Same)
      State = AccessedElements::AtMost;
    if (!All)
      Count = 0;
    else if (AllSets && !AnyMay) {
      Set Union = Sets.front();
      Context.allow(CountOperations);
      for (const Set &S : llvm::drop_begin(Sets))
        Union = Union | S;
      Count = countOf(Context, Union, All->First, All->Last);
    }
  }
};

// ---- all of it -------------------------------------------------------------

std::string keyOf(const AccessInstance &I) {
  std::string Key = std::to_string(I.Access->Bytes) + "[" + print(I.Offset);
  for (const Index &G : I.Guards)
    Key += "&" + print(G);
  return Key + I.Problem;
}

class Evaluation {
public:
  Evaluation(const AccessModel &Model, const AccessPoint &At)
      : Model(Model), At(At) {}

  AccessedElements buffer(const std::vector<unsigned> &Members,
                          const std::vector<int64_t> &Offsets, int64_t Size,
                          llvm::StringRef Name);

private:
  const AccessModel &Model;
  const AccessPoint &At;
  isl::Context Context;
};

/// What the buffers \p Members of the model, that begin \p Offsets bytes into
/// one, touch of it together.
AccessedElements Evaluation::buffer(const std::vector<unsigned> &Members,
                                    const std::vector<int64_t> &Offsets,
                                    int64_t Size, llvm::StringRef Name) {
  AccessedElements Out;
  Out.Buffer = Name.str();
  Out.ElementBytes = uint64_t(Size);
  Side Reads, Writes;
  std::vector<AccessInstance> ReadInstances, WriteInstances;
  std::map<std::string, Touched> Done;
  size_t Seen = 0;
  for (const MemoryAccess &A : Model.Accesses) {
    auto Member = llvm::find(Members, A.Buffer);
    if (Member == Members.end())
      continue;
    for (AccessInstance &I : instancesOf(Model, A, At)) {
      if (I.Problem.empty())
        I.Offset =
            add(I.Offset, number(Offsets[size_t(Member - Members.begin())]));
      if (++Seen > MaxAccesses)
        I.Problem = "too many accesses";
      auto [It, IsNew] = Done.try_emplace(keyOf(I));
      if (IsNew)
        It->second = touched(Context, I, Size);
      if (A.Kind != AccessKind::Write) {
        Out.MayBeUnused |= A.MayBeUnused;
        Reads.add(It->second, A);
        ReadInstances.push_back(I);
      }
      if (A.Kind != AccessKind::Read) {
        Writes.add(It->second, A);
        WriteInstances.push_back(std::move(I));
      }
    }
  }
  for (const UnknownAccess &U : Model.Unknown) {
    Reads.open(U.Reason);
    Writes.open(U.Reason);
  }
  Reads.conclude(Context, Out.Read, Out.ReadCount);
  Writes.conclude(Context, Out.Written, Out.WriteCount);
  Out.Reads = Reads.State;
  Out.Writes = Writes.State;
  Out.Note = Reads.Note.empty() ? Writes.Note : Reads.Note;
  if (Model.Unknown.empty())
    Out.ReadsInput = readsInput(Context, Model, ReadInstances, WriteInstances);
  return Out;
}

} // namespace

std::vector<AccessedElements> mep::touchedElements(const AccessModel &Model,
                                                   const AccessPoint &At) {
  Evaluation E(Model, At);
  std::vector<AccessedElements> Out;
  for (unsigned B = 0; B < Model.Buffers.size(); ++B)
    Out.push_back(E.buffer({B}, {0}, int64_t(Model.Buffers[B].ElementBytes),
                           Model.Buffers[B].Name));
  return Out;
}

// ---- of a workload ---------------------------------------------------------

/// Bytes from the begin of its buffer to where the part at \p Offset of
/// argument \p I points.
static int64_t pointerOffset(const ResolvedShape &Shape, size_t I,
                             uint64_t Offset) {
  if (I < Shape.Arguments.size())
    for (const PointerPatch &P : Shape.Arguments[I].Pointers)
      if (P.Offset == Offset)
        return int64_t(P.ByteOffset);
  return 0;
}

std::vector<AccessedElements> mep::touchedElements(const AccessModel &Model,
                                                   const Workload &W,
                                                   const ResolvedShape &Shape) {
  AccessPoint At = accessPoint(W, Shape);
  bool SameMacros =
      !Model.HoldsForMacros || llvm::all_of(Model.Macros, [&](const auto &M) {
        auto It = At.Values.find(M.first);
        return It == At.Values.end() || It->second == M.second;
      });
  Evaluation E(Model, At);
  std::vector<AccessedElements> Out;
  for (const Buffer &B : W.Buffers) {
    std::vector<unsigned> Members;
    std::vector<int64_t> Offsets;
    auto Add = [&](llvm::StringRef Name, int64_t Offset) {
      for (unsigned I = 0; I < Model.Buffers.size(); ++I)
        if (Model.Buffers[I].Name == Name) {
          Members.push_back(I);
          Offsets.push_back(Offset);
        }
    };
    for (size_t I = 0; I < W.Arguments.size(); ++I)
      for (const ArgumentPart &P : W.Arguments[I].Parts)
        if (P.Buffer == B.Name)
          Add(P.Name, pointerOffset(Shape, I, P.Offset));
    if (!B.Symbol.empty())
      Add(B.Name, 0);
    if (Members.empty() || B.Element.Bytes == 0)
      continue;
    Out.push_back(E.buffer(Members, Offsets, int64_t(B.Element.Bytes), B.Name));
    for (const ResolvedBuffer &R : Shape.Buffers)
      if (R.Name == B.Name)
        Out.back().Extent = R.Count;
    if (!SameMacros) {
      Out.back().Reads = Out.back().Writes = AccessedElements::Open;
      Out.back().Note = "sizes in the text have other values in this shape";
    }
  }
  return Out;
}
