import Foundation
import JSON

/// The output formats of commands.
enum CommandOutput {
  /// Returns a value as one line of JSON.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Returns a thing as one line of JSON: an object with its members.
  static func json<Value>(_ value: Value, _ members: [JSONMember<Value>]) -> String {
    String(decoding: JSONTree.object(members.encode(value)).encoded, as: UTF8.self)
  }

  /// Returns things as one line of JSON: an array of objects with their members.
  static func json<Value>(_ values: [Value], _ members: [JSONMember<Value>]) -> String {
    String(decoding: JSONTree.array(values.map { .object(members.encode($0)) }).encoded, as: UTF8.self)
  }

  /// Returns rows in aligned columns.
  static func table(_ rows: [[String]]) -> String {
    let widths = rows.reduce(into: [Int](repeating: 0, count: rows.first?.count ?? 0)) { widths, row in
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      let line = cells.joined(separator: "  ")
      return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }.joined(separator: "\n")
  }
}
