// Where the logs of a damaged body begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern {

/// What may be one log; without any bytes what is missing because a list is not closed.
struct LogPiece {
  size_t start, length;
  /// Its position among the logs of the body, counted from 0.
  uint32_t index;
  /// Whether its texts and brackets are closed.
  bool is_closed;
};

/// Cuts the lists named `logs` of a body's object into their elements, by quotes and brackets alone.
///
/// What lies between is not judged, and what cannot be told apart is one piece: after a text that is not closed quotes
/// mean the opposite, so all that follows belongs to it. One step a byte and one bit a bracket, whatever comes.
class LogSplitter {
public:
  LogSplitter(const uint8_t *bytes, size_t length) : bytes(bytes), length(length) {}

  /// Finds the next piece; false at the end.
  bool next(LogPiece &piece);
  /// Whether any was found that has bytes.
  bool has_pieces() const { return was_found; }

private:
  const uint8_t *bytes;
  size_t length, at = 0;
  uint32_t index = 0;
  bool is_begun = false, is_inside = false, is_over = false, was_found = false;
  /// Whether there was a piece since the last comma.
  bool is_after_piece = false;
  /// The open brackets: whether each is that of an object.
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
