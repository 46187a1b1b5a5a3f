import Warehouse

extension ViewReports {
  static let custom = ReportDefinition.breakdown(
    "custom", "Custom dimensions", "Custom dimensions, content groups and metrics.", tables: [.dimensions, .metrics]
  ) { $0.custom }
}

extension ViewBreakdowns {
  /// Custom dimensions, content groups and metrics, with their current names and the scope under which they were
  /// counted.
  fileprivate var custom: [ReportList] {
    let definitions = Dictionary(metrics.definitions.map { ($0.parameter, $0) }, uniquingKeysWith: { $1 })
    func name(_ row: ViewMetrics.Row) -> ReportValue { .text(definitions[row.key[0]]?.name ?? "") }
    return [
      ReportList(
        "dimensions", title: "Dimensions",
        columns: ["dimension", "name", "scope", "value", .hits, .sessions, .users],
        rows: rows(.dimensions).map { row in
          let key = row.texts
          return [key[0], name(row), key[1], key[2], .count(row.numbers[0]), .count(row.numbers[1]), .count(row.users)]
        }),
      ReportList(
        "metrics", title: "Metrics",
        columns: [
          "metric", "name", "scope", "type", .hits, ReportColumn("sum", meaning: "The sum of all values."), .users,
        ],
        rows: rows(.metrics).map { row in
          let type = definitions[row.key[0]]?.type ?? .integer
          return [
            .text(row.key[0]), name(row), .text("hit"), .text(unit(type)), .count(row.numbers[0]),
            .millionths(row.numbers[1]), .count(row.users),
          ]
        }),
    ]
  }

  private func unit(_ type: CustomDefinition.MetricType) -> String {
    switch type {
    case .integer: return type.rawValue
    case .time: return "seconds"
    case .currency:
      let currency = view.currency(on: request.days)
      return currency.isEmpty ? type.rawValue : currency
    }
  }
}
