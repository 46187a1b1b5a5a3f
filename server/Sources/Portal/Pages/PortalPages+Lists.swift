import Reports
import Warehouse

extension PortalPages {
  /// The page of a report without a page of its own: its lists, one below the other.
  func listsPage(_ page: PageContext) async throws -> String {
    let lists = try await lists(page)
    return self.page(
      page.shell, body: templates.render("lists", ["lead": page.request.report.explanation, "lists": lists]))
  }

  /// The page of a view's report: links to the view's other reports, then the lists.
  func viewPage(_ page: PageContext) async throws -> String {
    let (request, links) = (page.request, page.links)
    guard let view = request.view else { return try await listsPage(page) }
    let values: TemplateValues = [
      "lead": request.report.explanation, "rules": view.rules(on: request.days).map { Self.text(of: $0, view) },
      "hasLinks": true,
      "links": reports.view.map {
        TemplateValues.link($0.title, links.page($0, of: view.id), isActive: $0 == request.report)
      }, "lists": try await lists(page),
    ]
    var shell = page.shell
    shell.report = nil
    shell.trail = .link(shown(view.name), links.views)
    if request.report == ViewReports.realtime { shell.script = "realtime.js" }
    return self.page(shell, body: templates.render("lists", values))
  }

  private func lists(_ page: PageContext) async throws -> [TemplateValues] {
    try await page.request.report(from: page.store).content.pageTables.map { list in
      let styles = list.columns.indices.map { column in Self.style(list.rows.map { $0[column] }) }
      let rows = list.rows.map { row -> TemplateValues in
        let cells = row.indices.map { column -> TemplateValues in
          let whole: String? = if case .text(let text) = row[column], shortened(text) != nil { text } else { nil }
          return [
            "text": Self.text(row[column], list.columns[column].name, in: page.request.zone, isHead: column == 0),
            "style": styles[column],
            "whole": whole,
          ]
        }
        return ["head": cells.first, "cells": Array(cells.dropFirst())]
      }
      return [
        "glossary": FigureMeaning.glossary(of: list),
        "chart": Self.chart(list, page.request).map { drawn($0) }, "figures": figures(list, page.request.zone),
        "heading": list.title.isEmpty ? page.request.report.title : visible(list.title),
        "columns": zip(list.columns, styles).map { ["text": $0.title, "style": $1] as TemplateValues }, "rows": rows,
      ]
    }
  }

  /// Returns the tiles of a list that is a single row of numbers, which would be too wide as a table; `nil` for others.
  private func figures(_ list: ReportList, _ zone: ReportZone) -> String? {
    guard list.rows.count == 1, list.columns.count > 3, let row = list.rows.first, row.allSatisfy(\.isNumeric) else {
      return nil
    }
    return tiles(
      zip(list.columns, row).map {
        .tile($0.title, Self.text($1, $0.name, in: zone, isHead: false), about: FigureMeaning.column($0.name))
      })
  }

  /// Returns a chart of the first three numbers of a list that has a row for every day of the range; `nil` for others.
  private static func chart(_ list: ReportList, _ request: ReportRequest) -> Chart? {
    let days = list.rows.compactMap { row -> Day? in if case .day(let day)? = row.first { day } else { nil } }
    guard days.count > 1, days == Array(request.days) else { return nil }
    let numbers = list.columns.indices.filter { column in
      list.rows.allSatisfy { if case .integer = $0[column] { true } else { false } }
    }
    let series = numbers.prefix(3).enumerated().map { index, column in
      let values = list.rows.map { row -> Int in if case .integer(let number) = row[column] { number } else { 0 } }
      return Chart.Series(
        name: list.columns[column].title, values: values, mark: index == 0 ? .area : .line, color: index + 1)
    }
    return series.isEmpty ? nil : Chart(list.name, list.title, days: days, series, in: request)
  }

  private static func text(_ value: ReportValue, _ column: String, in zone: ReportZone, isHead: Bool) -> String {
    switch value {
    case .text(let code) where column == "country" && !code.isEmpty: countryName(code)
    case .text(let code) where column == "language" && !code.isEmpty: shown(Ranking.Codes.languages.name(of: code))
    case .day(let day): day.longText
    // An empty first column means an unnamed item; in other columns there is just nothing to show.
    case .text(let text): shortened(text) ?? shown(text, empty: isHead ? "(no name)" : "–")
    case .duration(let milliseconds): clockText(milliseconds: milliseconds)
    case .time(let time): zone.dateTime(of: time)
    default: value.displayText
    }
  }

  /// The CSS classes of a column: text aligned left, numbers right, short text on one line.
  private static func style(_ column: [ReportValue]) -> String {
    if column.contains(where: { if case .time = $0 { true } else { false } }) { return "words when" }
    let texts = column.compactMap { value -> String? in
      if case .text(let text) = value, Double(text) != nil { return nil }
      return value.isNumeric || value == .none ? nil : value.displayText
    }
    guard let longest = texts.map(\.utf8.count).max() else { return "number" }
    return longest <= 24 ? "words short" : longest <= 100 ? "words" : "words long"
  }

  /// The rules of a view on one line, with the first day to which they apply.
  static func text(of rules: View.Rules, _ view: View) -> String {
    let settings = rules.settings
    let place = (view.timeZone.split(separator: "/").last ?? "").replacing("_", with: " ")
    let zone = view.timeZone.contains("/") ? "\(place) time" : place
    let closing =
      switch rules.lateness {
      case .cutoff: "Days close at 04:00 \(zone)"
      case .window: "Days close after 25 days"
      case .none: "Days never close"
      }
    let users =
      switch settings.identity {
      case .client: [String]()
      case .user: ["users by uid"]
      case .explicitUser: ["users by uid without unification"]
      }
    let parts =
      [
        closing, "session timeout \(settings.sessionTimeout.components.seconds / 60) min",
        "campaign timeout \(counted(settings.campaignDays, "day"))",
      ] + (settings.hasQuotas ? ["at most \(ViewSettings.sessionHits) hits per session"] : []) + users
      + (settings.currency.isEmpty ? [] : [settings.currency])
    return (rules.start.map { "From \($0.longText): " } ?? "") + parts.joined(separator: " · ")
  }
}
