/// \file
/// Which launches pass pointers that are apart whatever runs before them, and
/// which may not: a winner that was proven on separate buffers is right for the
/// first ones only.

#include "OverlapCases.h"

using namespace mep;
using llvm::StringRef;

namespace {

class ArgumentOverlapTest : public OverlapCases {};

TEST_F(ArgumentOverlapTest, MemoryOfItsOwnIsApart) {
  all(true, R"(
void variables(int n) {
  float *a, *b = nullptr;
  cudaMalloc(&a, n * 4);
  cudaMalloc((void **)&b, n * 4);
  k<<<1, 1>>>(a, b, n);
  k<<<1, 1>>>(b + n, a, n);
  k<<<1, 1>>>(&a[4], b + 2 * n, n);
  cudaFree(a);
  cudaFree(b);
}
float *make(int n) { float *p = nullptr; cudaMalloc(&p, n * 4); return p; }
void put(float **p, int n) { cudaMalloc(p, n * 4); }
void refer(float *&p, int n) { cudaMalloc(&p, n * 4); }
template <typename T> T *typed(int n) { T *p; cudaMalloc(&p, n * sizeof(T)); return p; }
void helpers(int n) {
  float *a = make(n), *b = make(n), *c, *d, *e, *f, *g = typed<float>(n);
  put(&c, n); put(&d, n); refer(e, n); refer(f, n);
  k<<<1, 1>>>(a, b, n);
  k<<<1, 1>>>(c, d, n);
  k<<<1, 1>>>(e, f, n);
  k<<<1, 1>>>(g, a, n);
}
float *first;
static float *second;
void globals(int n) {
  cudaMalloc(&first, n);
  cudaMalloc(&second, n);
  k<<<1, 1>>>(first, second, n);
}
struct Fields { float *in, *out; float *more[2]; };
void structure(int n) {
  Fields s;
  cudaMalloc(&s.in, n);
  cudaMalloc(&s.out, n);
  for (int i = 0; i < 2; ++i) cudaMalloc(&s.more[i], n);
  Fields t = s;
  k<<<1, 1>>>(s.in, s.out, n);
  k<<<1, 1>>>(t.out, s.in, n);
  k<<<1, 1>>>(s.more[0], s.more[1], n);
  k<<<1, 1>>>(s.more[0], s.in, n);
}
class Grid {
  float *a, *b;
public:
  Grid(int n) { cudaMalloc(&a, n); cudaMalloc(&b, n); }
  float *data() const { return a; }
  void run(int n) { k<<<1, 1>>>(a, b, n); }
};
void objects(int n) {
  Grid g(n), h(n);
  g.run(n);
  k<<<1, 1>>>(g.data(), h.data(), n);
}
__device__ float table[16], other[16];
void symbols(int n) {
  float *p, *q;
  cudaGetSymbolAddress((void **)&p, table);
  cudaGetSymbolAddress((void **)&q, other);
  k<<<1, 1>>>(p, q, n);
}
void containers(int n) {
  std::vector<float> a(n), b(n);
  k<<<1, 1>>>(a.data(), b.data(), n);
  k<<<1, 1>>>(&a[0], b.data() + n, n);
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(a.data(), b.data(), n); a.swap(b); }
  std::vector<float *> list(2);
  for (int i = 0; i < 2; ++i) cudaMalloc(&list[i], n);
  k<<<1, 1>>>(list[0], list[1], n);
}
struct Settings { float *in, *out; int size = 20; };
void withNumbers(int n) {
  Settings s{nullptr, nullptr, 4};
  cudaMalloc(&s.in, n); cudaMalloc(&s.out, n);
  std::vector<Settings> all;
  all.push_back(s);
  k<<<1, 1>>>(s.in, s.out, n);
}
void lists(int n) {
  float *list[2], **heap = (float **)malloc(2 * sizeof(float *));
  for (int i = 0; i < 2; ++i) { cudaMalloc(&list[i], n); cudaMalloc(&heap[i], n); }
  k<<<1, 1>>>(list[0], list[1], n);
  k<<<1, 1>>>(heap[0], heap[1], n);
}
)");
}

