/// \file
/// The access model as JSON and as text.

#include "mep/Model/AccessModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::raw_ostream;

const char *mep::name(AccessKind Kind) {
  return Kind == AccessKind::Read    ? "read"
         : Kind == AccessKind::Write ? "write"
                                     : "update";
}

const char *mep::name(AccessState State) {
  return State == AccessState::Affine ? "affine"
         : State == AccessState::May  ? "may"
                                      : "not affine";
}

const char *mep::name(BufferSpace Space) {
  return Space == BufferSpace::Global     ? "global"
         : Space == BufferSpace::Constant ? "constant"
                                          : "shared";
}

static bool isOnDevice(const AccessModel &Model, const MemoryAccess &A) {
  return Model.Buffers[A.Buffer].Space != BufferSpace::Shared;
}

bool AccessModel::isFullyAffine() const {
  return Unknown.empty() && llvm::all_of(Accesses, [&](const MemoryAccess &A) {
           return A.State != AccessState::NotAffine || !isOnDevice(*this, A);
         });
}

bool AccessModel::isExactlyAffine() const {
  return Unknown.empty() && llvm::all_of(Accesses, [&](const MemoryAccess &A) {
           return A.State == AccessState::Affine || !isOnDevice(*this, A);
         });
}

const AccessedBuffer *AccessModel::find(llvm::StringRef Name) const {
  auto It = llvm::find_if(
      Buffers, [&](const AccessedBuffer &B) { return B.Name == Name; });
  return It == Buffers.end() ? nullptr : &*It;
}

// ---- JSON ------------------------------------------------------------------

static Json toJson(const AccessModel &Model, const MemoryAccess &A) {
  Json Loops = Json::array(), Guards = Json::array();
  for (unsigned L : A.Loops)
    Loops.push_back(Model.Loops[L].Counter);
  for (const Index &G : A.Guards)
    Guards.push_back(print(G));
  Json J{{"buffer", Model.Buffers[A.Buffer].Name},
         {"kind", name(A.Kind)},
         {"atomic", A.IsAtomic},
         {"offset", print(A.Offset)},
         {"bytes", A.Bytes},
         {"loops", Loops},
         {"guards", Guards},
         {"order", A.Order},
         {"text", A.Text},
         {"where", A.Where},
         {"state", name(A.State)}};
  if (!A.Reason.empty()) {
    J["reason"] = A.Reason;
    J["reason_where"] = A.ReasonWhere;
  }
  if (A.MayBeUnused)
    J["may_be_unused"] = true;
  if (A.ThreadStride)
    J["thread_stride"] = print(A.ThreadStride);
  return J;
}

static Json toJson(const AccessedBuffer &B) {
  Json J{{"name", B.Name},
         {"element", B.ElementName},
         {"element_bytes", B.ElementBytes},
         {"space", name(B.Space)},
         {"read", B.IsRead},
         {"written", B.IsWritten}};
  if (B.Extent)
    J["extent"] = B.Extent;
  if (B.First)
    J["first"] = print(B.First);
  if (B.Last)
    J["last"] = print(B.Last);
  if (!B.RangeNote.empty())
    J["range_note"] = B.RangeNote;
  return J;
}

Json mep::toJson(const AccessModel &Model) {
  Json Buffers = Json::array(), Loops = Json::array(), Accesses = Json::array(),
       Unknown = Json::array(), Macros = Json::object();
  for (const AccessedBuffer &B : Model.Buffers)
    Buffers.push_back(::toJson(B));
  for (const AccessLoop &L : Model.Loops)
    Loops.push_back({{"counter", L.Counter},
                     {"variable", L.Variable},
                     {"unrolled", L.Unrolled},
                     {"where", L.Where}});
  for (const MemoryAccess &A : Model.Accesses)
    Accesses.push_back(::toJson(Model, A));
  for (const UnknownAccess &U : Model.Unknown)
    Unknown.push_back({{"reason", U.Reason}, {"where", U.Where}});
  for (auto &[Name, Value] : Model.Macros)
    Macros[Name] = Value;
  return {{"schema", AccessModel::Schema},
          {"kernel", Model.Kernel},
          {"fully_affine", Model.isFullyAffine()},
          {"exactly_affine", Model.isExactlyAffine()},
          {"macros", Macros},
          {"buffers", Buffers},
          {"loops", Loops},
          {"accesses", Accesses},
          {"unknown", Unknown}};
}

