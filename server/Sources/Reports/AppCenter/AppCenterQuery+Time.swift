import TernEvents
import Warehouse

extension AppCenterQuery {
  /// Parses a parameter that is a time to the millisecond, such as `last_received_log_timestamp`: a date, or a date and
  /// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff`, with `Z`, `±hh:mm` or nothing, which means UTC.
  static func time(_ name: String, _ given: [String: String]) throws(AppCenterError) -> Timestamp? {
    guard let day = try day(name, given), let text = given[name] else { return nil }
    let midnight = Int64(day.number) * 86_400_000
    guard text.utf8.count > 10 else { return Timestamp(millisecondsSince1970: midnight) }
    let rest = text.dropFirst(11)
    let clock = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ":" || $0 == ".") }
    guard let milliseconds = milliseconds(ofClock: clock), let offset = minutes(ofZone: rest.dropFirst(clock.count))
    else { throw unreadable(name) }
    return Timestamp(millisecondsSince1970: midnight + milliseconds - offset * 60_000)
  }

  private static func milliseconds(ofClock text: Substring) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let clock = (parts.first ?? "").split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3 || clock.count == 2 && parts.count == 1, let hours = number(clock[0], 0...23),
      let minutes = number(clock[1], 0...59), let seconds = clock.count == 3 ? number(clock[2], 0...60) : 0
    else { return nil }
    var fraction: Int64 = 0
    if parts.count == 2 {
      guard !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber) else { return nil }
      fraction = Int64((parts[1] + "00").prefix(3)) ?? 0
    }
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + fraction
  }

  /// Returns the offset in minutes, positive to the east of UTC. A `+` that was not encoded arrives as a space.
  private static func minutes(ofZone text: Substring) -> Int64? {
    guard let sign = text.first else { return 0 }
    if sign == "Z" || sign == "z" { return text.count == 1 ? 0 : nil }
    guard "+- ".contains(sign) else { return nil }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard digits.count == 4, let hours = number(digits.prefix(2), 0...23),
      let minutes = number(digits.suffix(2), 0...59)
    else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 60 + minutes)
  }

  private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.count == 2, let number = Int64(text), range.contains(number) else { return nil }
    return number
  }
}
