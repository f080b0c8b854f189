/// \file
/// The outputs of one run: their checksum, a file of them, and how far they are
/// from those of another run.

#ifndef MEP_OUTPUTS_H
#define MEP_OUTPUTS_H

#include "mep_fill.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace mep_program {

/// The layout of an element. Text: `f32`, `f32x4`, or with the size of the
/// whole and the place of each part `24: f64x2@0 i32@16`.
struct Element {
  uint64_t Bytes = 0;
  std::vector<mep_fill::Component> Components;

  static Element fromText(const std::string &Text) {
    Element Result;
    size_t Colon = Text.find(':');
    std::istringstream Parts(Colon == std::string::npos
                                 ? Text
                                 : Text.substr(Colon + 1));
    for (std::string Part; Parts >> Part;) {
      mep_fill::Component New{mep_fill::Kind::U8, 0, 1};
      std::string Kind = Part.substr(0, Part.find_first_of("x@"));
      mep_fill::kindFromName(Kind, New.Scalar);
      size_t Times = Part.find('x'), Place = Part.find('@');
      if (Times != std::string::npos)
        New.Count = std::strtoull(Part.c_str() + Times + 1, nullptr, 10);
      if (Place != std::string::npos)
        New.Offset = std::strtoull(Part.c_str() + Place + 1, nullptr, 10);
      Result.Components.push_back(New);
      Result.Bytes += New.Count * mep_fill::byteSize(New.Scalar);
    }
    if (Colon != std::string::npos)
      Result.Bytes = std::strtoull(Text.c_str(), nullptr, 10);
    return Result;
  }
};

/// The content of one output buffer.
struct Output {
  std::string Name;
  Element Type;
  uint64_t Count = 0;
  std::vector<unsigned char> Bytes;
};

inline std::string checksumOf(const std::vector<Output> &Outputs) {
  uint64_t State = mep_fill::ChecksumStart;
  for (const Output &Each : Outputs)
    State = mep_fill::checksum(State, Each.Bytes.data(), Each.Type.Bytes,
                               Each.Type.Components.data(),
                               Each.Type.Components.size(), Each.Count);
  return mep_fill::checksumText(State);
}

/// The value of a scalar as a double; 64-bit integers may lose low bits.
inline double scalarValue(mep_fill::Kind Kind, const unsigned char *From) {
  auto Read = [From](auto Value) {
    std::memcpy(&Value, From, sizeof(Value));
    return double(Value);
  };
  auto Widen = [](uint32_t Bits) {
    float Value;
    std::memcpy(&Value, &Bits, 4);
    return double(Value);
  };
  uint16_t Half;
  switch (Kind) {
  case mep_fill::Kind::F16: {
    std::memcpy(&Half, From, 2);
    int Exponent = Half >> 10 & 31, Fraction = Half & 1023;
    double Size = Exponent == 31 ? (Fraction ? std::nan("") : HUGE_VAL)
                  : Exponent ? std::ldexp(1024 + Fraction, Exponent - 25)
                             : std::ldexp(Fraction, -24);
    return Half & 0x8000 ? -Size : Size;
  }
  case mep_fill::Kind::Bf16:
    std::memcpy(&Half, From, 2);
    return Widen(uint32_t(Half) << 16);
  case mep_fill::Kind::F32:
    return Read(float());
  case mep_fill::Kind::F64:
    return Read(double());
  case mep_fill::Kind::I8:
    return Read(int8_t());
  case mep_fill::Kind::I16:
    return Read(int16_t());
  case mep_fill::Kind::I32:
    return Read(int32_t());
  case mep_fill::Kind::I64:
    return Read(int64_t());
  case mep_fill::Kind::U16:
    return Read(uint16_t());
  case mep_fill::Kind::U32:
    return Read(uint32_t());
  case mep_fill::Kind::U64:
    return Read(uint64_t());
  default:
    return Read(uint8_t());
  }
}

/// Error over the larger of the value and the buffer's mean size that counts as
/// equal; integers must be equal.
inline double defaultTolerance(mep_fill::Kind Kind) {
  switch (Kind) {
  case mep_fill::Kind::F16:
  case mep_fill::Kind::Bf16:
    return 2e-2;
  case mep_fill::Kind::F32:
    return 1e-4;
  case mep_fill::Kind::F64:
    return 1e-9;
  default:
    return 0;
  }
}

