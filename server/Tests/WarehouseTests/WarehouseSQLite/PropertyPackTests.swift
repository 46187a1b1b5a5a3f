import ServerBase
import TernEvents
import Testing

@testable import RowFiles
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
          _ = try SlotSet.stored(entry.slots).count
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

  /// Three stored sets: empty, as differences, and as a bitmap.
  private static let sets = [[], [0, 7, 4_000, .max], (0..<UInt32(SlotSet.smallCount + 2)).map { $0 * 200 }].map {
    (slots: [UInt32]) in
    var bytes: [UInt8] = []
    slots.withUnsafeBufferPointer { SlotSet.encode($0, into: &bytes) }
    return bytes
  }

  /// Every way to read a stored set, with an intact one on the other side of a union. Returns true if all of it could be
  /// read.
  private static func isReadable(_ set: [UInt8]) -> Bool {
    set.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      _ = SlotSet.skip(&reader)
      reader = ByteReader(bytes)
      let isDecoded = SlotSet.decode(&reader) != nil
      for other in sets {
        other.withUnsafeBytes { other in
          var union: [UInt8] = []
          let (left, right) = (
            (try? SlotSet.appendUnion(bytes, other, to: &union)) != nil,
            (try? SlotSet.appendUnion(other, bytes, to: &union)) != nil
          )
          #expect(left == right && left == isDecoded)
        }
      }
      return isDecoded
    }
  }

  @Test func `a set with any bytes damaged is either read or reported as damaged, in unions too`() {
    for set in Self.sets {
      #expect(Self.isReadable(set))
      for position in set.indices {
        #expect(!Self.isReadable(Array(set[..<position])), "\(position) bytes left")
        for bit in 0..<8 {
          var damaged = set
          damaged[position] ^= 1 << bit
          _ = Self.isReadable(damaged)
        }
      }
    }
    // Numbers that do not fit their integer types, alone or in a sum, in place of each number of a set.
    let places: [(before: [UInt64], after: [UInt64])] = [([], []), ([4], []), ([6, 1], [1]), ([4, 0xFFFF_FFFF], [])]
    for number in [1 << 32, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max] {
      for (before, after) in places {
        var bytes: [UInt8] = []
        for value in before + [number] + after { bytes.appendVarint(value) }
        #expect(!Self.isReadable(bytes), "\(before), \(number), \(after)")
      }
    }
  }
}
