import Ingest
import TernEvents

/// Reads the lines of rows as exports write them, many times faster than `JSONDecoder`, which reads all other lines.
///
/// The two never differ: what they could read differently isn't read here.
struct ImportedRowReader {
  private typealias Unusual = PlainJSON.Unusual

  private static let noDevice = ImportedRow.Device(IncomingDevice())

  /// The last install and device, and the bytes that they are written with: most rows repeat those before them.
  private var lastInstall = PlainJSON.Written(value: "")
  private var lastDevice = PlainJSON.Written(value: Self.noDevice)

  /// Returns a line's row; `nil` for a line that isn't one or has anything unusual.
  mutating func row(_ line: UnsafeRawBufferPointer) -> ImportedRow? {
    do {
      return try plainRow(line)
    } catch {
      return nil
    }
  }

  private mutating func plainRow(_ line: UnsafeRawBufferPointer) throws(Unusual) -> ImportedRow {
    var json = PlainJSON(line)
    var number, time, received: Int64?
    var kind: StoredKind?
    var name, install: String?
    var row = ImportedRow(device: Self.noDevice)
    try json.object { (member: RowMember, json: inout PlainJSON) throws(Unusual) in
      switch member {
      case .row: number = try json.integer()
      case .kind: kind = try Self.kind(try json.plainText())
      case .name: name = try json.text()
      case .time: time = try json.integer()
      case .microseconds: row.microseconds = try Self.microseconds(try json.integer())
      case .received: received = try json.integer()
      case .install: install = try self.install(&json)
      case .session: row.session = try Self.hexadecimal(&json)
      case .startsSession: row.startsSession = try json.boolean()
      case .measurement: row.isMeasurement = try json.boolean()
      case .user: row.user = try json.text()
      case .key: row.key = try Self.key(&json)
      case .device: row.device = try self.device(&json)
      case .properties:
        try json.array { (json: inout PlainJSON) throws(Unusual) in row.properties.append(try Self.property(&json)) }
      case .parameters:
        var parameters: [HitParameter] = []
        try json.array { (json: inout PlainJSON) throws(Unusual) in parameters.append(try Self.parameter(&json)) }
        row.parameters = parameters
      }
    }
    try json.end()
    guard number != nil, let kind, let name, let time, let received, let install else { throw Unusual() }
    (row.kind, row.name, row.time, row.received, row.install) = (kind, name, time, received, install)
    return row
  }

  private static func kind(_ text: UnsafeRawBufferPointer) throws(Unusual) -> StoredKind {
    for (kind, name) in kinds where name.elementsEqual(text) { return kind }
    throw Unusual()
  }

  private static let kinds = StoredKind.allCases.map { ($0, Array($0.name.utf8)) }

  private static func microseconds(_ number: Int64) throws(Unusual) -> Int {
    guard (0...999).contains(number) else { throw Unusual() }
    return Int(number)
  }

  private static func hexadecimal(_ json: inout PlainJSON) throws(Unusual) -> Int64 {
    guard let number = PlainJSON.hexadecimal(try json.plainText()) else { throw Unusual() }
    return Int64(bitPattern: number)
  }

  private mutating func install(_ json: inout PlainJSON) throws(Unusual) -> String {
    if !json.skip(lastInstall.bytes) {
      lastInstall = try json.written { (json: inout PlainJSON) throws(Unusual) in try json.text() }
    }
    return lastInstall.value
  }

  private mutating func device(_ json: inout PlainJSON) throws(Unusual) -> ImportedRow.Device {
    if !json.skip(lastDevice.bytes) {
      lastDevice = try json.written { (json: inout PlainJSON) throws(Unusual) in
        ImportedRow.Device(try Self.device(&json))
      }
    }
    return lastDevice.value
  }

  private static func device(_ json: inout PlainJSON) throws(Unusual) -> IncomingDevice {
    var device = IncomingDevice()
    var hasOffset = false
    try json.object { (member: DeviceMember, json: inout PlainJSON) throws(Unusual) in
      switch member {
      case .timeZoneOffset:
        device.timeZoneOffsetMinutes = IncomingDevice.clamped(offset: try json.integer())
        hasOffset = true
      case .osName: device.osName = try json.text()
      case .osVersion: device.osVersion = try json.text()
      case .model: device.model = try json.text()
      case .locale: device.locale = try json.text()
      case .country: device.country = try json.text()
      case .appVersion: device.appVersion = try json.text()
      case .appBuild: device.appBuild = try json.text()
      case .sdkName: device.sdkName = try json.text()
      case .sdkVersion: device.sdkVersion = try json.text()
      }
    }
    guard hasOffset else { throw Unusual() }
    return device
  }

  private static func key(_ json: inout PlainJSON) throws(Unusual) -> DuplicateKey {
    var time, hash: Int64?
    try json.object { (member: KeyMember, json: inout PlainJSON) throws(Unusual) in
      switch member {
      case .time: time = try json.integer()
      case .hash: hash = try hexadecimal(&json)
      }
    }
    guard let time, let hash else { throw Unusual() }
    return DuplicateKey(milliseconds: time, hash: hash)
  }

  private static func property(_ json: inout PlainJSON) throws(Unusual) -> Properties.Element {
    var name: String?
    var value: PropertyValue?
    try json.object { (member: PropertyMember, json: inout PlainJSON) throws(Unusual) in
      guard member == .name || value == nil else { throw Unusual() }
      switch member {
      case .name: name = try json.text()
      case .string: value = .string(try json.text())
      case .integer: value = .integer(try json.integer())
      case .double: value = .double(try json.double())
      case .boolean: value = .boolean(try json.boolean())
      case .date: value = .date(Timestamp(millisecondsSince1970: try json.integer()))
      }
    }
    guard let name, let value else { throw Unusual() }
    return Properties.Element(name: name, value: value)
  }

  private static func parameter(_ json: inout PlainJSON) throws(Unusual) -> HitParameter {
    var name, value: String?
    try json.array { (json: inout PlainJSON) throws(Unusual) in
      guard value == nil else { throw Unusual() }
      let text = try json.text()
      if name == nil { name = text } else { value = text }
    }
    guard let name, let value else { throw Unusual() }
    return HitParameter(name: name, value: value)
  }
}

// Rows with an error are not plain: they are few, and most of their bytes are base64.
private enum RowMember: Int, PlainMember {
  case row, kind, name, time, microseconds, received, install, session, startsSession, measurement, user, key, device
  case properties, parameters

  static let names: [StaticString] = [
    "row", "kind", "name", "time", "microseconds", "received", "install", "session", "startsSession", "measurement",
    "user", "key", "device", "properties", "parameters",
  ]
}

private enum DeviceMember: Int, PlainMember {
  case timeZoneOffset, osName, osVersion, model, locale, country, appVersion, appBuild, sdkName, sdkVersion

  static let names: [StaticString] = [
    "timeZoneOffset", "osName", "osVersion", "model", "locale", "country", "appVersion", "appBuild", "sdkName",
    "sdkVersion",
  ]
}

private enum KeyMember: Int, PlainMember {
  case time, hash

  static let names: [StaticString] = ["time", "hash"]
}

private enum PropertyMember: Int, PlainMember {
  case name, string, integer, double, boolean, date

  static let names: [StaticString] = ["name", "string", "integer", "double", "boolean", "date"]
}
