import Ingest
import RowFiles
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// The lines of rows. An export may have hundreds of millions, so they are written from the stored bytes, without a
/// Swift value for each property.
extension ExportText {
  mutating func add(_ row: EventRow, _ scan: EventScan) throws {
    guard request.format == .ndjson else { return try addCSV(row, scan) }
    json.raw("{\"row\":")
    json.integer(row.id)
    member(",\"kind\":", row.flags.kind.name)
    json.raw(",\"name\":")
    if row.name == 0, let name = PropertyCoding.eventName(scan.properties) {
      json.string(name)
    } else {
      json.raw(try text(row.name))
    }
    json.raw(",\"time\":")
    json.integer(row.time)
    if let microseconds = row.flags.microseconds {
      json.raw(",\"microseconds\":")
      json.integer(Int64(microseconds))
    }
    json.raw(",\"received\":")
    json.integer(row.time &+ row.lag)
    json.raw(",\"install\":")
    json.raw(try install(row.slot))
    if row.session != 0 { hexadecimal(",\"session\":", row.session) }
    if row.flags.startsSession { json.raw(",\"startsSession\":true") }
    if row.flags.isMeasurement { json.raw(",\"measurement\":true") }
    if !scan.userBytes.isEmpty {
      json.raw(",\"user\":")
      string(scan.userBytes)
    }
    if let key = row.key {
      json.raw(",\"key\":{\"time\":")
      json.integer(key.milliseconds)
      hexadecimal(",\"hash\":", key.hash)
      json.raw("}")
    }
    json.raw(try device(row.device, encode: Self.members(of:)))
    try add(properties: scan.properties)
    if let parameters = scan.parameters {
      json.raw(",\"parameters\":[")
      addParameters(parameters, open: "[", middle: ",", close: "]")
      json.raw("]")
    }
    if [.handledError, .crash].contains(row.flags.kind) { try addError(row.id) }
    json.raw("}\n")
  }

  private mutating func add(properties bytes: UnsafeRawBufferPointer) throws {
    var isFirst = true
    try PropertyCoding.forEachText(bytes) { id, name, value in
      json.raw(isFirst ? ",\"properties\":[{\"name\":" : ",{\"name\":")
      isFirst = false
      if let name { string(name) } else { json.raw(try text(id)) }
      switch value {
      case .text(let text):
        json.raw(",\"string\":")
        string(text)
      case .other(.date(let time)):
        json.raw(",\"date\":")
        json.integer(time.millisecondsSince1970)
      case .other(.double(let number)):
        json.raw(",\"double\":")
        json.double(number)
      case .other(.boolean(let flag)):
        json.raw(",\"boolean\":")
        json.boolean(flag)
      case .other(.integer(let number)):
        json.raw(",\"integer\":")
        json.integer(number)
      case .other(.string(let text)): member(",\"string\":", text)
      }
      json.raw("}")
    }
    if !isFirst { json.raw("]") }
  }

  /// Adds the names and values of a hit's parameters, each pair between `open` and `close`, with `middle` inside.
  mutating func addParameters(
    _ bytes: UnsafeRawBufferPointer, open: StaticString, middle: StaticString, close: StaticString
  ) {
    var isFirst = true
    HitCoding.forEach(bytes) { name, value in
      if !isFirst { json.raw(",") }
      isFirst = false
      json.raw(open)
      string(name)
      json.raw(middle)
      string(value)
      json.raw(close)
    }
  }

  private static func members(of device: IncomingDevice) -> [UInt8] {
    var json = JSONWriter(capacity: 256)
    json.raw(",\"device\":{\"timeZoneOffset\":")
    json.integer(Int64(device.timeZoneOffsetMinutes))
    let texts: [(StaticString, String)] = [
      (",\"osName\":", device.osName), (",\"osVersion\":", device.osVersion), (",\"model\":", device.model),
      (",\"locale\":", device.locale), (",\"country\":", device.country), (",\"appVersion\":", device.appVersion),
      (",\"appBuild\":", device.appBuild), (",\"sdkName\":", device.sdkName), (",\"sdkVersion\":", device.sdkVersion),
    ]
    for (name, text) in texts where !text.isEmpty {
      json.raw(name)
      json.string(text)
    }
    json.raw("}")
    return json.bytes
  }

  // MARK: - Bytes

  /// Adds a quoted string of UTF-8.
  mutating func string(_ utf8: UnsafeRawBufferPointer) {
    // Most texts are short, and need neither an escape nor a check of their UTF-8.
    let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    guard isPlain else { return json.string(String(decoding: utf8, as: UTF8.self)) }
    json.bytes.append(UInt8(ascii: "\""))
    json.bytes.append(contentsOf: utf8)
    json.bytes.append(UInt8(ascii: "\""))
  }

  /// Adds a name and the quoted hexadecimal digits of a number, without leading zeros.
  private mutating func hexadecimal(_ name: StaticString, _ number: Int64) {
    json.raw(name)
    json.raw("\"")
    let bits = UInt64(bitPattern: number)
    var shift = max(0, (63 - bits.leadingZeroBitCount) & ~3)
    while shift >= 0 {
      let digit = UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 0xF
      json.bytes.append(digit < 10 ? digit + 0x30 : digit + 0x57)
      shift -= 4
    }
    json.raw("\"")
  }
}
