import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// The lines of the table of rows (RFC 4180).
extension ExportText {
  mutating func csvHeader() {
    json.raw(request.csv.start)
    json.raw(request.csv.line(ExportField.columns.map { .text($0.name) }))
  }

  mutating func addCSV(_ row: EventRow, _ scan: EventScan) throws {
    json.integer(row.id)
    separate()
    json.integer(row.time)
    separate()
    if let microseconds = row.flags.microseconds { json.integer(Int64(microseconds)) }
    separate()
    json.integer(row.time &+ row.lag)
    separate()
    json.bytes.append(contentsOf: row.flags.kind.name.utf8)
    separate()
    if row.name == 0, let name = PropertyCoding.eventName(scan.properties) {
      json.raw(request.csv.field(name))
    } else {
      json.raw(try text(row.name))
    }
    separate()
    json.raw(try install(row.slot))
    separate()
    if !scan.userBytes.isEmpty { request.csv.append(scan.userBytes, to: &json.bytes) }
    separate()
    if row.session != 0 { json.bytes.append(contentsOf: Self.hexadecimal(row.session).utf8) }
    separate()
    json.raw(row.flags.startsSession ? "1" : "0")
    separate()
    let csv = request.csv
    json.raw(try device(row.device) { Self.fields($0, csv) })
    separate()
    try addObject { try $0.addMembers(scan.properties) }
    separate()
    if let parameters = scan.parameters {
      addObject { text in
        text.json.raw("{")
        text.addParameters(parameters, open: "", middle: ":", close: "")
        text.json.raw("}")
      }
    }
    json.raw("\r\n")
  }

  private mutating func separate() { json.bytes.append(request.csv.separator) }

  /// Adds the JSON that `body` writes as a field.
  private mutating func addObject(_ body: (inout ExportText) throws -> Void) rethrows {
    let start = json.bytes.count
    try body(&self)
    guard json.bytes.count > start else { return }
    // Nearly every object has commas and quotes to escape.
    let object = Array(json.bytes[start...])
    json.bytes.removeLast(object.count)
    object.withUnsafeBytes { request.csv.append(json: $0, to: &json.bytes) }
  }

  /// Adds the properties as a JSON object; nothing if there are none.
  private mutating func addMembers(_ properties: UnsafeRawBufferPointer) throws {
    var isFirst = true
    try PropertyCoding.forEachText(properties) { id, name, value in
      json.raw(isFirst ? "{" : ",")
      isFirst = false
      if let name { string(name) } else { json.string(try dictionary.text(id, connection)) }
      json.raw(":")
      switch value {
      case .text(let text): string(text)
      case .other(let value): json.value(value)
      }
    }
    if !isFirst { json.raw("}") }
  }

  /// Returns the facts of a device; an unknown one is no value.
  private static func fields(_ device: IncomingDevice, _ csv: CSVStyle) -> [UInt8] {
    let texts = [
      device.osName, device.osVersion, device.model, device.locale, device.country,
      String(device.timeZoneOffsetMinutes), device.appVersion, device.appBuild, device.sdkName, device.sdkVersion,
    ]
    return Array(texts.map { $0.isEmpty ? [] : csv.field($0) }.joined(separator: [csv.separator]))
  }
}
