#include "Launches.h"
#include "Questions.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>
#include <optional>

using namespace mep;
using llvm::StringRef;

namespace {

// ---- the numbers of a workload ---------------------------------------------

/// One expression of a workload.
struct Slot {
  std::string *Text;
  std::string What;         ///< For notes.
  std::string Lift;         ///< A dimension's name for it; empty: none suits.
  bool IsParameter = false; ///< Lift is the parameter's own name.
  int64_t Element = 0;      ///< Bytes; of where a pointer points.
};

using Numbers = std::vector<ConstantValue>; ///< Of all slots.

/// Places in a buffer that are so many bytes apart are equally aligned for
/// every access and every line of a cache.
constexpr int64_t Alignment = 256;

int64_t elementBytes(const Workload &W, StringRef Name) {
  for (const Buffer &B : W.Buffers)
    if (B.Name == Name)
      return int64_t(B.Element.Bytes);
  return 0;
}

/// In an order that depends on the structure alone.
std::vector<Slot> slotsOf(Workload &W) {
  std::vector<Slot> Slots;
  for (Argument &A : W.Arguments)
    for (ArgumentPart &P : A.Parts)
      if (P.Buffer.empty())
        Slots.push_back({&P.Value, "'" + P.Name + "'", P.Name, true});
      else
        Slots.push_back({&P.BufferOffset, "where '" + P.Name + "' points", "",
                         false, elementBytes(W, P.Buffer)});
  for (Buffer &B : W.Buffers) {
    Slots.push_back(
        {&B.Extent, "the extent of '" + B.Name + "'", B.Name + "_extent"});
    for (std::string *Bound : B.Fill.expressions())
      Slots.push_back({Bound, "the values in '" + B.Name + "'", ""});
    for (ElementPointer &P : B.Pointers)
      for (std::string *Where : {&P.BufferOffset, &P.Stride})
        Slots.push_back({Where, "where '" + P.Name + "' points", ""});
    for (ElementValue &V : B.Values)
      Slots.push_back({&V.Value, "'" + V.Name + "'", ""});
  }
  for (unsigned I = 0; I < 3; ++I) {
    std::string Axis = questions::Axis[I];
    Slots.push_back(
        {&W.Launch.Block[I], "the block's " + Axis, "launch_block_" + Axis});
    Slots.push_back(
        {&W.Launch.Grid[I], "the grid's " + Axis, "launch_grid_" + Axis});
  }
  Slots.push_back(
      {&W.Launch.SharedBytes, "the shared bytes", "launch_shared_bytes"});
  return Slots;
}

bool isSame(const ConstantValue &A, const ConstantValue &B) {
  return A.IsFloat || B.IsFloat ? A.asDouble() == B.asDouble()
                                : A.Integer == B.Integer;
}

/// The kernel does the same: it may be given other places in its buffers, as
/// aligned as these.
bool isSameWork(const std::vector<Slot> &Slots, const Numbers &A,
                const Numbers &B) {
  for (size_t I = 0; I < A.size(); ++I) {
    if (isSame(A[I], B[I]))
      continue;
    if (!Slots[I].Element || A[I].IsFloat || B[I].IsFloat ||
        (A[I].Integer - B[I].Integer) * Slots[I].Element % Alignment != 0)
      return false;
  }
  return true;
}

bool isSame(const Numbers &A, const Numbers &B) {
  return A.size() == B.size() &&
         std::equal(A.begin(), A.end(), B.begin(),
                    [](const auto &X, const auto &Y) { return isSame(X, Y); });
}

std::vector<size_t> differences(const Numbers &A, const Numbers &B) {
  std::vector<size_t> Differ;
  for (size_t I = 0; I < A.size(); ++I)
    if (!isSame(A[I], B[I]))
      Differ.push_back(I);
  return Differ;
}

/// The numbers of \p W under \p S; nothing where an expression has none.
std::optional<Numbers> numbersOf(Workload &W, const Shape &S) {
  Expressions Batch;
  auto Scope = questions::openShape(Batch, W, S);
  if (!Scope) {
    llvm::consumeError(Scope.takeError());
    return std::nullopt;
  }
  std::vector<size_t> Asked;
  for (const Slot &Each : slotsOf(W))
    Asked.push_back(Batch.ask(*Each.Text, Each.What));
  if (llvm::Error E = Batch.evaluate()) {
    llvm::consumeError(std::move(E));
    return std::nullopt;
  }
  Numbers Values;
  for (size_t Index : Asked)
    Values.push_back(Batch.value(Index));
  return Values;
}

// ---- structure -------------------------------------------------------------

/// What keeps \p Other from being put by the expressions of \p W; empty if
/// nothing does.
std::string otherStructure(const Workload &W, const Workload &Other) {
  for (size_t A = 0; A < W.Arguments.size(); ++A)
    for (size_t I = 0; I < W.Arguments[A].Parts.size(); ++I) {
      if (A >= Other.Arguments.size() || I >= Other.Arguments[A].Parts.size())
        return "its arguments have other parts";
      const ArgumentPart &Mine = W.Arguments[A].Parts[I],
                         &Its = Other.Arguments[A].Parts[I];
      if (Mine.Buffer.empty() != Its.Buffer.empty())
        return "'" + Mine.Name + "' is null in one of them";
      if (Mine.Buffer != Its.Buffer)
        return "'" + Mine.Name + "' points into '" + Its.Buffer +
               "' there, into '" + Mine.Buffer + "' here";
    }
  if (W.Buffers.size() != Other.Buffers.size())
    return "it has other buffers";
  for (size_t I = 0; I < W.Buffers.size(); ++I) {
    const Buffer &Mine = W.Buffers[I], &Its = Other.Buffers[I];
    if (Mine.Name != Its.Name || Mine.Symbol != Its.Symbol ||
        Mine.Element.Bytes != Its.Element.Bytes)
      return "it has other buffers";
    if (Mine.Pointers.size() != Its.Pointers.size() ||
        Mine.Values.size() != Its.Values.size())
      return "the elements of '" + Mine.Name +
             "' hold other pointers or values";
    for (size_t K = 0; K < Mine.Pointers.size(); ++K)
      if (Mine.Pointers[K].Name != Its.Pointers[K].Name ||
          Mine.Pointers[K].Buffer != Its.Pointers[K].Buffer)
        return "'" + Mine.Pointers[K].Name + "' points into another buffer";
  }
  for (const Assumption &A : Other.Assumptions)
    if (llvm::none_of(W.Assumptions, [&](const Assumption &Known) {
          return Known.What == A.What && Known.Text == A.Text;
        }))
      return "it needs what is known only when the application runs: " + A.Text;
  return {};
}

/// A buffer that one launch only partly writes is read by all of them.
void joinRoles(Workload &W, const Workload &Other) {
  for (size_t I = 0; I < W.Buffers.size(); ++I)
    if (W.Buffers[I].Use != Other.Buffers[I].Use)
      W.Buffers[I].Use = Role::InOut;
}

// ---- one launch as a shape -------------------------------------------------

class LaunchShape {
public:
  LaunchShape(Workload &W, const Workload &Other, const Numbers &Wanted,
              unsigned Number, StringRef DeviceText)
      : W(W), Other(Other), Wanted(Wanted), Number(Number),
        DeviceText(DeviceText) {}

