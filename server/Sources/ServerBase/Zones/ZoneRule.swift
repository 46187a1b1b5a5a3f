import TernBase

/// The rule by which clocks change each year, as the last line of a TZif file has it: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// POSIX calls it TZ; RFC 9636, section 3.3.1, lets its hours go from -167 to 167.
package struct ZoneRule: Sendable, Hashable {
  /// The rule as it is written.
  let text: String
  /// The offset of standard time, in seconds east of UTC.
  let standard: Int
  /// Daylight saving time, if there is any.
  let saving: Saving?

  struct Saving: Sendable, Hashable {
    /// Seconds east of UTC.
    var offset: Int
    /// In standard time.
    var start: Moment
    /// In daylight saving time.
    var end: Moment
  }

  /// A day of each year, and a time of it.
  struct Moment: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// `Jn`: 1 to 365; February 29 is never counted.
      case withoutLeapDay(Int)
      /// `n`: 0 to 365.
      case ofYear(Int)
      /// `Mm.w.d`: week 5 is the month's last; 0 is Sunday.
      case ofMonth(Int, week: Int, weekday: Int)
    }

    var day: Day
    /// Seconds after midnight, which can be negative.
    var time: Int
  }

  /// The offset at a time, in seconds east of UTC.
  func offset(atSecond second: Int64) -> Int {
    guard saving != nil else { return standard }
    let year = Self.year(ofSecond: second)
    return changes(in: year - 1...year + 1).last { $0.second <= second }?.offset ?? standard
  }

  /// The moments of change within a range, in order.
  func moments(in range: Range<Int64>) -> [Int64] {
    guard saving != nil, !range.isEmpty else { return [] }
    let years = Self.year(ofSecond: range.lowerBound) - 1...Self.year(ofSecond: range.upperBound - 1) + 1
    return changes(in: years).map(\.second).filter { range.contains($0) }
  }

  /// The changes of some years in order. Where two come at one moment, as in a zone that has daylight saving time all year,
  /// that of the later year comes last.
  private func changes(in years: ClosedRange<Int>) -> [ZoneTable.Change] {
    guard let saving else { return [] }
    return years.flatMap { year in
      [
        ZoneTable.Change(second: saving.start.second(in: year) - Int64(standard), offset: saving.offset),
        ZoneTable.Change(second: saving.end.second(in: year) - Int64(saving.offset), offset: standard),
      ].sorted { $0.second < $1.second }
    }.enumerated().sorted { ($0.element.second, $0.offset) < ($1.element.second, $1.offset) }.map(\.element)
  }

  private static func year(ofSecond second: Int64) -> Int {
    // Far from any time that is stored, and within what a day's number can be.
    let day = TimeBounds.clamp(day: Int(flooredQuotient(second, 86_400)))
    return CivilDate(daysSince1970: day).year
  }
}

extension ZoneRule.Moment {
  /// The moment in a year as its local clocks show it, in seconds since 1970-01-01T00:00.
  func second(in year: Int) -> Int64 {
    let number =
      switch day {
      case .ofYear(let day): Self.first(year, 1) + day
      // March 1 is the 60th of these days.
      case .withoutLeapDay(let day): day < 60 ? Self.first(year, 1) + day - 1 : Self.first(year, 3) + day - 60
      case .ofMonth(let month, let week, let weekday): Self.day(year, month, week, weekday)
      }
    return Int64(number) * 86_400 + Int64(time)
  }

  private static func day(_ year: Int, _ month: Int, _ week: Int, _ weekday: Int) -> Int {
    let first = first(year, month)
    let next = month == 12 ? Self.first(year + 1, 1) : Self.first(year, month + 1)
    // 1970-01-01 was a Thursday.
    let firstWeekday = Int((Int64(first) + 4) - flooredQuotient(Int64(first) + 4, 7) * 7)
    let day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
    return day < next ? day : day - 7
  }

  private static func first(_ year: Int, _ month: Int) -> Int {
    CivilDate(year: year, month: month, day: 1).daysSince1970
  }
}
