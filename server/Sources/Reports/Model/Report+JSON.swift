import Foundation
import TernEvents
import Warehouse

extension Report {
  /// Encodes the report as one JSON object with sorted members: equal metrics give equal bytes.
  func json() throws -> Data {
    var members = content.values
    members["app"] = .count(request.app.rawValue)
    members["from"] = .day(request.days.lowerBound)
    members["to"] = .day(request.days.upperBound)
    members["timeZone"] = .text(request.zone.identifier)
    if let view = request.view {
      members["view"] = .count(view.id.rawValue)
      members["report"] = .text(request.report.name)
    }
    if !fullLists.isEmpty { members["fullLists"] = .texts(fullLists) }
    for list in content.lists where list.outputs.contains(.json) && !(list.isObject && list.rows.isEmpty) {
      members[list.name] = .list(list)
    }
    return try ReportJSON.encoder.encode(members)
  }
}

enum ReportJSON {
  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension ReportValue: Encodable {
  /// Writes the value: days as `YYYY-MM-DD`, times as ISO 8601.
  package func encode(to encoder: any Encoder) throws {
    if case .properties(let properties) = self {
      var members = encoder.container(keyedBy: MemberName.self)
      for property in properties { try members.encode(property.value, forKey: MemberName(property.name)) }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let number), .duration(let number): try container.encode(number)
    case .id(let number): try container.encode(number)
    // JSON has no infinity and no NaN, and the encoder throws on them.
    case .decimal(let number), .share(let number): try container.encode(number.isFinite ? number : 0)
    case .flag(let flag): try container.encode(flag)
    case .texts(let texts): try container.encode(texts)
    case .none: try container.encodeNil()
    case .list(let list): try container.encode(list)
    case .text, .properties, .amount, .time, .day: try container.encode(plainText)
    }
  }
}

extension ReportList: Encodable {
  /// Writes an array of objects, or the object itself.
  package func encode(to encoder: any Encoder) throws {
    if isObject { return try rows.first.map { Row(columns: columns, values: $0) }.encode(to: encoder) }
    var container = encoder.unkeyedContainer()
    for row in rows { try container.encode(Row(columns: columns, values: row)) }
  }

  private struct Row: Encodable {
    let columns: [ReportColumn]
    let values: [ReportValue]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: MemberName.self)
      for (column, value) in zip(columns, values) {
        if case .list(let list) = value, list.isObject, list.rows.isEmpty { continue }
        try container.encode(value, forKey: MemberName(column.name))
      }
    }
  }
}

extension KeyedEncodingContainer where Key == MemberName {
  fileprivate mutating func encode(_ value: PropertyValue, forKey key: Key) throws {
    switch value {
    case .integer(let number): try encode(number, forKey: key)
    case .boolean(let flag): try encode(flag, forKey: key)
    case .double(let number) where number.isFinite: try encode(number, forKey: key)
    case .string, .double, .date: try encode(value.displayText, forKey: key)
    }
  }
}

/// The name of a member that is known only at run time.
struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
