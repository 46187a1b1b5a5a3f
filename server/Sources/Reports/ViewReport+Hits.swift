import Ingest
import TernEvents
import Warehouse

extension ViewReportRequest {
  /// Hits that came after their day's cut, which count nowhere else.
  func late(from source: any ViewSource) throws -> ViewReport {
    let late = try source.lateHits(view, days: days)
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

  private static let minute: Int64 = 60_000

  /// Who is there now, and the screens of the last half hour.
  func realtime(from source: any ViewSource) throws -> ViewReport {
    let now = now.millisecondsSince1970
    let hits = try source.inspectedHits(view, since: now - 30 * Self.minute, limit: 10_000)
      .filter { $0.status == "counted" }
    let recent = hits.filter { $0.time > now - 5 * Self.minute }
    func isScreen(_ hit: InspectedHit) -> Bool { ["screenview", "appview", "pageview"].contains(hit.parameters["t"]) }
    let minutes = (0..<30).map { age -> [Cell] in
      let views = hits.filter { isScreen($0) && max(0, now - $0.time) / Self.minute == Int64(age) }
      return [.count(Int64(age)), .count(Int64(views.count)), .count(Int64(Set(views.map(\.install)).count))]
    }
    return ViewReport(
      request: self,
      lists: [
        ViewReport.List(
          member: "now", title: "Now", columns: ["active_users", "hits"],
          rows: [[.count(Int64(Set(recent.map(\.install)).count)), .count(Int64(recent.count))]]),
        ranking("screens", "Screens", "screen", recent.filter(isScreen)) { $0.parameters["cd"] ?? $0.parameters["dp"] },
        ranking("events", "Events", "action", recent.filter { $0.parameters["t"] == "event" }) { $0.parameters["ea"] },
        ranking("versions", "App versions", "version", recent) { $0.parameters["av"] },
        ViewReport.List(
          member: "minutes", title: "Screen views per minute", columns: ["minutes_ago", "screenviews", "users"],
          rows: minutes),
      ])
  }

  private func ranking(
    _ member: String, _ title: String, _ column: String, _ hits: [InspectedHit], _ key: (InspectedHit) -> String?
  ) -> ViewReport.List {
    let groups = Dictionary(grouping: hits) { key($0) ?? "(not set)" }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    return ViewReport.List(
      member: member, title: title, columns: [column, "hits", "users"],
      rows: groups.prefix(limit).map { name, hits in
        [.text(name), .count(Int64(hits.count)), .count(Int64(Set(hits.map(\.install)).count))]
      })
  }

  /// The newest hits with all that they said, and what was refused.
  func hits(from source: any ViewSource) throws -> ViewReport {
    let since = now.millisecondsSince1970 - Int64(days.count) * 86_400_000
    let rows = try source.inspectedHits(view, since: since, limit: limit).map { hit -> [Cell] in
      let sorted = hit.parameters.sorted { $0.key < $1.key }
      let parameters = sorted.filter { !$0.key.hasPrefix(HitParameter.faultMark) }.map { "\($0.key)=\($0.value)" }
      let faults = sorted.filter { $0.key.hasPrefix(HitParameter.faultMark) }
        .map { "\($0.key.dropFirst()): \($0.value)" }
      return [
        .text(Timestamp(millisecondsSince1970: hit.received).isoText),
        .text(Timestamp(millisecondsSince1970: hit.time).isoText), .text(hit.day.description), .text(hit.status),
        .count(Int64(hit.install)), .text(hit.parameters["t"] ?? ""), .text(faults.joined(separator: "; ")),
        .text(parameters.joined(separator: " ")),
      ]
    }
    let refused = try source.refusedHits(view, since: since, limit: limit).map { hit -> [Cell] in
      [
        .text(Timestamp(millisecondsSince1970: hit.received).isoText), .text(hit.reason), .text(hit.message),
        .text(hit.said),
      ]
    }
    return ViewReport(
      request: self,
      lists: [
        ViewReport.List(
          member: "hits", title: "",
          columns: ["received", "time", "date", "status", "install", "type", "faults", "parameters"], rows: rows),
        ViewReport.List(
          member: "refused", title: "Refused", columns: ["received", "reason", "faults", "parameters"], rows: refused),
      ])
  }
}
