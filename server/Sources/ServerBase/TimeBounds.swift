/// The range of times that the warehouse supports, the years 1 to 9999. Other times are clamped to it.
@usableFromInline
package enum TimeBounds {
  /// The first millisecond of the year 1.
  @usableFromInline package static let earliest: Int64 = -62_135_596_800_000
  /// The last millisecond of the year 9999.
  @usableFromInline package static let latest: Int64 = 253_402_300_799_999

  /// Returns the nearest supported time.
  @inlinable @inline(__always)
  package static func clamp(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, earliest), latest) }

  /// The days, as days since 1970-01-01, that have supported times in some zone.
  @usableFromInline static let days = Int(earliest / 86_400_000) - 1...Int(latest / 86_400_000) + 1

  /// Returns the nearest supported day, given as days since 1970-01-01.
  @inlinable
  package static func clamp(day: Int) -> Int { min(max(day, days.lowerBound), days.upperBound) }

  /// Returns true for a supported day.
  @inlinable package static func contains(day: Int64) -> Bool { day >= days.lowerBound && day <= days.upperBound }

  /// Returns true for a supported time.
  @inlinable @inline(__always)
  package static func contains(_ milliseconds: Int64) -> Bool { milliseconds >= earliest && milliseconds <= latest }
}
