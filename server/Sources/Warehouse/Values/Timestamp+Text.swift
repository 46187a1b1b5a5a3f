import ServerBase
package import TernEvents

extension Timestamp {
  /// Returns the time in UTC as ISO 8601, clamped to ``TimeBounds``, in the Gregorian calendar throughout.
  ///
  /// Foundation can't be used: it switches to the Julian calendar before 1582, in which the year 1 starts on a
  /// different day.
  package func utcText(withMilliseconds: Bool) -> String {
    let milliseconds = TimeBounds.clamp(millisecondsSince1970)
    let inDay = Int((milliseconds % 86_400_000 + 86_400_000) % 86_400_000)
    let day = Day(number: (Int(milliseconds) - inDay) / 86_400_000)
    let clock = [inDay / 3_600_000, inDay / 60_000 % 60, inDay / 1_000 % 60].map { padded($0) }
    let fraction = withMilliseconds ? "." + padded(inDay % 1_000, 3) : ""
    return "\(day)T\(clock.joined(separator: ":"))\(fraction)Z"
  }
}
