import TernBase
package import TernEvents

/// Parses a time such as `2025-03-02T14:05:09.120Z`, with or without a fraction, and with `Z`, an offset such as
/// `+02:00` or `+0200`, or neither (then UTC). Hand-written, because a formatter would cost more than all the rest of a
/// log.
package func writtenTime(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
  var reader = TimeReader(bytes: bytes)
  guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
    let day = reader.digits(2), (1...12).contains(month),
    reader.skip("T") || reader.skip("t") || reader.skip(" "),
    let hour = reader.digits(2), reader.skip(":"), let minute = reader.digits(2), reader.skip(":"),
    let second = reader.digits(2), hour < 24, minute < 60, second <= 60,
    let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
  else { return nil }
  let date = CivilDate(year: year, month: month, day: day)
  // A day that its month lacks is a day of another month.
  guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
  let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
  return Timestamp(millisecondsSince1970: Int64((seconds - offset * 60) * 1000 + fraction))
}

private struct TimeReader {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  private var digit: Int? {
    guard position < bytes.count else { return nil }
    let value = bytes[position] &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }

  mutating func digits(_ count: Int) -> Int? {
    var result = 0
    for _ in 0..<count {
      guard let digit else { return nil }
      result = result * 10 + digit
      position += 1
    }
    return result
  }

  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == scalar.value else { return false }
    position += 1
    return true
  }

  /// Returns the milliseconds of the second; further digits are ignored. `nil` if no digits follow the point.
  mutating func fraction() -> Int? {
    guard skip(".") || skip(",") else { return 0 }
    var result = 0
    var scale = 100
    let start = position
    while let digit {
      result += digit * scale
      scale /= 10
      position += 1
    }
    return position > start ? result : nil
  }

  /// Returns the offset in minutes, positive to the east of UTC.
  mutating func offset() -> Int? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = digits(2), hours <= 18 else { return nil }
    _ = skip(":")
    guard !isAtEnd else { return isWest ? -hours * 60 : hours * 60 }
    guard let minutes = digits(2), minutes < 60 else { return nil }
    return isWest ? -(hours * 60 + minutes) : hours * 60 + minutes
  }
}
