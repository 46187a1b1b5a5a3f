#define _GNU_SOURCE
#include "internal.h"

#include "CTernCrash.h"

#include <errno.h>

#ifdef TERN_CRASH_SUPPORTED
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct {
  int number;
  const char *name;
} signals[] = {
  {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
  {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"},
};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)
#define STACK_BYTES (64u << 10)

static struct {
  int file;
  /// Tells the file from another one that the app has opened under its number since.
  dev_t device;
  ino_t inode;
  pid_t process;
  char path[1024];
  char identifier[64];
  struct sigaction previous[SIGNAL_COUNT];
  /// Nonzero for signals whose previous action has to be restored.
  int is_caught[SIGNAL_COUNT];
} state = {.file = -1};

static atomic_int is_active;
static atomic_int owner;
static atomic_int is_written;

static pid_t thread_number(void) { return (pid_t)syscall(SYS_gettid); }

// MARK: The handler

static const char *name_of(int signal) {
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    if (signals[index].number == signal) return signals[index].name;
  }
  return "";
}

static void restore(void) {
  tern_threads_resume();
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    if (state.is_caught[index]) sigaction(signals[index].number, &state.previous[index], NULL);
  }
}

/// Returns 0 if the app has closed the descriptors, as daemons do; others may have their numbers now.
static int has_descriptors(void) {
  struct stat status;
  return fstat(state.file, &status) == 0 && status.st_dev == state.device && status.st_ino == state.inode &&
    tern_memory_is_intact();
}

/// Makes a signal pending on this thread, with its own information, for when the handler returns.
static void send_again(int signal, siginfo_t *info) {
  // Until then it must wait; the return restores the thread's own mask.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, NULL);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread_number(), signal, info) != 0) {
    syscall(SYS_tgkill, getpid(), thread_number(), signal);
  }
}

/// Leaves the signal to the previous handlers, which then see the thread as it was; the default action ends the process
/// as it would have.
static void pass_on(int signal, siginfo_t *info) {
  restore();
  // An instruction that faulted does so again when the handler returns. Signals that were sent, and breakpoints, don't.
  if (info->si_code <= 0 || signal == SIGTRAP) send_again(signal, info);
}

/// Makes a thread the only one that writes a report or closes its file; returns 0, or the number of the one that does.
///
/// Waits up to 10 s for another one: if that crashed, it is about to end the process; else its report ends soon.
static pid_t claim(pid_t me) {
  struct timespec time = {0, 10000000};
  int other = 0;
  for (int round = 0; round < 1000; round++) {
    other = 0;
    if (atomic_compare_exchange_strong(&owner, &other, me) || other == me) break;
    nanosleep(&time, NULL);
  }
  return other;
}

static void handle(int signal, siginfo_t *info, void *context) {
  static int first_signal;
  static siginfo_t first_info;
  int error = errno;
  // A child between fork and exec has its parent's handlers, but not its report.
  if (!atomic_load(&is_active) || getpid() != state.process || !tern_report_has_context()) {
    pass_on(signal, info);
    errno = error;
    return;
  }
  pid_t me = thread_number();
  int other = claim(me);
  // The file stays open from here on. It may have been closed before: see `tern_crash_stop`.
  if (other == 0 && (!atomic_load(&is_active) || !has_descriptors())) {
    atomic_store(&owner, 0);
    pass_on(signal, info);
  } else if (other == 0) {
    first_signal = signal;
    first_info = *info;
    tern_report_write(state.file, state.identifier, name_of(signal), info, context);
    atomic_store(&is_written, 1);
    pass_on(signal, info);
  } else if (other == me && first_signal == 0) {
    // This thread was writing the report of a hang, or stopping.
    pass_on(signal, info);
  } else if (other == me) {
    // The handler or a previous one crashed: end with the first signal, without another attempt.
    if (!atomic_exchange(&is_written, 1)) {
      tern_output_flush();
      fsync(state.file);
    }
    restore();
    send_again(first_signal, &first_info);
  } else {
    pass_on(signal, info);
  }
  errno = error;
}

// MARK: Starting and stopping