TEST_F(ArgumentOverlapTest, EveryValueThatAPointerMayHaveCounts) {
  all(false, R"(
void setInALoop(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  float *dst = b;
  for (int t = 0; t < 3; ++t) { k<<<1, 1>>>(dst, a, n); dst = a; }
}
void chosen(int n, int t) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  k<<<1, 1>>>(t == 1 ? b : a, a, n);
}
void branch(int n, bool inPlace) {
  float *a, *b, *dst;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  dst = b;
  if (inPlace) dst = a;
  k<<<1, 1>>>(dst, a, n);
}
void reference(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  float *&r = b;
  k<<<1, 1>>>(b, a, n);
  r = a;
}
void pointer(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  float **p = &b;
  for (int i = 0; i < 2; ++i) { k<<<1, 1>>>(b, a, n); *p = a; }
}
void set(float **to, float *from) { *to = from; }
void throughACall(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  set(&b, a);
  k<<<1, 1>>>(b, a, n);
}
struct Fields { float *in, *out; };
void member(int n) {
  Fields s;
  cudaMalloc(&s.in, n); cudaMalloc(&s.out, n);
  k<<<1, 1>>>(s.out, s.in, n);
  s.out = s.in;
}
void wholeStructure(int n) {
  float *a;
  cudaMalloc(&a, n);
  Fields s = {a, a};
  k<<<1, 1>>>(s.out, s.in, n);
}
void copyOfIt(int n) {
  Fields s, t;
  cudaMalloc(&s.in, n); cudaMalloc(&s.out, n);
  t = s;
  k<<<1, 1>>>(t.in, s.in, n);
}
void parts(int n) {
  float *all;
  cudaMalloc(&all, 2 * n);
  float *a = all, *b = all + n;
  k<<<1, 1>>>(a, b, n);
}
void list(int n, int t) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  float *buf[2] = {a, b};
  k<<<1, 1>>>(buf[t & 1], buf[(t / 2) & 1], n);
}
void containersOfOne(int n) {
  float *a;
  cudaMalloc(&a, n);
  std::vector<float *> list(1), other(1);
  list[0] = a;
  other[0] = a;
  k<<<1, 1>>>(list[0], other[0], n);
}
void pointerThatStayed(int n) {
  std::vector<float> a(n), b(n);
  float *p = a.data();
  a.swap(b);
  k<<<1, 1>>>(p, b.data(), n);
}
void lambda(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  auto change = [&] { b = a; };
  k<<<1, 1>>>(b, a, n);
  change();
}
)");
}

TEST_F(ArgumentOverlapTest, WhatIsNotSeenMayBeAnything) {
  all(false, R"(
void fill(float **p);
void refer(float *&p);
float *give();
struct Fields { float *in, *out; };
void init(Fields *s);
void handedOn(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  fill(&b);
  k<<<1, 1>>>(a, b, n);
}
void byReference(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  refer(b);
  k<<<1, 1>>>(a, b, n);
}
void returned(int n) {
  float *a, *b = give();
  cudaMalloc(&a, n);
  k<<<1, 1>>>(a, b, n);
}
extern float *shared;
float *shared;
void global(int n) {
  float *a;
  cudaMalloc(&a, n); cudaMalloc(&shared, n);
  k<<<1, 1>>>(a, shared, n);
}
void structure(int n) {
  Fields s;
  init(&s);
  k<<<1, 1>>>(s.in, s.out, n);
}
class Solver {
  float *a, *b;
public:
  void setUp();
  void run(int n) { cudaMalloc(&a, n); cudaMalloc(&b, n); k<<<1, 1>>>(a, b, n); }
};
void number(int n, unsigned long at) {
  float *a;
  cudaMalloc(&a, n);
  k<<<1, 1>>>(a, (float *)at, n);
}
)");
  auto Said = judge("void fill(float **p);\n"
                    "void f(int n) {\n"
                    "  float *a, *b;\n"
                    "  cudaMalloc(&a, n); cudaMalloc(&b, n);\n"
                    "  fill(&b);\n"
                    "  k<<<1, 1>>>(a, b, n);\n"
                    "}\n");
  EXPECT_TRUE(StringRef(Said["f"]).contains(
      "where 'b' points is not known: '&b' is handed to 'fill', which is not "
      "seen, at "))
      << Said["f"];
}

