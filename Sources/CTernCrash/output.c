#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <errno.h>
#include <string.h>
#include <unistd.h>

// More than the largest report takes; a defect must not fill the disk.
static const size_t maximum_bytes = 512 << 10;

static char buffer[4096];
static size_t used;
static size_t written;
static int output;

void tern_output_begin(int file) {
  output = file;
  used = 0;
  written = 0;
}

void tern_output_flush(void) {
  size_t start = 0;
  while (start < used && written < maximum_bytes) {
    ssize_t count = write(output, buffer + start, used - start);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    start += (size_t)count;
    written += (size_t)count;
  }
  used = 0;
}

static void output_byte(char byte) {
  if (used == sizeof buffer) tern_output_flush();
  buffer[used++] = byte;
}

void tern_output_text(const char *text) {
  while (*text) output_byte(*text++);
}

void tern_output_line(const char *text, size_t count) {
  for (size_t index = 0; index < count; index++) {
    char byte = text[index];
    output_byte(byte == '\n' || byte == '\r' || byte == 0 ? ' ' : byte);
  }
}

void tern_output_decimal(int64_t value) {
  char digits[20];
  size_t count = 0;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  if (value < 0) output_byte('-');
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  while (count) output_byte(digits[--count]);
}

void tern_output_address(uintptr_t value) {
  tern_output_text(" 0x");
  int shift = 60;
  while (shift > 0 && (value >> shift) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) output_byte("0123456789abcdef"[value >> shift & 15]);
}

void tern_output_hex_bytes(const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) {
    output_byte("0123456789abcdef"[bytes[index] >> 4]);
    output_byte("0123456789abcdef"[bytes[index] & 15]);
  }
}
#endif
