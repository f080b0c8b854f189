/// \file
/// CUDA platform: the worker's own device code, compiled at first use like
/// anyone else's.

#ifndef MEP_WORKER_CUDA_OWNKERNELS_H
#define MEP_WORKER_CUDA_OWNKERNELS_H

#include "FillSource.h"
#include "Platform.h"

namespace mepworker::cuda {

/// Device code of our own.
struct OwnCode {
  std::string Source;
  std::vector<std::string> Kernels, Flags;
  std::unique_ptr<Module> Loaded = nullptr; ///< Made at first use.
};

/// Index into OwnKernelNames.
enum OwnKernel : unsigned {
  SpinKernel,   ///< (cycles): keeps the device busy.
  DigestKernel, ///< (from, words, unit, first, key, sum): Platform::digest.
  DirtyKernel   ///< (word, words of shared memory): Platform::dirty.
};
constexpr const char *OwnKernelNames[] = {"mep_spin", "mep_digest",
                                          "mep_dirty"};
/// Threads of a block of mep_dirty: as many as a multiprocessor holds, so that
/// the local memory of all of them is written.
constexpr unsigned DirtyThreads = 1024;

/// The digest: a strong mix of each word with its number and the key, summed,
/// so that neither order nor partition matters (finaliser of MurmurHash3 by
/// A. Appleby, public domain).
constexpr const char *OwnSource = R"(
extern "C" __global__ void mep_spin(long long Cycles) {
  long long Start = clock64();
  while (clock64() - Start < Cycles)
    ;
}
extern "C" __global__ void mep_dirty(unsigned Value, unsigned Words) {
  extern __shared__ unsigned Shared[];
  volatile unsigned *There = Shared;
  for (unsigned I = threadIdx.x; I < Words; I += blockDim.x)
    There[I] = Value;
  volatile unsigned Local[256];
  for (unsigned I = 0; I < 256; ++I)
    Local[I] = Value;
}
typedef unsigned long long Word;
__device__ Word mix(Word W, Word Number, Word Key) {
  W = (W + Key) ^ (Number * 0x9e3779b97f4a7c15ull);
  W = (W ^ W >> 33) * 0xff51afd7ed558ccdull;
  W = (W ^ W >> 33) * 0xc4ceb9fe1a85ec53ull;
  return W ^ W >> 33;
}
template <typename T>
__device__ Word sum(const T *From, Word Count, Word First, Word Key) {
  Word Sum = 0, Step = Word(gridDim.x) * blockDim.x;
  for (Word I = Word(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
       I += Step)
    Sum += mix(From[I], First + I, Key);
  return Sum;
}
extern "C" __global__ void mep_digest(const void *From, Word Count,
                                      unsigned Unit, Word First, Word Key,
                                      Word *To) {
  Word Sum = Unit == 8   ? sum((const Word *)From, Count, First, Key)
             : Unit == 4 ? sum((const unsigned *)From, Count, First, Key)
             : Unit == 2 ? sum((const unsigned short *)From, Count, First, Key)
                         : sum((const unsigned char *)From, Count, First, Key);
  for (int Offset = 16; Offset; Offset /= 2)
    Sum += __shfl_down_sync(0xffffffffu, Sum, Offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(To, Sum);
}
)";

/// Index into FillKernelNames.
enum FillKernel : unsigned {
  ElementsKernel, ///< (data, place, recipe, kind): a component of all elements.
  NudgeKernel     ///< (data, place, bits of the exponent, elements): as nudge()
                  ///< of Elements.h, for a component of all elements.
};
constexpr const char *FillKernelNames[] = {"mep_fill_elements", "mep_nudge"};

/// What mep_fill.h takes from the standard library.
constexpr const char *FillPrelude = R"(
#define MEP_FILL_ON_DEVICE
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long long;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-INT64_MAX - 1)
namespace std {
using ::ceil;
using ::floor;
using ::memcpy;
inline float nearbyint(float Value) { return nearbyintf(Value); }
} // namespace std
)";

constexpr const char *FillSource = R"(
using namespace mep_fill;
template <typename Maker>
void fillOne(unsigned char *Data, const Place &Where, const Recipe &Make,
             uint64_t Element) {
  fillComponent<Maker>(Data + Element * Where.ElementBytes, Where, Make,
                       Element, Element + 1);
}
void fillOneOf(Kind Scalar, unsigned char *Data, const Place &Where,
               const Recipe &Make, uint64_t Element) {
  switch (Scalar) {
  case Kind::F16: return fillOne<HalfMaker>(Data, Where, Make, Element);
  case Kind::Bf16: return fillOne<BfloatMaker>(Data, Where, Make, Element);
  case Kind::F32: return fillOne<FloatMaker>(Data, Where, Make, Element);
  case Kind::F64: return fillOne<DoubleMaker>(Data, Where, Make, Element);
  case Kind::I8: return fillOne<IntegerMaker<int8_t>>(Data, Where, Make, Element);
  case Kind::I16: return fillOne<IntegerMaker<int16_t>>(Data, Where, Make, Element);
  case Kind::I32: return fillOne<IntegerMaker<int32_t>>(Data, Where, Make, Element);
  case Kind::I64: return fillOne<IntegerMaker<int64_t>>(Data, Where, Make, Element);
  case Kind::U8: return fillOne<IntegerMaker<uint8_t>>(Data, Where, Make, Element);
  case Kind::U16: return fillOne<IntegerMaker<uint16_t>>(Data, Where, Make, Element);
  case Kind::U32: return fillOne<IntegerMaker<uint32_t>>(Data, Where, Make, Element);
  case Kind::U64: return fillOne<IntegerMaker<uint64_t>>(Data, Where, Make, Element);
  case Kind::Bool: return fillOne<BoolMaker>(Data, Where, Make, Element);
  }
}
extern "C" __global__ void mep_fill_elements(unsigned char *Data, Place Where,
                                             Recipe Make, Kind Scalar) {
  uint64_t Step = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t E = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       E < Make.Count; E += Step)
    fillOneOf(Scalar, Data, Where, Make, E);
}
bool coin(uint64_t Number) {
  Number = (Number ^ Number >> 30) * 0xbf58476d1ce4e5b9ull;
  return (Number ^ Number >> 27) * 0x94d049bb133111ebull >> 63;
}
extern "C" __global__ void mep_nudge(unsigned char *Data, Place Where,
                                     uint64_t Exponent, uint64_t Count) {
  uint64_t Step = uint64_t(gridDim.x) * blockDim.x;
  const uint64_t Sign = 1ull << (8 * Where.Size - 1);
  for (uint64_t E = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; E < Count;
       E += Step)
    for (uint64_t Part = 0; Part < Where.Count; ++Part) {
      uint64_t At = E * Where.ElementBytes + Where.Offset + Part * Where.Size;
      uint64_t Bits = 0;
      memcpy(&Bits, Data + At, Where.Size);
      if ((Bits & (Sign - 1)) == 0 || (Bits & Exponent) == Exponent)
        continue;
      Bits = coin(At) ? Bits + 1 : Bits - 1;
      memcpy(Data + At, &Bits, Where.Size);
    }
}
)";

inline OwnCode ownCode() {
  return {
      OwnSource, {std::begin(OwnKernelNames), std::end(OwnKernelNames)}, {}};
}
inline OwnCode fillCode() {
  return {std::string(FillPrelude) + FillHeader + FillSource,
          {std::begin(FillKernelNames), std::end(FillKernelNames)},
          {"-std=c++17", "--device-as-default-execution-space"}};
}

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_OWNKERNELS_H
