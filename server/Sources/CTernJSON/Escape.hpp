// What escapes in texts mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

/// Reads the escape after a backslash and writes at most four bytes; NULL when it is none.
const uint8_t *read_escape(const uint8_t *from, const uint8_t *end, uint8_t *&to);

/// Whether a text as it is written, escapes included, is the given one.
bool spells(const uint8_t *text, size_t length, const char *literal, size_t literal_length);

template <size_t size> bool spells(const uint8_t *text, size_t length, const char (&literal)[size]) {
  return spells(text, length, literal, size - 1);
}

}  // namespace tern
