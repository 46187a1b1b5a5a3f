import Ingest
import Views
package import Warehouse

/// The hit inspector.
extension WarehouseReader {
  /// Returns the newest hits; see ``MetricsStore/inspectedHits(_:days:limit:)``.
  package func inspectedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [InspectedHit] {
    try await reading { [self] connection in
      let reading = try ViewReading(view, connection, self)
      let hits = try reading.newest(limit, of: days)
      return try hits.map { hit in
        let day = reading.calendar.day(of: hit.time.milliseconds)
        let isIncluded = view.rules(on: Day(number: day)).admits(hit.parameters)
        let isInTime =
          try reading.calendar.counts(time: hit.time.milliseconds, received: hit.received.milliseconds)
          && hit.id <= reading.sealRow(day)
        let user = try reading.user(of: hit)
        return InspectedHit(
          id: hit.id, time: hit.time.milliseconds, received: hit.received.milliseconds, day: Day(number: day),
          status: !isInTime ? "late" : user == nil ? "anonymous" : isIncluded ? "counted" : "filtered",
          install: Int(user ?? hit.slot),
          parameters: hit.parameters)
      }
    }
  }

  /// Returns the rejected hits; see ``MetricsStore/refusedHits(_:days:limit:)``.
  package func refusedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [RefusedHit] {
    try await reading { [self] connection in
      guard let times = try ViewReading(view, connection, self).times(of: days) else { return [] }
      let statement = try connection.prepare(
        kept: """
          SELECT received, position, reason, message, event FROM reject_sample
          WHERE app = ? AND received >= ? AND received < ? AND protocol = ? ORDER BY received DESC, position DESC LIMIT ?
          """)
      statement.bind(
        view.app.rawValue, times.lowerBound, times.upperBound, IngestProtocol.measurement.rawValue,
        Int64(max(limit, 0)))
      return try statement.all {
        RefusedHit(
          received: $0.integer(0), position: Int($0.integer(1)), reason: $0.text(2), message: $0.text(3),
          said: $0.text(4))
      }
    }
  }
}
