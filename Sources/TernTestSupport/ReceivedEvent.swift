import Foundation
import Tern
public import TernValues

/// An event as received by a collector.
public struct ReceivedEvent: Sendable, Hashable, Decodable {
  /// Its identifier.
  public var id: String
  /// The kind of event.
  public var type: String
  /// Its name; empty if it has none.
  public var name: String
  /// The device's wall time.
  public var time: Timestamp
  /// The install.
  public var install: String
  /// The session, if any.
  public var session: String?
  /// The user, if set.
  public var user: String?
  /// The properties.
  public var properties: [String: PropertyValue]

  private enum Key: String, CodingKey {
    case id, type, name, time, install, session, user, properties
  }

  /// Parses an event of a request.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    id = try container.decode(String.self, forKey: .id)
    type = try container.decode(String.self, forKey: .type)
    name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
    time = Timestamp(millisecondsSince1970: try container.decode(Int64.self, forKey: .time))
    install = try container.decode(String.self, forKey: .install)
    session = try container.decodeIfPresent(String.self, forKey: .session)
    user = try container.decodeIfPresent(String.self, forKey: .user)
    properties =
      try container.decodeIfPresent([String: ReceivedValue].self, forKey: .properties)?
      .mapValues(\.value) ?? [:]
  }
}

private struct ReceivedValue: Decodable {
  var value: PropertyValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      value = .boolean(flag)
    } else if let number = try? container.decode(Int64.self) {
      value = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      value = .double(number)
    } else if let date = try? container.decode([String: Int64].self)["date"] {
      value = .date(Timestamp(millisecondsSince1970: date))
    } else {
      value = .string(try container.decode(String.self))
    }
  }
}

extension InMemoryCollector.Request {
  init(decoding request: TransportRequest) {
    raw = request
    body = request.headers["Content-Encoding"] == "gzip" ? gunzip(request.body) ?? [] : request.body
    lines = completeLines(of: body)
    events = lines.compactMap { try? JSONDecoder().decode(ReceivedEvent.self, from: Data($0)) }
  }
}

/// The lines of a request body, each event with the members of its context.
public func completeLines(of body: [UInt8]) -> [[UInt8]] {
  let begin = Array("{\"context\":{".utf8)
  var context: ArraySlice<UInt8> = []
  var lines: [[UInt8]] = []
  for line in body.split(separator: UInt8(ascii: "\n")) {
    if line.starts(with: begin) {
      context = line.dropFirst(begin.count).dropLast(2) + [UInt8(ascii: ",")]
    } else {
      lines.append([UInt8(ascii: "{")] + context + line.dropFirst())
    }
  }
  return lines
}