/// Gives the calling thread a stack for signal handlers, unless it has one: after an overflow its own is unusable.
static void prepare_stack(void) {
  stack_t current;
  if (sigaltstack(NULL, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  mprotect(memory, page, PROT_NONE);
  stack_t stack = {.ss_sp = memory + page, .ss_size = STACK_BYTES};
  sigaltstack(&stack, NULL);
}

static int prepare_file(const char *path) {
  for (;;) {
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    if (file < 0) return -1;
    // Not inherited by children, unlike the locks of `flock`. Another process that reads the directory may hold it.
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(file, F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_nlink > 0) {
      // Space for most reports, so that a disk that is full by then does not matter.
      fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 64 << 10);
      return file;
    }
    // That process has removed it, because it was empty.
    close(file);
  }
}

static void install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  // With SA_NODEFER, a crash in the handler is handled, too.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigfillset(&action.sa_mask);
  for (size_t index = 0; index < SIGNAL_COUNT; index++) sigdelset(&action.sa_mask, signals[index].number);
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    struct sigaction *previous = &state.previous[index];
    // A signal that the app ignores is no crash. A handler of ours under a later one still is in the chain.
    if (state.is_caught[index] || sigaction(signals[index].number, NULL, previous) != 0) continue;
    if (!(previous->sa_flags & SA_SIGINFO) && previous->sa_handler == SIG_IGN) continue;
    state.is_caught[index] = sigaction(signals[index].number, &action, NULL) == 0;
  }
}

int tern_crash_start(const char *path, const char *identifier) {
  if (state.file >= 0) return EBUSY;
  if (strlen(path) >= sizeof state.path || strlen(identifier) >= sizeof state.identifier) return ENAMETOOLONG;
  if (tern_memory_prepare() != 0) return errno;
  int file = prepare_file(path);
  if (file < 0) {
    int error = errno;
    tern_memory_close();
    return error;
  }
  struct stat status;
  if (fstat(file, &status) == 0) {
    state.device = status.st_dev;
    state.inode = status.st_ino;
  }
  strcpy(state.path, path);
  strcpy(state.identifier, identifier);
  state.file = file;
  state.process = getpid();
  tern_report_prepare();
  prepare_stack();
  install();
  atomic_store(&is_active, 1);
  return 0;
}

void tern_crash_set_context(const void *text, size_t count) {
  if (atomic_load(&owner) == 0) tern_report_set_context(text, count);
}

void tern_crash_add_step(int64_t time, const void *text, size_t count) {
  if (atomic_load(&is_active) && tern_report_has_context() && count > 0) tern_steps_add(time, text, count);
}

void tern_crash_forget_steps(void) { tern_steps_forget(); }

int tern_crash_write_hang(int file, const char *identifier, int thread) {
  int other = 0;
  if (!atomic_load(&is_active) || getpid() != state.process || !tern_report_has_context()) return ENOTSUP;
  // The lines of a report would be mixed with those of a crash.
  if (!tern_memory_is_intact() || !atomic_compare_exchange_strong(&owner, &other, thread_number())) return EBUSY;
  int is_found = tern_report_write_hang(file, identifier, thread);
  atomic_store(&owner, 0);
  return is_found ? 0 : EBUSY;
}

int tern_crash_main_thread(void) { return thread_number() == getpid() ? getpid() : 0; }

void tern_crash_stop(void) {
  int other = 0;
  // As the owner, so that no report is being written when its file is closed; one that is goes on.
  if (state.file < 0 || !atomic_compare_exchange_strong(&owner, &other, thread_number())) return;
  atomic_store(&is_active, 0);
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    struct sigaction current;
    if (!state.is_caught[index] || sigaction(signals[index].number, NULL, &current) != 0) continue;
    // A handler that was installed since may call this one, which then passes the signal on.
    if (!(current.sa_flags & SA_SIGINFO) || current.sa_sigaction != handle) continue;
    sigaction(signals[index].number, &state.previous[index], NULL);
    state.is_caught[index] = 0;
  }
  // A child that was forked has its parent's.
  if (getpid() == state.process) unlink(state.path);
  close(state.file);
  state.file = -1;
  tern_memory_close();
  tern_report_set_context("", 0);
  atomic_store(&owner, 0);
}

void tern_crash_fail_in_handler(void) {
  tern_report_crash_next();
  *(volatile int *)16 = 1;
}
#else
int tern_crash_start(const char *path, const char *identifier) { return ENOTSUP; }
void tern_crash_set_context(const void *text, size_t count) {}
void tern_crash_add_step(int64_t time, const void *text, size_t count) {}
void tern_crash_forget_steps(void) {}
int tern_crash_write_hang(int file, const char *identifier, int thread) { return ENOTSUP; }
int tern_crash_main_thread(void) { return 0; }
void tern_crash_stop(void) {}
void tern_crash_fail_in_handler(void) {}
#endif
