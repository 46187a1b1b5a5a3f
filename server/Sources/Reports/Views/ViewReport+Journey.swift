import Warehouse

/// Reports about what happened in sessions.
extension ViewReportRequest {
  func landing(_ rows: [ViewFigures.Row]) -> List {
    List(
      member: "landing", title: "",
      columns: ["screen", "sessions", "users", "one_screen", "one_screen_share", "average_ms", "screens_per_session"],
      rows: limited(rows).map { row in
        let numbers = row.numbers
        return [
          .text(row.key[0]), .count(numbers[0]), .count(Int64(row.users)), .count(numbers[1]),
          .share(ratio(numbers[1], numbers[0])), .count(average(numbers[2], numbers[0])),
          .decimal(ratio(numbers[3], numbers[0])),
        ]
      })
  }

  /// Exits, and the part of the screen's views that were the last of their session.
  func exits(_ rows: [ViewFigures.Row], views: [ViewFigures.Row]) -> List {
    let views = Dictionary(views.map { ($0.key, $0.numbers[0]) }, uniquingKeysWith: { $1 })
    return List(
      member: "exits", title: "", columns: ["screen", "exits", "users", "views", "exit_share"],
      rows: limited(rows).map { row in
        let viewed = views[row.key] ?? 0
        return [
          .text(row.key[0]), .count(row.numbers[0]), .count(Int64(row.users)), .count(viewed),
          .share(ratio(row.numbers[0], viewed)),
        ]
      })
  }

  func depth(_ rows: [ViewFigures.Row]) -> List {
    let all = sum(rows)
    return List(
      member: "depth", title: "", columns: ["screens", "sessions", "share", "average_ms", "users"],
      rows: rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { row in
        // Stored with a leading zero, so that they stand in order.
        let screens = row.key[0].hasPrefix("0") ? String(row.key[0].dropFirst()) : row.key[0]
        return [
          .text(screens), .count(row.numbers[0]), .share(ratio(row.numbers[0], all)),
          .count(average(row.numbers[1], row.numbers[0])), .count(Int64(row.users)),
        ]
      })
  }

  /// Each step with how many sessions were there and left, then the ways between steps.
  func flow(_ rows: [ViewFigures.Row]) -> [List] {
    let steps = Dictionary(grouping: rows, by: { $0.key[0] }).sorted { $0.key < $1.key }
    func number(_ step: String) -> Int64 { Int64(step) ?? 0 }
    let totals = steps.map { step, rows -> [Cell] in
      let all = sum(rows)
      let ends = sum(rows.filter { $0.key[3] == "exit" })
      return [.count(number(step)), .count(all), .count(ends), .share(ratio(ends, all))]
    }
    let ways = steps.flatMap { step, rows in
      limited(rows).map { row -> [Cell] in
        let all = sum(rows.filter { $0.key[1...2] == row.key[1...2] })
        return [.count(number(step))] + row.key[1...4].map { .text($0) } + [
          .count(row.numbers[0]), .share(ratio(row.numbers[0], all)), .count(Int64(row.users)),
        ]
      }
    }
    return [
      List(
        member: "steps", title: "Steps", columns: ["step", "sessions", "drop_offs", "drop_off_share"], rows: totals),
      List(
        member: "ways", title: "Ways",
        columns: ["step", "kind", "name", "next_kind", "next_name", "sessions", "share", "users"], rows: ways),
    ]
  }

  func events(_ rows: [ViewFigures.Row]) -> List {
    List(
      member: "events", title: "",
      columns: [
        "category", "action", "label", "events", "unique", "users", "value", "average_value", "events_per_session",
      ],
      rows: limited(rows).map { row in
        let numbers = row.numbers
        return row.key.map { .text($0) } + [
          .count(numbers[0]), .count(numbers[1]), .count(Int64(row.users)), .count(numbers[2]),
          .decimal(ratio(numbers[2], numbers[3])), .decimal(ratio(numbers[0], numbers[1])),
        ]
      })
  }

  func eventScreens(_ rows: [ViewFigures.Row]) -> List {
    plain("screens", ["screen", "category", "action", "events", "unique", "value"], rows, title: "By screen")
  }

  func eventTotals(_ figures: ViewFigures) -> List {
    let row = figures.tables[.eventSessions]?.first
    let (events, sessions) = (row?.numbers[0] ?? 0, row?.numbers[1] ?? 0)
    return List(
      member: "totals", title: "Totals",
      columns: ["events", "sessions_with_event", "share_of_sessions", "events_per_session_with_event", "users"],
      rows: [
        [
          .count(events), .count(sessions), .share(ratio(sessions, figures.totals.sessions)),
          .decimal(ratio(events, sessions)), .count(Int64(row?.users ?? 0)),
        ]
      ])
  }

  func exceptions(_ rows: [ViewFigures.Row], _ figures: ViewFigures) -> [List] {
    let total = figures.totals
    func affected(_ kind: String) -> ViewFigures.Row? {
      figures.tables[.exceptionSessions]?.first { $0.key == [kind] }
    }
    var views: [String: Int64] = [:]
    for row in figures.tables[.screenVersions] ?? [] {
      views[row.key[2]] = (views[row.key[2]] ?? 0).addingSaturated(row.numbers[0])
    }
    let versions = limited(figures.tables[.exceptionVersions] ?? []).map { row -> [Cell] in
      let viewed = views[row.key[0]] ?? 0
      return [
        .text(row.key[0]), .count(row.numbers[0]), .count(row.numbers[1]), .count(viewed),
        .decimal(ratio(row.numbers[0], viewed)), .count(Int64(row.users)),
      ]
    }
    return [
      plain("exceptions", ["description", "version", "exceptions", "crashes"], rows),
      List(
        member: "versions", title: "App versions",
        columns: ["version", "exceptions", "crashes", "screenviews", "exceptions_per_screenview", "users"],
        rows: versions),
      List(
        member: "totals", title: "Totals",
        columns: [
          "exceptions", "crashes", "screenviews", "exceptions_per_screenview", "crashes_per_screenview",
          "users_affected", "users_with_crash", "share_of_users", "sessions_affected",
        ],
        rows: [
          [
            .count(total.exceptions), .count(total.crashes), .count(total.screenViews),
            .decimal(ratio(total.exceptions, total.screenViews)), .decimal(ratio(total.crashes, total.screenViews)),
            .count(Int64(affected("exception")?.users ?? 0)), .count(Int64(affected("crash")?.users ?? 0)),
            .share(ratio(Int64(affected("exception")?.users ?? 0), Int64(figures.users))),
            .count(affected("exception")?.numbers[1] ?? 0),
          ]
        ]),
    ]
  }

  private func sum(_ rows: [ViewFigures.Row]) -> Int64 {
    rows.reduce(Int64(0)) { $0.addingSaturated($1.numbers[0]) }
  }

  /// The whole part of an average; zero of nothing.
  func average(_ sum: Int64, _ count: Int64) -> Int64 { count <= 0 ? 0 : sum / count }
}

extension Int64 {
  /// The sum, or the end of the range when it lies beyond.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the end of the range when it lies beyond.
  func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, isOver) = subtractingReportingOverflow(other)
    return isOver ? (other < 0 ? .max : .min) : difference
  }
}
