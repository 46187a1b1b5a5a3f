import TernBase
import TernEvents

extension Timestamp {
  /// The time in ISO 8601 format, in UTC and whole seconds.
  var iso8601: String {
    let (date, clock) = parts
    return "\(Self.padded(date.year, 4))-\(Self.padded(date.month))-\(Self.padded(date.day))T\(clock)Z"
  }

  /// The time in the format of mails (RFC 5322 §3.3).
  var mailDate: String {
    let (date, clock) = parts
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let weekday = weekdays[(date.daysSince1970 % 7 + 7) % 7]
    return "\(weekday), \(date.day) \(months[date.month - 1]) \(Self.padded(date.year, 4)) \(clock) +0000"
  }

  private var parts: (CivilDate, String) {
    // Within the years 1 to 9999, which both forms can write.
    let seconds = min(max(secondsSince1970, -62_135_596_800), 253_402_300_799)
    let inDay = Int((seconds % 86_400 + 86_400) % 86_400)
    let date = CivilDate(daysSince1970: (Int(seconds) - inDay) / 86_400)
    return (date, [inDay / 3_600, inDay / 60 % 60, inDay % 60].map { Self.padded($0) }.joined(separator: ":"))
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
  }
}
