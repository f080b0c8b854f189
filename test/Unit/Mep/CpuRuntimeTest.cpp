/// \file
/// Kernels under the CPU runtime with fibers: barriers, early returns, warp
/// operations, atomics, dynamic shared memory, arguments from bytes.

#include "gtest/gtest.h"

#include "../../../lib/Mep/runtime/cpu/cuda_fp16.h"
#include "../../../lib/Mep/runtime/mep_cpu.h"

namespace {

template <typename Type, int Tile>
__global__ void transpose(const Type *In, Type *Out, int Size) {
  __shared__ Type Cache[Tile][Tile + 1];
  int X = blockIdx.x * Tile + threadIdx.x, Y = blockIdx.y * Tile + threadIdx.y;
  if (X < Size && Y < Size)
    Cache[threadIdx.y][threadIdx.x] = In[Y * Size + X];
  __syncthreads();
  X = blockIdx.y * Tile + threadIdx.x;
  Y = blockIdx.x * Tile + threadIdx.y;
  if (X < Size && Y < Size)
    Out[Y * Size + X] = Cache[threadIdx.x][threadIdx.y];
}

TEST(CpuRuntime, BarrierOrdersSharedMemory) {
  const int Size = 100;
  std::vector<float> In(Size * Size), Out(Size * Size);
  for (int I = 0; I < Size * Size; ++I)
    In[I] = float(I);
  mep_cpu::launch(dim3(7, 7), dim3(16, 16), 0,
                  [&] { transpose<float, 16>(In.data(), Out.data(), Size); });
  for (int Y = 0; Y < Size; ++Y)
    for (int X = 0; X < Size; ++X)
      ASSERT_EQ(Out[X * Size + Y], In[Y * Size + X]);
}

__global__ void sumEarly(int *Sum, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  __shared__ int Part;
  if (threadIdx.x == 0)
    Part = 0;
  __syncthreads();
  atomicAdd(&Part, I);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(Sum, Part);
}

TEST(CpuRuntime, ThreadsThatReturnedEarlyDoNotBlockABarrier) {
  int Sum = 0;
  mep_cpu::launch(dim3(9), dim3(128), 0, [&] { sumEarly(&Sum, 1025); });
  EXPECT_EQ(Sum, 1025 * 1024 / 2);
}

__global__ void warps(int *Out) {
  int Lane = threadIdx.x % warpSize;
  int Sum = int(threadIdx.x);
  for (int Step = warpSize / 2; Step > 0; Step /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Step);
  if (Lane == 0)
    Out[threadIdx.x / warpSize] = Sum;
  int Xor = __shfl_xor_sync(~0u, Lane, 1);
  double Up = __shfl_up_sync(~0u, double(Lane), 1u);
  int Four = __shfl_sync(~0u, Lane, 1, 4);
  bool Right = Xor == (Lane ^ 1) && Up == (Lane ? Lane - 1 : 0) &&
               Four == (Lane / 4 * 4 + 1);
  if (!__all_sync(~0u, Right))
    Out[0] = -1;
  if (__ballot_sync(~0u, Lane < 3) != 7u || !__any_sync(~0u, Lane == 5))
    Out[0] = -2;
  if (__reduce_max_sync(~0u, Lane) != warpSize - 1)
    Out[0] = -3;
}

TEST(CpuRuntime, ShufflesAndVotes) {
  int Out[2] = {};
  mep_cpu::launch(dim3(1), dim3(64), 0, [&] { warps(Out); });
  EXPECT_EQ(Out[0], 31 * 32 / 2);
  EXPECT_EQ(Out[1], 32 * 32 + 31 * 32 / 2);
}

/// The mask names lanes that wait elsewhere.
__global__ void divergent(unsigned *Out) {
  if (threadIdx.x < 7) {
    unsigned Together = __ballot_sync(__activemask(), 1);
    if (threadIdx.x == 0)
      *Out = Together;
  }
  __syncthreads();
  if (threadIdx.x == 31)
    *Out += 1000;
}

TEST(CpuRuntime, LanesThatNeverComeAreNotWaitedFor) {
  unsigned Out = 0;
  mep_cpu::launch(dim3(1), dim3(32), 0, [&] { divergent(&Out); });
  EXPECT_EQ(Out, 127u + 1000u);
}

__global__ void votes(int *Out) {
  if (threadIdx.x >= 40)
    return;
  int Odd = __syncthreads_count(threadIdx.x & 1);
  int All = __syncthreads_and(threadIdx.x < 40);
  int Any = __syncthreads_or(threadIdx.x == 39);
  if (threadIdx.x == 0)
    *Out = Odd * 100 + All * 10 + Any;
}

TEST(CpuRuntime, BarriersCountTheirThreads) {
  int Out = 0;
  mep_cpu::launch(dim3(1), dim3(64), 0, [&] { votes(&Out); });
  EXPECT_EQ(Out, 2011);
}

struct Pair {
  int Count;
  float *Values;
};
__global__ void scaleReversed(Pair P, const float Factor) {
  float *Cache = mep_cpu::dynamicShared<float>();
  Cache[threadIdx.x] = P.Values[threadIdx.x] * Factor;
  __syncthreads();
  P.Values[threadIdx.x] = Cache[P.Count - 1 - threadIdx.x];
}

TEST(CpuRuntime, InvokeTakesArgumentsFromBytes) {
  float Values[4] = {1, 2, 3, 4};
  Pair P{4, Values};
  float Factor = 10;
  void *Arguments[] = {&P, &Factor};
  uint64_t Grid[] = {1, 1, 1}, Block[] = {4, 1, 1};
  mep_cpu::invoke<&scaleReversed>(Grid, Block, sizeof(Values), Arguments);
  EXPECT_EQ(Values[0], 40);
  EXPECT_EQ(Values[3], 10);
  mep_cpu::invoke(&scaleReversed, Grid, Block, sizeof(Values), Arguments);
  EXPECT_EQ(Values[0], 100);
}

__global__ void atomics(unsigned *U, float *F, unsigned long long *L) {
  atomicAdd(F, 1);
  atomicMax(U, threadIdx.x + blockIdx.x * blockDim.x);
  atomicInc(U + 1, 9);
  atomicCAS(L, 0ull, 5ull);
  atomicExch(U + 2, 3u);
}

TEST(CpuRuntime, AtomicsAcrossBlocks) {
  unsigned U[3] = {};
  float F = 0;
  unsigned long long L = 0;
  mep_cpu::launch(dim3(50), dim3(20), 0, [&] { atomics(U, &F, &L); });
  EXPECT_EQ(F, 1000);
  EXPECT_EQ(U[0], 999u);
  EXPECT_EQ(U[1], 0u);
  EXPECT_EQ(U[2], 3u);
  EXPECT_EQ(L, 5u);
}

TEST(CpuRuntime, IntrinsicsFollowTheDevice) {
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1u), 3u);
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rz(1e20f), INT_MAX);
  EXPECT_EQ(__mulhi(1 << 30, 8), 2);
  EXPECT_EQ(__half2float(__float2half(0.333f)), 0.333007812f);
  EXPECT_EQ(max(1, 2.5f), 2.5f);
}

TEST(CpuRuntime, SignsOfHalvesAreHalves) {
  const __half Two = 2, Three = 3;
  // With a sign that gave a float, half times half would be ambiguous here.
  __half Sum = +Two * Three + -Two * Two;
  EXPECT_EQ(float(Sum), 2.0f);
  __half2 Pair = -__half2(Two, Three);
  EXPECT_EQ(float(Pair.y), -3.0f);
}

} // namespace
