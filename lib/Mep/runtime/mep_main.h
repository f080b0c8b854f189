/// \file
/// What every Minimal Executable Program does around its kernel: allocate, fill,
/// launch, time, check, print one JSON object. Included by a generated main.cu;
/// standard C++17 and the CUDA runtime's names only.
///
/// Exit codes: 0 all checks hold, 1 a check failed, 2 wrong usage, 3 the device
/// refused or failed.

#ifndef MEP_MAIN_H
#define MEP_MAIN_H

#include "mep_fill.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace mep_main {

struct Buffer {
  std::string Name;
  uint64_t ElementBytes;
  std::vector<mep_fill::Component> Components;
  uint64_t Count;
  const char *Use;  ///< in, out, inout
  const char *Rule; ///< As in workload.json.
  double Low, High;
  bool IsGlobal; ///< A `__constant__` or `__device__` variable of the kernel.
  void *Device = nullptr;
  uint64_t bytes() const { return ElementBytes * Count; }
  bool isOutput() const { return std::strcmp(Use, "in") != 0; }
  bool isInput() const { return std::strcmp(Use, "out") != 0; }
};

struct Pointer {
  uint64_t Offset;
  const char *Buffer;
  uint64_t ByteOffset;
};

struct Argument {
  const char *Name;
  std::vector<unsigned char> Bytes;
  std::vector<Pointer> Pointers;
};

struct Shape {
  const char *Name;
  const char *Missing; ///< `-D` flags this shape needs and the build lacks.
  std::vector<Buffer> Buffers;
  std::vector<Argument> Arguments;
  dim3 Grid, Block;
  size_t SharedBytes;
};

struct Program {
  const char *Kernel;
  std::vector<Shape> Shapes;
  /// Address of the global named so, null if there is none.
  std::function<void *(const std::string &)> Global;
  std::function<void(const Shape &, void **)> Launch;
};

struct Options {
  unsigned Repeat, TrimPercent;
  uint64_t Seed;
  std::string Shape = "base", Reference;
};

[[noreturn]] inline void stop(int Code, const std::string &Why) {
  std::fprintf(stderr, "mep: %s\n", Why.c_str());
  std::exit(Code);
}

inline void must(cudaError_t Result, const char *What) {
  if (Result != cudaSuccess)
    stop(3, std::string(What) + ": " + cudaGetErrorString(Result));
}

inline uint64_t numberOf(const std::string &Flag, const char *Text) {
  char *End = nullptr;
  unsigned long long Value = Text ? std::strtoull(Text, &End, 10) : 0;
  if (!Text || !*Text || *End)
    stop(2, Flag + " needs a number");
  return Value;
}

inline Options readOptions(int Argc, char **Argv, Options O) {
  for (int I = 1; I < Argc; ++I) {
    std::string Flag = Argv[I];
    const char *Value = I + 1 < Argc ? Argv[I + 1] : nullptr;
    if (Flag == "--repeat")
      O.Repeat = unsigned(numberOf(Flag, Value));
    else if (Flag == "--trim")
      O.TrimPercent = unsigned(numberOf(Flag, Value));
    else if (Flag == "--seed")
      O.Seed = numberOf(Flag, Value);
    else if (Flag == "--shape" && Value)
      O.Shape = Value;
    else if (Flag == "--reference" && Value)
      O.Reference = Value;
    else
      stop(2, "usage: --repeat N, --trim PERCENT, --seed S, --shape NAME, "
              "--reference CHECKSUM (not '" + Flag + "')");
    ++I;
  }
  if (O.Repeat == 0 || O.TrimPercent > 45)
    stop(2, "--repeat must be at least 1, --trim at most 45");
  return O;
}

inline std::vector<unsigned char> startOf(const Buffer &B, uint64_t Seed) {
  // Outputs start poisoned, so that one left untouched is seen.
  std::vector<unsigned char> Data(B.bytes(), 0xFF);
  mep_fill::Rule How;
  if (B.isInput() && mep_fill::ruleFromName(B.Rule, How))
    mep_fill::fill(Data.data(), B.ElementBytes, B.Components.data(),
                   B.Components.size(), B.Count, How, B.Low, B.High, Seed,
                   mep_fill::nameHash(B.Name));
  return Data;
}

/// Fills every buffer as before the first launch.
inline void reset(Shape &S, uint64_t Seed) {
  for (Buffer &B : S.Buffers) {
    if (!std::strcmp(B.Rule, "initializer"))
      continue;
    std::vector<unsigned char> Data = startOf(B, Seed);
    must(cudaMemcpy(B.Device, Data.data(), B.bytes(), cudaMemcpyHostToDevice),
         B.Name.c_str());
  }
}

inline void allocate(const Program &P, Shape &S) {
  for (Buffer &B : S.Buffers) {
    if (B.IsGlobal)
      B.Device = P.Global(B.Name);
    else
      must(cudaMalloc(&B.Device, B.bytes()), B.Name.c_str());
    if (!B.Device)
      stop(3, "no device variable " + B.Name);
  }
  for (Argument &A : S.Arguments)
    for (const Pointer &Patch : A.Pointers)
      for (const Buffer &B : S.Buffers)
        if (B.Name == Patch.Buffer) {
          char *Address = static_cast<char *>(B.Device) + Patch.ByteOffset;
          std::memcpy(A.Bytes.data() + Patch.Offset, &Address, sizeof Address);
        }
}

inline std::vector<unsigned char> contentOf(const Buffer &B) {
  std::vector<unsigned char> Data(B.bytes());
  must(cudaMemcpy(Data.data(), B.Device, B.bytes(), cudaMemcpyDeviceToHost),
       B.Name.c_str());
  return Data;
}

