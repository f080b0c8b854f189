/// \file
/// CUDA platform: the worker's own device code, compiled at first use like
/// anyone else's.

#ifndef MEP_WORKER_CUDA_OWNKERNELS_H
#define MEP_WORKER_CUDA_OWNKERNELS_H

namespace mepworker::cuda {

/// Index into OwnKernelNames.
enum OwnKernel : unsigned {
  SpinKernel,  ///< (cycles): keeps the device busy.
  DigestKernel ///< (from, words, unit, first, key, sum): Platform::digest.
};
constexpr const char *OwnKernelNames[] = {"mep_spin", "mep_digest"};

/// The digest: a strong mix of each word with its number and the key, summed,
/// so that neither order nor partition matters (finaliser of MurmurHash3 by
/// A. Appleby, public domain).
constexpr const char *OwnSource = R"(
extern "C" __global__ void mep_spin(long long Cycles) {
  long long Start = clock64();
  while (clock64() - Start < Cycles)
    ;
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

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_OWNKERNELS_H