// ---- text ------------------------------------------------------------------

/// The part of a place that a reader needs beside the kernel's own file.
static llvm::StringRef shortPlace(llvm::StringRef Where) {
  return Where.rsplit('/').second.empty() ? Where : Where.rsplit('/').second;
}

static std::string elementText(const MemoryAccess &A, const AccessedBuffer &B) {
  auto E = wholeElements(A.Offset, int64_t(B.ElementBytes));
  if (!E)
    return "byte " + print(A.Offset);
  return print(E->Whole) +
         (E->Rest ? ", byte " + std::to_string(E->Rest) : std::string());
}

static void print(const AccessModel &Model, const MemoryAccess &A,
                  raw_ostream &OS) {
  const AccessedBuffer &B = Model.Buffers[A.Buffer];
  OS << "  " << (A.IsAtomic ? "atomic " : "") << name(A.Kind) << " ["
     << elementText(A, B) << "]";
  if (A.Bytes != B.ElementBytes)
    OS << " (" << A.Bytes << " bytes)";
  llvm::ListSeparator And(" and ");
  for (const Index &G : A.Guards)
    OS << (&G == &A.Guards.front() ? " if " : "") << And
       << (G->Op == IndexOp::Or ? "(" + print(G) + ")" : print(G));
  OS << ": " << name(A.State);
  if (A.ThreadStride && A.ThreadStride->Op == IndexOp::Number)
    OS << ", " << A.ThreadStride->Value << " bytes to the next thread";
  if (!A.Reason.empty())
    OS << ", " << A.Reason << " (" << shortPlace(A.ReasonWhere) << ")";
  OS << "; " << shortPlace(A.Where) << "\n";
}

void mep::print(const AccessModel &Model, raw_ostream &OS) {
  unsigned Affine = 0;
  for (const MemoryAccess &A : Model.Accesses)
    Affine += A.State == AccessState::Affine;
  OS << Model.Kernel << ": " << Affine << " of " << Model.Accesses.size()
     << " accesses affine"
     << (Model.isExactlyAffine() ? ", the kernel exactly"
         : Model.isFullyAffine() ? ", the kernel fully"
                                 : "")
     << "\n";
  for (const AccessLoop &L : Model.Loops)
    OS << "  " << L.Counter << " counts the loop over " << L.Variable << ", "
       << shortPlace(L.Where) << (L.Unrolled ? ", by a factor" : "") << "\n";
  for (const AccessedBuffer &B : Model.Buffers) {
    OS << name(B.Space) << " " << B.ElementName << " " << B.Name;
    if (B.Extent)
      OS << "[" << B.Extent << "]";
    OS << ": "
       << (B.IsRead && B.IsWritten ? "read and written"
           : B.IsRead              ? "read"
           : B.IsWritten           ? "written"
                                   : "not touched");
    if (B.First && B.Last)
      OS << ", elements " << print(B.First) << " to " << print(B.Last);
    if (!B.RangeNote.empty())
      OS << " (range unknown: " << B.RangeNote << ")";
    OS << "\n";
    for (const MemoryAccess &A : Model.Accesses)
      if (&Model.Buffers[A.Buffer] == &B)
        ::print(Model, A, OS);
  }
  for (const UnknownAccess &U : Model.Unknown)
    OS << "unknown: " << U.Reason << "; " << shortPlace(U.Where) << "\n";
}
