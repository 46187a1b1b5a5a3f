import ServerBase

/// An hour of a zone's clock with the zone's offset from UTC, for example `2026-10-25T02:00+02:00`.
struct ZonedHour: Hashable, Sendable {
  /// Civil hours since 1970-01-01T00:00.
  let hour: Int
  /// Minutes east of UTC.
  let offset: Int

  /// More than the differences between all offsets, in minutes.
  private static let span = 4_096

  init(hour: Int, offset: Int) { (self.hour, self.offset) = (hour, offset) }

  /// Creates the hour with a number.
  init(number: Int) {
    hour = Int(flooredQuotient(Int64(number), Int64(Self.span)))
    offset = Self.span / 2 - (number - hour * Self.span)
  }

  /// A number in the order of time: of two hours that clocks show alike, the one with the larger offset is earlier.
  var number: Int { hour * Self.span + Self.span / 2 - offset }

  /// The name in answers.
  var label: String {
    let (hours, minutes) = (abs(offset) / 60, abs(offset) % 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(QuestionCalendar.label(of: .hour, number: hour))\(offset < 0 ? "-" : "+")\(two(hours)):\(two(minutes))"
  }

  /// Returns true if an hour comes before another one, by their names.
  static func isOrdered(_ left: String, before right: String) -> Bool {
    // Names have the clock's hour first. Signs and digits of equal hours are compared by their meaning.
    let clocks = (left.utf8.prefix(clockLength), right.utf8.prefix(clockLength))
    guard clocks.0.elementsEqual(clocks.1) else { return clocks.0.lexicographicallyPrecedes(clocks.1) }
    return offset(of: left) > offset(of: right)
  }

  /// The length of `2026-10-25T02:00`.
  private static let clockLength = 16

  /// The minutes east of UTC in a name; 0 without.
  static func offset(of label: String) -> Int {
    let digits = label.utf8.dropFirst(clockLength + 1).filter { $0 != UInt8(ascii: ":") }.reduce(0) {
      $0 * 10 + Int($1) - 0x30
    }
    return (label.utf8.dropFirst(clockLength).first == UInt8(ascii: "-") ? -1 : 1) * (digits / 100 * 60 + digits % 100)
  }
}
