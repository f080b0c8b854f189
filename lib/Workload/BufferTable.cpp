/// \file
/// Allocations to buffers, and pointers in elements to the buffers behind them.

#include "BufferTable.h"
#include "HostFill.h"
#include "mep/Support/Error.h"
#include "clang/AST/Decl.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;

/// `p->a.b` for a member, `*p` for the element itself.
static std::string pointedName(const std::string &Holder,
                               const PointerField &Field) {
  if (Field.Path.empty())
    return "*" + Holder;
  std::string Name = Holder + "->";
  for (const FieldDecl *F : Field.Path)
    Name += (F == Field.Path.front() ? "" : ".") + F->getNameAsString();
  return Name;
}

/// The allocation, and all that it may be where that is not known.
static std::vector<std::string> idsOf(const PointerValue &V) {
  std::vector<std::string> Ids;
  if (!V.Id.empty())
    Ids.push_back(V.Id);
  if (!V.Family.empty() && !V.IsElementKnown)
    Ids.push_back(V.Family);
  return Ids;
}

/// The byte that a call of cudaMemset sets \p V to, -1 without one.
int BufferTable::setTo(const PointerValue &V) {
  if (!Sets) {
    Sets.emplace();
    for (const CallPlace &Set : Values.index().memorySets()) {
      Point There = Values.flow().pointOf(Set);
      PointerValue Of = Values.pointer(callArgument(Set.Call, 0), There);
      TermRef Byte = Values.value(callArgument(Set.Call, 1), There);
      if (Byte && Byte->What == Term::Integer)
        for (const std::string &Id : idsOf(Of))
          Sets->try_emplace(Id, int(Byte->Int & 0xff));
    }
    Values.forget();
  }
  auto Found = Sets->find(V.Id);
  if (Found == Sets->end())
    Found = Sets->find(V.Family);
  return Found == Sets->end() ? -1 : Found->second;
}

/// Rules other than lists say what an element is, not what its parts are.
static bool fits(const FillRule &Rule, const ElementType &Element) {
  return Rule.Rule == "table" || Rule.Rule == "zero" ||
         (Element.Components.size() == 1 && Element.Components[0].Count == 1);
}

/// The rule of the host memory that is copied to \p V, or of what is stored
/// there by the host itself.
FillRule BufferTable::hostFillOf(const PointerValue &V,
                                 const ElementType &Element, const Use &From) {
  if (!Copied) {
    Copied.emplace();
    for (const CallPlace &Copy : Values.index().memoryCopies()) {
      Point There = Values.flow().pointOf(Copy);
      PointerValue To = Values.pointer(callArgument(Copy.Call, 0), There);
      for (const std::string &Id : idsOf(To))
        (*Copied)[Id] = {callArgument(Copy.Call, 1), There, nullptr};
      Values.forget();
    }
  }
  auto Source = Copied->find(V.Id);
  if (Source == Copied->end())
    Source = Copied->find(V.Family);
  FillRule Rule = Source == Copied->end()
                      ? hostFill(Values, From.E, From.At)
                      : hostFill(Values, Source->second.E, Source->second.At);
  Values.forget();
  return fits(Rule, Element) ? Rule : FillRule{"", "", ""};
}

