import Ingest
import TernBase
import TernEvents
import Warehouse

/// Reports about individual hits and the last half hour.
extension ViewReports {
  static let late = ReportDefinition.ofView(
    "late", "Late hits", "Hits that arrived after their day's cutoff; no other report counts them.", group: .hits
  ) { view, request, store in
    let late = try await store.lateHits(view, days: request.days)
    return [
      ReportList(
        "late",
        columns: [
          "date", "version",
          ReportColumn(
            "afterTheCut", title: "After the cutoff", meaning: "How long after its day’s cutoff the hit arrived."),
          .hits,
        ],
        rows: late.prefix(request.viewLimit).map { row in
          [
            .day(row.day), .text(row.version.isEmpty ? "(not set)" : row.version), .text(delay(row.hours)),
            .count(row.count),
          ]
        })
    ]
  }

  private static func delay(_ hours: Int?) -> String {
    switch hours {
    case 1: "up to an hour"
    case .some(let hours) where hours <= 24: "up to \(hours) hours"
    case .some(let hours): "up to \(hours / 24) days"
    case nil: "longer"
    }
  }

  /// Public for the page's script, which refreshes only this report.
  package static let realtime = ReportDefinition.ofView(
    "realtime", "Real-time", "Active users and their activity in the last 30 minutes.", group: .hits, isLive: true
  ) { view, request, store in
    let metrics = try await store.viewRealtime(view, now: request.now.millisecondsSince1970)
    func ranking(
      _ fact: ViewRealtime.Fact, _ name: String, _ title: String, _ columns: [ReportColumn]
    ) -> ReportList {
      ReportList(
        name, title: title, columns: columns + [.users, .hits],
        rows: (metrics.facts[fact] ?? []).prefix(request.viewLimit).map { row in
          row.key.map { .text($0) } + [.count(row.users), .count(row.hits)]
        })
    }
    let returning = Int64(metrics.activeUsers).subtractingSaturated(Int64(metrics.newUsers))
    return [
      ReportList(
        "now", title: "Now",
        columns: [
          ReportColumn("activeUsers", meaning: "Users with a hit in the last five minutes."), .newUsers,
          .returningUsers, .hits,
        ],
        rows: [
          [.count(metrics.activeUsers), .count(metrics.newUsers), .count(returning), .count(metrics.hits)]
        ]),
      ranking(.screen, "screens", "Screens", ["screen"]),
      ranking(.event, "events", "Events", ["category", "action"]),
      ranking(.app, "apps", "Apps", ["app"]),
      ranking(.version, "versions", "App versions", ["version"]),
      ranking(.country, "countries", "Countries", [.country]),
      ReportList(
        "minutes", title: "Minutes",
        columns: [
          ReportColumn("minutesAgo", meaning: "Minutes ago; 0 is the current minute."), ViewReports.screenViews, .users,
          .hits,
        ],
        rows: metrics.minutes.enumerated().map { age, minute in
          [.count(age), .count(minute.screenViews), .count(minute.users), .count(minute.hits)]
        }, picture: .bars("The last 30 minutes", ["hits", "users"], of: .minutesAgo)),
    ]
  }

  static let hits = ReportDefinition.ofView(
    "hits", "Hit inspector", "The newest hits in full with their status in the view, and rejected hits.", group: .hits,
    showsPersonalData: true
  ) { view, request, store in
    let hits = try await store.inspectedHits(view, days: request.days, limit: request.viewLimit)
    let refused = try await store.refusedHits(view, days: request.days, limit: request.viewLimit)
    return [
      ReportList(
        "hits",
        columns: [
          "received", "time", "date", "status", "install", "type", ReportColumn("faults", title: "Problems"),
          "parameters",
        ], rows: hits.map(row), isWide: true),
      ReportList(
        "refused", title: "Rejected hits",
        columns: ["received", "reason", ReportColumn("faults", title: "Problems"), "parameters"],
        rows: refused.map {
          [
            .time(Timestamp(millisecondsSince1970: $0.received)), .text($0.reason), .text($0.message),
            .pairs(RejectedHitText.parameters($0.said)),
          ]
        }, isWide: true),
    ]
  }

  private static func row(_ hit: InspectedHit) -> [ReportValue] {
    let faults = hit.parameters.filter { $0.key.hasPrefix(HitParameter.faultMark) }.sorted { $0.key < $1.key }
      .map { "\($0.key.dropFirst()): \($0.value)" }
    return [
      .time(Timestamp(millisecondsSince1970: hit.received)), .time(Timestamp(millisecondsSince1970: hit.time)),
      .day(hit.day), .text(hit.status), .count(hit.install), .text(hit.parameters["t"] ?? ""),
      .text(faults.joined(separator: "; ")),
      .pairs(hit.parameters.filter { !$0.key.hasPrefix(HitParameter.faultMark) }),
    ]
  }
}
