#include "Diagnosis.hpp"

namespace tern {

namespace {

/// The length of the UTF-8 sequence at the start; 0 when it is not valid.
size_t sequence_length(const uint8_t *bytes, size_t left) {
  uint8_t lead = bytes[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (left < length) return 0;
  // The second byte alone rules out overlong forms, surrogates and what lies beyond U+10FFFF.
  uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (bytes[1] < low || bytes[1] > high) return 0;
  for (size_t index = 2; index < length; index += 1) {
    if ((bytes[index] & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

Diagnosis diagnose(const uint8_t *bytes, size_t length) {
  bool is_inside = false;
  size_t opened = 0, at = 0;
  while (at < length) {
    size_t step = sequence_length(bytes + at, length - at);
    if (step == 0) return {"invalid UTF-8", at};
    uint8_t byte = bytes[at];
    if (is_inside && byte < 0x20) return {"a control character in a text must be escaped", at};
    if (is_inside && byte == '\\') {
      at += 1;
      if (at < length && bytes[at] >= 0x20 && bytes[at] < 0x80) at += 1;
      continue;
    }
    if (byte == '"') {
      is_inside = !is_inside;
      opened = at;
    }
    at += step;
  }
  if (is_inside) return {"a text is not closed", opened};
  return {length == 0 ? "the body is empty" : "a value was expected", 0};
}

}  // namespace tern
