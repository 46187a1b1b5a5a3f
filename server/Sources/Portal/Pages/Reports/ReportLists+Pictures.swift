import Questions
import Reports
import Warehouse

/// The pictures of a report's lists.
extension ReportLists {
  /// The pictures of a list, as HTML; empty for lists that are only tables.
  func pictures(_ list: ReportList, _ request: ReportRequest) -> [String] {
    switch list.picture {
    case .days(let groups): daily(list, groups, request)
    case .bars(let title, let columns, let place): bars(list, title, columns, of: place).map { [$0] } ?? []
    case .flow: flow(list).map { [$0] } ?? []
    case .stages(let names): stages(list, names).map { [$0] } ?? []
    case .none: []
    }
  }

  /// Bars of a column with a place for each row; `nil` without rows.
  private func bars(_ list: ReportList, _ title: String, _ columns: [String], of place: ReportPicture.Place) -> String?
  {
    guard !list.rows.isEmpty else { return nil }
    let rows = place == .minutesAgo ? Array(list.rows.reversed()) : list.rows
    let places = rows.map { row in
      let number = row[0].displayText
      return switch place {
      case .hour: Chart.Place(axis: number, title: "\(number):00")
      case .minutesAgo: Chart.Place(axis: "−\(number)", title: number == "0" ? "This minute" : "\(number) min ago")
      }
    }
    return Chart(id: list.name, title: title, places: places, series: series(list, rows, columns, mark: .bar)).html()
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
  private func daily(_ list: ReportList, _ groups: [[String]]?, _ request: ReportRequest) -> [String] {
    let days = list.rows.compactMap { row -> Day? in if case .day(let day)? = row.first { day } else { nil } }
    guard days.count > 1, days == Array(request.days) else { return [] }
    let numbers = list.columns.indices.filter { column in
      list.rows.allSatisfy { if case .integer = $0[column] { true } else { false } }
    }
    let groups = groups ?? [numbers.prefix(3).map { list.columns[$0].name }]
    return groups.enumerated().compactMap { place, names in
      let series = self.series(list, list.rows, names, mark: .area, color: place * 2 % 4 + 1)
      guard let first = series.first else { return nil }
      var chart = Chart("\(list.name)\(place)", first.name, days: days, series, in: request)
      // Amounts have decimals.
      if !series.allSatisfy({ $0.values.allSatisfy { $0 == $0?.rounded() } }) { chart.format = .number }
      return visit.drawn(chart)
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
      flow: flow, headings: flow.columns.indices.map { "Step \($0 + 1)" }, name: { valueText($0.name) },
      links: { _ in nil }
    ).html()
  }

  /// Stages as a funnel; `nil` if no session reached the first.
  private func stages(_ list: ReportList, _ names: [String: String]) -> String? {
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