llvm::Expected<size_t> BufferTable::buffer(const PointerValue &V, QualType T,
                                           const Use &From) {
  for (const auto &[Id, Index] : Allocations)
    if (!V.Id.empty() && Id == V.Id)
      return Index;
  std::vector<PointerField> Pointers;
  auto Element = elementType(T, Values.host().context(), From.Where, Pointers);
  if (!Element)
    return Element.takeError();
  Buffer B;
  B.Name = From.Name;
  B.Element = std::move(*Element);
  TermRef Extent = dividedBy(V.Bytes, int64_t(B.Element.Bytes));
  Out.Extents[B.Name] = Extent;
  B.Extent = print(Extent);
  B.Source = V.Where.empty() ? From.Where : V.Where;
  if (B.Extent.empty()) {
    std::string Why = V.What == PointerValue::Unknown
                          ? "no allocation of '" + From.Name + "' is found"
                          : Values.why();
    Out.Missing.push_back(
        {MissingMember::Extent, From.Name, Why,
         Values.where().empty() ? From.Where : Values.where()});
  }
  B.SetTo = setTo(V);
  B.HostFill = hostFillOf(V, B.Element, From);
  size_t Number = Out.Data.Buffers.size();
  Out.Data.Buffers.push_back(std::move(B));
  Allocations.emplace_back(V.Id, Number);
  set(Number, T, From);
  if (Pointers.empty())
    return Number;
  QualType Type = T.getCanonicalType().getUnqualifiedType();
  if (llvm::is_contained(Inside, Type))
    return makeError(
        Failure::Unsupported,
        "elements of type '" + typeSpelling(T, Values.host().context()) +
            "' lead to others of their own type: a list or a tree, "
            "which no fill rule can make",
        From.Where);
  Inside.push_back(Type);
  llvm::Error E = point(Number, Pointers, From);
  Inside.pop_back();
  if (E)
    return std::move(E);
  return Number;
}

/// What is copied into a global is the host's own structure already.
const std::vector<HostSource> &BufferTable::sourcesOf(const Use &From) {
  auto [Known, IsNew] = Sources.try_emplace(From.E);
  if (IsNew && From.E && From.IsDevice)
    Known->second = Values.copiedTo(From.E, From.At);
  return Known->second;
}

// ---- known members ---------------------------------------------------------

void BufferTable::set(size_t Holder, QualType Element, const Use &From) {
  const RecordDecl *R = Element.getCanonicalType()->getAsRecordDecl();
  FieldPath Path;
  if (R && R->getDefinition() && From.E &&
      Out.Data.Buffers[Holder].Extent == "1")
    setMembers(Holder, R->getDefinition(), 0, Path, From);
}

void BufferTable::setMembers(size_t Holder, const RecordDecl *R,
                             uint64_t Offset, FieldPath &Path,
                             const Use &From) {
  const ASTContext &Context = Values.host().context();
  if (R->isUnion() || R->isInvalidDecl())
    return;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(R);
  for (const FieldDecl *F : R->fields()) {
    if (F->isBitField())
      continue;
    uint64_t At = Offset + Layout.getFieldOffset(F->getFieldIndex()) / 8;
    auto Kind = scalarKind(F->getType(), Context);
    const RecordDecl *Inner = F->getType()->getAsRecordDecl();
    Path.push_back(F);
    if (Kind && *Kind != ScalarKind::F16 && *Kind != ScalarKind::BF16) {
      std::string Value = print(valueIn(Path, From));
      PointerField Field;
      Field.Path.assign(Path.begin(), Path.end());
      Buffer &B = Out.Data.Buffers[Holder];
      if (!Value.empty())
        B.Values.push_back({pointedName(B.Name, Field), At, *Kind, Value});
    } else if (Inner && Inner->getDefinition()) {
      setMembers(Holder, Inner->getDefinition(), At, Path, From);
    }
    Path.pop_back();
  }
}

/// What is copied there from host memory, else what is stored through the
/// pointer itself.
TermRef BufferTable::valueIn(const FieldPath &Path, const Use &From) {
  for (const HostSource &Source : sourcesOf(From)) {
    Values.forget();
    if (!Source.Member)
      return Values.member(Source.E, Path, Source.At);
    if (Path.back() == Source.Member)
      return Values.value(Source.E, Source.At);
  }
  Values.forget();
  return Values.member(From.E, Path, From.At);
}

// ---- pointers --------------------------------------------------------------

