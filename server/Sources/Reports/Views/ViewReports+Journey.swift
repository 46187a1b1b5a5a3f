import TernBase
import Warehouse

/// Reports about the course of sessions.
extension ViewReports {
  static let landing = ReportDefinition.breakdown(
    "landing", "Landing screens", "The first screen of each session, and the sessions that saw no other.",
    group: .behavior,
    tables: [.landings]
  ) { [$0.landing] }

  static let exits = ReportDefinition.breakdown(
    "exits", "Exit screens", "The last screen of each session.", group: .behavior, tables: [.exits, .screens]
  ) { [$0.exits] }

  static let depth = ReportDefinition.breakdown(
    "depth", "Screens per session", "Sessions by their number of screens.", group: .behavior, tables: [.depths]
  ) { [$0.depth] }

  static let flow = ReportDefinition.breakdown(
    "flow", "Behavior flow", "The paths that sessions take over their first 10 steps, and where they end.",
    group: .behavior,
    tables: [.flow]
  ) { $0.flow }

  static let events = ReportDefinition.breakdown(
    "events", "Events", "Events by category, action and label, by screen, and sessions with events.", group: .behavior,
    tables: [.events, .eventScreens, .eventSessions]
  ) {
    [
      $0.events,
      $0.plain(
        "screens", title: "By screen", ["screen", "category", "action", .events, .unique, "value"],
        $0.rows(.eventScreens)), $0.eventTotals,
    ]
  }

  static let exceptions = ReportDefinition.breakdown(
    "exceptions", "Crashes and exceptions",
    "Exceptions and crashes by description and version, per screen view, and the users they affect.", group: .behavior,
    tables: [.exceptions, .exceptionSessions, .exceptionVersions, .screenVersions]
  ) { $0.exceptions }
}

extension ViewBreakdowns {
  fileprivate var landing: ReportList {
    ReportList(
      "landing",
      columns: [
        "screen", .sessions, .users,
        ReportColumn("oneScreen", title: "Bounces", meaning: "Sessions that saw no other screen."),
        ReportColumn(
          "oneScreenShare", title: "Bounce rate", meaning: "The share of sessions that saw no other screen."),
        ViewReports.averageTime, .screensPerSession,
      ],
      rows: rows(.landings).map { row in
        let numbers = row.numbers
        return [
          .text(row.key[0]), .count(numbers[0]), .count(row.users), .count(numbers[1]),
          .share(numbers[1], of: numbers[0]), .averageDuration(numbers[2], numbers[0]),
          .quotient(numbers[3], numbers[0]),
        ]
      })
  }

  /// Exits, and the share of a screen's views that ended a session.
  fileprivate var exits: ReportList {
    let views = Dictionary(all(.screens).map { ($0.key, $0.numbers[0]) }, uniquingKeysWith: { $1 })
    return ReportList(
      "exits", columns: ["screen", .exits, .users, .views, .exitShare],
      rows: rows(.exits).map { row in
        let viewed = views[row.key] ?? 0
        return [
          .text(row.key[0]), .count(row.numbers[0]), .count(row.users), .count(viewed),
          .share(row.numbers[0], of: viewed),
        ]
      })
  }

  fileprivate var depth: ReportList {
    let rows = all(.depths)
    let sessions = sum(rows)
    return ReportList(
      "depth", columns: ["screens", .sessions, .share, ViewReports.averageTime, .users],
      rows: rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { row in
        // Stored with a leading zero, so that keys sort by number.
        let screens = row.key[0].hasPrefix("0") ? String(row.key[0].dropFirst()) : row.key[0]
        return [
          .text(screens), .count(row.numbers[0]), .share(row.numbers[0], of: sessions),
          .averageDuration(row.numbers[1], row.numbers[0]), .count(row.users),
        ]
      })
  }

