/// Decodes base64 (RFC 4648 §4) from a JSON string with its escapes: `\/` is a slash, line breaks are skipped, and
/// padding may be missing.
///
/// - Returns: The bytes, or `nil` if the text is not base64 or encodes more than `limit` bytes.
func base64Decoded(_ text: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
  guard text.count / 4 <= limit / 3 + 64 + text.count / 64 else { return nil }
  var result: [UInt8] = []
  result.reserveCapacity(min(text.count / 4 * 3 + 3, limit))
  var bits: UInt32 = 0
  var count = 0
  var position = 0
  var isPadded = false
  while position < text.count {
    let byte = text[position]
    position += 1
    if byte == UInt8(ascii: "\\") {
      guard position < text.count else { return nil }
      let letter = text[position]
      // `\n` and `\r` are line breaks; the slash of `\/` is read in the next iteration.
      if letter == UInt8(ascii: "n") || letter == UInt8(ascii: "r") {
        position += 1
      } else if letter != UInt8(ascii: "/") {
        return nil
      }
      continue
    }
    if byte == UInt8(ascii: "=") {
      isPadded = true
      continue
    }
    guard !isPadded, let value = base64Value(byte) else { return nil }
    bits = bits << 6 | UInt32(value)
    count += 1
    if count == 4 {
      guard result.count + 3 <= limit else { return nil }
      result.append(UInt8(truncatingIfNeeded: bits >> 16))
      result.append(UInt8(truncatingIfNeeded: bits >> 8))
      result.append(UInt8(truncatingIfNeeded: bits))
      (bits, count) = (0, 0)
    }
  }
  switch count {
  case 0: break
  case 2: result.append(UInt8(truncatingIfNeeded: bits >> 4))
  case 3:
    result.append(UInt8(truncatingIfNeeded: bits >> 10))
    result.append(UInt8(truncatingIfNeeded: bits >> 2))
  default: return nil
  }
  return result.count <= limit ? result : nil
}

private func base64Value(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
  case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
  case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
  case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
  default: nil
  }
}
