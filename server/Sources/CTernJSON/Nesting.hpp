// A check for hostile nesting that costs little compared with the first stage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

/// Returns the position of the first bracket that is nested more than `limit` deep; `SIZE_MAX` if there is none.
///
/// The check is quick and incomplete: it misses nesting that builds up slowly, which costs no more than other JSON.
size_t find_deep_nesting(const uint8_t *bytes, size_t length, uint32_t limit);

}  // namespace tern
