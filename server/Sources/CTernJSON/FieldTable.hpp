// A protocol's member names, looked up by length and bytes.
#pragma once

#include <cstring>

#include "CTernJSON.h"

namespace tern {

class FieldTable {
public:
  FieldTable() = default;

  /// Fields beyond the limits of the header are ignored.
  FieldTable(const tern_field *fields, uint32_t count) {
    if (count > TERN_MAXIMUM_FIELDS) count = TERN_MAXIMUM_FIELDS;
    for (uint32_t index = 0; index < count; index += 1) {
      if (fields[index].length <= TERN_MAXIMUM_FIELD_NAME) first[fields[index].length + 1] += 1;
    }
    for (uint32_t length = 0; length <= TERN_MAXIMUM_FIELD_NAME; length += 1) first[length + 1] += first[length];
    uint8_t next[TERN_MAXIMUM_FIELD_NAME + 2];
    std::memcpy(next, first, sizeof next);
    for (uint32_t index = 0; index < count; index += 1) {
      if (fields[index].length <= TERN_MAXIMUM_FIELD_NAME) sorted[next[fields[index].length]++] = fields[index];
    }
  }

  /// Returns the field of a name; NULL if the protocol has none.
  const tern_field *find(const tern_text &name) const {
    if (name.length == 0 || name.length > TERN_MAXIMUM_FIELD_NAME) return nullptr;
    for (uint32_t index = first[name.length]; index < first[name.length + 1]; index += 1) {
      const tern_field &field = sorted[index];
      if (*field.name == *name.start && std::memcmp(field.name, name.start, name.length) == 0) return &field;
    }
    return nullptr;
  }

private:
  tern_field sorted[TERN_MAXIMUM_FIELDS] = {};
  /// The index of the first field of each length.
  uint8_t first[TERN_MAXIMUM_FIELD_NAME + 2] = {};
};

}  // namespace tern
