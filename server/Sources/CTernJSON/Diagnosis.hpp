// Where and why simdjson's first stage refused a text: it says only that it did.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

struct Diagnosis {
  const char *message;
  size_t position;
};

/// Looks byte by byte for what the first stage refuses. Slow, and only run on bodies that were refused.
Diagnosis diagnose(const uint8_t *bytes, size_t length);

}  // namespace tern
