import Reports
import Warehouse

/// The lists of a report on its page.
struct ReportLists {
  let visit: PageVisit

  /// The lists of a report's page: first those with totals, with their changes if the page compares, then those with
  /// pictures.
  func lists(_ page: ReportVisit) async throws -> [TemplateValues] {
    let tables = try await page.request.report(from: page.store).content.pageTables
    let changes = try await page.changes { wanted, store in
      wanted == page.request ? tables : try await wanted.report(from: store).content.pageTables
    }
    let drawn = tables.map { (list: $0, pictures: pictures($0, page.request)) }
    let totals = drawn.filter { Self.isTotals($0.list) }
    let others = drawn.filter { !Self.isTotals($0.list) }
    let ordered = totals + others.filter { !$0.pictures.isEmpty } + others.filter { $0.pictures.isEmpty }
    return ordered.map { list, drawings in
      let styles = list.columns.indices.map { column in Self.style(list.rows.map { $0[column] }) }
      let rows = list.rows.map { row -> TemplateValues in
        let cells = row.indices.map { column -> TemplateValues in
          let whole: String? = if case .text(let text) = row[column], shortened(text) != nil { text } else { nil }
          return [
            "caption": list.columns[column].title,
            "text": Self.text(row[column], list.columns[column].unit, in: page.request.zone, isHead: column == 0),
            "style": styles[column],
            "whole": whole,
          ]
        }
        return ["head": cells.first, "cells": Array(cells.dropFirst())]
      }
      return [
        "glossary": Self.glossary(of: list), "pictures": drawings, "isPair": drawings.count == 2,
        "isFolded": !drawings.isEmpty, "isRecord": list.isWide, "figures": figures(list, page.request.zone, changes),
        "heading": list.title.isEmpty ? page.request.report.title : visible(list.title),
        "columns": zip(list.columns, styles).map { ["text": $0.title, "style": $1] as TemplateValues }, "rows": rows,
      ]
    }
  }

  /// The columns of a list that need a word of explanation, with that word.
  private static func glossary(of list: ReportList) -> [TemplateValues] {
    list.columns.compactMap { column in column.meaning.map { ["term": column.title, "meaning": $0] } }
  }

  /// True for a list that is a single row of numbers, which would be too wide as a table.
  private static func isTotals(_ list: ReportList) -> Bool {
    list.rows.count == 1 && list.columns.count > 3 && list.rows.first?.allSatisfy(\.isNumeric) == true
  }

  /// Returns the tiles of a list of totals; `nil` for others.
  private func figures(_ list: ReportList, _ zone: ReportZone, _ changes: Changes<[ReportList]>?) -> String? {
    guard Self.isTotals(list), let row = list.rows.first else { return nil }
    return visit.tiles(
      list.columns.indices.map { index in
        let column = list.columns[index]
        func text(_ value: ReportValue) -> String { Self.text(value, column.unit, in: zone, isHead: false) }
        return .tile(
          column.title, text(row[index]), change: change(of: index, in: list, changes, text),
          about: column.meaning)
      })
  }

  static func text(
    _ value: ReportValue, _ unit: ReportColumn.Unit?, in zone: ReportZone, isHead: Bool
  ) -> String {
    switch value {
    case .text(let code) where unit == .code(.countries) && !code.isEmpty: countryName(code)
    case .text(let code) where unit == .code(.languages) && !code.isEmpty: shown(Ranking.Codes.languages.name(of: code))
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

  /// The change of a figure of a list with totals; `nil` if there is nothing to compare.
  func change(
    of column: Int, in list: ReportList, _ changes: Changes<[ReportList]>?, _ text: (ReportValue) -> String
  ) -> Change? {
    func value(_ lists: [ReportList]) -> ReportValue? {
      let row = lists.first { $0.name == list.name }?.rows.first
      return row.flatMap { $0.indices.contains(column) ? $0[column] : nil }
    }
    guard let changes, let current = value(changes.current), let other = value(changes.other),
      let (now, before) = current.amount.flatMap({ now in other.amount.map { (now, $0) } })
    else { return nil }
    guard now != 0 || before != 0 else { return nil }
    let texts = (current: text(current), other: text(other))
    if case .share = current {
      return Change(shares: now, before: before, note: changes.comparison.note(texts.current, texts.other))
    }
    return changes.comparison.change(now, before, texts)
  }
}
