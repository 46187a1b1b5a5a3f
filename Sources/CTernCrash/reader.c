#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <string.h>

uint64_t tern_reader_take(struct reader *reader, size_t count) {
  uint64_t value = 0;
  if (count > 8 || reader->end - reader->position < count) {
    reader->failed = 1;
    reader->position = reader->end;
    return 0;
  }
  memcpy(&value, reader->bytes + reader->position, count);
  reader->position += count;
  return value;
}

uint64_t tern_reader_uleb(struct reader *reader) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    uint64_t byte = tern_reader_take(reader, 1);
    value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  reader->failed = 1;
  return 0;
}

int64_t tern_reader_sleb(struct reader *reader) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    uint64_t byte = tern_reader_take(reader, 1);
    value |= (byte & 0x7f) << shift;
    if (byte & 0x80) continue;
    if (byte & 0x40) value |= ~(uint64_t)0 << (shift + 7);
    return (int64_t)value;
  }
  reader->failed = 1;
  return 0;
}

void tern_reader_skip(struct reader *reader, uint64_t count) {
  if (reader->end - reader->position < count) reader->failed = 1;
  else reader->position += count;
}
#endif
