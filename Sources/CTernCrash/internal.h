// The parts of the signal handler, used by one thread at a time: the one that crashed first, or that reports a hang. Their
// names begin with `tern_`, because they share the linker's names with the app.
#ifndef TERN_CRASH_INTERNAL_H
#define TERN_CRASH_INTERNAL_H

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define TERN_CRASH_SUPPORTED 1

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

// output.c

/// Begins a report in an open file.
void tern_output_begin(int file);
void tern_output_text(const char *text);
/// Writes bytes as they are, but line feeds and NULs as spaces.
void tern_output_line(const char *text, size_t count);
void tern_output_decimal(int64_t value);
/// Writes ` 0x…`.
void tern_output_address(uintptr_t value);
void tern_output_hex_bytes(const uint8_t *bytes, size_t count);
/// Writes out what is buffered.
void tern_output_flush(void);

// memory.c

/// Creates the pipe through which memory is read; returns 0 or -1.
int tern_memory_prepare(void);
/// Returns 0 if the pipe's descriptors are closed or others by now.
int tern_memory_is_intact(void);
void tern_memory_close(void);
/// Copies memory that may not be mapped; returns the number of bytes copied, at most 4,096.
size_t tern_memory_read(uintptr_t address, void *buffer, size_t count);
/// Reads one word; returns 0 if it is not mapped.
int tern_memory_word(uintptr_t address, uintptr_t *value);

// images.c

/// An executable mapping.
struct image {
  uintptr_t low, high;
  /// The start of the file's first mapping.
  uintptr_t base;
  /// The file's path; empty for memory without a file.
  const char *path;
  /// The address of `.eh_frame_hdr`; 0 if the image has none.
  uintptr_t unwind_header;
};

/// Reads the mappings of this process.
void tern_images_load(void);
const struct image *tern_images_find(uintptr_t address);
/// Writes a line for each image with a file.
void tern_images_write(void);

// stack.c

// The numbers of registers are DWARF's.
#if defined(__x86_64__)
#define REGISTER_COUNT 17
#define FRAME_POINTER 6
#define STACK_POINTER 7
#else
#define REGISTER_COUNT 33
#define FRAME_POINTER 29
#define LINK_REGISTER 30
#define STACK_POINTER 31
#endif

struct registers {
  uintptr_t pc;
  uintptr_t values[REGISTER_COUNT];
};

#define MAXIMUM_FRAMES 128

struct registers tern_stack_registers(const ucontext_t *context);
/// Collects the addresses of the calls on a stack, the innermost first; returns their number.
///
/// Those of callers lie within the call instruction, so they are one less than the return address.
size_t tern_stack_walk(struct registers registers, uintptr_t *frames, size_t maximum);
/// Writes a line for each register of the crashed thread.
void tern_stack_write_registers(const ucontext_t *context);

// reader.c

/// The bytes of a copied record, which may be damaged: reading beyond the end sets `failed`.
struct reader {
  const uint8_t *bytes;
  size_t position, end;
  int failed;
};

/// Reads a number of at most 8 bytes, and the two kinds of DWARF's numbers of variable length.
uint64_t tern_reader_take(struct reader *reader, size_t count);
uint64_t tern_reader_uleb(struct reader *reader);
int64_t tern_reader_sleb(struct reader *reader);
void tern_reader_skip(struct reader *reader, uint64_t count);

// unwind.c

enum unwound { UNWOUND_CALLER, UNWOUND_END, UNWOUND_UNKNOWN };

/// Replaces a function's registers with its caller's, by the rules for the instruction at `lookup`; leaves them as they
/// are unless the result is `UNWOUND_CALLER`.
enum unwound tern_unwind_step(struct registers *registers, uintptr_t lookup);

// report.c

/// Remembers what reports contain about the process.
void tern_report_prepare(void);
void tern_report_set_context(const void *text, size_t count);
int tern_report_has_context(void);
/// Makes the next report crash after writing the crashed thread, for tests.
void tern_report_crash_next(void);
/// Writes the report of a crash in the calling thread, and flushes it to the disk.
void tern_report_write(
  int file, const char *identifier, const char *name, const siginfo_t *info, const ucontext_t *context);
/// Writes the report of a thread that hangs; returns 0 without its stack.
int tern_report_write_hang(int file, const char *identifier, pid_t thread);

// steps.c

/// Forgets the steps and takes new ones.
void tern_steps_prepare(void);
void tern_steps_forget(void);
/// Ignores later steps.
void tern_steps_freeze(void);
/// Notes a step; any thread may call it at any time.
void tern_steps_add(int64_t time, const void *text, size_t count);
/// Writes a line for each of the last steps, oldest first; one that is being written is left out.
void tern_steps_write(void);

// threads.c

/// Writes the stacks of the other threads, within limits of number and time, and lets them run again.
void tern_threads_write(pid_t process, pid_t crashed);
/// Does the same with one thread, unless the app uses the signal that stops it; returns 1 if its stack is written.
int tern_threads_write_one(pid_t process, pid_t thread);
/// Lets stopped threads run again and restores the app's action for the signal, if the handler crashed before it did.
void tern_threads_resume(void);
/// Writes a line with a thread's number and name.
void tern_threads_write_header(pid_t thread);

#endif
#endif
