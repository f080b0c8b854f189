/// \file
/// Switching stacks: by Boost.Context, by eleven instructions on x86-64, else
/// by ucontext (portable, a system call a switch).

#ifndef MEP_CPU_FIBERS_H
#define MEP_CPU_FIBERS_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#if !defined(MEP_BOOST_CONTEXT) && !defined(__x86_64__)
#include <ucontext.h>
#endif

#ifndef MEP_STACK_BYTES
#define MEP_STACK_BYTES (128 * 1024)
#endif

#ifdef MEP_BOOST_CONTEXT
extern "C" {
struct mep_cpu_transfer {
  void *Context, *Data;
};
mep_cpu_transfer jump_fcontext(void *To, void *Data);
void *make_fcontext(void *StackTop, size_t Bytes,
                    void (*Entry)(mep_cpu_transfer));
}
#endif

namespace mep_cpu {

#if defined(MEP_BOOST_CONTEXT)

/// A stopped flow of control; switchTo leaves it and enters another.
struct Context {
  void *Point = nullptr;
};

static thread_local Context *Leaving;
static thread_local void (*Starting)();

static void boostEntry(mep_cpu_transfer From) {
  Leaving->Point = From.Context;
  Starting();
}

static inline void prepare(Context &New, char *Stack, size_t Bytes,
                           void (*Entry)()) {
  Starting = Entry;
  New.Point = make_fcontext(Stack + Bytes, Bytes, boostEntry);
}

static inline void switchTo(Context &From, Context &To) {
  Leaving = &From;
  void *Point = To.Point;
  mep_cpu_transfer Back = jump_fcontext(Point, nullptr);
  Leaving->Point = Back.Context;
}

#elif defined(__x86_64__)

struct Context {
  void *Point = nullptr;
};

/// Saves the registers a call must keep (System V ABI) and the stack pointer,
/// then takes up those of the other side.
__attribute__((naked, noinline)) static void
swapStacks(void ** /*Save: rdi*/, void * /*Enter: rsi*/) {
  __asm__ volatile("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\t"
                   "pushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
                   "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
                   "popq %r15\n\tpopq %r14\n\tpopq %r13\n\t"
                   "popq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
}

static inline void prepare(Context &New, char *Stack, size_t Bytes,
                           void (*Entry)()) {
  // Six registers, the entry as return address, and a null return address
  // that leaves the stack aligned as after a call.
  void **Top = reinterpret_cast<void **>(Stack + Bytes) - 8;
  std::memset(Top, 0, 8 * sizeof(void *));
  Top[6] = reinterpret_cast<void *>(Entry);
  New.Point = Top;
}

static inline void switchTo(Context &From, Context &To) {
  swapStacks(&From.Point, To.Point);
}

#else

struct Context {
  ucontext_t Point;
};

static inline void prepare(Context &New, char *Stack, size_t Bytes,
                           void (*Entry)()) {
  getcontext(&New.Point);
  New.Point.uc_stack.ss_sp = Stack;
  New.Point.uc_stack.ss_size = Bytes;
  New.Point.uc_link = nullptr;
  makecontext(&New.Point, Entry, 0);
}

static inline void switchTo(Context &From, Context &To) {
  swapcontext(&From.Point, &To.Point);
}

#endif

/// The stacks of one OS thread's fibers, kept from launch to launch. Below each
/// lies a page without access, so that an overflow faults instead of writing
/// into the neighbour; many threads share the limit on mappings, so only the
/// first fibers have one.
class Stacks {
public:
  Stacks() = default;
  Stacks(const Stacks &) = delete;
  ~Stacks() { release(); }

  char *get(unsigned Fiber) { return Memory + Fiber * Stride + GuardBytes; }
  static constexpr size_t bytes() { return MEP_STACK_BYTES; }

  void reserve(unsigned Fibers) {
    if (Fibers <= Held)
      return;
    release();
    void *Got = mmap(nullptr, Fibers * Stride, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Got == MAP_FAILED) {
      std::fputs("mep_cpu: no memory for the stacks of a block\n", stderr);
      std::abort();
    }
    Memory = static_cast<char *>(Got);
    Held = Fibers;
    for (unsigned Fiber = 0; Fiber < Fibers && Fiber < GuardedFibers; ++Fiber)
      if (mprotect(Memory + Fiber * Stride, GuardBytes, PROT_NONE) != 0)
        break;
  }

private:
  void release() {
    if (Memory)
      munmap(Memory, Held * Stride);
    Memory = nullptr;
    Held = 0;
  }
  static constexpr size_t GuardBytes = 4096;
  static constexpr size_t Stride = MEP_STACK_BYTES + GuardBytes;
  static constexpr unsigned GuardedFibers = 128;
  char *Memory = nullptr;
  unsigned Held = 0;
};

} // namespace mep_cpu

#endif // MEP_CPU_FIBERS_H
