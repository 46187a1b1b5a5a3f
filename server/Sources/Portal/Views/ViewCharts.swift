import Questions
import Reports
import Warehouse

/// The pictures of a report's lists.
extension PortalPages {
  /// The columns that a chart of a list with a row for every day shows, one group for each chart; by default the first
  /// three numbers.
  private static let groups: [String: [[String]]] = [
    "overview": [["users", "newUsers"], ["sessions", "screenviews"]], "ecommerce": [["transactions"], ["revenue"]],
  ]

  /// The pictures of a list, as HTML; empty for lists that are only tables.
  func pictures(_ list: ReportList, _ request: ReportRequest) -> [String] {
    switch (request.view == nil ? "" : request.report.name, list.name) {
    case ("flow", "paths"): return flow(list).map { [$0] } ?? []
    case ("shopping", "shopping"): return stages(list).map { [$0] } ?? []
    case ("realtime", "minutes"):
      let rows = Array(list.rows.reversed())
      let ages = rows.map { $0[0].displayText }
      let places = ages.map { Chart.Place(axis: "−\($0)", title: $0 == "0" ? "This minute" : "\($0) min ago") }
      let series = self.series(list, rows, ["hits", "users"], mark: .bar)
      return places.isEmpty
        ? [] : [Chart(id: list.name, title: "The last 30 minutes", places: places, series: series).html()]
    case ("overview", "hours"):
      let places = list.rows.map { row in Chart.Place(axis: row[0].displayText, title: "\(row[0].displayText):00") }
      let series = self.series(list, list.rows, ["sessions"], mark: .bar)
      return places.isEmpty ? [] : [Chart(id: list.name, title: "Hours", places: places, series: series).html()]
    default: return daily(list, request)
    }
  }

  private func series(
    _ list: ReportList, _ rows: [[ReportValue]], _ names: [String], mark: Chart.Mark, color: Int = 1
  ) -> [Chart.Series] {
    names.enumerated().compactMap { place, name in
      list.columns.firstIndex { $0.name == name }.map { column in
        Chart.Series(
          name: list.columns[column].title, values: rows.map { $0[column].amount }, mark: place == 0 ? mark : .line,
          color: color + place)
      }
    }
  }

  /// The charts of a list with a row for every day of the range.
  private func daily(_ list: ReportList, _ request: ReportRequest) -> [String] {
    let days = list.rows.compactMap { row -> Day? in if case .day(let day)? = row.first { day } else { nil } }
    guard days.count > 1, days == Array(request.days) else { return [] }
    let numbers = list.columns.indices.filter { column in
      list.rows.allSatisfy { if case .integer = $0[column] { true } else { false } }
    }
    let byDefault = [numbers.prefix(3).map { list.columns[$0].name }]
    let groups = request.view == nil ? byDefault : Self.groups[request.report.name] ?? byDefault
    return groups.enumerated().compactMap { place, names in
      let series = self.series(list, list.rows, names, mark: .area, color: place * 2 % 4 + 1)
      guard let first = series.first else { return nil }
      var chart = Chart("\(list.name)\(place)", first.name, days: days, series, in: request)
      // Amounts have decimals.
      if !series.allSatisfy({ $0.values.allSatisfy { $0 == $0?.rounded() } }) { chart.format = .number }
      return drawn(chart)
    }
  }

  /// The flow of sessions from step to step; `nil` without one.
  private func flow(_ list: ReportList) -> String? {
    let edges = list.rows.compactMap { row -> PathsAnswer.Edge? in
      guard row.count > 5, case .integer(let step) = row[0], case .integer(let sessions) = row[5],
        case .text(let kind) = row[1], case .text(let name) = row[2], case .text(let nextKind) = row[3],
        case .text(let nextName) = row[4], nextKind != "exit"
      else { return nil }
      func node(_ kind: String, _ name: String) -> PathsAnswer.Node {
        PathsAnswer.Node(isScreen: kind == "screen", name: .text(name))
      }
      return PathsAnswer.Edge(step: step, from: node(kind, name), to: node(nextKind, nextName), sessions: sessions)
    }
    guard !edges.isEmpty else { return nil }
    let flow = PathFlow(PathsAnswer(edges: edges, other: [], ended: []), isBackwards: false)
    return PathDrawing(
      flow: flow, headings: flow.columns.indices.map { "Step \($0 + 1)" }, name: { text($0.name) }, links: { _ in nil }
    ).html()
  }

  /// The stages of sessions towards an order as a funnel; `nil` without sessions.
  private func stages(_ list: ReportList) -> String? {
    let names = [
      "all": "All sessions", "detail": "Saw a product", "add": "Added to the cart", "checkout": "Began the checkout",
      "purchase": "Bought",
    ]
    let stages = list.rows.compactMap { row -> (name: String, sessions: Int)? in
      guard case .text(let stage)? = row.first, let name = names[stage], case .integer(let sessions) = row[1] else {
        return nil
      }
      return (name, sessions)
    }
    guard let all = stages.first?.sessions, all > 0 else { return nil }
    let shares = stages.map { Double($0.sessions) / Double(all) }
    let steps = stages.indices.map { place in
      FunnelDrawing.Step(
        name: stages[place].name, persons: stages[place].sessions, share: place == 0 ? nil : shares[place],
        lost: place == 0 ? 0 : max(0, stages[place - 1].sessions - stages[place].sessions), links: (nil, nil))
    }
    return FunnelDrawing(steps: steps, bars: [.init(name: "Sessions", shares: shares, color: 1)]).html()
  }
}
