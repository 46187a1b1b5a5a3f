// Walks over the tokens of one document: strict JSON and UTF-8, bounded depth, no recursion, no reads past the end.
#pragma once

#include <cstring>
#include <cstdint>
#include <memory>
#include <new>

#include "CTernJSON.h"
#include "Scan.hpp"

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

  Walker(const uint8_t *bytes, size_t length, Arena &arena)
      : base(bytes), at(bytes), end(bytes + length), token_end(bytes), arena(arena) {
    skip_space();
  }

  /// The first byte of the next token; 0 at the end.
  uint8_t peek() const { return at < end ? *at : 0; }
  bool at_end() const { return at == end; }
  /// The position of the next token, or of the invalid byte.
  size_t offset() const { return size_t(at - base); }
  const char *problem() const { return message; }
  const uint8_t *pointer() const { return at; }
  size_t bytes_left() const { return size_t(end - at); }
  /// The end of the token that was consumed last.
  const uint8_t *last_end() const { return token_end; }

  bool fail(const char *why) {
    if (!message) message = why;
    return false;
  }

  /// Consumes bytes that are known to be one well-formed value.
  void jump(size_t length) { consume(at + length); }

  /// Enters an object or array; `open` is '{' or '['.
  bool enter(uint8_t open) {
    if (peek() != open) return fail(open == '{' ? "an object was expected" : "an array was expected");
    consume(at + 1);
    return true;
  }

  /// Moves to the next member or element. False at the closing bracket, which is consumed, and on failure.
  bool next(uint8_t close, bool &is_first) {
    uint8_t byte = peek();
    if (byte == close) {
      consume(at + 1);
      return false;
    }
    if (!is_first) {
      if (byte != ',') return fail(close == '}' ? "',' or '}' was expected" : "',' or ']' was expected");
      consume(at + 1);
    }
    is_first = false;
    return true;
  }

  /// Reads a member's name and its colon. The name is raw: `has_escape` says that it must be unescaped.
  bool key(tern_text &out, bool &has_escape) {
    if (peek() != '"') return fail("a member name was expected");
    if (!raw_string(out, has_escape)) return false;
    if (peek() != ':') return fail("':' was expected");
    consume(at + 1);
    return true;
  }

  /// Reads a member's name, unescaped, and its colon.
  bool name(tern_text &out) {
    bool has_escape = false;
    return key(out, has_escape) && (!has_escape || unescape(out));
  }

  /// Reads a text, unescaped.
  bool text(tern_text &out) {
    bool has_escape = false;
    return raw_string(out, has_escape) && (!has_escape || unescape(out));
  }

  /// Replaces a raw text by its unescaped form.
  bool unescape(tern_text &text);
  /// Reads any value; objects and arrays as raw text.
  bool value(tern_value &out);
  /// Steps over any value, validating it as strictly as if it were used.
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
  const uint8_t *base, *at, *end, *token_end;
  Arena &arena;
  const char *message = nullptr;

  void skip_space() {
    while (at < end && is_space(*at)) at += 1;
  }

  /// Moves past a token that ends at `next`, and the white space after it.
  void consume(const uint8_t *next) {
    at = token_end = next;
    skip_space();
  }

  bool fail_at(const uint8_t *position, const char *why) {
    at = position;
    return fail(why);
  }

  /// Reads a text without its quotes, and without resolving escapes.
  bool raw_string(tern_text &out, bool &has_escape) {
    const uint8_t *start = at + 1, *from = start;
    has_escape = false;
    while ((from = end_of_plain(from, end)) != end && *from != '"') {
      if (*from == '\\') {
        has_escape = true;
        from += 1;
        if (from < end && *from >= 0x20 && *from < 0x80) from += 1;
        continue;
      }
      if (*from < 0x20) return fail_at(from, "a control character in a text must be escaped");
      do {
        size_t length = sequence_length(from, size_t(end - from));
        if (length == 0) return fail_at(from, "invalid UTF-8");
        from += length;
      } while (from < end && *from >= 0x80);
    }
    if (from == end) return fail("a text is not closed");
    out = {start, uint32_t(from - start)};
    consume(from + 1);
    return true;
  }

  bool check_escapes(const tern_text &raw);
  bool scalar(tern_value &out);
  bool number(const uint8_t *start, const uint8_t *end, tern_value &out);
};

}  // namespace tern
