// Walks over the positions of one document: strict JSON, bounded depth, no recursion, no reads past the end.
#pragma once

#include <cstring>
#include <cstdint>
#include <memory>
#include <new>

#include "CTernJSON.h"

namespace tern {

/// Memory for unescaped texts. They point into it, so it doesn't move while a body is read.
class Arena {
public:
  /// Unescaping never lengthens, and each text is unescaped at most once: a body's length is enough.
  void begin(size_t body_length) {
    needed = body_length;
    used = 0;
    if (capacity < needed) bytes.reset(), capacity = 0;
  }
  uint8_t *space(size_t length) {
    if (!bytes) {
      bytes.reset(new uint8_t[needed + 1]);
      capacity = needed;
    }
    return length <= capacity - used ? bytes.get() + used : nullptr;
  }
  void take(size_t length) { used += length; }
  void trim(size_t limit) {
    if (capacity > limit) bytes.reset(), capacity = 0;
  }

private:
  std::unique_ptr<uint8_t[]> bytes;
  size_t capacity = 0, used = 0, needed = 0;
};

/// Returns true if a text has the bytes of a literal.
template <size_t size> bool is(const tern_text &text, const char (&literal)[size]) {
  return text.length == size - 1 && std::memcmp(text.start, literal, size - 1) == 0;
}

/// Returns true if two texts have the same bytes.
inline bool is(const tern_text &text, const tern_text &other) {
  return text.length == other.length && (text.length == 0 || std::memcmp(text.start, other.start, text.length) == 0);
}

class Walker {
public:
  static constexpr uint32_t maximum_depth = 1024;

  Walker(const uint8_t *base, size_t length, const uint32_t *positions, uint32_t count, Arena &arena)
      : base(base), length(length), positions(positions), count(count), arena(arena) {}

  /// The first byte of the next token; 0 at the end.
  uint8_t peek() const { return at < count ? base[positions[at]] : 0; }
  bool at_end() const { return at >= count; }
  uint32_t place() const { return at; }
  size_t offset() const { return at < count ? positions[at] : length; }
  const char *problem() const { return message; }
  const uint8_t *pointer() const { return base + offset(); }
  size_t bytes_left() const { return length - offset(); }
  /// The end of the closing bracket that `next` consumed last.
  const uint8_t *last_end() const { return base + positions[at - 1] + 1; }

  /// Steps over `tokens` tokens that are known to be well formed.
  bool jump(uint32_t tokens) {
    if (tokens > count - at) return fail("unexpected end");
    at += tokens;
    return true;
  }

  bool fail(const char *why) {
    if (!message) message = why;
    return false;
  }

  /// Enters an object or array; `open` is '{' or '['.
  bool enter(uint8_t open) {
    if (peek() != open) return fail(open == '{' ? "an object was expected" : "an array was expected");
    at += 1;
    return true;
  }

  /// Moves to the next member or element. False at the closing bracket, which is consumed, and on failure.
  bool next(uint8_t close, bool &is_first) {
    uint8_t byte = peek();
    if (byte == close) {
      at += 1;
      return false;
    }
    if (!is_first) {
      if (byte != ',') return fail(close == '}' ? "',' or '}' was expected" : "',' or ']' was expected");
      at += 1;
    }
    is_first = false;
    return true;
  }

  /// Reads a member's name and its colon. The name is raw: `has_escape` says that it must be unescaped.
  bool key(tern_text &out, bool &has_escape) {
    if (peek() != '"') return fail("a member name was expected");
    if (!raw_string(out)) return false;
    has_escape = std::memchr(out.start, '\\', out.length) != nullptr;
    if (peek() != ':') return fail("':' was expected");
    at += 1;
    return true;
  }

  /// Reads a member's name, unescaped, and its colon.
  bool name(tern_text &out) {
    bool has_escape = false;
    return key(out, has_escape) && (!has_escape || unescape(out));
  }

  /// Reads a text, unescaped.
  bool text(tern_text &out) {
    if (!raw_string(out)) return false;
    if (!std::memchr(out.start, '\\', out.length)) return true;
    return unescape(out);
  }

  /// Replaces a raw text by its unescaped form.
  bool unescape(tern_text &text);
  /// Reads any value; objects and arrays as raw text.
  bool value(tern_value &out);
  /// Steps over any value, checking it as strictly as if it were used.
  bool skip(tern_text &raw);
  bool skip() {
    tern_text ignored = {};
    return skip(ignored);
  }
  /// Reads a value that should be text: numbers count as the text of their digits, anything else as absent.
  bool lenient_text(tern_text &out);
  /// Reads an object whose only member has the given name and is a whole number; doesn't move for anything else.
  bool date(const tern_text &name, int64_t &milliseconds);

private:
  const uint8_t *base;
  size_t length;
  const uint32_t *positions;
  uint32_t count;
  Arena &arena;
  uint32_t at = 0;
  const char *message = nullptr;

  static bool is_space(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

  /// The end of the token at `index`, without the white space before the next token.
  size_t token_end(uint32_t index) const {
    size_t end = index + 1 < count ? positions[index + 1] : length;
    while (end > positions[index] + 1 && is_space(base[end - 1])) end -= 1;
    return end;
  }

  /// The first stage doesn't index closing quotes, but only white space may separate one from the next token.
  bool raw_string(tern_text &out) {
    size_t start = positions[at] + 1, end = token_end(at);
    if (end <= start || base[end - 1] != '"') return fail("a text is not closed");
    out.start = base + start;
    out.length = uint32_t(end - 1 - start);
    at += 1;
    return true;
  }

  bool check_escapes(const tern_text &raw);
  bool scalar(tern_value &out);
  bool number(const uint8_t *start, const uint8_t *end, tern_value &out);
};

}  // namespace tern
