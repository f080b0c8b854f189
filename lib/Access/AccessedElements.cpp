/// \file
/// The numbers of a shape for an access model, and what came of them as text.

#include "mep/Access/AccessNumbers.h"
#include <cstring>
#include <nlohmann/json.hpp>

using namespace mep;

/// The integer of \p Kind at \p Bytes; nothing for a floating-point number.
static std::optional<int64_t> decoded(ScalarKind Kind, const uint8_t *Bytes) {
  auto As = [&](auto Zero) {
    std::memcpy(&Zero, Bytes, sizeof Zero);
    return int64_t(Zero);
  };
  switch (Kind) {
  case ScalarKind::I8:
    return As(int8_t());
  case ScalarKind::I16:
    return As(int16_t());
  case ScalarKind::I32:
    return As(int32_t());
  case ScalarKind::I64:
  case ScalarKind::U64:
    return As(int64_t());
  case ScalarKind::U8:
  case ScalarKind::Bool:
    return As(uint8_t());
  case ScalarKind::U16:
    return As(uint16_t());
  case ScalarKind::U32:
    return As(uint32_t());
  default:
    return std::nullopt;
  }
}

AccessPoint mep::accessPoint(const Workload &W, const ResolvedShape &Shape) {
  AccessPoint At;
  At.Grid = Shape.Launch.Grid;
  At.Block = Shape.Launch.Block;
  for (const Dimension &D : W.Dimensions)
    if (auto It = Shape.Dimensions.find(D.Name);
        D.IsMacro && It != Shape.Dimensions.end())
      At.Values[D.Name] = It->second;
  for (size_t I = 0; I < W.Arguments.size() && I < Shape.Arguments.size();
       ++I) {
    const std::vector<uint8_t> &Bytes = Shape.Arguments[I].Bytes;
    for (const ArgumentPart &P : W.Arguments[I].Parts)
      if (!P.Buffer.empty())
        At.Values[P.Name] = 1; // Not null.
      else if (P.Offset + byteSize(P.Kind) <= Bytes.size())
        if (auto V = decoded(P.Kind, Bytes.data() + P.Offset))
          At.Values[P.Name] = *V;
  }
  return At;
}

static const char *stateName(AccessedElements::State S) {
  return S == AccessedElements::Exact    ? "exact"
         : S == AccessedElements::AtMost ? "at most"
                                         : "open";
}

static void printSide(llvm::raw_ostream &OS, const char *Verb,
                      AccessedElements::State State,
                      const std::optional<ElementRange> &Range,
                      const std::optional<uint64_t> &Count) {
  if (!Range && State != AccessedElements::Open)
    return;
  OS << ", " << Verb;
  if (Range)
    OS << " " << Range->First << " to " << Range->Last;
  if (Count)
    OS << " (" << *Count << ")";
  if (State == AccessedElements::Open)
    OS << (Range ? " and" : "") << " unknown ones";
  else if (State == AccessedElements::AtMost)
    OS << " at most";
}

void mep::print(const AccessedElements &T, llvm::raw_ostream &OS) {
  OS << "  " << T.Buffer << ": elements of " << T.ElementBytes << " bytes";
  printSide(OS, "read", T.Reads, T.Read, T.ReadCount);
  printSide(OS, "written", T.Writes, T.Written, T.WriteCount);
  if (T.ReadsInput && T.Written)
    OS << (*T.ReadsInput ? ", input" : ", no input");
  if (!T.Note.empty())
    OS << "; " << T.Note;
  OS << "\n";
}

Json mep::toJson(const AccessedElements &T) {
  Json J{{"buffer", T.Buffer},
         {"element_bytes", T.ElementBytes},
         {"reads", stateName(T.Reads)},
         {"writes", stateName(T.Writes)}};
  if (T.Extent)
    J["extent"] = *T.Extent;
  if (T.Read)
    J["read"] = {T.Read->First, T.Read->Last};
  if (T.Written)
    J["written"] = {T.Written->First, T.Written->Last};
  if (T.ReadCount)
    J["read_count"] = *T.ReadCount;
  if (T.WriteCount)
    J["write_count"] = *T.WriteCount;
  if (T.ReadsInput)
    J["reads_input"] = *T.ReadsInput;
  if (!T.Note.empty())
    J["note"] = T.Note;
  return J;
}
