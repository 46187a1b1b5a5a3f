// A process that crashes in a chosen way, to try the signal handler alone: `probe REPORT KIND`.
#include "CTernCrash.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(int count, char **arguments) {
  pthread_t thread;
  if (count != 3 || tern_crash_start(arguments[1], "probe") != 0) return 2;
  tern_crash_set_context("{}", 2);
  pthread_create(&thread, NULL, wait_in_thread, NULL);
  return (int)run(arguments[2], count - 2);
}
