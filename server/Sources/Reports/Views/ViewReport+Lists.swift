import TernEvents
import Warehouse

extension ViewReportRequest {
  typealias List = ViewReport.List
  typealias Cell = ViewReport.Cell

  /// The lists of a report over days.
  func lists(_ figures: ViewFigures) -> [List] {
    func rows(_ table: ViewTable) -> [ViewFigures.Row] { figures.tables[table] ?? [] }
    switch name {
    case .overview: return overview(figures)
    case .screens:
      return [
        screens(rows(.screens)),
        plain(
          "versions", ["screen", "app", "version", "views", "unique"], rows(.screenVersions), title: "App versions"),
      ]
    case .landing: return [landing(rows(.landings))]
    case .exits: return [exits(rows(.exits), views: rows(.screens))]
    case .depth: return [depth(rows(.depths))]
    case .flow: return flow(rows(.flow))
    case .events: return [events(rows(.events)), eventScreens(rows(.eventScreens)), eventTotals(figures)]
    case .exceptions: return exceptions(rows(.exceptions), figures)
    case .timings: return [timings(rows(.timings))]
    case .ecommerce: return ecommerce(figures)
    case .shopping: return [shopping(rows(.shopping))]
    case .checkout: return checkout(rows(.checkoutSteps), rows(.checkoutOptions))
    case .promotions: return [promotions(rows(.promotions))]
    case .lists: return productLists(rows(.lists), rows(.listProducts))
    case .devices: return devices(rows(.devices))
    case .social: return [plain("social", ["network", "action", "target", "interactions"], rows(.social))]
    case .versions:
      let numbers = ["sessions", "screenviews", "crashes"]
      return [
        plain("versions", ["app", "version"] + numbers, rows(.versions)),
        plain("applications", ["application", "installer"] + numbers, rows(.applications), title: "Applications"),
      ]
    case .acquisition:
      return [plain("acquisition", ["source", "medium", "campaign", "sessions"], rows(.acquisition))]
    case .custom: return custom(figures)
    case .realtime, .late, .hits: return []
    }
  }

  /// Keys, numbers and users as they are.
  func plain(
    _ member: String, _ columns: [String], _ rows: [ViewFigures.Row], title: String = ""
  ) -> List {
    List(
      member: member, title: title, columns: columns + ["users"],
      rows: limited(rows).map { row in
        row.key.map { .text($0) } + row.numbers.map { .count($0) } + [.count(Int64(row.users))]
      })
  }

  func limited(_ rows: [ViewFigures.Row]) -> ArraySlice<ViewFigures.Row> { rows.prefix(limit) }

  func ratio(_ part: Int64, _ whole: Int64) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }

  /// Millionths as a decimal number.
  func money(_ millionths: Int64) -> Cell {
    let magnitude = millionths.magnitude
    var decimals = String(magnitude % 1_000_000)
    decimals = String(repeating: "0", count: 6 - decimals.count) + decimals
    while decimals.hasSuffix("0"), decimals.count > 2 { decimals.removeLast() }
    return .money("\(millionths < 0 ? "-" : "")\(magnitude / 1_000_000).\(decimals)")
  }

  private func overview(_ figures: ViewFigures) -> [List] {
    let total = figures.totals
    let days = figures.days.map { row -> [Cell] in
      [
        .text(row.day.description), .count(Int64(row.users)), .count(Int64(row.newUsers)), .count(row.totals.sessions),
        .count(row.totals.screenViews), .count(row.totals.events), .count(row.totals.crashes),
        .text(row.state.rawValue),
      ]
    }
    let totals: [Cell] = [
      .count(Int64(figures.users)), .count(Int64(figures.newUsers)), .count(Int64(figures.returningUsers)),
      .count(total.sessions), .count(total.screenViews), .decimal(ratio(total.screenViews, total.sessions)),
      .count(average(total.duration, total.sessions)),
      .share(ratio(Int64(figures.newUsers), total.sessions)), .count(total.crashes), .count(total.excessHits),
    ]
    let actives = [1, 7, 14, 28].map { [Cell.count(Int64($0)), .count(Int64(figures.actives[$0] ?? 0))] }
    let hours = (figures.tables[.hours] ?? []).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    return [
      List(
        member: "days", title: "Days",
        columns: ["date", "users", "new_users", "sessions", "screenviews", "events", "crashes", "state"], rows: days),
      List(
        member: "totals", title: "Totals",
        columns: [
          "users", "new_users", "returning_users", "sessions", "screenviews", "screens_per_session",
          "average_session_ms", "new_sessions", "crashes", "hits_over_quota",
        ], rows: [totals]),
      List(
        member: "actives", title: "Active users", columns: ["days", "users"], rows: actives),
      List(
        member: "hours", title: "Hours", columns: ["hour", "sessions", "hits", "users"],
        rows: hours.map {
          [.text($0.key[0]), .count($0.numbers[0]), .count($0.numbers[1]), .count(Int64($0.users))]
        }),
    ]
  }

  private func screens(_ rows: [ViewFigures.Row]) -> List {
    List(
      member: "screens", title: "",
      columns: ["screen", "views", "unique", "users", "time_ms", "average_ms", "entrances", "exits", "exit_share"],
      rows: limited(rows).map { row in
        let numbers = row.numbers
        let stayed = numbers[0].subtractingSaturated(numbers[4])
        return [
          .text(row.key[0]), .count(numbers[0]), .count(numbers[1]), .count(Int64(row.users)), .count(numbers[2]),
          .count(stayed > 0 ? numbers[2] / stayed : 0), .count(numbers[5]), .count(numbers[4]),
          .share(ratio(numbers[4], numbers[0])),
        ]
      })
  }

  private func timings(_ rows: [ViewFigures.Row]) -> List {
    let steps = ["below_100_ms", "below_500_ms", "below_1_s", "below_3_s", "below_10_s", "longer"]
    return List(
      member: "timings", title: "",
      columns: ["category", "variable", "label", "samples", "average_ms"] + steps + ["users"],
      rows: limited(rows).map { row in
        row.key.map { .text($0) } + [
          .count(row.numbers[0]), .count(average(row.numbers[1], row.numbers[0])),
        ] + row.numbers[2...].map { .count($0) } + [.count(Int64(row.users))]
      })
  }

  private func devices(_ rows: [ViewFigures.Row]) -> [List] {
    [
      ("model", "models", "Models"), ("system", "systems", "Systems"), ("resolution", "resolutions", "Resolutions"),
      ("language", "languages", "Languages"), ("country", "countries", "Countries"),
    ].map { fact, member, title in
      List(
        member: member, title: title, columns: [fact, "sessions", "users"],
        rows: limited(rows.filter { $0.key[0] == fact }).map {
          [.text($0.key[1]), .count($0.numbers[0]), .count(Int64($0.users))]
        })
    }
  }
}
