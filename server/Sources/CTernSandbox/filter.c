#define _GNU_SOURCE
#ifdef __linux__

#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOW(number) (offsetof(struct seccomp_data, args) + 8 * (number))
#define HIGH(number) (LOW(number) + 4)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
// As if the kernel didn't know the call: the C library then tries others, such as `open` after `openat2`.
#define DENY RETURN(SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define ALLOW_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), ALLOW

// Opening for reading only.
#define ALLOW_OPEN(number, flags)                                                                                       \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(LOW(flags)),                                                  \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0, 1),                     \
      RETURN(SECCOMP_RET_ERRNO | EACCES), ALLOW

#ifdef OWN_ARCHITECTURE

int tern_filter_install(const char *program) {
  uint64_t address = (uint64_t)(uintptr_t)program;
  struct sock_filter instructions[] = {
      LOAD(offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
      RETURN(SECCOMP_RET_KILL_PROCESS),
      LOAD(offsetof(struct seccomp_data, nr)),

      // Reading, writing to what is open, memory.
      ALLOW_CALL(SYS_read),
      ALLOW_CALL(SYS_write),
      ALLOW_CALL(SYS_readv),
      ALLOW_CALL(SYS_writev),
      ALLOW_CALL(SYS_pread64),
      ALLOW_CALL(SYS_lseek),
      ALLOW_CALL(SYS_close),
      ALLOW_CALL(SYS_mmap),
      ALLOW_CALL(SYS_munmap),
      ALLOW_CALL(SYS_mprotect),
      ALLOW_CALL(SYS_mremap),
      ALLOW_CALL(SYS_madvise),
      ALLOW_CALL(SYS_brk),
      // Looking for files.
      ALLOW_CALL(SYS_fstat),
      ALLOW_CALL(SYS_newfstatat),
      ALLOW_CALL(SYS_statx),
      ALLOW_CALL(SYS_fstatfs),
      ALLOW_CALL(SYS_faccessat),
      ALLOW_CALL(SYS_readlinkat),
      ALLOW_CALL(SYS_getdents64),
      ALLOW_CALL(SYS_getcwd),
      ALLOW_CALL(SYS_fadvise64),
#ifdef SYS_open
      ALLOW_CALL(SYS_stat),
      ALLOW_CALL(SYS_lstat),
      ALLOW_CALL(SYS_access),
      ALLOW_CALL(SYS_readlink),
      ALLOW_CALL(SYS_arch_prctl),
#endif
      // The start and the end of a process.
      ALLOW_CALL(SYS_rt_sigaction),
      ALLOW_CALL(SYS_rt_sigprocmask),
      ALLOW_CALL(SYS_rt_sigreturn),
      ALLOW_CALL(SYS_sigaltstack),
      ALLOW_CALL(SYS_futex),
      ALLOW_CALL(SYS_set_tid_address),
      ALLOW_CALL(SYS_set_robust_list),
      ALLOW_CALL(SYS_rseq),
      ALLOW_CALL(SYS_getrandom),
      ALLOW_CALL(SYS_getpid),
      ALLOW_CALL(SYS_gettid),
      ALLOW_CALL(SYS_uname),
      ALLOW_CALL(SYS_sysinfo),
      ALLOW_CALL(SYS_sched_getaffinity),
      ALLOW_CALL(SYS_sched_yield),
      ALLOW_CALL(SYS_clock_gettime),
      ALLOW_CALL(SYS_exit),
      ALLOW_CALL(SYS_exit_group),
      // Reading the limits, of this process.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 5),
      LOAD(LOW(2)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
      LOAD(HIGH(2)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      DENY,
      LOAD(offsetof(struct seccomp_data, nr)),
      ALLOW_CALL(SYS_prlimit64),
#ifdef SYS_open
      ALLOW_OPEN(SYS_open, 1),
#endif
      ALLOW_OPEN(SYS_openat, 2),
      // Allow `execve` with this pointer only. A program started so keeps this filter and the Landlock rules, so reusing the
      // address gains nothing.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 6),
      LOAD(LOW(0)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)address, 0, 3),
      LOAD(HIGH(0)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(address >> 32), 0, 1),
      ALLOW,
      DENY,
      DENY,
  };
  struct sock_fprog filter = {sizeof instructions / sizeof instructions[0], instructions};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0 ? 0 : errno;
}

#else

int tern_filter_install(const char *program) {
  (void)program;
  return ENOTSUP;
}

#endif
#endif
