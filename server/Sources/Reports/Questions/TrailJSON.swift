import Ingest
package import JSON
package import Questions
import TernEvents
import Warehouse

/// The JSON of one person's rows.
package enum TrailJSON {
  /// The schema of a page of rows.
  package static var schema: Schema {
    Schema.object(["results": .list(row), "meta": .object(["next": .nullable(.text)])]).named("Trail")
  }

  private static var row: Schema {
    Schema.object([
      "id": .count, "kind": .text, "time": .nullable(.time), "received": .nullable(.time), "name": .nullable(.text),
      "user": .nullable(.text), "version": .nullable(.text), "os": .nullable(.text), "model": .nullable(.text),
      "country": .nullable(.text), "language": .nullable(.text), "session": .nullable(.text),
      "startsSession": .boolean, "properties": .object([:], others: .anyOf(.text, .number, .boolean, .null)),
    ]).named("Row")
  }

  /// Returns a page of rows, with the cursor of the next page if this one is full.
  package static func document(_ rows: [TrailRow], limit: Int) throws -> [UInt8] {
    let next = rows.count == limit ? rows.last?.cursor.text : nil
    let rest = JSONTree.object([("meta", .object([("next", next.map { .text($0) } ?? .null)]))]).encoded
    var writer = JSONWriter(capacity: 256 * rows.count)
    writer.raw("{\"results\":[")
    for (index, row) in rows.enumerated() {
      if index > 0 { writer.raw(",") }
      write(row, to: &writer)
    }
    writer.raw("],")
    writer.raw(Array(rest.dropFirst()))
    return writer.bytes
  }

  private static func write(_ row: TrailRow, to writer: inout JSONWriter) {
    let (event, labels) = (row.event, DeviceLabels(row.event.device))
    let texts = [
      ("kind", event.kind.name), ("time", event.time.isoText), ("received", event.received.isoText),
      ("name", event.name), ("user", event.user), ("version", labels.version), ("os", labels.system),
      ("model", event.device.model), ("country", event.device.country), ("language", labels.language),
    ]
    writer.raw("{\"id\":")
    writer.integer(event.id)
    for (name, text) in texts {
      writer.raw(",")
      writer.string(name)
      writer.raw(":")
      if text.isEmpty { writer.raw("null") } else { writer.string(text) }
    }
    writer.raw(",\"session\":")
    // A text, because the numbers need more than 53 bits.
    if let session = row.session { writer.string(String(session)) } else { writer.raw("null") }
    writer.raw(",\"startsSession\":")
    writer.boolean(row.startsSession)
    writer.raw(",\"properties\":{")
    for (index, property) in event.properties.enumerated() {
      if index > 0 { writer.raw(",") }
      writer.string(property.name)
      writer.raw(":")
      switch property.value {
      case .date(let time): writer.string(time.isoText)
      // Whole numbers stay whole, as in the answers to questions.
      case .double(let number): writer.raw(Array((AnswerTable.Cell(number).plainText ?? "null").utf8))
      default: writer.value(property.value)
      }
    }
    writer.raw("}}")
  }
}
