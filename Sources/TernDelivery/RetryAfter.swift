import TernBase
package import TernEvents

/// A parser for the wait that a server asks for (RFC 9110 §10.2.3).
package enum RetryAfter {
  /// Parses a value of `Retry-After`: whole seconds or an HTTP date; returns `nil` if it is neither.
  ///
  /// - Parameter now: The server's time if known, otherwise the device's; a date in the past means no wait.
  package static func parse(_ text: String, now: Timestamp) -> Duration? {
    let trimmed = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    if let first = trimmed.first, isDigit(first) {
      var seconds: Int64 = 0
      for byte in trimmed {
        if byte == 0x20 || byte == 0x09 { break }
        guard isDigit(byte) else { return nil }
        // Clamp to a century to prevent overflow.
        seconds = min(seconds * 10 + Int64(byte - 0x30), 3_155_760_000)
      }
      return .seconds(seconds)
    }
    return date(text).map { max($0.since(now), .zero) }
  }

  /// Parses milliseconds, as App Center's servers send them in `x-ms-retry-after-ms`.
  package static func milliseconds(_ text: String) -> Duration? {
    guard let value = Int64(text), value >= 0 else { return nil }
    return .milliseconds(min(value, 3_155_760_000_000))
  }

  /// Parses an HTTP date in any of its three formats (RFC 9110 §5.6.7), always UTC.
  package static func date(_ text: String) -> Timestamp? {
    let words = text.utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
    // `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT` have six words,
    // `Sun Nov  6 08:49:37 1994` five.
    let order: (day: Int, month: Int, year: Int, time: Int)
    switch words.count {
    case 6: order = (1, 2, 3, 4)
    case 5: order = (2, 1, 4, 3)
    default: return nil
    }
    guard let day = number(words[order.day]), let month = month(words[order.month]),
      var year = number(words[order.year]), (1...31).contains(day)
    else { return nil }
    // Per RFC 9110, a two-digit year is never far in the future.
    if words[order.year].count == 2 { year += year < 70 ? 2000 : 1900 }
    let clock = words[order.time].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard clock.count == 3, let hour = number(clock[0]), let minute = number(clock[1]), let second = number(clock[2]),
      hour < 24, minute < 60, second <= 60, (1970...9999).contains(year)
    else { return nil }
    let seconds =
      CivilDate(year: year, month: month, day: day).daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
    return Timestamp(millisecondsSince1970: Int64(seconds) * 1000)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func number(_ text: Substring.UTF8View) -> Int? {
    guard (1...4).contains(text.count), text.allSatisfy(isDigit) else { return nil }
    return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func month(_ text: Substring.UTF8View) -> Int? {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return names.firstIndex { $0.utf8.elementsEqual(text) }.map { $0 + 1 }
  }
}
