#include "Escape.hpp"

#include <cstring>

namespace tern {

namespace {

/// Returns the value of four hexadecimal digits; -1 for anything else.
int32_t hexadecimal(const uint8_t *from, const uint8_t *end) {
  if (end - from < 4) return -1;
  int32_t result = 0;
  for (int index = 0; index < 4; index += 1) {
    uint8_t byte = from[index], lower = byte | 0x20;
    if (byte >= '0' && byte <= '9') result = result << 4 | (byte - '0');
    else if (lower >= 'a' && lower <= 'f') result = result << 4 | (lower - 'a' + 10);
    else return -1;
  }
  return result;
}

void append_scalar(uint32_t scalar, uint8_t *&to) {
  if (scalar < 0x80) {
    *to++ = uint8_t(scalar);
  } else if (scalar < 0x800) {
    *to++ = uint8_t(0xC0 | scalar >> 6);
    *to++ = uint8_t(0x80 | (scalar & 0x3F));
  } else if (scalar < 0x10000) {
    *to++ = uint8_t(0xE0 | scalar >> 12);
    *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
    *to++ = uint8_t(0x80 | (scalar & 0x3F));
  } else {
    *to++ = uint8_t(0xF0 | scalar >> 18);
    *to++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
    *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
    *to++ = uint8_t(0x80 | (scalar & 0x3F));
  }
}

}  // namespace

const uint8_t *read_escape(const uint8_t *from, const uint8_t *end, uint8_t *&to) {
  if (from == end) return nullptr;
  switch (*from) {
  case '"': case '\\': case '/': *to++ = *from; return from + 1;
  case 'b': *to++ = '\b'; return from + 1;
  case 'f': *to++ = '\f'; return from + 1;
  case 'n': *to++ = '\n'; return from + 1;
  case 'r': *to++ = '\r'; return from + 1;
  case 't': *to++ = '\t'; return from + 1;
  case 'u': break;
  default: return nullptr;
  }
  int32_t unit = hexadecimal(from + 1, end);
  if (unit < 0) return nullptr;
  from += 5;
  if (unit >= 0xD800 && unit < 0xDC00 && end - from >= 6 && from[0] == '\\' && from[1] == 'u') {
    int32_t low = hexadecimal(from + 2, end);
    if (low >= 0xDC00 && low < 0xE000) {
      append_scalar(0x10000 + (uint32_t(unit - 0xD800) << 10) + uint32_t(low - 0xDC00), to);
      return from + 6;
    }
  }
  // Clients that truncate strings by UTF-16 units send unpaired surrogates; NUL would end the text in C libraries.
  bool is_replaced = unit == 0 || (unit >= 0xD800 && unit < 0xE000);
  append_scalar(is_replaced ? 0xFFFD : uint32_t(unit), to);
  return from;
}

bool spells(const uint8_t *text, size_t length, const tern_text &other) {
  const uint8_t *from = text, *end = text + length, *rest = other.start, *other_end = other.start + other.length;
  // Stops at the first difference, because a name may be as long as the body.
  while (from < end) {
    uint8_t bytes[4] = {*from}, *to = bytes + 1;
    if (*from == '\\') {
      to = bytes;
      from = read_escape(from + 1, end, to);
      if (!from) return false;
    } else {
      from += 1;
    }
    size_t size = size_t(to - bytes);
    if (size_t(other_end - rest) < size || std::memcmp(rest, bytes, size) != 0) return false;
    rest += size;
  }
  return rest == other_end;
}

}  // namespace tern
