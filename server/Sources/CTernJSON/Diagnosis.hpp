// Explains why simdjson's first stage refused a text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

struct Diagnosis {
  const char *message;
  size_t position;
};

/// Finds the byte that the first stage refuses. Slow, so only for bodies that were refused.
Diagnosis diagnose(const uint8_t *bytes, size_t length);

}  // namespace tern
