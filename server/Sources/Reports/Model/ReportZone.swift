package import ServerBase
import TernBase
package import TernEvents
package import Warehouse

/// The time zone of an app's days.
package struct ReportZone: Sendable, Hashable {
  private let rules: ZoneRules

  /// The zone's name in the tz database, for example `Europe/Berlin`.
  package var identifier: String { rules.identifier }

  package init(_ rules: ZoneRules) { self.rules = rules }

  /// The civil day of a point in time.
  package func day(of time: Timestamp) -> Day {
    Day(number: Int(clamping: (localSeconds(of: time) / 86_400).rounded(.down)))
  }

  /// The civil time of day, as `HH:MM:SS`.
  package func timeOfDay(of time: Timestamp) -> String {
    let seconds = Int(clamping: localSeconds(of: time) - Double(day(of: time).number) * 86_400)
    return "\(padded(seconds / 3_600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
  }

  private func localSeconds(of time: Timestamp) -> Double {
    let shown = Timestamp(millisecondsSince1970: TimeBounds.clamp(time.millisecondsSince1970))
    return Double(shown.secondsSince1970) + Double(rules.table.offset(atSecond: Int64(shown.secondsSince1970)))
  }
}
