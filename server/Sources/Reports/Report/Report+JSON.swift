public import Foundation
import TernEvents
import Warehouse

extension Report: Encodable {
  private enum CodingKeys: String, CodingKey { case app, from, to, timeZone }

  /// Writes the figures, with days as `YYYY-MM-DD` and times as ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(request.app.rawValue, forKey: .app)
    try container.encode(request.days.lowerBound.description, forKey: .from)
    try container.encode(request.days.upperBound.description, forKey: .to)
    try container.encode(request.zone.identifier, forKey: .timeZone)
    // The figures' members stand beside these, in the same object.
    switch content {
    case .overview(let figures): try figures.encode(to: encoder)
    case .events(let figures): try figures.encode(to: encoder)
    case .event(let figures): try figures.encode(to: encoder)
    case .errors(let figures): try figures.encode(to: encoder)
    case .error(let figures): try figures.encode(to: encoder)
    case .screens(let figures): try figures.encode(to: encoder)
    case .versions(let figures): try figures.encode(to: encoder)
    case .devices(let figures): try figures.encode(to: encoder)
    case .countries(let figures): try figures.encode(to: encoder)
    case .live(let figures): try figures.encode(to: encoder)
    case .losses(let figures): try figures.encode(to: encoder)
    }
  }

  /// The report as one JSON object with sorted members: equal figures give equal bytes.
  public func json() throws -> Data { try reportEncoder().encode(self) }
}

extension LiveEvent: Encodable {
  private enum CodingKeys: String, CodingKey {
    case id, kind, name, time, received, install, user, country, version, model, system, properties
  }

  /// Writes the figures, with days as `YYYY-MM-DD` and times as ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(kind, forKey: .kind)
    try container.encode(name, forKey: .name)
    try container.encode(time.isoText, forKey: .time)
    try container.encode(received.isoText, forKey: .received)
    try container.encode(install, forKey: .install)
    try container.encode(user, forKey: .user)
    try container.encode(country, forKey: .country)
    try container.encode(version, forKey: .version)
    try container.encode(model, forKey: .model)
    try container.encode(system, forKey: .system)
    var values = container.nestedContainer(keyedBy: PropertyName.self, forKey: .properties)
    for property in properties { try values.encode(property.value, forKey: PropertyName(property.name)) }
  }

  /// The row as one line of JSON without a line feed: the data of one server-sent event.
  public func json() throws -> Data { try reportEncoder().encode(self) }
}

/// A property's name as a member's name.
private struct PropertyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension KeyedEncodingContainer where Key == PropertyName {
  fileprivate mutating func encode(_ value: PropertyValue, forKey key: Key) throws {
    switch value {
    case .integer(let number): try encode(number, forKey: key)
    case .boolean(let flag): try encode(flag, forKey: key)
    // JSON has no infinity and no NaN, and the encoder throws on them.
    case .double(let number) where number.isFinite: try encode(number, forKey: key)
    case .string, .double, .date: try encode(value.displayText, forKey: key)
    }
  }
}

private func reportEncoder() -> JSONEncoder {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}
