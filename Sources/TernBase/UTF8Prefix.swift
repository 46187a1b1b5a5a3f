extension StringProtocol {
  /// Returns the longest beginning that takes at most a number of bytes in UTF-8, and ends with a whole code point.
  ///
  /// A number of characters bounds nothing: one character can have any number of combining marks.
  public func prefix(utf8Bytes limit: Int) -> String {
    let limit = Swift.min(Swift.max(limit, 0), .max - 1)
    let bytes = utf8.prefix(limit + 1)
    guard bytes.count > limit else { return String(self) }
    // Back to the first byte of the code point that is cut.
    let whole = bytes.dropLast(bytes.reversed().prefix { $0 & 0xC0 == 0x80 }.count + 1)
    return String(decoding: whole, as: UTF8.self)
  }
}
