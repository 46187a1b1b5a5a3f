import Views
import Warehouse

extension Verifier {
  /// Checks that the stored sessions of complete spans match their rows.
  static func checkSessions(
    _ connection: SQLConnection, _ report: inout VerificationReport, calendar: (Int64) throws -> ZoneCalendar
  ) throws {
    let stored = try StoredSessions(connection)
    for span in try StoredSpan.all(connection) where span.isComplete {
      let rows = SessionBounds()
      try rows.add(rowsOf: span, app: nil, connection)
      var expected: [Int64: Set<SessionSpan>] = [:]
      rows.forEach { expected[$0.app, default: []].insert($0) }
      for app in span.apps.sorted() {
        report.metrics += 1
        let sessions = SessionBounds()
        let isReadable = (try? stored.add(app, span, to: sessions)) != nil
        var found: Set<SessionSpan> = []
        sessions.forEach { found.insert($0) }
        if isReadable, found == expected[app] ?? [] { continue }
        report.add(
          VerificationReport.Difference(
            app: AppID(app), day: Day(number: try calendar(app).day(of: span.times.lowerBound)),
            dimension: .session, key: "rows \(span.ids.lowerBound) to \(span.ids.upperBound)",
            expected: "\(expected[app]?.count ?? 0) sessions",
            found: isReadable ? "\(found.count), or different times" : "damaged data"))
      }
    }
  }
}
