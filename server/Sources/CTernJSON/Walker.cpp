#include "Walker.hpp"

#include "Escape.hpp"

namespace tern {

namespace {

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

bool Walker::unescape(tern_text &text) {
  uint8_t *start = arena.space(text.length), *to = start;
  if (!start) return fail("out of memory");
  const uint8_t *from = text.start, *end = text.start + text.length;
  while (from < end) {
    auto backslash = static_cast<const uint8_t *>(std::memchr(from, '\\', size_t(end - from)));
    size_t plain = size_t((backslash ? backslash : end) - from);
    std::memcpy(to, from, plain);
    to += plain;
    if (!backslash) break;
    from = read_escape(backslash + 1, end, to);
    if (!from) return fail("a text holds an unknown escape");
  }
  text.start = start;
  text.length = uint32_t(to - start);
  arena.take(text.length);
  return true;
}

bool Walker::check_escapes(const tern_text &raw) {
  const uint8_t *from = raw.start, *end = raw.start + raw.length;
  uint8_t unused[4];
  while (from < end) {
    from = static_cast<const uint8_t *>(std::memchr(from, '\\', size_t(end - from)));
    if (!from) return true;
    uint8_t *to = unused;
    from = read_escape(from + 1, end, to);
    if (!from) return fail("a text holds an unknown escape");
  }
  return true;
}

bool Walker::number(const uint8_t *start, const uint8_t *end, tern_value &out) {
  const uint8_t *from = start;
  bool is_negative = from < end && *from == '-', is_exact = true, is_whole = true;
  if (is_negative) from += 1;
  if (from == end || !is_digit(*from)) return fail("a value was expected");
  if (*from == '0' && end - from > 1 && is_digit(from[1])) return fail("a number starts with 0");
  uint64_t digits = 0;
  int64_t exponent = 0;
  auto digit = [&](uint8_t byte) {
    if (digits > (UINT64_MAX - 9) / 10) is_exact = false;
    else digits = digits * 10 + (byte - '0');
  };
  for (; from < end && is_digit(*from); from += 1) digit(*from);
  if (from < end && *from == '.') {
    is_whole = false;
    const uint8_t *fraction = ++from;
    for (; from < end && is_digit(*from); from += 1) digit(*from);
    if (from == fraction) return fail("a number ends in its point");
    exponent = fraction - from;
  }
  if (from < end && (*from | 0x20) == 'e') {
    is_whole = false;
    from += 1;
    bool is_small = from < end && *from == '-';
    if (from < end && (*from == '-' || *from == '+')) from += 1;
    const uint8_t *power = from;
    int64_t size = 0;
    for (; from < end && is_digit(*from); from += 1) size = size < 100000 ? size * 10 + (*from - '0') : size;
    if (from == power) return fail("a number ends in its exponent");
    exponent += is_small ? -size : size;
  }
  if (from != end) return fail("a value was expected");
  if (is_whole && is_exact && digits <= uint64_t(INT64_MAX) + (is_negative ? 1 : 0)) {
    out.kind = TERN_VALUE_INTEGER;
    out.integer = is_negative ? int64_t(0 - digits) : int64_t(digits);
    return true;
  }
  // Up to 2^53 and 10^22 both operands are exact, so one division or multiplication rounds correctly.
  if (is_exact && digits <= uint64_t(1) << 53 && exponent >= -22 && exponent <= 22) {
    double result = double(digits);
    result = exponent < 0 ? result / powers[-exponent] : result * powers[exponent];
    out.kind = TERN_VALUE_DOUBLE;
    out.number = is_negative ? -result : result;
    return true;
  }
  out.kind = TERN_VALUE_NUMBER_TEXT;
  out.text = {start, uint32_t(end - start)};
  return true;
}

bool Walker::scalar(tern_value &out) {
  const uint8_t *stop = at;
  while (stop < end && !ends_scalar(*stop)) stop += 1;
  tern_text token = {at, uint32_t(stop - at)};
  if (is(token, "true")) out.kind = TERN_VALUE_TRUE;
  else if (is(token, "false")) out.kind = TERN_VALUE_FALSE;
  else if (is(token, "null")) out.kind = TERN_VALUE_NULL;
  else if (!number(at, stop, out)) return false;
  consume(stop);
  return true;
}

bool Walker::value(tern_value &out) {
  switch (peek()) {
  case '"':
    out.kind = TERN_VALUE_TEXT;
    return text(out.text);
  case '{': case '[':
    out.kind = TERN_VALUE_RAW;
    return skip(out.text);
  case 0:
    return fail("unexpected end");
  default:
    return scalar(out);
  }
}

bool Walker::lenient_text(tern_text &out) {
  if (peek() == '"') return text(out);
  tern_text raw = {};
  if (!skip(raw)) return false;
  bool is_number = raw.start[0] == '-' || is_digit(raw.start[0]);
  out = is_number ? raw : tern_text{nullptr, 0};
  return true;
}

bool Walker::date(const tern_text &expected, int64_t &milliseconds) {
  const uint8_t *start = at;
  tern_text name = {};
  tern_value time = {};
  bool has_escape = false, is_first = true;
  bool is_date = enter('{') && next('}', is_first) && key(name, has_escape) && spells(name.start, name.length, expected)
                 && scalar(time) && time.kind == TERN_VALUE_INTEGER && peek() == '}';
  if (is_date) {
    consume(at + 1);
    milliseconds = time.integer;
    return true;
  }
  at = start;
  message = nullptr;
  return false;
}

bool Walker::skip(tern_text &raw) {
  const uint8_t *start = at;
  uint64_t is_object[maximum_depth / 64] = {};
  uint32_t depth = 0;
  bool is_first = false;
  auto inside_object = [&] { return (is_object[(depth - 1) / 64] >> ((depth - 1) % 64) & 1) != 0; };
  do {
    uint8_t byte = peek();
    if (depth > 0 && byte == (inside_object() ? '}' : ']')) {
      consume(at + 1);
      depth -= 1;
      is_first = false;
      continue;
    }
    if (depth > 0) {
      if (!is_first) {
        if (byte != ',') return fail("',' or a closing bracket was expected");
        consume(at + 1);
      }
      is_first = false;
      if (inside_object()) {
        tern_text name = {};
        bool has_escape = false;
        if (!key(name, has_escape) || (has_escape && !check_escapes(name))) return false;
      }
      byte = peek();
    }
    if (byte == '{' || byte == '[') {
      if (depth == maximum_depth) return fail("nested too deeply");
      uint64_t bit = uint64_t(1) << (depth % 64);
      if (byte == '{') is_object[depth / 64] |= bit;
      else is_object[depth / 64] &= ~bit;
      depth += 1;
      consume(at + 1);
      is_first = true;
    } else if (byte == '"') {
      tern_text text = {};
      bool has_escape = false;
      if (!raw_string(text, has_escape) || (has_escape && !check_escapes(text))) return false;
    } else if (byte == 0) {
      return fail("unexpected end");
    } else {
      tern_value ignored = {};
      if (!scalar(ignored)) return false;
    }
  } while (depth > 0);
  raw = {start, uint32_t(token_end - start)};
  return true;
}

}  // namespace tern
