/// \file
/// The filters of system calls, and the tables that they are made of. A process
/// that runs candidates has a list of what it may do; compilers and drivers,
/// which are programs of others and change, one of what they may not.

#include "SystemCalls.h"
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace mepworker;

#if defined(__x86_64__)
#define MEP_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MEP_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#ifndef MEP_AUDIT_ARCH

bool mepworker::filterSystemCalls(Duty) { return false; }

#else

// Newer than some kernel headers; the same numbers on all processors.
#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup 425
#endif
#ifndef __NR_open_tree
#define __NR_open_tree 428
#define __NR_move_mount 429
#define __NR_fsopen 430
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef __NR_pidfd_getfd
#define __NR_pidfd_getfd 438
#endif
#ifndef __NR_faccessat2
#define __NR_faccessat2 439
#endif
#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#endif

namespace {

// ---- tables -----------------------------------------------------------------

/// What computing, the C library's threads and memory, and opening a library
/// need. Files are Landlock's matter.
constexpr unsigned Needed[] = {__NR_read,
                               __NR_write,
                               __NR_readv,
                               __NR_writev,
                               __NR_pread64,
                               __NR_pwrite64,
                               __NR_close,
                               __NR_close_range,
                               __NR_fstat,
                               __NR_newfstatat,
                               __NR_statx,
                               __NR_lseek,
                               __NR_openat,
                               __NR_readlinkat,
                               __NR_faccessat,
                               __NR_faccessat2,
                               __NR_getcwd,
                               __NR_ppoll,
                               __NR_pselect6,
#ifdef __NR_open
                               __NR_open,
                               __NR_stat,
                               __NR_lstat,
                               __NR_readlink,
                               __NR_access,
                               __NR_poll,
                               __NR_select,
                               __NR_time,
#endif
                               __NR_mprotect,
                               __NR_munmap,
                               __NR_mremap,
                               __NR_madvise,
                               __NR_brk,
                               __NR_membarrier,
                               __NR_futex,
                               __NR_set_robust_list,
                               __NR_get_robust_list,
#ifdef __NR_rseq
                               __NR_rseq,
#endif
                               __NR_rt_sigaction,
                               __NR_rt_sigprocmask,
                               __NR_rt_sigreturn,
                               __NR_rt_sigpending,
                               __NR_sigaltstack,
                               __NR_restart_syscall,
                               __NR_exit,
                               __NR_exit_group,
                               __NR_getpid,
                               __NR_gettid,
                               __NR_getppid,
                               __NR_getuid,
                               __NR_geteuid,
                               __NR_getgid,
                               __NR_getegid,
                               __NR_sched_yield,
                               __NR_sched_getaffinity,
                               __NR_sched_setaffinity,
                               __NR_sched_getparam,
                               __NR_sched_getscheduler,
                               __NR_sched_get_priority_max,
                               __NR_sched_get_priority_min,
                               __NR_getcpu,
                               __NR_clock_gettime,
                               __NR_clock_getres,
                               __NR_clock_nanosleep,
                               __NR_nanosleep,
                               __NR_gettimeofday,
                               __NR_times,
                               __NR_getrusage,
                               __NR_getrlimit,
                               __NR_sysinfo,
                               __NR_uname,
                               __NR_getrandom,
                               __NR_setitimer};

/// To reach beyond this process: nothing that runs here does so by chance.
/// Where a list of needed calls holds, these end the process by SIGSYS, all
/// others fail.
constexpr unsigned Reaching[] = {__NR_execve,
                                 __NR_execveat,
#ifdef __NR_fork
                                 __NR_fork,
                                 __NR_vfork,
#endif
                                 __NR_socket,
                                 __NR_socketpair,
                                 __NR_connect,
                                 __NR_bind,
                                 __NR_listen,
                                 __NR_accept,
                                 __NR_accept4,
                                 __NR_ptrace,
                                 __NR_process_vm_readv,
                                 __NR_process_vm_writev,
                                 __NR_pidfd_open,
                                 __NR_pidfd_getfd,
                                 __NR_pidfd_send_signal,
                                 __NR_kill,
                                 __NR_tkill,
                                 __NR_tgkill,
                                 __NR_rt_sigqueueinfo,
                                 __NR_rt_tgsigqueueinfo,
                                 __NR_io_uring_setup,
                                 __NR_setsid,
                                 __NR_setpgid};

/// Of no use to a compiler or a driver; each has been part of a way out.
constexpr unsigned Unneeded[] = {__NR_ptrace,
                                 __NR_process_vm_readv,
                                 __NR_process_vm_writev,
                                 __NR_pidfd_getfd,
                                 __NR_io_uring_setup,
                                 __NR_bpf,
                                 __NR_perf_event_open,
                                 __NR_userfaultfd,
                                 __NR_keyctl,
                                 __NR_add_key,
                                 __NR_request_key,
                                 __NR_unshare,
                                 __NR_setns,
                                 __NR_mount,
                                 __NR_umount2,
                                 __NR_pivot_root,
                                 __NR_chroot,
                                 __NR_open_tree,
                                 __NR_move_mount,
                                 __NR_fsopen,
                                 __NR_name_to_handle_at,
                                 __NR_open_by_handle_at,
                                 __NR_init_module,
                                 __NR_finit_module,
                                 __NR_delete_module,
                                 __NR_kexec_load,
                                 __NR_reboot,
                                 __NR_swapon,
                                 __NR_swapoff,
                                 __NR_sethostname,
                                 __NR_setdomainname,
                                 __NR_clock_settime,
                                 __NR_settimeofday,
                                 __NR_adjtimex,
                                 __NR_syslog,
                                 __NR_acct,
                                 __NR_quotactl,
                                 __NR_personality};

/// A library that compiles starts no program.
constexpr unsigned Starting[] = {
    __NR_execve,
    __NR_execveat,
#ifdef __NR_fork
    __NR_fork,
    __NR_vfork,
#endif
};

// ---- the program ------------------------------------------------------------

constexpr uint32_t Allow = SECCOMP_RET_ALLOW, Trap = SECCOMP_RET_TRAP,
                   Refuse = SECCOMP_RET_ERRNO | EPERM,
                   Unknown = SECCOMP_RET_ERRNO | ENOSYS;

/// Rules in order; the first that fits a call is its answer.
class Filter {
public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, MEP_AUDIT_ARCH, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // The calls of another data model, under numbers of their own.
    constexpr uint32_t OfX32 = 0x40000000;
    jump(BPF_JGE, OfX32, 0, 1);
    give(Unknown);
#endif
  }

