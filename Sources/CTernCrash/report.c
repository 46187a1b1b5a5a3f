#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CONTEXT_BYTES 8192

static int64_t started;
/// The runtime's last message, and the C library's.
static const char *volatile *swift_message;
static const char *volatile *library_message;
static atomic_int fails;

/// Two lines of context: one is current while the other is replaced.
static struct {
  char text[2][CONTEXT_BYTES];
  atomic_size_t count[2];
  atomic_int current;
} context_lines;

static int64_t milliseconds(clockid_t clock) {
  struct timespec time = {0, 0};
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void tern_report_prepare(void) {
  started = milliseconds(CLOCK_BOOTTIME);
  tern_steps_prepare();
  const char *volatile *(*swift)(void) =
    (const char *volatile *(*)(void))dlsym(RTLD_DEFAULT, "swift_getFatalErrorMessageBuffer");
  swift_message = swift ? swift() : NULL;
  library_message = (const char *volatile *)dlsym(RTLD_DEFAULT, "__abort_msg");
}

void tern_report_set_context(const void *text, size_t count) {
  int next = 1 - atomic_load(&context_lines.current);
  if (count >= CONTEXT_BYTES) count = 0;
  if (count > 0) memcpy(context_lines.text[next], text, count);
  atomic_store(&context_lines.count[next], count);
  atomic_store(&context_lines.current, next);
  if (count == 0) tern_steps_forget();
}

int tern_report_has_context(void) { return atomic_load(&context_lines.count[atomic_load(&context_lines.current)]) > 0; }

void tern_report_crash_next(void) { atomic_store(&fails, 1); }

// MARK: Writing

static void write_number(const char *name, int64_t value) {
  tern_output_text(name);
  tern_output_decimal(value);
  tern_output_text("\n");
}

static void write_message(const char *volatile *source, size_t skipped) {
  uintptr_t address;
  static char message[2049];
  if (!source || !tern_memory_word((uintptr_t)source, &address) || address == 0) return;
  size_t count = tern_memory_read(address + skipped, message, 512);
  // In steps, because the page after a short message may not be mapped.
  while (count > 0 && count < sizeof message - 1 && !memchr(message, 0, count)) {
    size_t room = sizeof message - 1 - count;
    size_t more = tern_memory_read(address + skipped + count, message + count, room < 512 ? room : 512);
    if (more == 0) break;
    count += more;
  }
  message[count] = 0;
  size_t length = strlen(message);
  while (length > 0 && (message[length - 1] == '\n' || message[length - 1] == ' ')) length--;
  if (length == 0) return;
  tern_output_text("message ");
  tern_output_line(message, length);
  tern_output_text("\n");
}

static void write_head(
  int file, const char *identifier, int signal, const char *name, int code, uintptr_t address) {
  tern_output_begin(file);
  tern_output_text("tern-crash 1\nid ");
  tern_output_text(identifier);
  write_number("\ntime ", milliseconds(CLOCK_REALTIME));
  write_number("uptime ", milliseconds(CLOCK_BOOTTIME) - started);
  write_number("process ", getpid());
  tern_output_text("signal ");
  tern_output_decimal(signal);
  tern_output_text(" ");
  tern_output_text(name);
  tern_output_text(" ");
  tern_output_decimal(code);
  tern_output_address(address);
  tern_output_text("\ncontext ");
  int current = atomic_load(&context_lines.current);
  tern_output_line(context_lines.text[current], atomic_load(&context_lines.count[current]));
  tern_output_text("\n");
  tern_steps_write();
  // Now, so that a defect below leaves at least this.
  tern_output_flush();
}

void tern_report_write(
  int file, const char *identifier, const char *name, const siginfo_t *info, const ucontext_t *context) {
  static uintptr_t frames[MAXIMUM_FRAMES];
  pid_t thread = (pid_t)syscall(SYS_gettid);
  tern_steps_freeze();
  // Only signals of the processor have an address.
  uintptr_t address = info->si_code > 0 ? (uintptr_t)info->si_addr : 0;
  write_head(file, identifier, info->si_signo, name, info->si_code, address);
  write_message(swift_message, 0);
  // The length comes before the text (`struct abort_msg_s`).
  write_message(library_message, sizeof(unsigned int));
  tern_threads_write_header(thread);
  tern_images_load();
  size_t count = tern_stack_walk(tern_stack_registers(context), frames, MAXIMUM_FRAMES);
  for (size_t frame = 0; frame < count; frame++) {
    tern_output_text("frame");
    tern_output_address(frames[frame]);
    tern_output_text("\n");
  }
  tern_stack_write_registers(context);
  tern_output_flush();
  if (atomic_load(&fails)) *(volatile int *)8 = 1;
  tern_images_write();
  tern_output_flush();
  tern_threads_write(getpid(), thread);
  tern_output_text("end\n");
  tern_output_flush();
  fsync(file);
}

int tern_report_write_hang(int file, const char *identifier, pid_t thread) {
  write_head(file, identifier, 0, "HANG", 0, 0);
  tern_images_load();
  int is_found = tern_threads_write_one(getpid(), thread);
  tern_images_write();
  if (is_found) tern_output_text("end\n");
  tern_output_flush();
  return is_found;
}
#endif