llvm::Error BufferTable::point(size_t Holder,
                               llvm::ArrayRef<PointerField> Pointers,
                               const Use &From) {
  for (const PointerField &Field : Pointers)
    if (llvm::Error E = pointOne(Holder, Field, From))
      return E;
  return llvm::Error::success();
}

/// What host memory that is copied there says, else what is stored through the
/// pointer itself.
PointerValue BufferTable::pointerIn(const PointerField &Field,
                                    const Use &From) {
  FieldPath Path(Field.Path.begin(), Field.Path.end());
  for (const HostSource &Source : sourcesOf(From)) {
    Values.forget();
    PointerValue V;
    if (!Source.Member)
      V = Values.elementPointer(Source.E, Path, Source.At);
    else if (!Path.empty() && Path.back() == Source.Member)
      V = Values.pointer(Source.E, Source.At);
    if (V.What != PointerValue::Unknown)
      return V;
  }
  Values.forget();
  return Values.elementPointer(From.E, Path, From.At);
}

/// Each pointer of a buffer of several gets memory of its own where host code
/// allocates it in a loop, and its place where host code counts it on.
void BufferTable::slice(size_t Holder, const PointerField &Field,
                        const PointerValue &V, size_t Target, bool IsNew,
                        ElementPointer &To) {
  Buffer &B = Out.Data.Buffers[Target];
  const std::string Count = Out.Data.Buffers[Holder].Extent;
  bool Single = Count == "1" && Field.Count == 1;
  if (Single)
    return;
  if (V.StrideBytes) {
    To.Stride = print(dividedBy(V.StrideBytes, int64_t(B.Element.Bytes)));
    return;
  }
  TermRef Held = Out.Extents[Out.Data.Buffers[Holder].Name];
  if (V.IsRepeated && IsNew && Held && Out.Extents[B.Name]) {
    To.Stride = B.Extent;
    TermRef All =
        binaryTerm("*", binaryTerm("*", Held, integerTerm(Field.Count)),
                   Out.Extents[B.Name]);
    Out.Extents[B.Name] = All;
    B.Extent = print(All);
    Values.note("'" + To.Name + "': what the elements of '" +
                Out.Data.Buffers[Holder].Name +
                "' point at lies in one buffer, one after another");
    return;
  }
  Values.note("assumed: all elements of '" + Out.Data.Buffers[Holder].Name +
              "' point at the same '" + B.Name + "'");
}

llvm::Error BufferTable::pointOne(size_t Holder, const PointerField &Field,
                                  const Use &From) {
  ElementPointer New;
  New.Name = pointedName(Out.Data.Buffers[Holder].Name, Field);
  New.Offset = Field.Offset;
  New.Count = Field.Count;
  PointerValue V = pointerIn(Field, From);
  New.Source = V.Where;
  if (V.What == PointerValue::Null) {
    Values.note("'" + New.Name + "' is null, as in the host code");
    return llvm::Error::success();
  }
  if (V.What == PointerValue::Symbol)
    return makeError(Failure::Unsupported,
                     "'" + New.Name + "' points at the device global '" +
                         V.Name + "', whose place each compiled source chooses",
                     From.Where);
  size_t Before = Out.Data.Buffers.size();
  auto Target = buffer(V, Field.Type->getPointeeType(),
                       {New.Name, nullptr, From.At, From.Where});
  if (!Target)
    return Target.takeError();
  New.Buffer = Out.Data.Buffers[*Target].Name;
  int64_t Bytes = int64_t(Out.Data.Buffers[*Target].Element.Bytes);
  New.BufferOffset = print(dividedBy(V.OffsetBytes, Bytes));
  if (New.BufferOffset.empty()) {
    New.BufferOffset = "0";
    Values.note("'" + New.Name + "': its offset into the allocation is not " +
                "known (" + Values.why() + "); 0 is taken");
  }
  slice(Holder, Field, V, *Target, *Target >= Before, New);
  Out.Data.Buffers[Holder].Pointers.push_back(std::move(New));
  return llvm::Error::success();
}
