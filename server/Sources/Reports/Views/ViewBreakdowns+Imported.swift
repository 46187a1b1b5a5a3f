import TernBase
import Warehouse

/// Days that another service counted. They are in lists of their own and never added to counted figures.
extension ViewBreakdowns {
  /// The most columns of the table; JSON and CSV have all metrics.
  private static let maximumColumns = 20

  /// The imported days of the overview, except for those on which the view has hits of its own.
  var imported: [ReportList] {
    let counted = Set(metrics.days.filter { $0.totals.hits > 0 }.map(\.day))
    let figures = request.imported.filter { !counted.contains($0.day) }
    guard !figures.isEmpty else { return [] }
    let title = "Imported days, as another service counted them"
    let names = Set(figures.map(\.metric)).sorted().prefix(Self.maximumColumns)
    var days: [[ReportValue]] = []
    var latest: Day?
    for figure in figures {
      if figure.day != latest {
        days.append([.day(figure.day)] + names.map { _ in .none })
        latest = figure.day
      }
      if let column = names.firstIndex(of: figure.metric) { days[days.count - 1][column + 1] = ReportValue(figure) }
    }
    return [
      ReportList(
        "imported", title: title, columns: ["date", "metric", "value"],
        rows: figures.map { [.day($0.day), .text($0.metric), ReportValue($0)] }, outputs: [.json, .csv]),
      ReportList(
        "imported", title: title,
        columns: ["date"] + names.map { ReportColumn($0, heading: visible($0), title: visible($0)) },
        rows: Array(days.prefix(request.viewLimit)), outputs: [.terminal, .page], picture: .none),
    ]
  }
}

extension ReportValue {
  /// Creates the value of an imported figure; its text if that can't be read any more.
  fileprivate init(_ figure: ImportedFigure) {
    switch ImportedValue(figure.text) {
    case .count(let number): self = .count(number)
    case .decimal(let number): self = .decimal(number)
    case .share(let part): self = .share(part)
    case .duration(let milliseconds): self = .duration(milliseconds)
    case .amount(let amount): self = .amount(amount)
    case .below, nil: self = .text(figure.text)
    }
  }
}
