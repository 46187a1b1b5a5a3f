#include "LogSplitter.hpp"

#include "Escape.hpp"

namespace tern {

void LogSplitter::skip_space() {
  while (!is_end() && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t')) at += 1;
}

/// Steps over a string; returns false if it isn't closed.
bool LogSplitter::skip_text() {
  for (at += 1; !is_end(); at += 1) {
    if (bytes[at] == '\\') {
      at += 1;
    } else if (bytes[at] == '"') {
      at += 1;
      return true;
    }
  }
  at = length;
  return false;
}

/// Closes the innermost open bracket of a kind, and those inside it that were left open.
void LogSplitter::close(bool is_object) {
  if ((is_object ? objects : open.size() - objects) == 0) return;
  bool was_object;
  do {
    was_object = open.back();
    open.pop_back();
    if (was_object) objects -= 1;
  } while (was_object != is_object);
}

/// Steps over a value up to the comma or bracket that ends it; returns false if it isn't closed.
bool LogSplitter::skip_value() {
  open.clear();
  objects = 0;
  while (!is_end()) {
    uint8_t byte = bytes[at];
    if (byte == '"') {
      if (!skip_text()) return false;
      continue;
    }
    if (open.empty() && (byte == ',' || byte == (is_inside ? ']' : '}'))) return true;
    if (byte == '{' || byte == '[') {
      if (open.size() == maximum_depth) {
        at = length;
        return false;
      }
      open.push_back(byte == '{');
      if (byte == '{') objects += 1;
    } else if (byte == '}' || byte == ']') {
      close(byte == '}');
    }
    at += 1;
  }
  return open.empty();
}

/// Moves to the first element of the next list; returns false if there is none.
bool LogSplitter::find_list() {
  if (!is_begun) {
    is_begun = true;
    skip_space();
    if (is_end() || bytes[at] != '{') return false;
    at += 1;
  }
  while (true) {
    skip_space();
    if (is_end() || bytes[at] == '}') return false;
    if (bytes[at] == ',') {
      at += 1;
      continue;
    }
    bool is_logs = false;
    if (bytes[at] == '"') {
      size_t start = at;
      if (!skip_text()) return false;
      is_logs = spells(bytes + start + 1, at - start - 2, list);
      skip_space();
    }
    if (is_end() || bytes[at] != ':') {
      skip_value();
      continue;
    }
    at += 1;
    skip_space();
    if (is_logs && !is_end() && bytes[at] == '[') {
      at += 1;
      is_inside = true;
      return true;
    }
    skip_value();
  }
}

/// Moves on to the next position in the list.
void LogSplitter::advance() {
  index += 1;
  is_after_piece = false;
}

bool LogSplitter::next(LogPiece &piece) {
  while (!is_over) {
    if (!is_inside && !find_list()) break;
    skip_space();
    if (is_end()) {
      is_over = true;
      piece = {length, 0, is_after_piece ? index + 1 : index, false};
      return was_found;
    }
    if (bytes[at] == ']') {
      at += 1;
      is_inside = false;
      if (is_after_piece) advance();
    } else if (bytes[at] == ',') {
      at += 1;
      advance();
    } else {
      piece.start = at;
      piece.index = index;
      piece.is_closed = skip_value();
      piece.length = at - piece.start;
      was_found = is_after_piece = true;
      return true;
    }
  }
  is_over = true;
  return false;
}

}  // namespace tern
