import NIOConcurrencyHelpers
import TernBase
import TernEvents

/// The value of `Date` in responses, formatted once a second.
final class ResponseDate: Sendable {
  private let last = NIOLockedValueBox<(second: Int64, text: String)?>(nil)

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns a time in the format of RFC 9110, such as "Sun, 06 Nov 1994 08:49:37 GMT".
  func text(at time: Timestamp) -> String {
    let second = time.secondsSince1970
    return last.withLockedValue { last in
      if let last, last.second == second { return last.text }
      let text = Self.format(second)
      last = (second, text)
      return text
    }
  }

  static func format(_ secondsSince1970: Int64) -> String {
    let (quotient, remainder) = Int(secondsSince1970).quotientAndRemainder(dividingBy: 86_400)
    let (days, second) = remainder < 0 ? (quotient - 1, remainder + 86_400) : (quotient, remainder)
    let date = CivilDate(daysSince1970: days)
    let weekday = weekdays[((days % 7) + 7) % 7]
    let year = String(repeating: "0", count: max(4 - String(date.year).count, 0)) + String(date.year)
    let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(twoDigits(date.day)) \(months[date.month - 1]) \(year) \(clock) GMT"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