struct Comparison {
  double WorstError = 0;  ///< Relative.
  uint64_t NaNs = 0;      ///< In the first of the two.
  std::string FirstWrong; ///< `C[12]: 1.5 is not 2.5`; empty if all equal.
};

/// Calls \p Visit(kind, byte offset, element) for every scalar of \p Of.
template <typename Visitor>
inline void forEachScalar(const Output &Of, Visitor Visit) {
  for (uint64_t Index = 0; Index < Of.Count; ++Index)
    for (const mep_fill::Component &Part : Of.Type.Components)
      for (uint64_t Number = 0; Number < Part.Count; ++Number)
        Visit(Part.Scalar,
              Index * Of.Type.Bytes + Part.Offset +
                  Number * mep_fill::byteSize(Part.Scalar),
              Index);
}

/// Compares \p Mine with \p Reference; \p Tolerance below 0 takes the default
/// of each kind. NaN equals NaN only.
inline void compare(const Output &Mine, const Output &Reference,
                    double Tolerance, Comparison &Result) {
  double Sum = 0, Scalars = 0;
  forEachScalar(Reference, [&](mep_fill::Kind Kind, uint64_t At, uint64_t) {
    double Value = std::fabs(scalarValue(Kind, &Reference.Bytes[At]));
    Sum += std::isfinite(Value) ? Value : 0;
    Scalars += 1;
  });
  const double Mean = Scalars > 0 ? Sum / Scalars : 0;
  forEachScalar(Mine, [&](mep_fill::Kind Kind, uint64_t At, uint64_t Index) {
    double Own = scalarValue(Kind, &Mine.Bytes[At]);
    double Other = scalarValue(Kind, &Reference.Bytes[At]);
    Result.NaNs += std::isnan(Own);
    if (std::memcmp(&Mine.Bytes[At], &Reference.Bytes[At],
                    mep_fill::byteSize(Kind)) == 0 ||
        (std::isnan(Own) && std::isnan(Other)) || Own == Other)
      return;
    double Size = std::max(std::fabs(Other), Mean);
    double Error = std::fabs(Own - Other) / (Size > 0 ? Size : 1);
    double Limit = defaultTolerance(Kind);
    if (Limit > 0 && Tolerance >= 0)
      Limit = Tolerance;
    bool IsWrong = !(Error <= Limit);
    if (!(Error <= Result.WorstError))
      Result.WorstError = std::isfinite(Error) ? Error : HUGE_VAL;
    if (IsWrong && Result.FirstWrong.empty()) {
      std::ostringstream Text;
      Text.precision(9);
      Text << Mine.Name << "[" << Index << "]: " << Own << " is not " << Other;
      Result.FirstWrong = Text.str();
    }
  });
}

/// First line of a file of outputs: what they are the outputs of.
inline bool saveOutputs(const std::string &Path, const std::string &Title,
                        const std::vector<Output> &Outputs) {
  std::ofstream File(Path, std::ios::binary);
  File << "mep-outputs/1 " << Title << '\n';
  for (const Output &Each : Outputs) {
    File << Each.Name << ' ' << Each.Bytes.size() << '\n';
    File.write(reinterpret_cast<const char *>(Each.Bytes.data()),
               std::streamsize(Each.Bytes.size()));
  }
  return bool(File.flush());
}

/// Reads what saveOutputs wrote for the same title and buffers; otherwise says
/// in \p Problem why it cannot.
inline bool loadOutputs(const std::string &Path, const std::string &Title,
                        std::vector<Output> &Outputs, std::string &Problem) {
  std::ifstream File(Path, std::ios::binary);
  std::string Line;
  if (!File || !std::getline(File, Line)) {
    Problem = "cannot be read";
    return false;
  }
  if (Line != "mep-outputs/1 " + Title) {
    Problem = "holds the outputs of '" + Line + "', not of '" + Title + "'";
    return false;
  }
  for (Output &Each : Outputs) {
    std::getline(File, Line);
    if (Line != Each.Name + " " + std::to_string(Each.Bytes.size())) {
      Problem = "has no buffer " + Each.Name + " of this size";
      return false;
    }
    if (!File.read(reinterpret_cast<char *>(Each.Bytes.data()),
                   std::streamsize(Each.Bytes.size()))) {
      Problem = "ends too early";
      return false;
    }
  }
  return true;
}

} // namespace mep_program

#endif // MEP_OUTPUTS_H
