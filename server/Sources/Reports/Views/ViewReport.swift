import Foundation
import Warehouse

/// The answer to a ``ViewReportRequest``: the same values for the command line, the REST API and the pages.
public struct ViewReport: Sendable {
  /// One list of rows with its columns.
  public struct List: Sendable {
    /// The list's name in JSON.
    public var member: String
    /// The heading above it.
    public var title: String
    /// The columns' names, as they are members of JSON objects too.
    public var columns: [String]
    /// The rows, each with as many cells as there are columns.
    public var rows: [[Cell]]
    /// Whether long texts are shown whole on a terminal.
    public var isWide = false
  }

  /// One cell.
  public enum Cell: Sendable, Hashable {
    /// Text, from a client or of our own.
    case text(String)
    /// Names and their values: an object in JSON, one text elsewhere.
    case pairs([String: String])
    /// A number of things.
    case count(Int64)
    /// A number with two decimals.
    case decimal(Double)
    /// An amount of money, as it is written: text in JSON too, since a binary fraction would not be exact.
    case money(String)
    /// A part of a whole, from 0 to 1.
    case share(Double)

    /// The cell as people read it.
    public var shown: String {
      switch self {
      case .text(let text): visible(text)
      case .pairs(let pairs): visible(Self.joined(pairs))
      case .count(let number): grouped(Int(number))
      case .decimal(let number): Self.decimalText(number)
      case .money(let amount): amount
      case .share(let part): percentage(part)
      }
    }

    static func joined(_ pairs: [String: String]) -> String {
      pairs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    static func decimalText(_ number: Double) -> String {
      let hundredths = Int((number * 100).rounded().clampedToExact)
      let (whole, part) = (abs(hundredths) / 100, abs(hundredths) % 100)
      return "\(hundredths < 0 ? "-" : "")\(whole).\(part < 10 ? "0" : "")\(part)"
    }
  }

  /// What was asked.
  public var request: ViewReportRequest
  /// The figures.
  public var lists: [List]

  /// The report in a format; tables and CSV end with a line break, JSON does not.
  public func text(_ format: ReportFormat) throws -> String {
    switch format {
    case .table: lists.map { $0.table.terminalText() }.joined(separator: "\n")
    case .csv: flatTable.csvText()
    case .json: String(decoding: try json(), as: UTF8.self)
    }
  }

  /// One list as it is; of several, the rows name their list, and columns that a list lacks are empty.
  private var flatTable: ReportTable {
    guard lists.count > 1 else { return lists.first?.table ?? ReportTable(columns: [], rows: []) }
    var columns: [String] = []
    for column in lists.flatMap(\.columns) where !columns.contains(column) { columns.append(column) }
    let rows: [[ReportTable.Cell]] = lists.flatMap { list in
      list.rows.map { row in
        [.text(list.member)]
          + columns.map { name in list.columns.firstIndex(of: name).map { row[$0].tableCell } ?? .text("") }
      }
    }
    return ReportTable(columns: ["list"] + columns, rows: rows)
  }

  private func json() throws -> Data {
    var object: [String: JSONValue] = [
      "view": .count(request.view.id.rawValue), "app": .count(request.view.app.rawValue),
      "report": .text(request.name.rawValue), "from": .text(request.days.lowerBound.description),
      "to": .text(request.days.upperBound.description), "timeZone": .text(request.view.timeZone),
    ]
    if !request.currency.isEmpty { object["currency"] = .text(request.currency) }
    for list in lists {
      object[list.member] = .list(
        list.rows.map { row in
          .object(Dictionary(zip(list.columns, row.map(\.jsonValue)), uniquingKeysWith: { $1 }))
        })
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(JSONValue.object(object))
  }
}

/// A value of a view's report in JSON.
private enum JSONValue: Encodable {
  case text(String)
  case count(Int64)
  case number(Double)
  case list([JSONValue])
  case object([String: JSONValue])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .count(let number): try container.encode(number)
    case .number(let number): try container.encode(number.isFinite ? number : 0)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }
}

extension ViewReport.Cell {
  fileprivate var jsonValue: JSONValue {
    switch self {
    case .text(let text), .money(let text): .text(text)
    case .pairs(let pairs): .object(pairs.mapValues { .text($0) })
    case .count(let number): .count(number)
    case .decimal(let number), .share(let number): .number(number)
    }
  }

  fileprivate var tableCell: ReportTable.Cell {
    switch self {
    case .text(let text): .text(text)
    case .pairs(let pairs): .text(Self.joined(pairs))
    case .count(let number): .count(Int(number))
    case .decimal(let number): .number(Self.decimalText(number))
    case .money(let amount): .number(amount)
    case .share(let part): .share(part)
    }
  }
}

extension ViewReport.List {
  fileprivate var table: ReportTable {
    ReportTable(title: title, columns: columns, rows: rows.map { $0.map(\.tableCell) }, isWide: isWide)
  }
}

extension Double {
  fileprivate var clampedToExact: Double { isNaN ? 0 : Swift.min(Swift.max(self, -1e15), 1e15) }
}