TEST_F(ArgumentOverlapTest, PointersThatOnlyChangePlacesStayApart) {
  all(true, R"(
void exchanged(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(a, b, n); std::swap(a, b); }
}
void byHand(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(a, b, n);
    float *t = a;
    a = b;
    b = t;
  }
}
void byAFunction(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(a, b, n); swapped(a, b); }
}
void three(int n) {
  float *a, *b, *c, *t;
  cudaMalloc(&a, n); cudaMalloc(&b, n); cudaMalloc(&c, n);
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(a, b, n);
    k<<<1, 1>>>(b, c, n);
    t = a; a = b; b = c; c = t;
  }
}
void copies(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int again = 0; again < 2; ++again) {
    float *src = a, *dst = b;
    for (int i = 0; i < n; ++i) { k<<<1, 1>>>(dst, src, n); std::swap(src, dst); }
  }
}
void assigned(int n) {
  float *a, *b, *src, *dst;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) {
    if (i % 2 == 0) { src = a; dst = b; } else { src = b; dst = a; }
    k<<<1, 1>>>(dst, src, n);
  }
}
void chosen(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) k<<<1, 1>>>(i & 1 ? a : b, i & 1 ? b : a, n);
}
void indexed(int n) {
  float *buf[2];
  cudaMalloc(&buf[0], n); cudaMalloc(&buf[1], n);
  int now = 0;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[now], buf[1 - now], n);
    k<<<1, 1>>>(buf[i % 2], buf[(i + 1) % 2], n);
    now = 1 - now;
    int mine = i % 2, other = 1 - mine;
    k<<<1, 1>>>(buf[mine], buf[other], n);
  }
}
void inStep(float *buf[2], int n) {
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    src = 1 - src;
    dst = 1 - dst;
  }
  int from = 0, to = 1;
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(buf[from], buf[to], n); std::swap(from, to); }
}
void callsInStep(int n) {
  float *buf[2];
  cudaMalloc(&buf[0], n); cudaMalloc(&buf[1], n);
  inStep(buf, n);
}
void parameters(float *in, float *out, int n) {
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(in, out, n); std::swap(in, out); }
}
void callsIt(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  parameters(a, b, n);
  parameters(b, a, n);
}
class Grid {
  float *now, *next;
public:
  Grid(int n) { cudaMalloc(&now, n); cudaMalloc(&next, n); }
  void turn() { std::swap(now, next); }
  void run(int n) { for (int i = 0; i < n; ++i) { k<<<1, 1>>>(now, next, n); turn(); } }
};
void object(int n) { Grid g(n); g.run(n); }
)");
}

TEST_F(ArgumentOverlapTest, AnExchangeIsNoProofWhereTheyAreSetOtherwise) {
  all(false, R"(
void setAgain(int n) {
  float *a, *b, *c;
  cudaMalloc(&a, n); cudaMalloc(&b, n); cudaMalloc(&c, n);
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(a, b, n); a = c; std::swap(a, b); }
}
void oneOfThemAgain(int n) {
  float *a, *b, *dst;
  cudaMalloc(&a, n); cudaMalloc(&b, n); cudaMalloc(&dst, n);
  for (int i = 0; i < 2; ++i) {
    float *src = a;
    k<<<1, 1>>>(src, dst, n);
    std::swap(src, dst);
  }
}
void keptTwice(int n) {
  float *t, *a;
  cudaMalloc(&t, n);
  a = t;
  k<<<1, 1>>>(a, t, n);
}
void notARotation(int n) {
  float *a, *b, *t;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(a, b, n); t = a; a = b; }
  b = t;
}
void apartOnlyByParts(int n) {
  float *a, *b, *src, *dst;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) {
    src = i & 1 ? a : b;
    k<<<1, 1>>>(dst, src, n);
    dst = i & 1 ? b : a;
  }
}
void otherCondition(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) k<<<1, 1>>>(i & 1 ? a : b, i & 2 ? b : a, n);
}
void sameIndex(int n, int i, int j) {
  float *buf[2];
  cudaMalloc(&buf[0], n); cudaMalloc(&buf[1], n);
  k<<<1, 1>>>(buf[i], buf[2 - j], n);
}
void outOfStep(int n) {
  float *buf[2];
  cudaMalloc(&buf[0], n); cudaMalloc(&buf[1], n);
  int src = 0, dst = 1;
  for (int i = 0; i < n; ++i) {
    k<<<1, 1>>>(buf[src], buf[dst], n);
    src = 1 - src;
  }
  for (int i = 0, j = 1; i < n; ++i) k<<<1, 1>>>(buf[i % 2], buf[j], n);
}
void changedBetween(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  float *src = a;
  std::swap(a, b);
  float *dst = b;
  k<<<1, 1>>>(src, dst, n);
}
static float *last;
void keeps(float *p, int n) {
  k<<<1, 1>>>(last, p, n);
  last = p;
}
void callsKeeps(int n) {
  float *a;
  cudaMalloc(&a, n);
  keeps(a, n);
  keeps(a, n);
}
void otherValueOfACall(float *p, float *q, int n) {
  last = p;
  k<<<1, 1>>>(last, q, n);
}
void callsThatOther(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  otherValueOfACall(a, b, n);
  otherValueOfACall(b, a, n);
}
union Either { float *one; unsigned long number; };
void inAUnion(int n) {
  float *a;
  Either e;
  cudaMalloc(&a, n); cudaMalloc(&e.one, n);
  e.number = (unsigned long)a;
  k<<<1, 1>>>(e.one, a, n);
}
void sameElements(int n, int i) {
  float *a, *buf[2];
  cudaMalloc(&a, n);
  buf[0] = a; buf[1] = a;
  k<<<1, 1>>>(buf[i], buf[1 - i], n);
}
void parameters(float *in, float *out, int n) {
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(in, out, n); std::swap(in, out); }
}
void callsIt(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  parameters(a, b, n);
  parameters(a, a, n);
}
static float *kept;
void withAGlobal(float *in, int n) {
  k<<<1, 1>>>(in, kept, n);
  std::swap(in, kept);
}
void callsThat(int n) {
  float *a;
  cudaMalloc(&a, n); cudaMalloc(&kept, n);
  withAGlobal(a, n);
  withAGlobal(a, n);
}
)");
}

