package import ServerBase
import Warehouse

/// The times before which rows of apps are gone, because they are kept for a limited time.
package struct Horizons: Sendable {
  /// The times by app before which counts can't be made of rows.
  package private(set) var counted: [Int64: Int64] = [:]

  package init(_ connection: SQLConnection) throws {
    let load = try connection.prepare("SELECT app, counted FROM horizon WHERE counted IS NOT NULL")
    while try load.step() { counted[load.integer(0)] = load.integer(1) }
  }

  /// Returns the last civil day of an app whose counts stay as they are; `nil` if all can be made of rows.
  package func lastKeptDay(_ app: Int64, _ calendar: ZoneCalendar) -> Int? {
    counted[app].map { calendar.day(of: $0 - 1) }
  }

  /// Returns the times before which events are refused, by app.
  package static func times(_ connection: SQLConnection) throws -> [Int64: Int64] {
    Dictionary(
      try connection.prepare("SELECT app, time FROM horizon").all { ($0.integer(0), $0.integer(1)) },
      uniquingKeysWith: { $1 })
  }
}
