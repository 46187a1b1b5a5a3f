public import Reports
public import Warehouse

extension PortalPages {
  /// A report of a view as a page: its lists, one below the other.
  public func view(
    _ request: ViewReportRequest, app: PortalApp, apps: [PortalApp] = [], from source: any ViewSource
  ) async throws -> String {
    let report = try await request.report(from: source)
    let path = "/apps/\(app.id)"
    func link(_ name: ViewReportName, _ days: String) -> String {
      "\(path)/\(name.rawValue)?view=\(request.view.id)\(days.isEmpty ? "" : "&")\(days)"
    }
    let range = "from=\(request.days.lowerBound)&to=\(request.days.upperBound)"
    let page = ViewPage(
      action: "\(path)/\(request.name.rawValue)", number: request.view.id.description,
      from: request.days.lowerBound.description, until: request.days.upperBound.description,
      latest: request.today.description,
      rule: request.view.rules(on: request.days).map { Self.text(of: $0, request.view) }.joined(separator: " "),
      explanation: request.name.explanation,
      links: ViewReportName.allCases.map {
        ViewPage.Link(text: $0.title, link: link($0, range), isActive: $0 == request.name)
      },
      lists: report.lists.map { list in
        let styles = list.columns.indices.map { column in
          Self.moments.contains(list.columns[column]) ? "words when" : Self.style(list.rows.map { $0[column] })
        }
        return ViewPage.List(
          heading: list.title.isEmpty ? request.name.title : list.title, isEmpty: list.rows.isEmpty,
          columns: zip(list.columns, styles).map { ViewPage.Cell(text: $0.replacing("_", with: " "), style: $1) },
          rows: list.rows.map { row in
            let cells = zip(row, styles).enumerated().map { column, cell in
              // Only what a row is about can lack a name; elsewhere there is just nothing to say.
              ViewPage.Cell(
                text: column > 0 && cell.0 == .text("") ? "–" : Self.text(cell.0, style: cell.1), style: cell.1)
            }
            return ViewPage.Row(head: cells.first, cells: Array(cells.dropFirst()))
          })
      },
      downloads: [ReportFormat.csv, .json].map { format in
        LinkView(
          text: format.rawValue.uppercased(),
          link: "/api/v1/apps/\(app.id)/reports/\(request.name.rawValue)?view=\(request.view.id)&\(range)"
            + "&format=\(format.rawValue)")
      })
    var shell = Shell(
      app: app, apps: apps, active: nil, title: request.name.title, trail: shown(request.view.name),
      trailLink: "\(path)/views", request: nil, hasRange: false, viewZone: request.view.timeZone)
    if request.name == .realtime { shell.script = "realtime.js" }
    return self.page(shell, body: templates.render("view", page))
  }

  /// The views of an app, with what each is.
  public func views(_ views: [View], app: PortalApp, apps: [PortalApp] = []) -> String {
    let rows = views.map { view in
      ViewListPage.Row(
        name: shown(view.name), link: "/apps/\(app.id)/overview?view=\(view.id)", zone: view.timeZone,
        rules: view.rules.map { rules in
          let filters = shown(rules.filters.map(\.description).joined(separator: ", "))
          return ViewListPage.Rule(text: Self.text(of: rules, view), filters: filters)
        })
    }
    let shell = Shell(
      app: app, apps: apps, active: nil, title: "Views", request: nil, hasRange: false, viewZone: app.timeZone)
    return page(
      shell, body: templates.render("views", ViewListPage(app: app.id.description, isEmpty: views.isEmpty, rows: rows)))
  }

  /// Columns of moments, which may stand on two lines: what people look for stands behind them.
  private static let moments: Set<String> = ["received", "time"]

  private static func text(_ cell: ViewReport.Cell, style: String) -> String {
    guard case .text(let text) = cell else { return cell.shown }
    return shown(style == "words when" ? text.replacing("T", with: " ") : text)
  }

  /// What rules say, and from when on they hold.
  private static func text(of rules: View.Rules, _ view: View) -> String {
    let summary = rules.settings.summary
    let since = rules.start.map { "From \($0) on: " } ?? ""
    return "\(since)\(rule(rules, view)) \(summary.prefix(1).uppercased())\(summary.dropFirst())."
  }

  /// Words begin at the left and numbers end at the right; what is short stays on one line.
  private static func style(_ column: [ViewReport.Cell]) -> String {
    let texts = column.compactMap { cell -> String? in
      if case .text(let text) = cell, Double(text) == nil { return text }
      if case .pairs = cell { return cell.shown }
      return nil
    }
    guard let longest = texts.map(\.utf8.count).max() else { return "number" }
    return longest <= 24 ? "words short" : longest <= 100 ? "words" : "words long"
  }

  private static func rule(_ rules: View.Rules, _ view: View) -> String {
    switch rules.lateness {
    case .cutoff: "Counts what arrives before 04:00 of the next day in \(view.timeZone)."
    case .window: "Counts what arrives within 25 days."
    case .none: "Counts whatever arrives; no day is ever final."
    }
  }
}

private struct ViewPage {
  struct Link {
    var text: String
    var link: String
    var isActive: Bool
  }

  struct List {
    var heading: String
    var isEmpty: Bool
    var columns: [Cell]
    var rows: [Row]
  }

  struct Cell {
    var text: String
    var style: String
  }

  struct Row {
    var head: Cell?
    var cells: [Cell]
  }

  var action: String
  var number: String
  var from: String
  var until: String
  var latest: String
  var rule: String
  var explanation: String
  var links: [Link]
  var lists: [List]
  var downloads: [LinkView]
}

private struct ViewListPage {
  struct Rule {
    var text: String
    var filters: String
  }

  struct Row {
    var name: String
    var link: String
    var zone: String
    var rules: [Rule]
  }

  var app: String
  var isEmpty: Bool
  var rows: [Row]
}