  void rule(unsigned Call, uint32_t Answer) {
    jump(BPF_JEQ, Call, 0, 1);
    give(Answer);
  }
  template <size_t N> void rules(const unsigned (&Calls)[N], uint32_t Answer) {
    for (unsigned Call : Calls)
      rule(Call, Answer);
  }
  /// By the low half of argument \p Number: any bit of \p Mask set, or not.
  void bits(unsigned Call, unsigned Number, uint32_t Mask, uint32_t Set,
            uint32_t Clear) {
    compare(Call, Number, BPF_JSET, Mask, Set, Clear);
  }
  void equal(unsigned Call, unsigned Number, uint32_t Value, uint32_t Same,
             uint32_t Other) {
    compare(Call, Number, BPF_JEQ, Value, Same, Other);
  }
  /// Only asked about, not changed: its argument \p Number is null.
  void null(unsigned Call, unsigned Number) {
    jump(BPF_JEQ, Call, 0, 7);
    for (unsigned Half : {0u, 4u}) {
      load(argument(Number) + Half);
      jump(BPF_JEQ, 0, 1, 0);
      give(Refuse);
    }
    give(Allow);
  }
  void give(uint32_t Answer) { add(BPF_RET | BPF_K, Answer, 0, 0); }

  bool install() {
    sock_fprog Program{static_cast<unsigned short>(Code.size()), Code.data()};
    // Older kernels slow the memory of whoever has a filter down (a defence of
    // secrets in this process), and with it what is timed here.
    constexpr unsigned long FullSpeed = 1 << 2;
    return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
                   SECCOMP_FILTER_FLAG_TSYNC | FullSpeed, &Program) == 0;
  }

