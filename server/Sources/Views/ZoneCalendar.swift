import Foundation

/// Which civil day a moment belongs to in one time zone. Not for sharing between threads.
///
/// Foundation is asked for the two ends of a quarter of an hour of event time, and not once per event; for each second
/// only where the clock was changed within. Zones change it on such boundaries today, but some did so at odd minutes.
package final class ZoneCalendar {
  package static let dayMilliseconds: Int64 = 86_400_000
  private static let quarter: Int64 = 900_000
  private let zone: TimeZone
  private let fixedOffset: Int64?
  private var latestQuarter = Int64.min
  private var latestOffset: Int64 = 0
  /// The offset of each quarter; `nil` where the clock was changed within.
  private var quarters: [Int64: Int64?] = [:]

  /// Creates a calendar; `nil` when no zone has this name.
  package init?(_ identifier: String) {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    self.zone = zone
    fixedOffset = identifier == "UTC" || identifier == "GMT" ? 0 : nil
  }

  /// The civil day of a moment, as days since 1970-01-01.
  package func day(of milliseconds: Int64) -> Int {
    Int(flooredQuotient(milliseconds + offset(at: milliseconds), Self.dayMilliseconds))
  }

  /// How far the zone is east of UTC at a moment, in milliseconds.
  package func offset(at milliseconds: Int64) -> Int64 {
    if let fixedOffset { return fixedOffset }
    let quarter = flooredQuotient(milliseconds, Self.quarter)
    return quarter == latestQuarter ? latestOffset : lookUp(quarter, milliseconds)
  }

  /// How far the zone is east of UTC at a second since 1970, in milliseconds, as the system's zone data says.
  package func exactOffset(atSecond second: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))) * 1_000
  }

  private func lookUp(_ quarter: Int64, _ milliseconds: Int64) -> Int64 {
    let known = quarters[quarter] ?? constantOffset(of: quarter)
    if quarters.count >= 8_192 { quarters.removeAll(keepingCapacity: true) }
    quarters[quarter] = .some(known)
    guard let known else { return exactOffset(atSecond: flooredQuotient(milliseconds, 1_000)) }
    latestQuarter = quarter
    latestOffset = known
    return known
  }

  /// The offset of all of a quarter; `nil` when it changes within.
  private func constantOffset(of quarter: Int64) -> Int64? {
    let first = quarter * (Self.quarter / 1_000)
    let offset = exactOffset(atSecond: first)
    return offset == exactOffset(atSecond: first + Self.quarter / 1_000 - 1) ? offset : nil
  }
}

/// A quotient rounded down, also below zero.
@inlinable
package func flooredQuotient(_ value: Int64, _ divisor: Int64) -> Int64 {
  let quotient = value / divisor
  return value % divisor < 0 ? quotient - 1 : quotient
}
