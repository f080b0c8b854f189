/// \file
/// Places that get another pointer without being named: through references,
/// casts, copies of lambdas and the methods of containers.

#include "OverlapCases.h"

using namespace mep;

namespace {

class HiddenStoresTest : public OverlapCases {};

TEST_F(HiddenStoresTest, ALambdasCopyIsAnotherPlace) {
  fresh(false, R"(
void lambdaSnapshot(int n) {
  AB;
  auto f = [a, &b, n] { k<<<1, 1>>>(a, b, n); };
  std::swap(a, b);
  f();
}
)");
  fresh(false, R"(
void lambdaMutable(int n) {
  AB;
  auto f = [a, &b]() mutable { std::swap(a, b); };
  f();
  k<<<1, 1>>>(a, b, n);
}
)");
}

TEST_F(HiddenStoresTest, AStaticKeepsWhatAnEarlierCallPut) {
  fresh(false, R"(
void statics(float *p, float *q, int n) {
  static float *s = p;
  float *d = q;
  k<<<1, 1>>>(s, d, n);
}
void staticsCaller(int n) {
  AB;
  statics(a, b, n);
  statics(b, a, n);
}
)");
  fresh(false, R"(
void gotoFresh(int n) {
  float *a = nullptr, *b = nullptr;
  int i = 0;
  {
    float *t;
    cudaMalloc(&t, n);
  again:;
    a = t;
    std::swap(a, b);
    if (i++ < 3) goto again;
    k<<<1, 1>>>(a, b, n);
  }
}
)");
}

TEST_F(HiddenStoresTest, AReferenceIsThePlaceItself) {
  fresh(false, R"(
struct RP {
  float *&p;
};
void aggregate(int n) {
  AB;
  RP r{a};
  r.p = b;
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
void refWrap(int n) {
  AB;
  std::reference_wrapper<float *> r(a);
  r.get() = b;
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
struct Two {
  float *a, *b;
};
void binding(int n) {
  Two t;
  cudaMalloc(&t.a, n);
  cudaMalloc(&t.b, n);
  auto &[x, y] = t;
  x = y;
  k<<<1, 1>>>(t.a, t.b, n);
}
)");
  fresh(false, R"(
void condTarget(int n) {
  AB;
  (n ? a : b) = b;
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
void condRef(int n) {
  AB;
  float *&r = n ? a : b;
  r = b;
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
void forward(int n) {
  AB;
  std::forward<float *&>(a) = b;
  k<<<1, 1>>>(a, b, n);
}
)");
}

TEST_F(HiddenStoresTest, LibraryFunctionsSetWhatTheyTakeByReference) {
  fresh(false, R"(
#include <tuple>
void tie(int n) {
  AB;
  std::tie(a, b) = std::make_tuple(b, b);
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
void exchange(int n) {
  AB;
  std::exchange(a, b);
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
#include <memory>
void addressof(int n) {
  AB;
  *std::addressof(a) = b;
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
void memcpy(int n) {
  AB;
  memcpy(&a, &b, sizeof a);
  k<<<1, 1>>>(a, b, n);
}
)");
  fresh(false, R"(
void devicePointer(int n) {
  float *t, *a, *d;
  cudaHostAlloc((void **)&t, n, 0);
  a = t;
  cudaHostGetDevicePointer((void **)&d, t, 0);
  k<<<1, 1>>>(a, d, n);
}
)");
}

TEST_F(HiddenStoresTest, ACastReachesTheMembers) {
  fresh(false, R"(
struct Two {
  float *a, *b;
};
void castRecord(int n) {
  Two t;
  cudaMalloc(&t.a, n);
  cudaMalloc(&t.b, n);
  float **p = (float **)&t;
  p[0] = p[1];
  k<<<1, 1>>>(t.a, t.b, n);
}
)");
}

TEST_F(HiddenStoresTest, MethodsOfContainersPutPointersIntoThem) {
  fresh(false, R"(
void assign(int n) {
  AB;
  std::vector<float *> v(2);
  v.assign(2, a);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void insert(int n) {
  AB;
  std::vector<float *> v;
  v.insert(v.end(), 2, a);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
#include <algorithm>
void fill(int n) {
  AB;
  std::vector<float *> v(2);
  v[0] = a;
  v[1] = b;
  std::fill(v.begin(), v.end(), a);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
#include <array>
void arrFill(int n) {
  AB;
  std::array<float *, 2> v;
  v.fill(a);
  for (int i = 0; i < 2; ++i) k<<<1, 1>>>(v[i], v[1 - i], n);
}
)");
  fresh(false, R"(
void vecInit(int n) {
  AB;
  std::vector<float *> v{a, a};
  for (int i = 0; i < 2; ++i) k<<<1, 1>>>(v[i], v[1 - i], n);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void vecCount(int n) {
  AB;
  std::vector<float *> v(2, a);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void push(int n) {
  AB;
  std::vector<float *> v;
  for (int i = 0; i < 2; ++i) v.push_back(a);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void resize(int n) {
  AB;
  std::vector<float *> v;
  v.resize(2, a);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
}

TEST_F(HiddenStoresTest, ElementsAreSetThroughIteratorsAndPointers) {
  fresh(false, R"(
void iter(int n) {
  AB;
  std::vector<float *> v(2);
  v[0] = a;
  v[1] = b;
  for (auto it = v.begin(); it != v.end(); ++it) *it = a;
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void rangeFor(int n) {
  AB;
  std::vector<float *> v(2);
  v[0] = a;
  v[1] = b;
  for (float *&p : v) p = a;
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void back(int n) {
  AB;
  std::vector<float *> v(2);
  v[0] = a;
  v[1] = b;
  v.back() = a;
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void at(int n) {
  AB;
  std::vector<float *> v(2);
  v[0] = a;
  v[1] = b;
  v.at(1) = a;
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
void data(int n) {
  AB;
  std::vector<float *> v(2);
  v[0] = a;
  v[1] = b;
  v.data()[1] = a;
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
  fresh(false, R"(
#include <algorithm>
void stdCopy(int n) {
  AB;
  float *v[2];
  v[0] = a;
  v[1] = b;
  float *w[2] = {a, a};
  std::copy(w, w + 2, v);
  k<<<1, 1>>>(v[0], v[1], n);
}
)");
}

TEST_F(HiddenStoresTest, AUniquePointerTakesOverWhatItGets) {
  fresh(false, R"(
#include <memory>
struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
void unique(int n) {
  AB;
  std::unique_ptr<float, Free> u(a);
  k<<<1, 1>>>(u.get(), a, n);
}
)");
  fresh(false, R"(
#include <memory>
struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
void uniqueReset(int n) {
  AB;
  std::unique_ptr<float, Free> u(a);
  u.reset(b);
  k<<<1, 1>>>(u.get(), b, n);
}
)");
  fresh(false, R"(
#include <memory>
struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
void uniqueTwo(int n) {
  AB;
  std::unique_ptr<float, Free> u(a), v(a);
  k<<<1, 1>>>(u.get(), v.get(), n);
}
)");
  fresh(false, R"(
#include <memory>
void uniqueArr(int n) {
  AB;
  std::unique_ptr<float *[]> u(new float *[2]);
  u[0] = a;
  u[1] = a;
  k<<<1, 1>>>(u[0], u[1], n);
}
)");
}

/// Elements of whatever base: members, calls, casts, arrays of arrays.
TEST_F(HiddenStoresTest, ElementsMayHaveAnyBase) {
  fresh(true, R"(
struct Lists { float *own[2]; float **rows; };
Lists *lists();
void elements(Lists *l, float **m, int n) {
  AB;
  float *t = l->own[n];
  l->own[0] = m[1];
  l->rows[n] = t;
  t = lists()->own[0];
  t = ((float **)m)[n];
  float *grid[2][2] = {};
  t = grid[n & 1][0];
  grid[0][n & 1] = t;
  k<<<1, 1>>>(a, b, n);
}
)");
}

} // namespace
