import Foundation

/// Which civil day a moment belongs to in one time zone.
///
/// Foundation is asked once per quarter of an hour of event time, not once per event. Zones change their offset on such
/// boundaries; where history knows an odder one, the quarter's first moment decides, so that recounting agrees.
final class ZoneCalendar {
  private static let quarter: Int64 = 900_000
  private static let dayMilliseconds: Int64 = 86_400_000
  private let zone: TimeZone
  private let fixedOffset: Int64?
  private var cachedQuarter = Int64.min
  private var cachedOffset: Int64 = 0
  private var offsets: [Int64: Int64] = [:]

  /// Creates a calendar; `nil` when no zone has this name.
  init?(_ identifier: String) {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    self.zone = zone
    fixedOffset = identifier == "UTC" || identifier == "GMT" ? 0 : nil
  }

  /// The civil day of a moment, as days since 1970-01-01.
  @inline(__always)
  func day(of milliseconds: Int64) -> Int {
    Int(Self.floor(milliseconds + offset(at: milliseconds), Self.dayMilliseconds))
  }

  @inline(__always)
  private func offset(at milliseconds: Int64) -> Int64 {
    if let fixedOffset { return fixedOffset }
    let quarter = Self.floor(milliseconds, Self.quarter)
    return quarter == cachedQuarter ? cachedOffset : lookUp(quarter)
  }

  private func lookUp(_ quarter: Int64) -> Int64 {
    let offset: Int64
    if let known = offsets[quarter] {
      offset = known
    } else {
      let date = Date(timeIntervalSince1970: Double(quarter * (Self.quarter / 1_000)))
      offset = Int64(zone.secondsFromGMT(for: date)) * 1_000
      if offsets.count >= 8_192 { offsets.removeAll(keepingCapacity: true) }
      offsets[quarter] = offset
    }
    cachedQuarter = quarter
    cachedOffset = offset
    return offset
  }

  @inline(__always)
  private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }
}
