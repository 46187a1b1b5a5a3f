import Foundation
import ServerBase
import TernBase
public import TernEvents
public import Warehouse

/// The time zone of an app's days.
public struct ReportZone: Sendable, Hashable {
  /// The zone's name in the tz database, for example `Europe/Berlin`.
  public let identifier: String
  private let zone: TimeZone

  /// Finds a zone by its name; throws ``ReportError`` if the system does not know it.
  public init(_ identifier: String) throws(ReportError) {
    guard let zone = TimeZone(identifier: identifier) else {
      throw ReportError(
        code: .unknownTimeZone,
        message: "This computer does not know the time zone \"\(visible(identifier))\". Use a name like Europe/Berlin.")
    }
    self.identifier = identifier
    self.zone = zone
  }

  /// The civil day of a point in time.
  public func day(of time: Timestamp) -> Day {
    Day(number: Int(clamping: (localSeconds(of: time) / 86_400).rounded(.down)))
  }

  /// The civil time of day, as `HH:MM:SS`.
  public func timeOfDay(of time: Timestamp) -> String {
    let seconds = Int(clamping: localSeconds(of: time) - Double(day(of: time).number) * 86_400)
    return "\(padded(seconds / 3_600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
  }

  private func localSeconds(of time: Timestamp) -> Double {
    let shown = Timestamp(millisecondsSince1970: TimeBounds.clamp(time.millisecondsSince1970))
    let date = Date(timeIntervalSince1970: Double(shown.secondsSince1970))
    return Double(shown.secondsSince1970) + Double(zone.secondsFromGMT(for: date))
  }
}
