package import Foundation
import Tern
import TernEvents
package import TernLog

/// A Google Analytics 4 property that hits are translated for.
package struct GA4Property: Sendable, Hashable {
  /// The identifier of the property's data stream, such as `G-…`.
  package var measurementID: String
  /// The API secret of the data stream.
  package var secret: String

  package init(measurementID: String, secret: String) {
    self.measurementID = measurementID
    self.secret = secret
  }
}

extension HitRequest {
  /// The maximum number of events per request of the GA4 Measurement Protocol.
  package static let maximumEvents = 25
  /// The maximum size of its body, in bytes.
  package static let maximumGA4Bytes = 130_000

  /// Creates a request of the GA4 Measurement Protocol, which is limited to one client.
  package init?(
    _ records: [LogRecord], to host: URL, of property: GA4Property, at time: QueueTime, userAgent: String,
    timeout: Duration
  ) {
    var body = GA4Body(at: time)
    hits = records.prefix { body.add($0) }.count
    guard hits > 0 else { return nil }
    let query = HitPayload.encode([("measurement_id", property.measurementID), ("api_secret", property.secret)])
    request = TransportRequest(
      url: host.endpoint("mp/collect", query: String(decoding: query, as: UTF8.self)),
      headers: ["Content-Type": "application/json", "User-Agent": userAgent], body: body.bytes, timeout: timeout)
  }
}

/// Collects the events of one client.
private struct GA4Body {
  private struct Client: Equatable {
    var client: String?
    var user: String?
    var isMasked: Bool
  }

  private let time: QueueTime
  private var client: Client?
  private var events: [String] = []
  private var size = 512

  init(at time: QueueTime) { self.time = time }

  /// Adds a hit; returns false if it does not fit or belongs to another client. The first one always fits.
  mutating func add(_ record: LogRecord) -> Bool {
    let hit = HitPayload.decode(record.payload)
    let client = Client(client: hit["cid"] ?? hit["uid"], user: hit["uid"], isMasked: hit["npa"] == "1")
    let micros = (time.wallTime.millisecondsSince1970 - time.milliseconds(of: record)) * 1000
    let new = GA4Translation(hit).events.prefix(HitRequest.maximumEvents).map { $0.json(micros: micros) }
    let bytes = new.reduce(0) { $0 + $1.utf8.count + 1 }
    if !events.isEmpty {
      guard client == self.client, events.count + new.count <= HitRequest.maximumEvents,
        size + bytes <= HitRequest.maximumGA4Bytes
      else { return false }
    }
    self.client = client
    events += new
    size += bytes
    return true
  }

  var bytes: [UInt8] {
    var parts = ["\"client_id\":\(quoted(client?.client ?? ""))"]
    if let user = client?.user { parts.append("\"user_id\":\(quoted(user))") }
    if client?.isMasked == true { parts.append("\"non_personalized_ads\":true") }
    parts.append("\"events\":[\(events.joined(separator: ","))]")
    return Array("{\(parts.joined(separator: ","))}".utf8)
  }
}

extension GA4Translation.Event {
  fileprivate func json(micros: Int64) -> String {
    // The list of items counts as a parameter.
    var parameters = fields(texts, numbers, limit: items.isEmpty ? 25 : 24)
    if !items.isEmpty {
      let items = items.prefix(200).map { "{\(fields($0.texts, $0.numbers, limit: 25).joined(separator: ","))}" }
      parameters.append("\"items\":[\(items.joined(separator: ","))]")
    }
    return
      "{\"name\":\(quoted(name)),\"timestamp_micros\":\(micros),\"params\":{\(parameters.joined(separator: ","))}}"
  }
}

private func fields(_ texts: [String: String], _ numbers: [String: Double], limit: Int) -> [String] {
  let texts = texts.filter { !$0.value.isEmpty }.map { (name: $0.key, json: quoted($0.value.truncatedForGA4)) }
  let numbers = numbers.filter(\.value.isFinite).map { (name: $0.key, json: HitValue.text(of: $0.value as NSNumber)) }
  // GA4 limits the number of parameters. The app's numbered ones sort last, so they are cut first.
  return (texts + numbers).sorted { ($0.name.isNumbered ? 1 : 0, $0.name) < ($1.name.isNumbered ? 1 : 0, $1.name) }
    .prefix(limit).map { "\(quoted($0.name)):\($0.json)" }
}

extension String {
  /// The text truncated to GA4's limit of 100 characters, counted in UTF-16 units, the strictest reading.
  fileprivate var truncatedForGA4: String {
    guard utf16.count > 100 else { return self }
    var length = 0
    return String(
      prefix { character in
        length += character.utf16.count
        return length <= 100
      })
  }

  fileprivate var isNumbered: Bool { hasPrefix("dimension") || hasPrefix("metric") || hasPrefix("content_group") }
}

private func quoted(_ text: String) -> String {
  var writer = JSONWriter()
  writer.string(text)
  return String(decoding: writer.bytes, as: UTF8.self)
}