  /// Adds the dimensions that it takes. False, \p W as it was, if the numbers
  /// do not come out.
  bool make(const Numbers &Base, Shape &Out);
  const std::vector<std::string> &differing() const { return Differing; }

private:
  size_t wrong(const Shape &S) const;
  void assignDimensions(Shape &S) const;
  void lift(size_t Index, Shape &S);
  Dimension *dimension(StringRef Name) const;
  std::string freeName(std::string Name, StringRef Parameter) const;
  void choose(size_t Index, Shape &S);

  Workload &W;
  const Workload &Other;
  const Numbers &Wanted;
  unsigned Number;
  StringRef DeviceText;
  std::vector<std::string> Differing;
};

constexpr const char *Selector = "which_launch";

Dimension *LaunchShape::dimension(StringRef Name) const {
  auto It = llvm::find_if(W.Dimensions,
                          [&](const Dimension &D) { return D.Name == Name; });
  return It == W.Dimensions.end() ? nullptr : &*It;
}

/// How many numbers \p S does not give.
size_t LaunchShape::wrong(const Shape &S) const {
  auto Now = numbersOf(W, S);
  return Now ? differences(*Now, Wanted).size() : Wanted.size() + 1;
}

/// First what the launch's own inference calls by the same names; then each
/// dimension that alone is a number which is still wrong.
void LaunchShape::assignDimensions(Shape &S) const {
  Shape Named = S;
  for (const Dimension &D : Other.Dimensions)
    if (Dimension *Mine = dimension(D.Name);
        Mine && !Mine->IsMacro && Mine->Value != D.Value)
      Named.Dimensions[D.Name] = D.Value;
  size_t Left = wrong(S);
  if (size_t N = wrong(Named); N < Left) {
    S = Named;
    Left = N;
  }
  std::vector<Slot> Slots = slotsOf(W);
  for (size_t I = 0; I < Slots.size() && Left; ++I) {
    const Dimension *D = dimension(*Slots[I].Text);
    if (!D || D->IsMacro || Wanted[I].IsFloat)
      continue;
    Shape Try = S;
    Try.Dimensions[D->Name] = Wanted[I].Integer;
    if (size_t N = wrong(Try); N < Left) {
      S = std::move(Try);
      Left = N;
    }
  }
}

/// Avoids the kernel's other parameters, whose names mean them.
std::string LaunchShape::freeName(std::string Name, StringRef Parameter) const {
  for (char &C : Name)
    if (!llvm::isAlnum(C))
      C = '_';
  auto IsTaken = [&](const std::string &N) {
    if (dimension(N))
      return true;
    if (N == Parameter)
      return false;
    return usesName(DeviceText, N) ||
           llvm::any_of(W.Arguments, [&](const Argument &A) {
             return A.Name == N ||
                    llvm::any_of(A.Parts, [&](const ArgumentPart &P) {
                      return P.Name == N;
                    });
           });
  };
  std::string New = Name;
  for (unsigned I = 2; IsTaken(New); ++I)
    New = Name + "_" + std::to_string(I);
  return New;
}

std::string numberText(const ConstantValue &V) {
  if (!V.IsFloat)
    return std::to_string(V.Integer);
  char Text[40];
  std::snprintf(Text, sizeof(Text), "%.17g", V.Float);
  return StringRef(Text).find_first_of(".en") == StringRef::npos
             ? std::string(Text) + ".0"
             : Text;
}

/// Its own value in this launch.
void LaunchShape::choose(size_t Index, Shape &S) {
  if (!dimension(Selector)) {
    Dimension D;
    D.Name = Selector;
    D.Fixed = true;
    D.Source = "tells launches apart";
    W.Dimensions.push_back(std::move(D));
  }
  S.Dimensions[Selector] = Number;
  std::string &Text = *slotsOf(W)[Index].Text;
  Text = std::string("(") + Selector + " == " + std::to_string(Number) + " ? " +
         numberText(Wanted[Index]) + " : " + Text + ")";
}

void LaunchShape::lift(size_t Index, Shape &S) {
  const Slot To = slotsOf(W)[Index];
  Differing.push_back(To.What + " (" + numberText(Wanted[Index]) + ")");
  int64_t Literal = 0;
  if (To.Lift.empty() || Wanted[Index].IsFloat ||
      StringRef(*To.Text).getAsInteger(10, Literal))
    return choose(Index, S);
  Dimension D;
  D.Name = freeName(To.Lift, To.IsParameter ? To.Lift : "");
  D.Value = Literal;
  D.Fixed = true;
  D.Source = "differs between launches";
  *To.Text = D.Name;
  S.Dimensions[D.Name] = Wanted[Index].Integer;
  W.Dimensions.push_back(std::move(D));
}

bool LaunchShape::make(const Numbers &Base, Shape &Out) {
  const Workload Before = W;
  Shape S = Out;
  assignDimensions(S);
  for (const auto &[Name, Value] : S.Dimensions)
    Differing.push_back("'" + Name + "' (" + std::to_string(Value) + ")");
  if (auto Now = numbersOf(W, S))
    for (size_t Index : differences(*Now, Wanted))
      lift(Index, S);
  auto After = numbersOf(W, S), First = numbersOf(W, {"base", {}});
  if (After && First && isSame(*After, Wanted) && isSame(*First, Base)) {
    joinRoles(W, Other);
    Out = std::move(S);
    return true;
  }
  W = Before;
  return false;
}

// ---- all of them -----------------------------------------------------------

/// Launches with the same numbers, as one.
struct JoinedLaunch {
  LaunchData *Of;
  Numbers Values;
  double Runs;
  std::vector<std::string> Places, NotKnown;
  bool IsTimed = false;
};

std::string joined(const std::vector<std::string> &Texts) {
  constexpr size_t Most = 4;
  std::string All = llvm::join(llvm::ArrayRef(Texts).take_front(Most), ", ");
  if (Texts.size() > Most)
    All += " and " + std::to_string(Texts.size() - Most) + " more";
  return All;
}

void addTo(JoinedLaunch &To, LaunchData &From) {
  To.Runs += From.Runs;
  To.Places.push_back(From.Place);
  for (const std::string &Each : From.NotKnown)
    if (!llvm::is_contained(To.NotKnown, Each))
      To.NotKnown.push_back(Each);
}

/// Whole numbers without a common factor, where they are whole.
void reduceWeights(std::vector<Shape> &Shapes) {
  int64_t Common = 0;
  for (const Shape &S : Shapes) {
    if (S.Weight != std::floor(S.Weight) || S.Weight >= 1e15)
      return;
    Common = std::gcd(Common, int64_t(S.Weight));
  }
  for (Shape &S : Shapes)
    S.Weight /= double(std::max<int64_t>(Common, 1));
}

/// Which of \p All, beside the first, are timed and which are verified, in
/// their order; the rest is noted.
std::vector<size_t> chooseLaunches(std::vector<JoinedLaunch> &All,
                                   Workload &W) {
  std::vector<size_t> Order;
  for (size_t I = 1; I < All.size(); ++I)
    Order.push_back(I);
  llvm::sort(Order, [&](size_t A, size_t B) {
    return std::make_pair(-All[A].Runs, A) < std::make_pair(-All[B].Runs, B);
  });
  All.front().IsTimed = true;
  for (size_t I = 0; I < Order.size() && I < MostTimedLaunches - 1; ++I)
    All[Order[I]].IsTimed = All[Order[I]].Runs > 0;
  constexpr size_t Most = MostTimedLaunches - 1 + MostVerifiedLaunches;
  for (size_t I = Most; I < Order.size(); ++I)
    W.Notes.push_back("the launch at " + joined(All[Order[I]].Places) +
                      " is not part of the workload: there are too many");
  Order.resize(std::min(Order.size(), Most));
  llvm::sort(Order);
  return Order;
}

std::string weightNote(const JoinedLaunch &L, double Weight) {
  if (Weight == 0)
    return L.Runs > 0 ? "others run more often: verified, not timed"
                      : "it does not run, as the application is run: verified, "
                        "not timed";
  char Text[64];
  std::snprintf(Text, sizeof(Text), "weight %g", Weight);
  return Text + (L.NotKnown.empty()
                     ? std::string()
                     : ", where " + joined(L.NotKnown) + " counts once");
}

} // namespace