inline bool allFinite(const Buffer &B, const std::vector<unsigned char> &Data) {
  for (const mep_fill::Component &C : B.Components) {
    bool Single = C.Scalar == mep_fill::Kind::F32;
    if (!Single && C.Scalar != mep_fill::Kind::F64)
      continue;
    unsigned Size = mep_fill::byteSize(C.Scalar);
    for (uint64_t Element = 0; Element < B.Count; ++Element)
      for (uint64_t I = 0; I < C.Count; ++I) {
        const unsigned char *At =
            Data.data() + Element * B.ElementBytes + C.Offset + I * Size;
        float Narrow = 0;
        double Wide = 0;
        std::memcpy(Single ? static_cast<void *>(&Narrow) : &Wide, At, Size);
        // All ones is the poison of a place the kernel does not write.
        bool Poison = std::all_of(At, At + Size, [](unsigned char Byte) {
          return Byte == 0xFF;
        });
        if (!Poison && !std::isfinite(Single ? double(Narrow) : Wide))
          return false;
      }
  }
  return true;
}

struct Outcome {
  uint64_t Checksum = mep_fill::ChecksumStart;
  bool InputsKept = true, Finite = true, Written = false;
};

inline Outcome inspect(const Shape &S, uint64_t Seed) {
  Outcome Found;
  for (const Buffer &B : S.Buffers) {
    if (!std::strcmp(B.Rule, "initializer") && !B.isOutput())
      continue;
    std::vector<unsigned char> Data = contentOf(B);
    bool Changed = Data != startOf(B, Seed);
    if (!B.isOutput()) {
      Found.InputsKept &= !Changed;
      continue;
    }
    Found.Written |= Changed;
    Found.Finite &= allFinite(B, Data);
    Found.Checksum = mep_fill::checksum(
        Found.Checksum, Data.data(), B.ElementBytes, B.Components.data(),
        B.Components.size(), B.Count);
  }
  return Found;
}

inline void launchOnce(const Program &P, const Shape &S) {
  std::vector<void *> Pointers;
  for (const Argument &A : S.Arguments)
    Pointers.push_back(const_cast<unsigned char *>(A.Bytes.data()));
  P.Launch(S, Pointers.data());
  must(cudaGetLastError(), "launch");
}

inline double sampleNs(const Program &P, const Shape &S) {
  cudaEvent_t Start, Stop;
  must(cudaEventCreate(&Start), "event");
  must(cudaEventCreate(&Stop), "event");
  must(cudaEventRecord(Start), "event");
  launchOnce(P, S);
  must(cudaEventRecord(Stop), "event");
  must(cudaEventSynchronize(Stop), "kernel");
  float Ms = 0;
  must(cudaEventElapsedTime(&Ms, Start, Stop), "event");
  cudaEventDestroy(Start);
  cudaEventDestroy(Stop);
  return double(Ms) * 1e6;
}

inline double trimmedMean(std::vector<double> Samples, unsigned TrimPercent) {
  std::sort(Samples.begin(), Samples.end());
  size_t Cut = Samples.size() * TrimPercent / 100;
  double Sum = 0;
  for (size_t I = Cut; I < Samples.size() - Cut; ++I)
    Sum += Samples[I];
  return Sum / double(Samples.size() - 2 * Cut);
}

inline Shape &chosenShape(Program &P, const Options &O) {
  for (Shape &S : P.Shapes)
    if (O.Shape == S.Name) {
      if (*S.Missing)
        stop(2, std::string("shape ") + S.Name + " needs a build with " +
                    S.Missing);
      return S;
    }
  stop(2, "no shape '" + O.Shape + "'");
}

inline int run(Program P, int Argc, char **Argv, Options Defaults) {
  Options O = readOptions(Argc, Argv, Defaults);
  Shape &S = chosenShape(P, O);
  cudaDeviceProp Facts;
  must(cudaGetDeviceProperties(&Facts, 0), "device");
  allocate(P, S);
  reset(S, O.Seed);
  launchOnce(P, S);
  must(cudaDeviceSynchronize(), "kernel");
  Outcome Found = inspect(S, O.Seed);
  std::string Checksum = mep_fill::checksumText(Found.Checksum);

  reset(S, O.Seed);
  std::vector<double> Samples;
  for (unsigned I = 0; I < O.Repeat; ++I)
    Samples.push_back(sampleNs(P, S));

  bool Matches = O.Reference.empty() || O.Reference == Checksum;
  bool Good = Found.InputsKept && Found.Finite && Found.Written && Matches;
  std::printf("{\"kernel\": \"%s\", \"device\": \"%s\", \"shape\": \"%s\",\n"
              " \"times_ns\": [",
              P.Kernel, Facts.name, S.Name);
  for (size_t I = 0; I < Samples.size(); ++I)
    std::printf("%s%.0f", I ? ", " : "", Samples[I]);
  auto Truth = [](bool B) { return B ? "true" : "false"; };
  std::printf("],\n \"trimmed_mean_ns\": %.1f,\n"
              " \"checks\": {\"inputs_unchanged\": %s, \"outputs_finite\": %s, "
              "\"outputs_written\": %s, \"reference_matches\": %s},\n"
              " \"checksum\": \"%s\"}\n",
              trimmedMean(Samples, O.TrimPercent), Truth(Found.InputsKept),
              Truth(Found.Finite), Truth(Found.Written), Truth(Matches),
              Checksum.c_str());
  return Good ? 0 : 1;
}

} // namespace mep_main

#endif // MEP_MAIN_H
