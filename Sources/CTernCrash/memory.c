#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// Writing to a pipe makes the kernel check the memory: an address that is not mapped is an error and no second crash.
// This works in sandboxes that forbid `process_vm_readv`.
static int ends[2] = {-1, -1};

static struct stat statuses[2];

int tern_memory_prepare(void) {
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  for (int end = 0; end < 2; end++) {
    if (fstat(ends[end], &statuses[end]) != 0) return -1;
  }
  return 0;
}

int tern_memory_is_intact(void) {
  for (int end = 0; end < 2; end++) {
    struct stat status;
    if (fstat(ends[end], &status) != 0 || status.st_dev != statuses[end].st_dev || status.st_ino != statuses[end].st_ino) {
      return 0;
    }
  }
  return 1;
}

void tern_memory_close(void) {
  for (int end = 0; end < 2; end++) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
}

size_t tern_memory_read(uintptr_t address, void *buffer, size_t count) {
  if (count > 4096) count = 4096;
  ssize_t copied;
  do copied = write(ends[1], (const void *)address, count);
  while (copied < 0 && errno == EINTR);
  if (copied <= 0) return 0;
  size_t total = 0;
  while (total < (size_t)copied) {
    ssize_t part = read(ends[0], (char *)buffer + total, (size_t)copied - total);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return 0;
    total += (size_t)part;
  }
  return total;
}

int tern_memory_word(uintptr_t address, uintptr_t *value) {
  return tern_memory_read(address, value, sizeof *value) == sizeof *value;
}
#endif
