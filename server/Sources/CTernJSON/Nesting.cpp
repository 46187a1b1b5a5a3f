#include "Nesting.hpp"

#include <cstring>

namespace tern {

namespace {

/// Returns the number of opening brackets less that of closing ones, whether they are in texts or not.
int64_t surplus(const uint8_t *bytes, size_t length) {
  int64_t result = 0;
  while (length > 0) {
    // Eight-bit counters let the compiler use vectors.
    size_t part = length < 255 ? length : 255;
    uint8_t opened = 0, closed = 0;
    for (size_t index = 0; index < part; index += 1) {
      opened += (bytes[index] | 0x20) == '{';
      closed += (bytes[index] | 0x20) == '}';
    }
    result += int64_t(opened) - int64_t(closed);
    bytes += part;
    length -= part;
  }
  return result;
}

size_t find_exactly(const uint8_t *bytes, size_t length, uint32_t limit) {
  uint64_t depth = 0;
  for (size_t at = 0; at < length; at += 1) {
    switch (bytes[at]) {
    case '{': case '[':
      depth += 1;
      if (depth > limit) return at;
      break;
    case '}': case ']':
      if (depth > 0) depth -= 1;
      break;
    case '"':
      for (at += 1; at < length && bytes[at] != '"'; at += 1) {
        if (bytes[at] == '\\') at += 1;
      }
      break;
    }
  }
  return SIZE_MAX;
}

}  // namespace

size_t find_deep_nesting(const uint8_t *bytes, size_t length, uint32_t limit) {
  constexpr size_t block = 64 << 10;
  for (size_t start = 0; start < length; start += block) {
    size_t size = length - start < block ? length - start : block;
    if (surplus(bytes + start, size) > int64_t(limit)) return find_exactly(bytes, length, limit);
  }
  return SIZE_MAX;
}

}  // namespace tern
