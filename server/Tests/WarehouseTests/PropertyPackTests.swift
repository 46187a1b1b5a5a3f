import TernEvents
import Testing

@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Tests packs that were damaged on disk.
@Suite struct PropertyPackTests {
  /// Three values and "(other)": two with few users, one with more users than are stored as differences.
  private static func pack() -> [UInt8] {
    var output: [UInt8] = []
    var previous = 0
    let sizes = [(0, 1), (1, 3), (2, SlotSet.smallCount + 2), (PropertyPack.other, 2)]
    for (number, users) in sizes {
      var value: [UInt8] = []
      PropertyCoding.append(.string("v\(number)"), to: &value)
      value.withUnsafeBytes {
        PropertyPack.appendHead(
          step: number - previous, value: number == PropertyPack.other ? nil : $0, count: Int64(users), to: &output)
      }
      let slots = (0..<users).map { UInt32($0 * 200) }
      slots.withUnsafeBufferPointer { SlotSet.encode($0, into: &output) }
      previous = number
    }
    return output
  }

  /// Reads the whole pack, on its own and merged with an undamaged one; returns `nil` if it is reported as damaged.
  private static func read(_ pack: [UInt8]) throws -> Int? {
    do {
      return try pack.withUnsafeBytes { bytes in
        var count = 0
        try PropertyPack.forEach(bytes) { entry in
          count += 1
          if let value = entry.value { _ = PropertyText.text(value) }
          _ = try WarehouseReader.slots(entry.slots).count
        }
        let merged = try Self.pack().withUnsafeBytes { try PropertyPack.merged($0, bytes) }
        try merged.withUnsafeBytes { try PropertyPack.forEach($0) { _ in } }
        return count
      }
    } catch let error as WarehouseError {
      #expect(error.code == .damaged)
      return nil
    }
  }

  @Test func `a pack with any byte changed is either read or reported as damaged`() throws {
    let pack = Self.pack()
    #expect(try Self.read(pack) == 4)
    var reported = 0
    for position in pack.indices {
      for byte in UInt8.min...UInt8.max where byte != pack[position] {
        var damaged = pack
        damaged[position] = byte
        if try Self.read(damaged) == nil { reported += 1 }
      }
    }
    #expect(reported > 0)
  }

  @Test func `a pack with any number of bytes missing or added is either read or reported as damaged`() throws {
    let pack = Self.pack()
    var read: [Int] = []
    for count in pack.indices {
      if let entries = try Self.read(Array(pack.prefix(count))) { read.append(entries) }
    }
    #expect(read == [0, 1, 2, 3], "only whole entries can be read")
    #expect(try Self.read(pack + [0x80]) == nil)
    // A step and a length that do not fit their integer types.
    for step in [UInt64(PropertyPack.other) + 1, UInt64(Int64.max), .max] {
      var damaged: [UInt8] = []
      damaged.appendVarint(step)
      #expect(try Self.read(damaged + pack) == nil)
      var long: [UInt8] = [0]
      long.appendVarint(step)
      #expect(try Self.read(long) == nil)
      var twice = pack
      twice.appendVarint(step)
      #expect(try Self.read(twice + pack) == nil)
    }
  }
}
