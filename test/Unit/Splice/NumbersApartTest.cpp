/// \file
/// Elements of one array whose indices differ whenever both are evaluated, and
/// those whose indices only look so.

#include "OverlapCases.h"

using namespace mep;

namespace {

class NumbersApartTest : public OverlapCases {
protected:
  /// With `BUF`: an array of two pointers to memory of their own.
  void elements(bool Apart, llvm::StringRef Code) {
    all(Apart, "#define BUF float *buf[2]; cudaMalloc(&buf[0], n); "
               "cudaMalloc(&buf[1], n)\n" +
                   Code.str());
  }
};

TEST_F(NumbersApartTest, NumbersThatAreChangedTogetherStayApart) {
  elements(true, R"(
void step(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    src = 1 - src;
    dst = 1 - dst;
  }
}
void flipped(int n) {
  BUF;
  unsigned src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    src = src ^ 1;
    dst = dst ^ 1;
  }
}
void xor2(int n) {
  BUF;
  unsigned src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    src ^= 1;
    dst ^= 1;
  }
}
void ofBits(int n) {
  BUF;
  bool src = 0;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[!src], n);
    src = !src;
  }
}
void negated(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    src = !src;
    dst = !dst;
  }
}
void exchanged(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    std::swap(src, dst);
  }
}
void hand(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    int t = src;
    src = dst;
    dst = t;
  }
}
void mine(int n) {
  BUF;
  for (int i = 0; i < n; ++i) {
    const int mine = i % 2;
    const int other = 1 - mine;
    k<<<1, 1>>>(buf[mine], buf[other], n);
  }
}
)");
}