TEST_F(ArgumentOverlapTest, CodeWithErrorsMaySetAnything) {
  MayHaveErrors = true;
  all(false, R"(
void f(int n) {
  float *a, *b;
  cudaMalloc(&a, n); cudaMalloc(&b, n);
  k<<<1, 1>>>(a, b, n);
  unheardOf(b, a);
}
)");
}

TEST_F(ArgumentOverlapTest, EachWayThroughTheCallersCounts) {
  auto Said = judge(R"(
void inner(float *p, float *q, int n) { k<<<1, 1>>>(p, q, n); }
void outer(float *p, float *q, int n) { inner(p, q, n); }
void turned(float *p, float *q, int n) { k<<<1, 1>>>(p, q, n); }
int main() {
  float *a, *b;
  cudaMalloc(&a, 4); cudaMalloc(&b, 4);
  outer(a, b, 1);
  outer(b, b, 1);
  turned(a, b, 1);
  turned(b, a, 1);
}
)");
  EXPECT_TRUE(StringRef(Said["inner"]).contains("'b' is passed for both") ||
              StringRef(Said["inner"]).contains("is passed for both"))
      << Said["inner"];
  EXPECT_EQ(Said["turned"], "");
  EXPECT_TRUE(Assumed.empty());
}

TEST_F(ArgumentOverlapTest, CallersThatAreNotSeenAreAnAssumption) {
  EXPECT_EQ(
      judge("void f(float *p, float *q) { k<<<1, 1>>>(p, q, 1); }\n")["f"], "");
  ASSERT_EQ(Assumed.size(), 1u);
  EXPECT_EQ(*Assumed.begin(), "'p' and 'q' are taken to be separate memory: "
                              "what is passed for them is not seen");
}

TEST_F(ArgumentOverlapTest, OneBufferHasToStayOne) {
  Data = measuredOn("y", "y");
  auto Said = judge(R"(
void one(float *p) { k<<<1, 1>>>(p, p, 1); }
void two(float *p, float *q) { k<<<1, 1>>>(p, q, 1); }
void called(float *p, float *q) { k<<<1, 1>>>(p, q, 1); }
void calls(float *p) { called(p, p); }
void moved(float *p, float *q) { k<<<1, 1>>>(p, q, 1); }
void moves(float *p) { moved(p, p + 1); }
)");
  EXPECT_EQ(Said["one"], "");
  EXPECT_NE(Said["two"], "");
  EXPECT_EQ(Said["called"], "");
  EXPECT_NE(Said["moved"], "");
}

TEST_F(ArgumentOverlapTest, WhatIsOnlyReadMayOverlap) {
  for (Buffer &B : Data.Buffers)
    B.Use = Role::In;
  all(true, "void f(float *p) { k<<<1, 1>>>(p, p, 1); }\n");
}

} // namespace
