import ServerBase
import Warehouse
import WarehouseSQLite

/// The counts and users of a range of days, counted from the rows.
struct RecountedRollups {
  /// The key of a stored count.
  struct Key: Hashable {
    var app: Int64
    var dimension: Int64
    var day: Int64
    var key: Int64
  }

  var counts: [Key: Int64] = [:]
  var users: [Key: [UInt32]] = [:]

  init() {}

  init(_ rollups: RollupAccumulator) {
    rollups.forEach { entry, slots in
      let key = Key(app: entry.app, dimension: entry.dimension, day: Int64(entry.day), key: entry.key)
      if entry.count > 0 { counts[key] = entry.count }
      if !slots.isEmpty { users[key] = Array(slots) }
    }
  }
}

/// The packs of property values, counted from the rows.
///
/// As in the file, the growth of a group is a pack of its own, and packs of similar size are merged. So memory is bounded
/// by the size of what is stored, not by the number of rows.
struct PropertyPacks {
  /// App and day, event and property.
  struct Group: Hashable {
    var first: UInt64
    var event: Int64
    var property: Int64
  }

  private var packs: [Group: [[UInt8]]] = [:]

  /// Takes the occurrences that an accumulator without a store has counted.
  mutating func take(from properties: PropertyAccumulator) throws {
    try properties.takePending { group in
      var pack = group.pack()
      group.storedValues = group.values.count
      let key = Group(first: group.first, event: group.event, property: group.property)
      var parts = packs.removeValue(forKey: key) ?? []
      while let last = parts.last, last.count <= 2 * pack.count {
        pack = try Self.merged(last, pack)
        parts.removeLast()
      }
      packs[key] = parts + [pack]
    }
  }

  /// Returns one pack per group.
  func merged() throws -> [Group: [UInt8]] {
    try packs.mapValues { parts in
      guard var pack = parts.last else { return [] }
      for part in parts.dropLast().reversed() { pack = try Self.merged(part, pack) }
      return pack
    }
  }

  private static func merged(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8] {
    try left.withUnsafeBytes { left in try right.withUnsafeBytes { try PropertyPack.merged(left, $0) } }
  }
}
