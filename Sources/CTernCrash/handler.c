#define _GNU_SOURCE
#include "internal.h"

#include "CTernCrash.h"

#include <errno.h>

#ifdef TERN_CRASH_SUPPORTED
#include <dlfcn.h>
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
#define CONTEXT_BYTES 8192
#define STACK_BYTES (64u << 10)

static struct {
  int file;
  /// Tells the file from another one that the app has opened under its number since.
  dev_t device;
  ino_t inode;
  pid_t process;
  char path[1024];
  char identifier[64];
  int64_t started;
  struct sigaction previous[SIGNAL_COUNT];
  /// Nonzero for signals whose previous action has to be restored.
  int is_caught[SIGNAL_COUNT];
  /// The runtime's last message, and the C library's.
  const char *volatile *swift_message;
  const char *volatile *library_message;
} state = {.file = -1};

/// Two lines of context: one is current while the other is replaced.
static struct {
  char text[2][CONTEXT_BYTES];
  size_t count[2];
  atomic_int current;
} context_lines;

static atomic_int is_active;
static atomic_int owner;
static atomic_int is_written;
static atomic_int fails;

static int64_t milliseconds(clockid_t clock) {
  struct timespec time = {0, 0};
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static pid_t thread_number(void) { return (pid_t)syscall(SYS_gettid); }

// MARK: The report

static void write_number(const char *name, int64_t value) {
  output_text(name);
  output_decimal(value);
  output_text("\n");
}

static void write_message(const char *volatile *source, size_t skipped) {
  uintptr_t address;
  static char message[2049];
  if (!source || !memory_word((uintptr_t)source, &address) || address == 0) return;
  size_t count = memory_read(address + skipped, message, 512);
  // In steps, because the page after a short message may not be mapped.
  while (count > 0 && count < sizeof message - 1 && !memchr(message, 0, count)) {
    size_t room = sizeof message - 1 - count;
    size_t more = memory_read(address + skipped + count, message + count, room < 512 ? room : 512);
    if (more == 0) break;
    count += more;
  }
  message[count] = 0;
  size_t length = strlen(message);
  while (length > 0 && (message[length - 1] == '\n' || message[length - 1] == ' ')) length--;
  if (length == 0) return;
  output_text("message ");
  output_line(message, length);
  output_text("\n");
}

static void write_head(int signal, const siginfo_t *info, pid_t thread) {
  output_begin(state.file);
  output_text("tern-crash 1\nid ");
  output_text(state.identifier);
  write_number("\ntime ", milliseconds(CLOCK_REALTIME));
  write_number("uptime ", milliseconds(CLOCK_BOOTTIME) - state.started);
  write_number("process ", state.process);
  output_text("signal ");
  output_decimal(signal);
  output_text(" ");
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    if (signals[index].number == signal) output_text(signals[index].name);
  }
  output_text(" ");
  output_decimal(info->si_code);
  // Only signals of the processor have an address.
  output_address(info->si_code > 0 ? (uintptr_t)info->si_addr : 0);
  output_text("\ncontext ");
  int current = atomic_load(&context_lines.current);
  output_line(context_lines.text[current], context_lines.count[current]);
  output_text("\n");
  // Now, so that a defect below leaves at least this.
  output_flush();
  write_message(state.swift_message, 0);
  // The length comes before the text (`struct abort_msg_s`).
  write_message(state.library_message, sizeof(unsigned int));
  threads_write_header(thread);
}

static void write_report(int signal, const siginfo_t *info, const ucontext_t *context) {
  static uintptr_t frames[MAXIMUM_FRAMES];
  pid_t thread = thread_number();
  write_head(signal, info, thread);
  images_load();
  size_t count = stack_walk(stack_registers(context), frames, MAXIMUM_FRAMES);
  for (size_t frame = 0; frame < count; frame++) {
    output_text("frame");
    output_address(frames[frame]);
    output_text("\n");
  }
  stack_write_registers(context);
  output_flush();
  if (atomic_load(&fails)) *(volatile int *)8 = 1;
  images_write();
  output_flush();
  threads_write(state.process, thread);
  output_text("end\n");
  output_flush();
  fsync(state.file);
}

// MARK: The handler

static void restore(void) {
  for (size_t index = 0; index < SIGNAL_COUNT; index++) {
    if (state.is_caught[index]) sigaction(signals[index].number, &state.previous[index], NULL);
  }
}

/// Returns 0 if the app has closed the descriptors, as daemons do; others may have their numbers now.
static int has_descriptors(void) {
  struct stat status;
  return fstat(state.file, &status) == 0 && status.st_dev == state.device && status.st_ino == state.inode &&
    memory_is_intact();
}

/// Makes a signal pending on this thread, with its own information, for when the handler returns.
static void send_again(int signal, siginfo_t *info) {
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

static void handle(int signal, siginfo_t *info, void *context) {
  static int first_signal;
  static siginfo_t first_info;
  int error = errno;
  int current = atomic_load(&context_lines.current);
  // A child between fork and exec has its parent's handlers, but not its report.
  if (
    !atomic_load(&is_active) || getpid() != state.process || context_lines.count[current] == 0 || !has_descriptors()) {
    pass_on(signal, info);
    errno = error;
    return;
  }
  pid_t me = thread_number();
  int other = 0;
  if (atomic_compare_exchange_strong(&owner, &other, me)) {
    first_signal = signal;
    first_info = *info;
    write_report(signal, info, context);
    atomic_store(&is_written, 1);
    pass_on(signal, info);
  } else if (other == me) {
    // The handler or a previous one crashed: end with the first signal, without another attempt.
    if (!atomic_exchange(&is_written, 1)) {
      output_flush();
      fsync(state.file);
    }
    restore();
    send_again(first_signal, &first_info);
  } else {
    // Another thread crashed first and is about to end the process.
    struct timespec time = {0, 10000000};
    for (int round = 0; round < 1000; round++) nanosleep(&time, NULL);
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
  if (memory_prepare() != 0) return errno;
  int file = prepare_file(path);
  if (file < 0) {
    int error = errno;
    memory_close();
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
  state.started = milliseconds(CLOCK_BOOTTIME);
  const char *volatile *(*swift)(void) =
    (const char *volatile *(*)(void))dlsym(RTLD_DEFAULT, "swift_getFatalErrorMessageBuffer");
  state.swift_message = swift ? swift() : NULL;
  state.library_message = (const char *volatile *)dlsym(RTLD_DEFAULT, "__abort_msg");
  prepare_stack();
  install();
  atomic_store(&is_active, 1);
  return 0;
}

void tern_crash_set_context(const void *text, size_t count) {
  int next = 1 - atomic_load(&context_lines.current);
  if (atomic_load(&owner) != 0) return;
  if (count >= CONTEXT_BYTES) count = 0;
  if (count > 0) memcpy(context_lines.text[next], text, count);
  context_lines.count[next] = count;
  atomic_store(&context_lines.current, next);
}

void tern_crash_stop(void) {
  if (state.file < 0 || atomic_load(&owner) != 0) return;
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
  memory_close();
  tern_crash_set_context("", 0);
}

void tern_crash_fail_in_handler(void) {
  atomic_store(&fails, 1);
  *(volatile int *)16 = 1;
}
#else
int tern_crash_start(const char *path, const char *identifier) { return ENOTSUP; }
void tern_crash_set_context(const void *text, size_t count) {}
void tern_crash_stop(void) {}
void tern_crash_fail_in_handler(void) {}
#endif
