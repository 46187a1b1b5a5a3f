// The parts of the signal handler. All of them are used by one thread at a time, the one that crashed first.
#ifndef TERN_CRASH_INTERNAL_H
#define TERN_CRASH_INTERNAL_H

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define TERN_CRASH_SUPPORTED 1

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

// output.c

/// Begins a report in an open file.
void output_begin(int file);
void output_text(const char *text);
/// Writes bytes as they are, but line feeds and NULs as spaces.
void output_line(const char *text, size_t count);
void output_decimal(int64_t value);
/// Writes ` 0x…`.
void output_address(uintptr_t value);
void output_hex_bytes(const uint8_t *bytes, size_t count);
/// Writes out what is buffered.
void output_flush(void);

// memory.c

/// Creates the pipe through which memory is read; returns 0 or -1.
int memory_prepare(void);
/// Returns 0 if the pipe's descriptors are closed or others by now.
int memory_is_intact(void);
void memory_close(void);
/// Copies memory that may not be mapped; returns the number of bytes copied, at most 4,096.
size_t memory_read(uintptr_t address, void *buffer, size_t count);
/// Reads one word; returns 0 if it is not mapped.
int memory_word(uintptr_t address, uintptr_t *value);

// images.c

/// An executable mapping.
struct image {
  uintptr_t low, high;
  /// The start of the file's first mapping.
  uintptr_t base;
  /// The file's path; empty for memory without a file.
  const char *path;
};

/// Reads the mappings of this process.
void images_load(void);
const struct image *images_find(uintptr_t address);
/// Writes a line for each image with a file.
void images_write(void);

// stack.c

struct registers {
  uintptr_t pc, sp, fp, lr;
};

#define MAXIMUM_FRAMES 128

struct registers stack_registers(const ucontext_t *context);
/// Collects the addresses of the calls on a stack, the innermost first; returns their number.
///
/// Those of callers lie within the call instruction, so they are one less than the return address.
size_t stack_walk(struct registers registers, uintptr_t *frames, size_t maximum);
/// Writes a line for each register of the crashed thread.
void stack_write_registers(const ucontext_t *context);

// threads.c

/// Writes the stacks of the other threads, within limits of number and time, and lets them run again.
void threads_write(pid_t process, pid_t crashed);
/// Writes a line with a thread's number and name.
void threads_write_header(pid_t thread);

#endif
#endif
