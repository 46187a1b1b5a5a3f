import Foundation
import Ingest
import ServerBase
import TernBase
package import Warehouse

extension WarehouseReader {
  /// The time beyond the range in which a session that began in it is still followed.
  private static let longest: Int64 = 86_400_000

  /// Returns the durations of sessions; see ``MetricsStore/sessionDurations(app:days:)``.
  ///
  /// Sessions longer than a day may be truncated.
  package func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations {
    try await reading { [self] connection in
      guard let zone = try catalog.app(app)?.zone else { return SessionDurations() }
      let calendar = ZoneCalendar(zone)
      let around = Self.times(around: days)
      let times = around.lowerBound - Self.longest...around.upperBound + Self.longest
      let sessions = SessionBounds()
      let stored = try StoredSessions(connection)
      for span in try StoredSpan.all(connection) {
        guard span.apps.contains(app.rawValue), span.times.overlaps(times) else { continue }
        if span.isComplete {
          try stored.add(app.rawValue, span, to: sessions)
        } else {
          try sessions.add(rowsOf: span, app: app.rawValue, connection)
        }
        guard sessions.count <= SessionBounds.maximumSessions else {
          throw WarehouseError(.invalid, "There are too many sessions in this range. Choose fewer days.")
        }
      }
      return Self.durations(of: sessions, days: days, calendar: calendar)
    }
  }

  private static func durations(
    of sessions: SessionBounds, days: ClosedRange<Day>, calendar: ZoneCalendar
  ) -> SessionDurations {
    var durations = SessionDurations()
    sessions.forEach { session, duration in
      guard days.contains(Day(number: calendar.day(of: session.first))) else { return }
      // App Center ignores sessions without activity soon after their start.
      if session.firstEvent == .max || EventTime(session.firstEvent) - EventTime(session.first) > 300_000 {
        durations.unknown += 1
      } else {
        durations.add(milliseconds: SaturatingInt64(duration))
      }
    }
    return durations
  }

  /// Returns the distinct installs in the window ending on each day; see
  /// ``MetricsStore/activeInstalls(app:days:window:)``.
  package func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) async throws -> [DailyCount] {
    let earliest = Day(number: days.lowerBound.number - max(0, window - 1))
    let counts = try await reading { [self] connection in
      RollingUnion.counts(try dailySets(app, earliest...days.upperBound, connection), window: window)
    }
    return days.map { DailyCount(day: $0, key: "", count: counts[$0.number - earliest.number]) }
  }

  /// Returns versions without build numbers; see ``MetricsStore/versions(app:names:days:)``.
  package func versions(app: AppID, names: [String]?, days: ClosedRange<Day>) async throws -> [KeyTotals] {
    let wanted = names.map { Set($0.map { ExactText($0) }) }
    return try await reading { [self] connection in
      var counts: [ExactText: Int] = [:]
      var sets: [ExactText: SlotSet] = [:]
      for (table, column) in [("daily_count", "n"), ("daily_users", "slots")] {
        let statement = try connection.prepare(
          "SELECT key, \(column) FROM \(table) WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?")
        bind(statement, app, .version, days)
        while try statement.step() {
          let name = ExactText(Self.withoutBuild(try text(statement.integer(0), .version, connection)))
          guard wanted?.contains(name) ?? true else { continue }
          if table == "daily_count" {
            counts[name, default: 0].addSaturated(Int(statement.integer(1)))
          } else {
            let set = try SlotSet.stored(statement.bytes(1))
            if let union = sets[name] { union.formUnionLazily(set) } else { sets[name] = set }
          }
        }
      }
      for set in sets.values { set.repair() }
      return Set(counts.keys).union(sets.keys)
        .map { KeyTotals(key: $0.text, count: counts[$0] ?? 0, users: sets[$0]?.count ?? 0) }
        .sorted { ($1.users, $0.key) < ($0.users, $1.key) }
    }
  }

  /// Returns the version without its build number: `3.2.0` for `3.2.0 (418)`.
  private static func withoutBuild(_ version: String) -> String {
    guard version.hasSuffix(")"), let open = version.range(of: " (", options: .backwards) else { return version }
    return String(version[..<open.lowerBound])
  }
}
