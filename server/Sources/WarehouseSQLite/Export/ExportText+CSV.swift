import Ingest
import TernEvents
import Warehouse

/// The table of rows.
extension ExportText {
  private static let columns = [
    "row", "time", "received", "kind", "name", "install", "user", "session", "starts_session", "os", "os_version",
    "model", "locale", "country", "time_zone_offset", "app_version", "app_build", "sdk", "sdk_version", "properties",
    "parameters",
  ]

  mutating func csvHeader() { addLine(Self.columns) }

  mutating func addCSV(_ row: EventRow, _ scan: EventScan) throws {
    let device = try device(id: row.device)
    var properties = JSONWriter(capacity: 128)
    let elements = try PropertyCoding.decode(scan.properties) { try dictionary.text($0, connection) }
    properties.raw("{")
    for (index, property) in elements.enumerated() {
      if index > 0 { properties.raw(",") }
      properties.string(property.name)
      properties.raw(":")
      properties.value(property.value)
    }
    properties.raw("}")
    var parameters = JSONWriter(capacity: 128)
    parameters.raw("{")
    let given: [HitParameter] = scan.parameters.map { HitCoding.decode($0) } ?? []
    for (index, parameter) in given.enumerated() {
      if index > 0 { parameters.raw(",") }
      parameters.string(parameter.name)
      parameters.raw(":")
      parameters.string(parameter.value)
    }
    parameters.raw("}")
    addLine([
      String(row.id), String(row.time), String(row.time &+ row.lag), row.flags.kind.name, try name(of: row, scan),
      try install(row.slot), scan.user, row.session == 0 ? "" : Self.hexadecimal(row.session),
      row.flags.startsSession ? "1" : "0", device.osName, device.osVersion, device.model, device.locale,
      device.country, String(device.timeZoneOffsetMinutes), device.appVersion, device.appBuild, device.sdkName,
      device.sdkVersion, elements.isEmpty ? "" : String(decoding: properties.bytes, as: UTF8.self),
      scan.parameters == nil ? "" : String(decoding: parameters.bytes, as: UTF8.self),
    ])
  }

  /// Adds a line of RFC 4180. Texts stay as they are: programs read this table, and a changed text would be wrong.
  private mutating func addLine(_ fields: [String]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { json.raw(",") }
      let needsQuotes = field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      guard needsQuotes else {
        json.bytes.append(contentsOf: field.utf8)
        continue
      }
      json.raw("\"")
      for byte in field.utf8 {
        if byte == 0x22 { json.bytes.append(0x22) }
        json.bytes.append(byte)
      }
      json.raw("\"")
    }
    json.raw("\r\n")
  }
}
