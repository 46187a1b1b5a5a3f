import Ingest
import ServerBase
import Warehouse

/// The keys under which one device's events are counted.
struct DeviceKeys {
  var id: Int64
  var version: Int64
  var system: Int64
  var model: Int64
  var country: Int64
  var language: Int64
  /// True if one of the keys is "(other)" because the app has too many distinct texts.
  var isNameLimited = false
}

/// The writer's devices: each distinct set of device properties is stored once per app and identified by a number.
///
/// Rows then need one number instead of ten columns. There are never more devices than installs, so only the cache is
/// bounded, not the table.
final class WriterDevices {
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
  func keys(app: Int64, _ device: IncomingDevice, slot: UInt32? = nil, received: Int64) throws -> DeviceKeys {
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
  static func keys(_ facts: UnsafeRawBufferPointer) throws -> DeviceKeys {
    var reader = ByteReader(facts)
    func next() throws -> Int64 {
      guard let value = reader.varint() else {
        throw WarehouseError(code: .damaged, message: "A stored device is damaged. Restore a backup.")
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
  static func texts(_ facts: UnsafeRawBufferPointer) -> Set<Int64> { Set(numbers(facts)) }

  /// Returns the IDs of the texts of stored device properties, in their order.
  static func numbers(_ facts: UnsafeRawBufferPointer) -> [Int64] {
    var reader = ByteReader(facts)
    return (0..<12).compactMap { _ in reader.varint().map { Int64(bitPattern: $0) } }
  }

  /// Encodes the IDs of twelve texts and the UTC offset. If any ID is 0 because there is no room, a varint with a bit
  /// for each of these follows, then their texts.
  private func encode(app: Int64, _ device: IncomingDevice, slot: UInt32?, received: Int64) throws -> [UInt8] {
    let names = try dictionary.names(app: app)
    let labels = DeviceLabels(device)
    let texts: [(NameKind, String)] = [
      (.version, labels.version), (.system, labels.system), (.model, device.model), (.country, device.country),
      (.language, labels.language), (.text, device.osName), (.text, device.osVersion), (.text, device.locale),
      (.text, device.appVersion), (.text, device.appBuild), (.text, device.sdkName), (.text, device.sdkVersion),
    ]
    var facts: [UInt8] = []
    var inlineTexts: [UInt8] = []
    var mask: UInt64 = 0
    for (index, (kind, text)) in texts.enumerated() {
      let id = try names.id(kind, text, slot: slot, received: received)
      facts.appendVarint(UInt64(bitPattern: id))
      guard id == 0, text != WriterDictionary.other else { continue }
      mask |= 1 << UInt64(index)
      // Truncate as the dictionary does: this column is indexed.
      let truncated = withUTF8(text) { String(decoding: prefix($0, atMost: NameKind.maximumBytes), as: UTF8.self) }
      inlineTexts.append(text: truncated)
    }
    facts.appendZigzag(Int64(device.timeZoneOffsetMinutes))
    if mask != 0 {
      facts.appendVarint(mask)
      facts += inlineTexts
    }
    return facts
  }

  /// Decodes device properties; `name` resolves dictionary IDs.
  static func decode(_ facts: UnsafeRawBufferPointer, name: (Int64) throws -> String) rethrows -> IncomingDevice {
    var reader = ByteReader(facts)
    let ids = (0..<12).map { _ in Int64(bitPattern: reader.varint() ?? 0) }
    let offset = IncomingDevice.clamped(offset: reader.zigzag() ?? 0)
    var inlineTexts: [Int: String] = [:]
    let mask = reader.varint() ?? 0
    for index in ids.indices where mask >> UInt64(index) & 1 == 1 { inlineTexts[index] = reader.text() }
    func text(_ index: Int) throws -> String { try inlineTexts[index] ?? name(ids[index]) }
    var device = IncomingDevice(model: try text(2), country: try text(3))
    device.osName = try text(5)
    device.osVersion = try text(6)
    device.locale = try text(7)
    device.appVersion = try text(8)
    device.appBuild = try text(9)
    device.sdkName = try text(10)
    device.sdkVersion = try text(11)
    device.timeZoneOffsetMinutes = offset
    return device
  }
}
