// A process that crashes in a chosen way, to try the signal handler alone: `probe REPORT KIND`.
#define _GNU_SOURCE
#include "CTernCrash.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../Sources/CTernCrash/internal.h"

#define FUNCTION __attribute__((noinline)) static

// The additions after the calls keep the compiler from replacing them by jumps.

FUNCTION long crash_by_null(volatile long *pointer) {
  *pointer = 1;
  return *pointer + 1;
}

FUNCTION long crash_by_trap(long count) {
  if (count > 0) __builtin_trap();
  return count + 1;
}

FUNCTION long crash_by_abort(long count) {
  if (count > 0) abort();
  return count + 1;
}

FUNCTION long crash_in_library(const char *text) { return (long)strlen(text) + 1; }

FUNCTION long crash_by_wild_call(long (*function)(void)) { return function() + 1; }

FUNCTION int compare(const void *first, const void *second) {
  return (int)crash_by_null((volatile long *)(8 * (long)(*(const int *)first + *(const int *)second))) + 1;
}

FUNCTION long crash_in_callback(int value) {
  int values[2] = {value, 0};
  qsort(values, 2, sizeof *values, compare);
  return values[0] + 1;
}

FUNCTION long crash_by_recursion(long depth) {
  volatile long here = depth;
  return depth == -1 ? 0 : crash_by_recursion(depth + 1) + here;
}

FUNCTION void *crash_in_thread(void *pointer) {
  crash_by_null(pointer);
  return NULL;
}

FUNCTION void *wait_in_thread(void *pointer) {
  for (;;) pause();
  return pointer;
}

// MARK: A crash while the client stops

/// 1 from the beginning of the crash, 2 while the handler checks the file, 3 when the client has tried to stop.
static atomic_int stopping_step;

static void await_step(int step) {
  while (atomic_load(&stopping_step) < step) usleep(1000);
}

/// Takes the place of the C library's function, which the handler calls to check its file, to let the client stop just then.
int fstat(int file, struct stat *status) {
  int step = 1;
  if (atomic_compare_exchange_strong(&stopping_step, &step, 2)) await_step(3);
  return fstatat(file, "", status, AT_EMPTY_PATH);
}

static void stop_during_a_crash(void) {
  pthread_t thread;
  atomic_store(&stopping_step, 1);
  pthread_create(&thread, NULL, crash_in_thread, (void *)8);
  await_step(2);
  tern_crash_stop();
  atomic_store(&stopping_step, 3);
  pthread_join(thread, NULL);
}

// MARK: An app that goes on after a fault, and uses the signal that stops threads

static sigjmp_buf repaired;
static atomic_int repairs;

/// The app's handler of the signal, which the app doesn't send here.
static void take_own_signal(int number) {
  (void)number;
  _exit(98);
}

/// A thread that the signal reaches only after the report.
static void *block_until_repaired(void *pointer) {
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  atomic_store(&repairs, 1);
  while (atomic_load(&repairs) < 2) usleep(1000);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  return pointer;
}

FUNCTION long crash_and_go_on(long one) {
  pthread_t thread;
  struct sigaction action;
  signal(SIGRTMAX - 1, take_own_signal);
  pthread_create(&thread, NULL, block_until_repaired, NULL);
  while (atomic_load(&repairs) < 1) usleep(1000);
  if (sigsetjmp(repaired, 1) == 0) return crash_by_null((volatile long *)(8 * one)) + 1;
  atomic_store(&repairs, 2);
  pthread_join(thread, NULL);
  sigaction(SIGRTMAX - 1, NULL, &action);
  if (action.sa_handler != take_own_signal) _exit(97);
  return crash_by_null((volatile long *)(8 * one)) + 1;
}

// MARK: Steps that are made while they are written

static atomic_int has_steps;

static void *make_steps(void *pointer) {
  char text[100];
  for (long number = 0;; number++) {
    memset(text, 'a' + (int)(number % 26), sizeof text);
    tern_crash_add_step(number, text, sizeof text);
    if (number == 64) atomic_store(&has_steps, 1);
  }
  return pointer;
}

/// Writes the steps many times, as a report does of a thread that hangs, while another thread makes more.
static void write_steps(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, make_steps, NULL);
  while (!atomic_load(&has_steps)) usleep(1000);
  for (int round = 0; round < 10000; round++) {
    tern_output_begin(STDOUT_FILENO);
    tern_steps_write();
    tern_output_flush();
  }
}

// MARK: The kinds

FUNCTION long run(const char *kind, long one) {
  pthread_t thread;
  if (!strcmp(kind, "null")) return crash_by_null((volatile long *)(8 * one)) + 1;
  if (!strcmp(kind, "trap")) return crash_by_trap(one) + 1;
  if (!strcmp(kind, "abort")) return crash_by_abort(one) + 1;
  if (!strcmp(kind, "library")) return crash_in_library((const char *)(16 * one)) + 1;
  if (!strcmp(kind, "wild")) return crash_by_wild_call((long (*)(void))(16 * one)) + 1;
  if (!strcmp(kind, "callback")) return crash_in_callback((int)one) + 1;
  if (!strcmp(kind, "stack")) return crash_by_recursion(one) + 1;
  if (!strcmp(kind, "thread")) {
    pthread_create(&thread, NULL, crash_in_thread, (void *)(8 * one));
    pthread_join(thread, NULL);
  }
  if (!strcmp(kind, "stop")) stop_during_a_crash();
  if (!strcmp(kind, "steps")) write_steps();
  if (!strcmp(kind, "repair")) return crash_and_go_on(one) + 1;
  if (!strcmp(kind, "handler")) tern_crash_fail_in_handler();
  return 1;
}

/// The handler of another reporter, which must see the thread as it was: not in Tern's handler, on the stack for handlers.
static void look(int number, siginfo_t *info, void *context) {
  const ucontext_t *seen = context;
  (void)info;
#if defined(__x86_64__)
  unsigned long stack = (unsigned long)seen->uc_mcontext.gregs[REG_RSP];
#else
  unsigned long stack = seen->uc_mcontext.sp;
#endif
  if (stack - (unsigned long)seen->uc_stack.ss_sp < seen->uc_stack.ss_size) _exit(99);
  if (atomic_load(&repairs) == 1) siglongjmp(repaired, 1);
  signal(number, SIG_DFL);
}

int main(int count, char **arguments) {
  pthread_t thread;
  struct sigaction action;
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
  memset(&action, 0, sizeof action);
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
  if (count != 3 || tern_crash_start(arguments[1], "probe") != 0) return 2;
  tern_crash_add_step(1, "early", 5);
  tern_crash_set_context("{}", 2);
  for (int number = 1; number <= 40; number++) {
    char text[16];
    tern_crash_add_step(number, text, (size_t)sprintf(text, "Step\n%d", number));
  }
  pthread_create(&thread, NULL, wait_in_thread, NULL);
  return (int)run(arguments[2], count - 2);
}
