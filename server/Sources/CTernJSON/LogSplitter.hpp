// Finds the boundaries of the logs in a damaged body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "CTernJSON.h"

namespace tern {

/// Bytes that may be one log; empty for the missing part of a list that isn't closed.
struct LogPiece {
  size_t start, length;
  /// Its position among the logs of the body, counted from 0.
  uint32_t index;
  /// True if its strings and brackets are closed.
  bool is_closed;
};

/// Splits the lists of one name in a body's object into their elements, by quotes and brackets alone.
///
/// A string that isn't closed includes everything after it, because quotes then mean the opposite; so does a value nested
/// more than `maximum_depth` deep. Takes one step per byte and one bit per bracket for any input.
class LogSplitter {
public:
  /// Far beyond the depth that a log may have to be stored, so that deep logs usually cost only themselves.
  static constexpr size_t maximum_depth = 64 << 10;

  LogSplitter(const uint8_t *bytes, size_t length, const tern_text &list)
      : bytes(bytes), length(length), list(list) {}

  /// Finds the next piece; returns false at the end.
  bool next(LogPiece &piece);
  /// True if it found a piece that has bytes.
  bool has_pieces() const { return was_found; }

private:
  const uint8_t *bytes;
  size_t length, at = 0;
  tern_text list;
  uint32_t index = 0;
  bool is_begun = false, is_inside = false, is_over = false, was_found = false;
  /// True if there was a piece since the last comma.
  bool is_after_piece = false;
  /// The open brackets: true for those of objects.
  std::vector<bool> open;
  size_t objects = 0;

  bool is_end() const { return at >= length; }
  void advance();
  void skip_space();
  bool skip_text();
  bool skip_value();
  void close(bool is_object);
  bool find_list();
};

}  // namespace tern
