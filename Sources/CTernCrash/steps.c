#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <stdatomic.h>
#include <string.h>

#define STEP_COUNT 32
#define STEP_BYTES 100
/// With room for at least one NUL.
#define STEP_WORDS (STEP_BYTES / 8 + 1)

/// A place in the ring. Threads write without a lock, since the app must not wait and the handler can't.
static struct {
  /// Twice the number of the step, and one more while it is being written; 0 while there is none.
  _Atomic uint64_t state;
  _Atomic int64_t time;
  _Atomic uint64_t words[STEP_WORDS];
} ring[STEP_COUNT];

/// The number of the last step; the first one has 1.
static _Atomic uint64_t last;
/// The number of the last step that reports don't contain any more.
static _Atomic uint64_t forgotten;
static atomic_int is_frozen;

void tern_steps_prepare(void) {
  tern_steps_forget();
  atomic_store(&is_frozen, 0);
}

void tern_steps_forget(void) { atomic_store(&forgotten, atomic_load(&last)); }

void tern_steps_freeze(void) { atomic_store(&is_frozen, 1); }

void tern_steps_add(int64_t time, const void *text, size_t count) {
  if (atomic_load(&is_frozen)) return;
  uint64_t words[STEP_WORDS] = {0};
  memcpy(words, text, count < STEP_BYTES ? count : STEP_BYTES);
  uint64_t number = atomic_fetch_add(&last, 1) + 1;
  size_t place = number % STEP_COUNT;
  uint64_t state = atomic_load(&ring[place].state);
  // The place is taken if a thread was stopped here while others made 32 steps: then its step or this one is left out.
  if (state % 2 != 0 || state > number * 2) return;
  if (!atomic_compare_exchange_strong(&ring[place].state, &state, number * 2 + 1)) return;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ring[place].time, time, memory_order_relaxed);
  for (size_t word = 0; word < STEP_WORDS; word++) {
    atomic_store_explicit(&ring[place].words[word], words[word], memory_order_relaxed);
  }
  atomic_store_explicit(&ring[place].state, number * 2, memory_order_release);
}

/// Copies a step; returns 0 unless it was there all the time, complete.
static int copy_step(uint64_t number, int64_t *time, uint64_t *words) {
  size_t place = number % STEP_COUNT;
  if (atomic_load_explicit(&ring[place].state, memory_order_acquire) != number * 2) return 0;
  *time = atomic_load_explicit(&ring[place].time, memory_order_relaxed);
  for (size_t word = 0; word < STEP_WORDS; word++) {
    words[word] = atomic_load_explicit(&ring[place].words[word], memory_order_relaxed);
  }
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&ring[place].state, memory_order_relaxed) == number * 2;
}

void tern_steps_write(void) {
  static struct {
    int64_t time;
    uint64_t words[STEP_WORDS];
  } copies[STEP_COUNT];
  uint64_t end = atomic_load(&last), number = atomic_load(&forgotten);
  if (end > STEP_COUNT && number < end - STEP_COUNT) number = end - STEP_COUNT;
  // All at once, because other threads go on while the report of a hang is written.
  size_t count = 0;
  while (number < end) count += (size_t)copy_step(++number, &copies[count].time, copies[count].words);
  for (size_t index = 0; index < count; index++) {
    const char *text = (const char *)copies[index].words;
    tern_output_text("step ");
    tern_output_decimal(copies[index].time);
    tern_output_text(" ");
    tern_output_line(text, strlen(text));
    tern_output_text("\n");
  }
}
#endif
