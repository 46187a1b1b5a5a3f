/// Days of a zone, to the millisecond, and the time at which a day's reports become final.
///
/// The zone's table has its offset from UTC at a given second. The rest is arithmetic on offsets, because fixed
/// durations such as 24 or 28 hours are wrong on days with a clock change.
extension ZoneCalendar {
  /// The hour of the next day at which a day becomes final.
  private static let cutoffHour: Int64 = 4
  /// An upper bound on the offset of any zone from UTC, past or present.
  private static let maximumOffset: Int64 = 16 * 3_600

  /// A period with a constant offset, in milliseconds.
  struct Period {
    var start: Int64
    var end: Int64
    var offset: Int64
  }

  /// The local hour of a time.
  package func hour(of milliseconds: Int64) -> Int {
    let time = TimeBounds.clamp(milliseconds)
    let local = time + offset(at: time)
    return Int((local - flooredQuotient(local, Self.dayMilliseconds) * Self.dayMilliseconds) / 3_600_000)
  }

  /// The range from the first to the last moment of a day, or `nil` for a date that the zone skipped.
  ///
  /// Some moments in the range may belong to another day if a clock was set back across midnight.
  package func bounds(of day: Int) -> Range<Int64>? {
    let day = TimeBounds.clamp(day: day)
    let (start, end) = (Int64(day) * Self.dayMilliseconds, Int64(day + 1) * Self.dayMilliseconds)
    var bounds: Range<Int64>?
    for period in periods(around: day) {
      let (first, last) = (max(period.start, start - period.offset), min(period.end, end - period.offset))
      guard first < last else { continue }
      bounds = (bounds?.lowerBound ?? first)..<last
    }
    return bounds
  }

  /// The next date that exists in this zone.
  package func next(after day: Int) -> Int {
    // No zone has ever skipped two dates in a row.
    let day = TimeBounds.clamp(day: day)
    return (day + 1...day + 3).first { bounds(of: $0) != nil } ?? day + 1
  }

  /// The day's cutoff: the first moment at which clocks show 04:00 or later on the next existing date. Hits received at
  /// the cutoff or later do not count for the day.
  package func cutoff(of day: Int) -> Int64 {
    let day = TimeBounds.clamp(day: day)
    if let known = cutoffs[day] { return known }
    let next = next(after: day)
    let wanted = Int64(next) * Self.dayMilliseconds + Self.cutoffHour * 3_600_000
    let cutoff = periods(around: next).lazy
      .map { (start: max($0.start, wanted - $0.offset), end: $0.end) }
      .first { $0.start < $0.end }?.start
    if cutoffs.count >= 4_096 { cutoffs = [:] }
    cutoffs[day] = cutoff ?? wanted
    return cutoff ?? wanted
  }
}

extension ZoneCalendar {
  /// The periods that may contain moments of a date, in order.
  private func periods(around day: Int) -> [Period] {
    if let known = periods[day] { return known }
    let first = Int64(day) * 86_400 - Self.maximumOffset
    let last = Int64(day + 1) * 86_400 + Self.maximumOffset
    var result: [Period] = []
    var start = first
    var offset = exactOffset(atSecond: first)
    var second = first
    while second < last {
      let following = min(second + 1_800, last)
      if exactOffset(atSecond: following) != offset {
        let change = change(after: second, by: following, from: offset)
        result.append(Period(start: start * 1_000, end: change * 1_000, offset: offset))
        (start, offset) = (change, exactOffset(atSecond: change))
      }
      second = following
    }
    result.append(Period(start: start * 1_000, end: last * 1_000, offset: offset))
    if periods.count >= 4_096 { periods = [:] }
    periods[day] = result
    return result
  }

  /// The first second in a range at which the offset differs from `offset`.
  private func change(after low: Int64, by high: Int64, from offset: Int64) -> Int64 {
    var (low, high) = (low, high)
    while high - low > 1 {
      let middle = (low + high) / 2
      if exactOffset(atSecond: middle) == offset { low = middle } else { high = middle }
    }
    return high
  }
}