  /// Each step with its sessions and exits, then the paths between steps.
  fileprivate var flow: [ReportList] {
    let steps = Dictionary(grouping: all(.flow), by: { $0.key[0] }).sorted { $0.key < $1.key }
    func number(_ step: String) -> ReportValue { .count(Int64(step) ?? 0) }
    let totals = steps.map { step, rows -> [ReportValue] in
      let all = sum(rows)
      let ends = sum(rows.filter { $0.key[3] == "exit" })
      return [number(step), .count(all), .count(ends), .share(ends, of: all)]
    }
    let paths = steps.flatMap { step, rows in
      limited(rows).map { row -> [ReportValue] in
        let all = sum(rows.filter { $0.key[1...2] == row.key[1...2] })
        return [number(step)] + row.texts[1...4] + [
          .count(row.numbers[0]), .share(row.numbers[0], of: all), .count(row.users),
        ]
      }
    }
    return [
      ReportList(
        "steps", title: "Steps", columns: ["step", .sessions, ViewReports.exitCount, ViewReports.exitRate],
        rows: totals),
      ReportList(
        "paths", title: "Paths",
        columns: ["step", "kind", "name", "nextKind", "nextName", .sessions, .share, .users], rows: paths,
        picture: .flow),
    ]
  }

  fileprivate var events: ReportList {
    ReportList(
      "events",
      columns: [
        "category", "action", "label", .events, .unique, .users, "value",
        ReportColumn("averageValue", meaning: "The sum of the values divided by the events."), "eventsPerSession",
      ],
      rows: rows(.events).map { row in
        let numbers = row.numbers
        return row.texts + [
          .count(numbers[0]), .count(numbers[1]), .count(row.users), .count(numbers[2]),
          .quotient(numbers[2], numbers[3]), .quotient(numbers[0], numbers[1]),
        ]
      })
  }

  fileprivate var eventTotals: ReportList {
    let row = all(.eventSessions).first
    let (events, sessions) = (row?.numbers[0] ?? 0, row?.numbers[1] ?? 0)
    return ReportList(
      "totals", title: "Totals",
      columns: [
        .events, ReportColumn("sessionsWithEvent", meaning: "Sessions with at least one event."),
        ReportColumn("shareOfSessions", meaning: "The share of all sessions with at least one event."),
        ReportColumn("eventsPerSessionWithEvent", meaning: "Events divided by the sessions that have any."), .users,
      ],
      rows: [
        [
          .count(events), .count(sessions), .share(sessions, of: metrics.totals.sessions), .quotient(events, sessions),
          .count(row?.users ?? 0),
        ]
      ])
  }

  fileprivate var exceptions: [ReportList] {
    let perView = ReportColumn(
      "exceptionsPerScreenview", title: "Exceptions per screen view", meaning: "Exceptions divided by screen views.")
    var views: [String: SaturatingInt64] = [:]
    for row in all(.screenVersions) { views[row.key[2], default: 0] += row.numbers[0] }
    let versions = rows(.exceptionVersions).map { row -> [ReportValue] in
      let viewed = views[row.key[0]] ?? 0
      return row.texts + [
        .count(row.numbers[0]), .count(row.numbers[1]), .count(viewed), .quotient(row.numbers[0], viewed),
        .count(row.users),
      ]
    }
    return [
      plain("exceptions", ["description", "version", .exceptions, .crashes], rows(.exceptions)),
      ReportList(
        "versions", title: "App versions",
        columns: ["version", .exceptions, .crashes, ViewReports.screenViews, perView, .users], rows: versions),
      ReportList(
        "totals", title: "Totals",
        columns: [
          .exceptions, .crashes, ViewReports.screenViews, perView,
          ReportColumn(
            "crashesPerScreenview", title: "Crashes per screen view", meaning: "Crashes divided by screen views."),
          ReportColumn("usersAffected", meaning: "Users with at least one of them."),
          ReportColumn("usersWithCrash", meaning: "Users with at least one crash."),
          ReportColumn("shareOfUsers", meaning: "The share of all users with at least one of them."),
          ReportColumn("sessionsAffected", meaning: "Sessions with at least one of them."),
        ], rows: [exceptionTotals]),
    ]
  }

  private var exceptionTotals: [ReportValue] {
    let total = metrics.totals
    func affected(_ kind: String) -> ViewMetrics.Row? { all(.exceptionSessions).first { $0.key == [kind] } }
    let users = affected("exception")?.users ?? 0
    return [
      .count(total.exceptions), .count(total.crashes), .count(total.screenViews),
      .quotient(total.exceptions, total.screenViews), .quotient(total.crashes, total.screenViews), .count(users),
      .count(affected("crash")?.users ?? 0), .share(users, of: metrics.users),
      .count(affected("exception")?.numbers[1] ?? 0),
    ]
  }

  private func sum(_ rows: [ViewMetrics.Row]) -> SaturatingInt64 {
    rows.reduce(0) { $0 + $1.numbers[0] }
  }
}