void mep::addLaunches(Workload &W, const LaunchData &First,
                      std::vector<LaunchData> Others, StringRef DeviceText) {
  auto Base = numbersOf(W, {"base", {}});
  if (!Base || W.Shapes.empty())
    return;
  LaunchData Mine = First;
  std::vector<JoinedLaunch> All{{&Mine, *Base, 0, {}, {}, true}};
  addTo(All.front(), Mine);
  auto LeaveOut = [&](const LaunchData &L, const std::string &Why) {
    W.Notes.push_back("the launch at " + L.Place +
                      " is not part of the workload: " + Why);
  };
  for (LaunchData &L : Others) {
    if (std::string Why = otherStructure(W, L.Data); !Why.empty()) {
      LeaveOut(L, Why);
      continue;
    }
    auto Values = numbersOf(L.Data, {"base", {}});
    if (!Values) {
      LeaveOut(L, "its expressions have no value");
      continue;
    }
    auto Same = llvm::find_if(All, [&](const JoinedLaunch &Known) {
      return isSameWork(slotsOf(W), Known.Values, *Values);
    });
    if (Same == All.end()) {
      All.push_back({&L, *Values, 0, {}, {}, false});
      Same = All.end() - 1;
    }
    addTo(*Same, L);
  }
  if (All.size() == 1)
    return;
  std::vector<Shape> Made{W.Shapes.front()};
  Made.front().Weight = All.front().Runs > 0 ? All.front().Runs : 1;
  std::vector<std::string> Texts{""};
  std::vector<size_t> Of{0};
  for (size_t I : chooseLaunches(All, W)) {
    Shape S{"launch" + std::to_string(Made.size() + 1),
            {},
            All[I].IsTimed ? All[I].Runs : 0};
    LaunchShape Maker(W, All[I].Of->Data, All[I].Values, unsigned(Made.size()),
                      DeviceText);
    if (!Maker.make(*Base, S)) {
      LeaveOut(*All[I].Of, "its numbers cannot be put beside the first's");
      continue;
    }
    Made.push_back(std::move(S));
    Texts.push_back(", differs in " + joined(Maker.differing()));
    Of.push_back(I);
  }
  reduceWeights(Made);
  for (size_t I = 0; I < Made.size() && Made.size() > 1; ++I)
    W.Notes.push_back("shape " + Made[I].Name + " is the launch at " +
                      joined(All[Of[I]].Places) + Texts[I] + "; " +
                      weightNote(All[Of[I]], Made[I].Weight));
  W.Shapes.erase(W.Shapes.begin());
  W.Shapes.insert(W.Shapes.begin(), Made.begin(), Made.end());
}
