/// The civil days of one time zone. Not thread-safe.
///
/// Looks up offsets in the zone's table once per quarter hour of event time instead of once per event, and per second only
/// within quarters in which the clock changed. Today's zones change on such boundaries, but some historical changes
/// happened at odd minutes.
package final class ZoneCalendar {
  package static let dayMilliseconds: Int64 = 86_400_000
  private static let quarter: Int64 = 900_000
  /// The zone's rules.
  package let rules: ZoneRules
  private let fixedOffset: Int64?
  private var latestQuarter = Int64.min
  private var latestOffset: Int64 = 0
  /// The offset of each quarter hour; `nil` if it changed within the quarter.
  private var quarters: [Int64: Int64?] = [:]
  /// See `ZoneCalendar+Days.swift`.
  var periods: [Int: [Period]] = [:]
  var cutoffs: [Int: Int64] = [:]

  package init(_ rules: ZoneRules) {
    self.rules = rules
    fixedOffset = rules.table.isConstant ? Int64(rules.table.offset(atSecond: 0)) * 1_000 : nil
  }

  /// Creates the calendar of a zone by the data of this computer, or returns `nil` if they have no zone with this name.
  package convenience init?(_ identifier: String) {
    guard let rules = ZoneDatabase.system.zone(identifier) else { return nil }
    self.init(rules)
  }

  /// The civil day of a time, as days since 1970-01-01.
  package func day(of milliseconds: Int64) -> Int {
    let time = TimeBounds.clamp(milliseconds)
    return Int(flooredQuotient(time + offset(at: time), Self.dayMilliseconds))
  }

  /// The zone's offset east of UTC at a time, in milliseconds.
  package func offset(at milliseconds: Int64) -> Int64 {
    if let fixedOffset { return fixedOffset }
    let time = TimeBounds.clamp(milliseconds)
    let quarter = flooredQuotient(time, Self.quarter)
    return quarter == latestQuarter ? latestOffset : lookUp(quarter, time)
  }

  /// The zone's offset east of UTC at a second since 1970, in milliseconds.
  package func exactOffset(atSecond second: Int64) -> Int64 { Int64(rules.table.offset(atSecond: second)) * 1_000 }

  private func lookUp(_ quarter: Int64, _ milliseconds: Int64) -> Int64 {
    let known = quarters[quarter] ?? constantOffset(of: quarter)
    if quarters.count >= 8_192 { quarters.removeAll(keepingCapacity: true) }
    quarters[quarter] = .some(known)
    guard let known else { return exactOffset(atSecond: flooredQuotient(milliseconds, 1_000)) }
    latestQuarter = quarter
    latestOffset = known
    return known
  }

  /// The offset during a quarter hour, or `nil` if it changes within.
  private func constantOffset(of quarter: Int64) -> Int64? {
    let first = quarter * (Self.quarter / 1_000)
    let offset = exactOffset(atSecond: first)
    return offset == exactOffset(atSecond: first + Self.quarter / 1_000 - 1) ? offset : nil
  }
}

/// The quotient rounded towards negative infinity.
@inlinable
package func flooredQuotient(_ value: Int64, _ divisor: Int64) -> Int64 {
  let quotient = value / divisor
  return value % divisor < 0 ? quotient - 1 : quotient
}
