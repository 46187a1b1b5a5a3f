import Warehouse

extension ViewReportRequest {
  /// Custom dimensions, content groups and metrics, with the names that the app's definitions give them now, and the
  /// scope by which they were counted then.
  func custom(_ figures: ViewFigures) -> [List] {
    let definitions = Dictionary(figures.definitions.map { ($0.parameter, $0) }, uniquingKeysWith: { $1 })
    let dimensions = (figures.tables[.dimensions] ?? []).prefix(limit).map { row -> [Cell] in
      [
        .text(row.key[0]), .text(definitions[row.key[0]]?.name ?? ""), .text(row.key[1]), .text(row.key[2]),
        .count(row.numbers[0]), .count(row.numbers[1]), .count(Int64(row.users)),
      ]
    }
    let metrics = (figures.tables[.metrics] ?? []).prefix(limit).map { row -> [Cell] in
      let definition = definitions[row.key[0]]
      let (unit, sum) = shown(row.numbers[1], as: definition?.type ?? .integer)
      return [
        .text(row.key[0]), .text(definition?.name ?? ""), .text("hit"), .text(unit), .count(row.numbers[0]), sum,
        .count(Int64(row.users)),
      ]
    }
    return [
      List(
        member: "dimensions", title: "Dimensions",
        columns: ["dimension", "name", "scope", "value", "hits", "sessions", "users"], rows: dimensions),
      List(
        member: "metrics", title: "Metrics",
        columns: ["metric", "name", "scope", "type", "hits", "sum", "users"], rows: metrics),
    ]
  }

  /// A sum of millionths by the metric's type, with the name of that.
  private func shown(_ millionths: Int64, as type: CustomDefinition.MetricType) -> (String, Cell) {
    switch type {
    case .integer: (type.rawValue, money(millionths))
    case .currency: (currency.isEmpty ? type.rawValue : currency, money(millionths))
    case .time: ("seconds", money(millionths))
    }
  }

  /// Says what amounts are in, in the titles of lists that have some.
  func labelled(_ lists: [List]) -> [List] {
    let currency = currency
    guard !currency.isEmpty else { return lists }
    return lists.map { list in
      var list = list
      if list.columns.contains(where: { ["revenue", "average_order"].contains($0) }) {
        list.title += "\(list.title.isEmpty ? "" : " ")(\(currency))"
      }
      return list
    }
  }
}
