import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// The lines of the table of rows (RFC 4180).
extension ExportText {
  mutating func csvHeader() {
    json.bytes.append(contentsOf: ExportField.columns.map(\.name).joined(separator: ",").utf8)
    json.raw("\r\n")
  }

  mutating func addCSV(_ row: EventRow, _ scan: EventScan) throws {
    json.integer(row.id)
    json.raw(",")
    json.integer(row.time)
    json.raw(",")
    if let microseconds = row.flags.microseconds { json.integer(Int64(microseconds)) }
    json.raw(",")
    json.integer(row.time &+ row.lag)
    json.raw(",")
    json.bytes.append(contentsOf: row.flags.kind.name.utf8)
    json.raw(",")
    if row.name == 0, let name = PropertyCoding.eventName(scan.properties) {
      json.raw(Self.field(name))
    } else {
      json.raw(try text(row.name))
    }
    json.raw(",")
    json.raw(try install(row.slot))
    json.raw(",")
    Self.append(field: scan.userBytes, to: &json.bytes)
    json.raw(",")
    if row.session != 0 { json.bytes.append(contentsOf: Self.hexadecimal(row.session).utf8) }
    json.raw(row.flags.startsSession ? ",1," : ",0,")
    json.raw(try device(row.device, encode: Self.fields))
    json.raw(",")
    try addObject { try $0.addMembers(scan.properties) }
    json.raw(",")
    if let parameters = scan.parameters {
      addObject { text in
        text.json.raw("{")
        text.addParameters(parameters, open: "", middle: ":", close: "")
        text.json.raw("}")
      }
    }
    json.raw("\r\n")
  }

  /// Adds the JSON that `body` writes as a field.
  private mutating func addObject(_ body: (inout ExportText) throws -> Void) rethrows {
    let start = json.bytes.count
    try body(&self)
    guard json.bytes.count > start else { return }
    // Nearly every object has commas and quotes to escape.
    let object = Array(json.bytes[start...])
    json.bytes.removeLast(object.count)
    object.withUnsafeBytes { Self.append(field: $0, to: &json.bytes) }
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

  private static func fields(_ device: IncomingDevice) -> [UInt8] {
    let texts = [
      device.osName, device.osVersion, device.model, device.locale, device.country,
      String(device.timeZoneOffsetMinutes), device.appVersion, device.appBuild, device.sdkName, device.sdkVersion,
    ]
    return Array(texts.map(field).joined(separator: [UInt8(ascii: ",")]))
  }

  /// Returns a text as a field.
  static func field(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    withUTF8(text) { append(field: $0, to: &bytes) }
    return bytes
  }

  /// Appends a field. An apostrophe keeps spreadsheets from running a text as a formula, and quotes from seeing several fields.
  private static func append(field: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let isFormula = isFormula(field)
    let needsQuotes = field.contains(where: separates)
    if needsQuotes { bytes.append(0x22) }
    if isFormula { bytes.append(UInt8(ascii: "'")) }
    guard needsQuotes else { return bytes.append(contentsOf: field) }
    for byte in field {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }

  /// True for a byte that ends a field or line for some reader; some spreadsheets separate fields by `;` or tab.
  private static func separates(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, 0x0A, 0x0D: true
    default: false
    }
  }

  /// True if some spreadsheet takes the text for a formula. A number with a sign is none.
  private static func isFormula(_ text: UnsafeRawBufferPointer) -> Bool {
    switch text.first {
    case UInt8(ascii: "="), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D: true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): !isNumber(text.dropFirst())
    // The full-width forms of the four signs, U+FF1D, U+FF0B, U+FF0D and U+FF20.
    case 0xEF: ["＝", "＋", "－", "＠"].contains { text.starts(with: $0.utf8) }
    default: false
    }
  }

  /// True for digits, with a point between them or without.
  private static func isNumber(_ text: some Sequence<UInt8>) -> Bool {
    let parts = Array(text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count <= 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
  }
}
