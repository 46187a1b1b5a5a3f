#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAXIMUM_THREADS 64
#define FRAMES_OF_OTHERS 48

/// Threads that answer later than this, for example because they block signals, are left out.
static const long wait_milliseconds = 200;

struct thread {
  pid_t number;
  struct registers registers;
  atomic_int is_stopped;
};

static struct thread threads[MAXIMUM_THREADS];
static atomic_int thread_count;
/// Nonzero while the threads stay in their handler.
static atomic_int is_stopping;
/// The app's action for the signal that stops threads, while it is replaced.
static struct sigaction previous;
static atomic_int is_replaced;

/// Late, so that few apps use the signal themselves.
static int stop_signal(void) { return SIGRTMAX - 1; }

static void nap(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/// Runs on each other thread: publishes its registers and keeps it in place while its stack is read.
static void stop_thread(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  int error = errno;
  pid_t me = (pid_t)syscall(SYS_gettid);
  int count = atomic_load(&thread_count);
  for (int index = 0; index < count && atomic_load(&is_stopping); index++) {
    if (threads[index].number != me) continue;
    threads[index].registers = tern_stack_registers(context);
    atomic_store(&threads[index].is_stopped, 1);
    // Bounded, because writing to the disk may take long.
    for (int round = 0; round < 1000 && atomic_load(&is_stopping); round++) nap(2);
  }
  errno = error;
}

void tern_threads_write_header(pid_t thread) {
  char path[64] = "/proc/self/task/";
  char digits[12];
  size_t length = strlen(path), count = 0;
  for (pid_t rest = thread; rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count) path[length++] = digits[--count];
  memcpy(path + length, "/comm", 6);
  char name[32];
  ssize_t bytes = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    bytes = read(file, name, sizeof name);
    close(file);
  }
  while (bytes > 0 && name[bytes - 1] == '\n') bytes--;
  tern_output_text("thread ");
  tern_output_decimal(thread);
  tern_output_text(" ");
  tern_output_line(name, bytes > 0 ? (size_t)bytes : 0);
  tern_output_text("\n");
}

/// Collects the numbers of the other threads.
static void list(pid_t crashed) {
  struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
  };
  static char entries[4096] __attribute__((aligned(8)));
  int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int count = 0;
  long bytes;
  while (directory >= 0 && (bytes = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0) {
    for (long start = 0; start < bytes;) {
      const struct entry *entry = (const struct entry *)(entries + start);
      pid_t number = 0;
      for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++) number = number * 10 + (*digit - '0');
      if (number > 0 && number != crashed && count < MAXIMUM_THREADS) {
        threads[count].number = number;
        atomic_store(&threads[count].is_stopped, 0);
        count++;
      }
      start += entry->length;
    }
  }
  if (directory >= 0) close(directory);
  atomic_store(&thread_count, count);
}

/// Replaces the app's action for the signal that stops threads; returns 0 if that fails.
static int take_signal(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = stop_thread;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(stop_signal(), NULL, &previous) != 0 || sigaction(stop_signal(), &action, NULL) != 0) return 0;
  atomic_store(&is_replaced, 1);
  return 1;
}

void tern_threads_resume(void) {
  atomic_store(&is_stopping, 0);
  if (!atomic_exchange(&is_replaced, 0)) return;
  // Ignoring a signal removes it where it is pending. A thread that blocks it would else have it later, and the default
  // action ends the process.
  struct sigaction ignoring;
  memset(&ignoring, 0, sizeof ignoring);
  ignoring.sa_handler = SIG_IGN;
  sigaction(stop_signal(), &ignoring, NULL);
  sigaction(stop_signal(), &previous, NULL);
}

/// Stops the listed threads, writes the stacks of those that answer in time, and lets them run again; returns their
/// number.
static int write_listed(pid_t process, size_t maximum_frames) {
  int count = atomic_load(&thread_count);
  if (count == 0 || !take_signal()) return 0;
  atomic_store(&is_stopping, 1);
  for (int index = 0; index < count; index++) syscall(SYS_tgkill, process, threads[index].number, stop_signal());
  for (long waited = 0; waited < wait_milliseconds; waited++) {
    int stopped = 0;
    for (int index = 0; index < count; index++) stopped += atomic_load(&threads[index].is_stopped);
    if (stopped == count) break;
    nap(1);
  }
  static uintptr_t frames[MAXIMUM_FRAMES];
  int written = 0;
  for (int index = 0; index < count; index++) {
    if (!atomic_load(&threads[index].is_stopped)) continue;
    size_t found = tern_stack_walk(threads[index].registers, frames, maximum_frames);
    tern_threads_write_header(threads[index].number);
    for (size_t frame = 0; frame < found; frame++) {
      tern_output_text("frame");
      tern_output_address(frames[frame]);
      tern_output_text("\n");
    }
    written++;
  }
  tern_threads_resume();
  return written;
}

void tern_threads_write(pid_t process, pid_t crashed) {
  list(crashed);
  write_listed(process, FRAMES_OF_OTHERS);
}

int tern_threads_write_one(pid_t process, pid_t thread) {
  struct sigaction current;
  if (sigaction(stop_signal(), NULL, &current) != 0) return 0;
  // This process goes on, so an app that uses the signal must not miss any.
  if (current.sa_flags & SA_SIGINFO || current.sa_handler != SIG_DFL) return 0;
  threads[0].number = thread;
  atomic_store(&threads[0].is_stopped, 0);
  atomic_store(&thread_count, 1);
  return write_listed(process, MAXIMUM_FRAMES);
}
#endif
