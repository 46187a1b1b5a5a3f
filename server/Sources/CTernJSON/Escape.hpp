// The escapes in JSON strings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "CTernJSON.h"

namespace tern {

/// Reads the escape after a backslash and writes at most four bytes; returns NULL if it is invalid.
const uint8_t *read_escape(const uint8_t *from, const uint8_t *end, uint8_t *&to);

/// Returns true if a string in its written form, including escapes, is equal to another one.
bool spells(const uint8_t *text, size_t length, const tern_text &other);

}  // namespace tern
