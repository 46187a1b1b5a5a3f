package import Ingest
import RowFiles
import ServerBase
package import Warehouse

/// The keys under which one device's events are counted.
package struct DeviceKeys {
  package var id: Int64
  var version: Int64
  var system: Int64
  var model: Int64
  var country: Int64
  var language: Int64
  /// True if one of the keys is "(other)" because the app has too many distinct texts.
  package var isNameLimited = false
}

/// The writer's devices: each distinct set of device properties is stored once per app and identified by a number.
///
/// Rows then need one number instead of ten columns. There are never more devices than installs, so only the cache is
/// bounded, not the table.
package final class WriterDevices {
  private struct Key: Hashable {
    var app: Int64
    var device: IncomingDevice
  }

  private static let limit = 50_000
  private let dictionary: WriterDictionary
  private let insert: SQLStatement
  private let find: SQLStatement
  private var cached: [Key: DeviceKeys] = [:]

  init(_ connection: SQLConnection, dictionary: WriterDictionary) throws {
    self.dictionary = dictionary
    insert = try connection.prepare("INSERT INTO device (app, facts) VALUES (?, ?) RETURNING id")
    find = try connection.prepare("SELECT id FROM device WHERE app = ? AND facts = ?")
  }

  func forget() { cached = [:] }

  /// Returns the keys of a device, storing it if it is new.
  ///
  /// - Parameters:
  ///   - slot: The install that has the device; `nil` if that isn't known.
  ///   - received: The time of receipt, in milliseconds.
  package func keys(app: Int64, _ device: IncomingDevice, slot: UInt32? = nil, received: Int64) throws -> DeviceKeys {
    let key = Key(app: app, device: device)
    if let keys = cached[key] { return keys }
    let facts = try encode(app: app, device, slot: slot, received: received)
    var keys = try facts.withUnsafeBytes { try Self.keys($0) }
    keys.id =
      try find.bind(app, facts).first { $0.integer(0) } ?? insert.bind(app, facts).first { $0.integer(0) } ?? keys.id
    // Don't cache: a text that is "(other)" today may get an ID tomorrow.
    guard !keys.isNameLimited else { return keys }
    if cached.count >= Self.limit { cached.removeAll() }
    cached[key] = keys
    return keys
  }

  /// Reads the keys from stored device properties, without the device's ID.
  package static func keys(_ facts: UnsafeRawBufferPointer) throws -> DeviceKeys {
    var reader = ByteReader(facts)
    func next() throws -> Int64 {
      guard let value = reader.varint() else {
        throw WarehouseError(.damaged, "A stored device is damaged. Restore a backup.")
      }
      return Int64(bitPattern: value)
    }
    var keys = DeviceKeys(
      id: 0, version: try next(), system: try next(), model: try next(), country: try next(), language: try next())
    for _ in 0..<7 { _ = try next() }
    _ = reader.zigzag()
    keys.isNameLimited = (reader.varint() ?? 0) & 0b1_1111 != 0
    return keys
  }

  /// Returns the IDs of the texts of stored device properties.
  package static func texts(_ facts: UnsafeRawBufferPointer) -> Set<Int64> { Set(numbers(facts)) }

  /// Returns the IDs of the texts of stored device properties, in their order.
  static func numbers(_ facts: UnsafeRawBufferPointer) -> [Int64] {
    var reader = ByteReader(facts)
    return (0..<12).compactMap { _ in reader.varint().map { Int64(bitPattern: $0) } }
  }

  private func encode(app: Int64, _ device: IncomingDevice, slot: UInt32?, received: Int64) throws -> [UInt8] {
    let names = try dictionary.names(app: app)
    let texts = Self.texts(of: device, DeviceLabels(device))
    return try Self.encode(texts, offset: device.timeZoneOffsetMinutes) { index in
      try names.id(Self.kinds[index], texts[index], slot: slot, received: received)
    }
  }

  /// The dictionaries of the twelve texts.
  package static let kinds: [NameKind] = [
    .version, .system, .model, .country, .language, .text, .text, .text, .text, .text, .text, .text,
  ]

  /// Returns the twelve texts of a device in their stored order.
  package static func texts(of device: IncomingDevice, _ labels: DeviceLabels) -> [String] {
    [
      labels.version, labels.system, device.model, device.country, labels.language, device.osName, device.osVersion,
      device.locale, device.appVersion, device.appBuild, device.sdkName, device.sdkVersion,
    ]
  }

  /// Encodes a device that was stored before, with the numbers that its texts had.
  package static func encode(_ device: StoredRow.Device) -> [UInt8] {
    encode(texts(of: device.facts, device.labels), offset: device.facts.timeZoneOffsetMinutes) { device.texts[$0] }
  }

  /// Encodes the IDs of twelve texts and the UTC offset. If any ID is 0 because there is no room, a varint with a bit
  /// for each of these follows, then their texts.
  private static func encode(_ texts: [String], offset: Int, id: (Int) throws -> Int64) rethrows -> [UInt8] {
    var facts: [UInt8] = []
    var inlineTexts: [UInt8] = []
    var mask: UInt64 = 0
    for (index, text) in texts.enumerated() {
      let id = try id(index)
      facts.appendVarint(UInt64(bitPattern: id))
      guard id == 0, text != Dimension.otherKey else { continue }
      mask |= 1 << UInt64(index)
      // Truncate as the dictionary does: this column is indexed.
      let truncated = withUTF8(text) { String(decoding: prefix($0, atMost: NameKind.maximumBytes), as: UTF8.self) }
      inlineTexts.append(text: truncated)
    }
    facts.appendZigzag(Int64(offset))
    if mask != 0 {
      facts.appendVarint(mask)
      facts += inlineTexts
    }
    return facts
  }

  /// Decodes device properties; `name` resolves dictionary IDs.
  package static func decode(_ facts: UnsafeRawBufferPointer, name: (Int64) throws -> String) rethrows -> IncomingDevice
  {
    let (texts, offset) = try allTexts(facts, name: name)
    return IncomingDevice(
      osName: texts[5], osVersion: texts[6], model: texts[2], locale: texts[7], country: texts[3],
      timeZoneOffsetMinutes: offset, appVersion: texts[8], appBuild: texts[9], sdkName: texts[10],
      sdkVersion: texts[11])
  }

  /// Reads a stored device with the texts of its labels, as they are counted.
  package static func stored(
    id: Int64, _ facts: UnsafeRawBufferPointer, name: (Int64) throws -> String
  ) rethrows -> StoredRow.Device {
    let device = try decode(facts, name: name)
    let texts = try allTexts(facts, name: name).texts
    var labels = DeviceLabels(device)
    (labels.version, labels.system, labels.language) = (texts[0], texts[1], texts[4])
    return StoredRow.Device(id: id, facts: device, labels: labels, texts: numbers(facts))
  }

  /// Returns the twelve texts in their stored order, and the UTC offset.
  private static func allTexts(
    _ facts: UnsafeRawBufferPointer, name: (Int64) throws -> String
  ) rethrows -> (texts: [String], offset: Int) {
    var reader = ByteReader(facts)
    let ids = (0..<12).map { _ in Int64(bitPattern: reader.varint() ?? 0) }
    let offset = IncomingDevice.clamped(offset: reader.zigzag() ?? 0)
    let mask = reader.varint() ?? 0
    let texts = try ids.enumerated().map { index, id in
      try (mask >> UInt64(index) & 1 == 1 ? reader.text() : nil) ?? name(id)
    }
    return (texts, offset)
  }
}
