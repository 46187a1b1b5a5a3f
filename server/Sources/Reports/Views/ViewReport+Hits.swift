import Ingest
import TernEvents
import Warehouse

extension ViewReportRequest {
  /// Hits that came after their day's cut, which count nowhere else.
  func late(from source: any ViewSource) async throws -> ViewReport {
    let late = try await source.lateHits(view, days: days)
    let rows = late.prefix(limit).map { row -> [Cell] in
      [
        .text(row.day.description), .text(row.version.isEmpty ? "(not set)" : row.version),
        .text(Self.delay(row.hours)),
        .count(Int64(row.count)),
      ]
    }
    return ViewReport(
      request: self,
      lists: [
        ViewReport.List(member: "late", title: "", columns: ["date", "version", "after_the_cut", "hits"], rows: rows)
      ])
  }

  private static func delay(_ hours: Int?) -> String {
    switch hours {
    case 1: "up to an hour"
    case .some(let hours) where hours <= 24: "up to \(hours) hours"
    case .some(let hours): "up to \(hours / 24) days"
    case nil: "longer"
    }
  }

  /// Who is there now, and the last half hour.
  func realtime(from source: any ViewSource) async throws -> ViewReport {
    let figures = try await source.viewRealtime(view, now: now.millisecondsSince1970)
    func ranking(_ fact: ViewRealtime.Fact, _ member: String, _ title: String, _ columns: [String]) -> ViewReport.List {
      ViewReport.List(
        member: member, title: title, columns: columns + ["users", "hits"],
        rows: (figures.facts[fact] ?? []).prefix(limit).map { row in
          row.key.map { .text($0) } + [.count(Int64(row.users)), .count(Int64(row.hits))]
        })
    }
    let minutes = figures.minutes.enumerated().map { age, minute -> [Cell] in
      [.count(Int64(age)), .count(Int64(minute.screenViews)), .count(Int64(minute.users)), .count(Int64(minute.hits))]
    }
    return ViewReport(
      request: self,
      lists: [
        ViewReport.List(
          member: "now", title: "Now", columns: ["active_users", "new_users", "returning_users", "hits"],
          rows: [
            [
              .count(Int64(figures.activeUsers)), .count(Int64(figures.newUsers)),
              .count(Int64(figures.activeUsers).subtractingSaturated(Int64(figures.newUsers))),
              .count(Int64(figures.hits)),
            ]
          ]),
        ranking(.screen, "screens", "Screens", ["screen"]),
        ranking(.event, "events", "Events", ["category", "action"]),
        ranking(.app, "apps", "Apps", ["app"]),
        ranking(.version, "versions", "App versions", ["version"]),
        ranking(.country, "countries", "Countries", ["country"]),
        ViewReport.List(
          member: "minutes", title: "Minutes", columns: ["minutes_ago", "screenviews", "users", "hits"],
          rows: minutes),
      ])
  }

  /// The newest hits with all that they said, and what was refused.
  func hits(from source: any ViewSource) async throws -> ViewReport {
    let rows = try await source.inspectedHits(view, days: days, limit: limit).map { hit -> [Cell] in
      let parameters = hit.parameters.filter { !$0.key.hasPrefix(HitParameter.faultMark) }
      let faults = hit.parameters.filter { $0.key.hasPrefix(HitParameter.faultMark) }.sorted { $0.key < $1.key }
        .map { "\($0.key.dropFirst()): \($0.value)" }
      return [
        .text(Timestamp(millisecondsSince1970: hit.received).isoText),
        .text(Timestamp(millisecondsSince1970: hit.time).isoText), .text(hit.day.description), .text(hit.status),
        .count(Int64(hit.install)), .text(hit.parameters["t"] ?? ""), .text(faults.joined(separator: "; ")),
        .pairs(parameters),
      ]
    }
    let refused = try await source.refusedHits(view, days: days, limit: limit).map { hit -> [Cell] in
      [
        .text(Timestamp(millisecondsSince1970: hit.received).isoText), .text(hit.reason), .text(hit.message),
        .pairs(RefusedText.parameters(hit.said)),
      ]
    }
    return ViewReport(
      request: self,
      lists: [
        ViewReport.List(
          member: "hits", title: "",
          columns: ["received", "time", "date", "status", "install", "type", "faults", "parameters"], rows: rows,
          isWide: true),
        ViewReport.List(
          member: "refused", title: "Refused", columns: ["received", "reason", "faults", "parameters"], rows: refused,
          isWide: true),
      ])
  }
}
