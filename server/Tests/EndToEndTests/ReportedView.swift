import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A view, as `tern views create --json` prints it, and its reports.
struct ReportedView {
  let id: String
  let zone: TimeZone
  /// The number of days that the reports cover; the last one is today in the view's zone.
  static let days = 5

  static func create(_ workspace: Workspace, _ app: CreatedApp, _ zone: TimeZone) throws -> ReportedView {
    let (status, output, error) = try workspace.run([
      "views", "create", "--app", app.id, "--name", zone.identifier, "--time-zone", zone.identifier, "--data",
      workspace.path("data"), "--json",
    ])
    try #require(status == 0, "tern views create: \(error)")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    return ReportedView(id: "\(try #require(object["id"]))", zone: zone)
  }

  /// The first of some zones in which neither midnight nor 04:00 is within
  /// ten minutes.
  static func quietZone(_ identifiers: String..., at now: Date) throws -> TimeZone {
    let zones = identifiers.compactMap { TimeZone(identifier: $0) }
    let quiet = zones.first { zone in
      let clock = secondsOfDay(now, in: zone)
      return clock < 86_400 - 600 && !(4 * 3_600 - 600..<4 * 3_600).contains(clock)
    }
    return try #require(quiet)
  }

  /// The time of day in seconds.
  static func secondsOfDay(_ time: Date, in zone: TimeZone) -> Int {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents([.hour, .minute, .second], from: time)
    return (parts.hour ?? 0) * 3_600 + (parts.minute ?? 0) * 60 + (parts.second ?? 0)
  }

  /// A report through the command line.
  func report(_ name: String, _ workspace: Workspace, _ app: CreatedApp) throws -> [String: Any] {
    try workspace.report(
      name, app: app.id, ["--view", id, "--days", String(Self.days), "--limit", "10000"])
  }

  /// A report through the server's API.
  func report(_ name: String, _ server: RunningServer, token: String, _ app: CreatedApp) async throws -> [String: Any] {
    let path = "/api/v1/apps/\(app.id)/reports/\(name)?view=\(id)&days=\(Self.days)&limit=10000&format=json"
    var request = URLRequest(url: try #require(URL(string: server.address + path)))
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (data, _) = try await URLSession.shared.data(for: request)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The hits counted by the view.
  func countedHits(_ workspace: Workspace, _ app: CreatedApp) throws -> Int {
    let hours = try #require(try report("overview", workspace, app)["hours"] as? [[String: Any]])
    return hours.compactMap { $0["hits"] as? Int }.reduce(0, +)
  }

  /// Expects exactly these reports, through the command line and, with a token, through the API.
  func expect(
    _ expected: ExpectedView, _ workspace: Workspace, _ app: CreatedApp, _ server: RunningServer? = nil,
    token: String? = nil
  ) async throws {
    var reports: [String: [String: Any]] = [:]
    for table in expected.tables(days: Self.days) {
      if reports[table.report] == nil {
        let report = try report(table.report, workspace, app)
        if let server, let token {
          let other = try await self.report(table.report, server, token: token, app)
          #expect((report as NSDictionary).isEqual(to: other), "\(table.report): \(report) \(other)")
        }
        reports[table.report] = report
      }
      let rows = try #require(reports[table.report]?[table.list] as? [[String: Any]])
      let columns = Set(table.rows.values.flatMap(\.keys))
      let found = Dictionary(
        rows.map { row in
          (
            table.keys.map { "\(row[$0] ?? "missing")" },
            row.filter { columns.contains($0.key) }.mapValues { "\($0)" == "closed" ? "final" : "\($0)" }
          )
        }, uniquingKeysWith: { first, _ in first })
      #expect(found.count == rows.count, "\(table.report) has a row twice: \(rows)")
      #expect(found == table.rows, "\(zone.identifier), \(table.report), \(table.list)")
    }
    let late = try #require(try report("late", workspace, app)["late"] as? [[String: Any]])
    let days = Dictionary(late.map { ("\($0["date"] ?? "")", $0["hits"] as? Int ?? 0) }, uniquingKeysWith: +)
    #expect(days == expected.late, "\(zone.identifier), late hits")
    let hits = try #require(try report("hits", workspace, app)["hits"] as? [[String: Any]])
    let statuses = Dictionary(grouping: hits) { "\($0["status"] ?? "")" }.mapValues(\.count)
    #expect(statuses["counted", default: 0] == expected.counted.values.reduce(0) { $0 + $1.count })
    #expect(statuses["late", default: 0] == expected.late.values.reduce(0, +))
    #expect(hits.count == statuses["counted", default: 0] + statuses["late", default: 0])
  }
}
