/// The civil days of one time zone to the millisecond, and when a day's reports are final.
///
/// Foundation's zone data says how far the zone was from UTC at a second; the rest is arithmetic, because durations
/// such as 24 or 28 hours are wrong on days on which the clock is changed. Not for sharing between threads.
package final class CivilZone {
  package static let dayMilliseconds = ZoneCalendar.dayMilliseconds
  /// The hour of the next day at which a day is final.
  private static let cutoffHour: Int64 = 4
  /// No zone was ever further from UTC.
  private static let farthest: Int64 = 16 * 3_600

  private let calendar: ZoneCalendar
  private var spans: [Int: [OffsetSpan]] = [:]
  private var cutoffs: [Int: Int64] = [:]

  /// A time during which the clock was not changed, in milliseconds.
  private struct OffsetSpan {
    var start: Int64
    var end: Int64
    var offset: Int64
  }

  /// Creates the calendar of a zone; `nil` when no zone has this name.
  package init?(_ identifier: String) {
    guard let calendar = ZoneCalendar(identifier) else { return nil }
    self.calendar = calendar
  }

  /// The civil day of a moment, as days since 1970-01-01.
  package func day(of milliseconds: Int64) -> Int { calendar.day(of: milliseconds) }

  /// The hour that a clock on the wall shows at a moment.
  package func hour(of milliseconds: Int64) -> Int {
    let local = milliseconds + calendar.offset(at: milliseconds)
    return Int((local - flooredQuotient(local, Self.dayMilliseconds) * Self.dayMilliseconds) / 3_600_000)
  }

  /// From the first to the last moment of a day; `nil` for a date that the zone has left out.
  ///
  /// Moments between them may belong to another day, where a clock was put back across midnight.
  package func bounds(of day: Int) -> Range<Int64>? {
    let (start, end) = (Int64(day) * Self.dayMilliseconds, Int64(day + 1) * Self.dayMilliseconds)
    var bounds: Range<Int64>?
    for span in spans(around: day) {
      let (first, last) = (max(span.start, start - span.offset), min(span.end, end - span.offset))
      guard first < last else { continue }
      bounds = (bounds?.lowerBound ?? first)..<last
    }
    return bounds
  }

  /// The next date that exists.
  package func next(after day: Int) -> Int {
    // Nowhere were two dates in a row left out.
    (day + 1...day + 3).first { bounds(of: $0) != nil } ?? day + 1
  }

  /// The first moment at which clocks show 04:00 or later on the next date that exists: what is received then or later
  /// does not count for the day.
  package func cutoff(of day: Int) -> Int64 {
    if let known = cutoffs[day] { return known }
    let next = next(after: day)
    let wanted = Int64(next) * Self.dayMilliseconds + Self.cutoffHour * 3_600_000
    let cutoff = spans(around: next).lazy
      .map { (start: max($0.start, wanted - $0.offset), end: $0.end) }
      .first { $0.start < $0.end }?.start
    if cutoffs.count >= 4_096 { cutoffs = [:] }
    cutoffs[day] = cutoff ?? wanted
    return cutoff ?? wanted
  }
}

extension CivilZone {
  /// The spans that may hold moments of a date, in order.
  private func spans(around day: Int) -> [OffsetSpan] {
    if let known = spans[day] { return known }
    let first = Int64(day) * 86_400 - Self.farthest
    let last = Int64(day + 1) * 86_400 + Self.farthest
    var result: [OffsetSpan] = []
    var start = first
    var offset = calendar.exactOffset(atSecond: first)
    var second = first
    while second < last {
      let following = min(second + 1_800, last)
      if calendar.exactOffset(atSecond: following) != offset {
        let change = change(after: second, by: following, from: offset)
        result.append(OffsetSpan(start: start * 1_000, end: change * 1_000, offset: offset))
        (start, offset) = (change, calendar.exactOffset(atSecond: change))
      }
      second = following
    }
    result.append(OffsetSpan(start: start * 1_000, end: last * 1_000, offset: offset))
    if spans.count >= 4_096 { spans = [:] }
    spans[day] = result
    return result
  }

  /// The first second of a range at which the offset is another.
  private func change(after low: Int64, by high: Int64, from offset: Int64) -> Int64 {
    var (low, high) = (low, high)
    while high - low > 1 {
      let middle = (low + high) / 2
      if calendar.exactOffset(atSecond: middle) == offset { low = middle } else { high = middle }
    }
    return high
  }
}
