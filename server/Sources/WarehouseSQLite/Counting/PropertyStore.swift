import ServerBase
import Warehouse

/// The writer's access to the table `property_values`.
package final class PropertyStore {
  private let loadParts: SQLStatement
  private let loadPart: SQLStatement
  private let deletePart: SQLStatement
  private let insertPart: SQLStatement
  private let countGroups: SQLStatement
  private let loadProperties: SQLStatement

  init(_ connection: SQLConnection) throws {
    let group = "app = ? AND day = ? AND event = ? AND property = ?"
    loadParts = try connection.prepare("SELECT part, pack FROM property_values WHERE \(group) ORDER BY part")
    loadPart = try connection.prepare("SELECT pack FROM property_values WHERE \(group) AND part = ?")
    deletePart = try connection.prepare("DELETE FROM property_values WHERE \(group) AND part = ?")
    insertPart = try connection.prepare("INSERT INTO property_values VALUES (?, ?, ?, ?, ?, ?)")
    countGroups = try connection.prepare(
      "SELECT count(*) FROM (SELECT DISTINCT event, property FROM property_values WHERE app = ? AND day = ?)")
    loadProperties = try connection.prepare(
      "SELECT DISTINCT property FROM property_values WHERE app = ? AND day = ? AND event = ?")
  }

  func groupCount(_ first: UInt64) throws -> Int {
    try countGroups.bind(RollupAccumulator.app(first), Int64(RollupAccumulator.day(first)))
      .first { Int($0.integer(0)) } ?? 0
  }

  /// Returns the properties stored for an event on a day.
  func properties(_ first: UInt64, event: Int64) throws -> [Int64] {
    try loadProperties.bind(RollupAccumulator.app(first), Int64(RollupAccumulator.day(first)), event)
      .all { $0.integer(0) }
  }

  /// Loads a group's values, in the order in which they first occurred.
  func load(_ group: PropertyAccumulator.Group) throws {
    bind(group, to: loadParts)
    var texts: [Int: [UInt8]] = [:]
    defer { loadParts.reset() }
    while try loadParts.step() {
      let pack = loadParts.bytes(1)
      group.parts.append(PropertyAccumulator.Part(number: loadParts.integer(0), byteCount: pack.count))
      try PropertyPack.forEach(pack) { entry in
        if let value = entry.value { texts[entry.number] = Array(value) }
      }
    }
    for number in 0..<texts.count {
      guard let text = texts[number] else { throw PropertyPack.damage }
      text.withUnsafeBytes { _ = group.values.insert($0, group.values.key($0)) }
    }
    group.storedValues = texts.count
  }

  /// The number of parts of similar size that are kept before they are merged.
  private static let tier = 3

  /// Stores a group's pending occurrences as its newest part, merging it with earlier parts once enough are of similar
  /// size.
  func store(_ group: PropertyAccumulator.Group) throws {
    var pack = group.pack()
    while group.parts.suffix(Self.tier).allSatisfy({ $0.byteCount <= 2 * pack.count }), group.parts.count >= Self.tier {
      for _ in 0..<Self.tier { pack = try mergedWithLast(group, pack) }
    }
    let number = (group.parts.last?.number ?? 0) + 1
    bind(group, to: insertPart)
    insertPart.bind(number, at: 5)
    try pack.withUnsafeBytes { bytes in
      insertPart.bind(borrowing: bytes, at: 6)
      try insertPart.run()
    }
    group.parts.append(PropertyAccumulator.Part(number: number, byteCount: pack.count))
    group.storedValues = group.values.count
  }

  private func mergedWithLast(_ group: PropertyAccumulator.Group, _ pack: [UInt8]) throws -> [UInt8] {
    guard let last = group.parts.popLast() else { return pack }
    bind(group, to: loadPart)
    loadPart.bind(last.number, at: 5)
    defer { loadPart.reset() }
    guard try loadPart.step() else { throw PropertyPack.damage }
    let merged = try pack.withUnsafeBytes { try PropertyPack.merged(loadPart.bytes(0), $0) }
    bind(group, to: deletePart)
    deletePart.bind(last.number, at: 5)
    try deletePart.run()
    return merged
  }

  private func bind(_ group: PropertyAccumulator.Group, to statement: SQLStatement) {
    statement.bind(
      RollupAccumulator.app(group.first), Int64(RollupAccumulator.day(group.first)), group.event, group.property)
  }
}
