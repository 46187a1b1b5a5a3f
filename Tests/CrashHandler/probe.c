// A process that crashes in a chosen way, to try the signal handler alone: `probe REPORT KIND`.
#define _GNU_SOURCE
#include "CTernCrash.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

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
  tern_crash_set_context("{}", 2);
  pthread_create(&thread, NULL, wait_in_thread, NULL);
  return (int)run(arguments[2], count - 2);
}
