// The innermost steps of parsing, which take most of its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern {

inline bool is_space(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

inline bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/// Returns true if a byte ends a number or literal: white space, a comma, a colon, a quote or a bracket.
inline bool ends_scalar(uint8_t byte) {
  return is_space(byte) || byte == ',' || byte == ':' || byte == '"' || (byte | 0x20) == '{' || (byte | 0x20) == '}';
}

/// Returns the position of the first byte that is a quote, a backslash, a control character or not ASCII.
inline const uint8_t *end_of_plain(const uint8_t *from, const uint8_t *end) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "The first byte must be the lowest of its word.");
  constexpr uint64_t ones = 0x0101010101010101;
  for (; end - from >= 8; from += 8) {
    uint64_t word;
    std::memcpy(&word, from, sizeof word);
    // Each subtraction sets the highest bit of a matching byte. It borrows only from bytes that follow a match.
    uint64_t quotes = (word ^ ones * '"') - ones, backslashes = (word ^ ones * '\\') - ones;
    uint64_t found = (quotes | backslashes | (word - ones * 0x20) | word) & ones * 0x80;
    if (found) return from + __builtin_ctzll(found) / 8;
  }
  while (from < end && *from >= 0x20 && *from < 0x80 && *from != '"' && *from != '\\') from += 1;
  return from;
}

/// Returns the length of the UTF-8 sequence at the start, or 0 if it is invalid.
inline size_t sequence_length(const uint8_t *bytes, size_t left) {
  uint8_t lead = bytes[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (left < length) return 0;
  // The second byte alone rules out overlong forms, surrogates and code points beyond U+10FFFF.
  uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (bytes[1] < low || bytes[1] > high) return 0;
  for (size_t index = 2; index < length; index += 1) {
    if ((bytes[index] & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace tern