private:
  static unsigned argument(unsigned Number) {
    return unsigned(offsetof(seccomp_data, args) + Number * sizeof(uint64_t));
  }
  void add(unsigned Operation, uint32_t Value, uint8_t IfTrue,
           uint8_t IfFalse) {
    Code.push_back({static_cast<uint16_t>(Operation), IfTrue, IfFalse, Value});
  }
  void load(size_t Offset) {
    add(BPF_LD | BPF_W | BPF_ABS, uint32_t(Offset), 0, 0);
  }
  void jump(unsigned Test, uint32_t Value, uint8_t IfTrue, uint8_t IfFalse) {
    add(BPF_JMP | BPF_K | Test, Value, IfTrue, IfFalse);
  }
  void compare(unsigned Call, unsigned Number, unsigned Test, uint32_t Value,
               uint32_t IfTrue, uint32_t IfFalse) {
    jump(BPF_JEQ, Call, 0, 4);
    load(argument(Number));
    jump(Test, Value, 0, 1);
    give(IfTrue);
    give(IfFalse);
  }

  std::vector<sock_filter> Code;
};

/// Threads, not processes. The C library takes clone when it has no clone3,
/// whose arguments a filter cannot see.
void onlyThreads(Filter &Rules, uint32_t Otherwise) {
  Rules.rule(__NR_clone3, Unknown);
  Rules.bits(__NR_clone, 0, CLONE_THREAD, Allow, Otherwise);
}

void runningCandidates(Filter &Rules, bool MayFork) {
  const auto Self = uint32_t(getpid());
  if (MayFork) {
    for (unsigned Call :
         {unsigned(__NR_clone), unsigned(__NR_kill), unsigned(__NR_wait4),
          unsigned(__NR_prctl), unsigned(__NR_mmap), unsigned(__NR_seccomp)})
      Rules.rule(Call, Allow);
    Rules.rule(__NR_clone3, Unknown);
    // Limits can only be lowered once a hard one is set.
    Rules.rule(__NR_prlimit64, Allow);
    // A process of its own has another number.
    Rules.rule(__NR_tgkill, Allow);
  } else {
    onlyThreads(Rules, Trap);
    // Shared memory is in no limit.
    Rules.bits(__NR_mmap, 3, MAP_SHARED, Refuse, Allow);
    Rules.null(__NR_prlimit64, 2);
    for (unsigned Call : {unsigned(__NR_kill), unsigned(__NR_tgkill)})
      Rules.equal(Call, 0, Self, Allow, Trap);
  }
  Rules.rules(Needed, Allow);
  Rules.rules(Reaching, Trap);
  Rules.give(Refuse);
}

void runningOthers(Filter &Rules, Duty For) {
  // The local sockets of daemons are the driver's business.
  Rules.equal(__NR_socket, 0, AF_UNIX, For == Duty::Gpu ? Allow : Refuse,
              Refuse);
  if (For != Duty::Compiler) {
    Rules.rules(Starting, Refuse);
    onlyThreads(Rules, Refuse);
  } else {
    Rules.rule(__NR_clone3, Unknown);
  }
  Rules.rules(Unneeded, Refuse);
  Rules.give(Allow);
}

} // namespace

bool mepworker::filterSystemCalls(Duty For) {
  Filter Rules;
  if (For == Duty::Kernels || For == Duty::Prober)
    runningCandidates(Rules, For == Duty::Prober);
  else
    runningOthers(Rules, For);
  return Rules.install();
}

#endif // MEP_AUDIT_ARCH
