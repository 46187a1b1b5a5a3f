import TernBase

/// A civil date in the proleptic Gregorian calendar, without a time zone.
package struct Day: Hashable, Comparable, Sendable, Strideable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package var number: Int

  /// Creates a day from the number of days since 1970-01-01.
  package init(number: Int) { self.number = number }

  /// Parses `YYYY-MM-DD`; `nil` if the text isn't a valid date.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard self.components == (year, month, day) else { return nil }
  }

  /// Creates a day from year, month (1…12) and day of month.
  package init(year: Int, month: Int, day: Int) {
    number = CivilDate(year: year, month: month, day: day).daysSince1970
  }

  /// Year, month (1…12) and day of month.
  package var components: (year: Int, month: Int, day: Int) {
    let date = CivilDate(daysSince1970: number)
    return (date.year, date.month, date.day)
  }

  /// The date as `YYYY-MM-DD`.
  package var description: String {
    let (year, month, day) = components
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// Orders days chronologically.
  package static func < (left: Day, right: Day) -> Bool { left.number < right.number }
  /// Returns the number of days from this day to another.
  package func distance(to other: Day) -> Int { other.number - number }
  /// Returns the day that is `days` days later.
  package func advanced(by days: Int) -> Day { Day(number: number + days) }
}
