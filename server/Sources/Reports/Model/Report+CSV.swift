import Foundation
import ServerBase

extension Report {
  /// The report as one table. With several lists, each row names its list, and columns that a list lacks are empty.
  var csvTable: ReportList {
    let tables = content.lists.flatMap { $0.tables(for: .csv) }
    guard tables.count > 1 else { return tables.first ?? ReportList("", columns: [], rows: []) }
    var names: [String] = []
    for column in tables.flatMap(\.columns) where !names.contains(column.name) { names.append(column.name) }
    let rows = tables.flatMap { table in
      let places = names.map { name in table.columns.firstIndex { $0.name == name } }
      return table.rows.map { row in [.text(table.name)] + places.map { $0.map { row[$0] } ?? .none } }
    }
    return ReportList("", columns: [ReportColumn("list")] + names.map { ReportColumn($0) }, rows: rows)
  }
}

extension ReportList {
  /// The table as RFC 4180 text: a header line, and CRLF after each line.
  func csvText(_ style: CSVStyle = CSVStyle()) throws -> String {
    var bytes = style.start + style.line(columns.map { .text($0.heading) })
    for row in rows { bytes += style.line(try row.map { try $0.csvField }) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ReportValue {
  /// The value as a field. Lists and named values are JSON, as in the report's JSON.
  fileprivate var csvField: CSVField {
    get throws {
      switch self {
      case .text(let text): .text(text)
      case .integer, .duration, .id: .number(plainText)
      case .amount, .decimal: .number(FractionText.padded(plainText))
      case .share(let part): FractionText.text(part).map { .number($0) } ?? .none
      case .time, .day, .flag: .text(plainText)
      case .texts, .properties: .json(Array(try ReportJSON.encoder.encode(self)))
      case .list, .none: .none
      }
    }
  }
}