TEST_F(NumbersApartTest, NothingMayRunBetweenTheTwoChanges) {
  elements(false, R"(
void jumps(int n) {
  BUF;
  int i = 0;
  int src = 0;
again:;
  int dst = 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
  src = 1 - src;
  dst = 1 - dst;
  if (++i < n) goto again;
}
void staticInit(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < 2; ++i) {
    static int once = (src = 1 - src);
    dst = 1 - dst;
    k<<<1, 1>>>(buf[src], buf[dst], n);
  }
}
void continues(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    src = 1 - src;
    if (i & 1) continue;
    dst = 1 - dst;
    k<<<1, 1>>>(buf[src], buf[dst], n);
  }
}
void conditional(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    if (i & 1) src = 1 - src;
    dst = 1 - dst;
  }
}
void shortCircuit(int n) {
  BUF;
  int src = 0, dst = 1, x;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    x = n && (src = 1 - src);
    dst = 1 - dst;
  }
}
void between(int n) {
  BUF;
  int src = 0, dst = 1;
  src = 1 - src;
  k<<<1, 1>>>(buf[src], buf[dst], n);
  dst = 1 - dst;
}
void increment(int n) {
  BUF;
  int src = 0, dst = 1;
  src++;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void compound(int n) {
  BUF;
  int src = 0, dst = 1;
  src ^= 1;
  dst |= 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void early(int n) {
  BUF;
  int src = 0, dst = 1;
  auto step = [&] {
    src = 1 - src;
    if (n > 3) return;
    dst = 1 - dst;
  };
  step();
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void throws(int n) {
  BUF;
  int src = 0, dst = 1;
  try {
    src = 1 - src;
    if (n) throw 1;
    dst = 1 - dst;
  } catch (int) {}
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void switches(int n) {
  BUF;
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    switch (i) {
    case 0: src = 1 - src;
    case 1: dst = 1 - dst;
    }
    k<<<1, 1>>>(buf[src], buf[dst], n);
  }
}
void label(int n) {
  BUF;
  int src = 0, dst = 1;
  if (n) goto half;
  src = 1 - src;
half:
  dst = 1 - dst;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
)");
}

TEST_F(NumbersApartTest, WhatChangesANumberUnseenCounts) {
  elements(false, R"(
void reference(int n) {
  BUF;
  int src = 0, dst = 1;
  int &r = src;
  r = 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
struct R {
  int &r;
};
void aggregate(int n) {
  BUF;
  int src = 0, dst = 1;
  R r{src};
  r.r = 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void refWrapper(int n) {
  BUF;
  int src = 0, dst = 1;
  std::reference_wrapper<int> r(src);
  r.get() = 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void pointer(int n) {
  BUF;
  int src = 0, dst = 1;
  int *r = &src;
  *r = 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void set(int &x) { x = 1; }
void byRef(int n) {
  BUF;
  int src = 0, dst = 1;
  set(src);
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void lambdaRef(int n) {
  BUF;
  int src = 0, dst = 1;
  auto f = [&] { src = 1; };
  f();
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void read(int n) {
  BUF;
  volatile int src = 0;
  int other = 1 - src;
  k<<<1, 1>>>(buf[src], buf[other], n);
}
void ofAllCalls(int n) {
  BUF;
  static int src = 0;
  int dst = 1;
  k<<<1, 1>>>(buf[src], buf[dst], n);
  src = 1 - src;
  dst = 1 - dst;
}
static int mine;
void flip() { mine = 1 - mine; }
void ofTheUnit(int n) {
  BUF;
  int other = 1 - mine;
  flip();
  k<<<1, 1>>>(buf[mine], buf[other], n);
}
void loopVar(int n) {
  BUF;
  for (int i = 0; i < 2; ++i) {
    int other = 1 - i;
    ++i;
    k<<<1, 1>>>(buf[i], buf[other], n);
  }
}
void param(int n, int mine) {
  BUF;
  int other = 1 - mine;
  mine = 1 - mine;
  k<<<1, 1>>>(buf[mine], buf[other], n);
}
void assembly(int n) {
  BUF;
  int src = 0, dst = 1;
  asm("" : "+r"(src));
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void swapOther(int n) {
  BUF;
  int src = 0, dst = 1, o = 1;
  std::swap(src, o);
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void swapCond(int n) {
  BUF;
  int src = 0, dst = 1, o = 1;
  std::swap(n ? src : o, dst);
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
)");
}

TEST_F(NumbersApartTest, ALambdasCopyIsAnotherNumber) {
  elements(false, R"(
void lambdaCopy(int n) {
  BUF;
  int src = 0, dst = 1;
  auto f = [src, &dst, &buf, n] { k<<<1, 1>>>(buf[src], buf[dst], n); };
  src = 1 - src;
  dst = 1 - dst;
  f();
}
void lambdaMutable(int n) {
  BUF;
  int src = 0, dst = 1;
  auto f = [src, &dst]() mutable {
    src = 1 - src;
    dst = 1 - dst;
  };
  f();
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
)");
}

TEST_F(NumbersApartTest, NamesAreNoProof) {
  elements(false, R"(
void shadow(int n) {
  BUF;
  int mine = 0;
  int other = 1 - mine;
  {
    int mine = 1;
    k<<<1, 1>>>(buf[mine], buf[other], n);
  }
}
void shadow2(int n) {
  BUF;
  int mine = 0, m2 = 1;
  const int other = mine ^ 1;
  for (int mine = 0; mine < 2; ++mine) k<<<1, 1>>>(buf[mine], buf[other], n);
}
)");
}

TEST_F(NumbersApartTest, NumbersThatBecomeOneInANarrowTypeAreNotApart) {
  elements(false, R"(
void ofBits(int n) {
  BUF;
  bool src = 0, dst = 1;
  src = 3 - src;
  dst = 3 - dst;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void narrow(int n) {
  BUF;
  int mine = 1;
  unsigned char other = mine - 256;
  k<<<1, 1>>>(buf[mine], buf[other], n);
}
void narrowCast(int n, int mine) {
  BUF;
  k<<<1, 1>>>(buf[mine], buf[(unsigned char)(mine - 256)], n);
}
void boolOf(int n) {
  BUF;
  int mine = 1;
  bool other = 3 - mine;
  k<<<1, 1>>>(buf[mine], buf[other], n);
}
void types(int n) {
  BUF;
  unsigned char src = 255;
  int dst = -1;
  src = 0 - src;
  dst = 0 - dst;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void bits(int n) {
  BUF;
  int src = 1, dst = 2;
  src = !src;
  dst = !dst;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
)");
}

TEST_F(NumbersApartTest, EachInstantiationCounts) {
  elements(false, R"(
template <int C> void instance(int n) {
  BUF;
  int src = 0, dst = 1;
  src = C - src;
  dst = 1 - dst;
  k<<<1, 1>>>(buf[src], buf[dst], n);
}
void calls(int n) {
  instance<0>(n);
  instance<1>(n);
}
)");
}

TEST_F(NumbersApartTest, TheElementsHaveToBeApartToo) {
  elements(false, R"(
void nested(int n) {
  float *buf[2][2];
  cudaMalloc(&buf[0][0], n);
  cudaMalloc(&buf[0][1], n);
  int m = 0;
  k<<<1, 1>>>(buf[m][0], buf[m * 2][0], n);
}
void nested2(int n) {
  float *p, *q;
  cudaMalloc(&p, n);
  cudaMalloc(&q, n);
  float *arr[2][2] = {{p, p}, {q, q}};
  for (int i = 0; i < 2; ++i) k<<<1, 1>>>(arr[0][i], arr[0][1 - i], n);
}
void arrayTimes(int n) {
  float *a, *b, *buf[2];
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  buf[0] = a;
  std::swap(a, b);
  buf[1] = b;
  for (int i = 0; i < 2; ++i) k<<<1, 1>>>(buf[i], buf[1 - i], n);
}
void triple(int n) {
  float *buf[3];
  cudaMalloc(&buf[0], n);
  cudaMalloc(&buf[1], n);
  cudaMalloc(&buf[2], n);
  int a = 0, b = 1, c = 2;
  a = b;
  b = c;
  k<<<1, 1>>>(buf[a], buf[b], n);
  c = a;
  k<<<1, 1>>>(buf[a], buf[c], n);
}
)");
}

} // namespace
