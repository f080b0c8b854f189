/// \file
/// Calls that no call expression names, and arguments that change one another.

#include "OverlapCases.h"

using namespace mep;

namespace {

class HiddenCallersTest : public OverlapCases {};

TEST_F(HiddenCallersTest, AFunctionMayBeCalledThroughItsAddress) {
  fresh(false, R"(
#include <thread>
void thread(float *p, float *q, int n) { k<<<1, 1>>>(p, q, n); }
void runThread(int n) {
  AB;
  thread(a, b, n);
  std::thread t(thread, a, a, n);
  t.join();
}
)");
  fresh(false, R"(
void fnPtr(float *p, float *q, int n) { k<<<1, 1>>>(p, q, n); }
void runPtr(int n) {
  AB;
  fnPtr(a, b, n);
  void (*f)(float *, float *, int) = fnPtr;
  f(a, a, n);
}
)");
}

TEST_F(HiddenCallersTest, AnObjectMayBeCalledByWhomItIsHandedTo) {
  fresh(false, R"(
void runLambda(int n) {
  AB;
  auto lam = [](float *p, float *q, int n) { k<<<1, 1>>>(p, q, n); };
  lam(a, b, n);
  std::function<void(float *, float *, int)> f = lam;
  f(a, a, n);
}
)");
  fresh(false, R"(
#include <thread>
struct functor {
  void operator()(float *p, float *q, int n) { k<<<1, 1>>>(p, q, n); } /*bad*/
};
void runFunctor(int n) {
  AB;
  functor f;
  f(a, b, n);
  std::thread t(f, a, a, n);
  t.join();
}
)");
}

TEST_F(HiddenCallersTest, AVirtualFunctionIsCalledThroughItsBase) {
  fresh(false, R"(
struct Base {
  virtual void step(float *p, float *q, int n) = 0;
};
struct Derived : Base {
  void step(float *p, float *q, int n) override { k<<<1, 1>>>(p, q, n); }
};
void runVirtual(int n) {
  AB;
  Derived d;
  d.step(a, b, n);
  Base &x = d;
  x.step(a, a, n);
}
)");
}

TEST_F(HiddenCallersTest, ALibraryConstructsObjects) {
  fresh(false, R"(
#include <memory>
struct Made {
  float *p, *q;
  Made(float *p, float *q) : p(p), q(q) {}
  void run(int n) { k<<<1, 1>>>(p, q, n); }
};
void runMade(int n) {
  AB;
  Made m(a, b);
  m.run(n);
  auto u = std::make_unique<Made>(a, a);
  u->run(n);
}
)");
  fresh(false, R"(
struct Made2 {
  float *p, *q;
  Made2(float *p, float *q) : p(p), q(q) {}
  void run(int n) { k<<<1, 1>>>(p, q, n); }
};
void runMade2(int n) {
  AB;
  Made2 m(a, b);
  m.run(n);
  std::vector<Made2> u;
  u.emplace_back(a, a);
  u[0].run(n);
}
)");
}

TEST_F(HiddenCallersTest, EachLevelOfARecursionHasItsOwnVariables) {
  fresh(false, R"(
static float *kept;
void deeper(float *mine, float **prev, float *other, int d, int n) {
  if (d) {
    deeper(other, &mine, other, d - 1, n);
    return;
  }
  k<<<1, 1>>>(*prev, kept, n);
}
void starts(int n) {
  AB;
  kept = a;
  deeper(a, &b, b, 1, n);
}
)");
}

TEST_F(HiddenCallersTest, AReferenceIsReadLaterThanAValue) {
  fresh(false, R"(
static float *ga, *gb;
void moments(float *&in, float *p, int n) {
  std::swap(ga, gb);
  k<<<1, 1>>>(in, p, n); /*moments*/
}
void callsMoments(int n) {
  cudaMalloc(&ga, n);
  cudaMalloc(&gb, n);
  moments(ga, gb, n);
}
)");
}

TEST_F(HiddenCallersTest, ArgumentsMayChangeOneAnother) {
  fresh(false, R"(
static float *ga, *gb;
float *&flip2() {
  std::swap(ga, gb);
  return gb;
}
void flip(int n) {
  cudaMalloc(&ga, n);
  cudaMalloc(&gb, n);
  k<<<1, 1>>>(ga, flip2(), n);
}
)");
  fresh(false, R"(
static float *ga, *gb;
int flip3() {
  std::swap(ga, gb);
  return 1;
}
void args(int n) {
  cudaMalloc(&ga, n);
  cudaMalloc(&gb, n);
  k<<<1, 1>>>(ga, gb, flip3());
}
)");
  fresh(false, R"(
void args2(int n) {
  AB;
  k<<<1, 1>>>(a, b, (std::swap(a, b), n));
}
)");
  fresh(false, R"(
static int cur;
int next() {
  cur = 1 - cur;
  return cur;
}
void args3(int n) {
  float *buf[2];
  cudaMalloc(&buf[0], n);
  cudaMalloc(&buf[1], n);
  k<<<1, 1>>>(buf[cur], buf[1 - cur], next());
}
)");
}

TEST_F(HiddenCallersTest, ArgumentsInAnArrayMayBePutThereLater) {
  fresh(true, R"(
void once(int n) {
  AB;
  void *args[] = {&a, &b, &n};
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0);
}
)");
  fresh(false, R"(
void again(int n) {
  AB;
  void *args[] = {&a, &b, &n};
  args[1] = &a;
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0);
}
)");
}

} // namespace
