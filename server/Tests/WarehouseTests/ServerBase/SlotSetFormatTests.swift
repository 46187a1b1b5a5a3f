import ServerBase
import TernBase
import TernEvents
import Testing

@testable import Views
@testable import Warehouse

/// Stored sets of installs that were damaged on disk.
@Suite struct SlotSetFormatTests {
  /// Sets of each kind of container, and of several.
  private static let sets: [[UInt32]] = [
    Array(0..<100), (0..<60).map { $0 * 200 }, (0..<5_000).map { $0 * 3 }, Array(7..<70_000),
    (0..<6).flatMap { high in (0..<20).map { UInt32(high) << 16 + UInt32($0) * 7 } }
      + (0..<6_000).map { 9 << 16 + UInt32($0) * 5 } + Array(11 << 16..<11 << 16 + 900),
  ]

  private static func encoded(_ slots: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    slots.withUnsafeBufferPointer { SlotSet.encode($0, into: &bytes) }
    return bytes
  }

  private static func decoded(_ bytes: [UInt8]) -> SlotSet? {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return SlotSet.decode(&reader)
    }
  }

  @Test func `a set is read as it was stored`() {
    for slots in Self.sets { #expect(Self.decoded(Self.encoded(slots))?.elements == slots) }
  }

  @Test func `a damaged set is refused, or one whose numbers are in order and as many as it says`() {
    var generator = FastGenerator(seed: 4)
    for slots in Self.sets {
      let bytes = Self.encoded(slots)
      for round in 0..<3_000 {
        var damaged = bytes
        for _ in 0...round % 3 {
          // Heads, which have the counts, are at the beginning.
          let place = Int.random(in: 0..<(round % 2 == 0 ? min(60, bytes.count) : bytes.count), using: &generator)
          damaged[place] = UInt8.random(in: 0...255, using: &generator)
        }
        guard let set = Self.decoded(damaged), set.count < 1 << 20 else { continue }
        let elements = set.elements
        #expect(elements.count == set.count && zip(elements, elements.dropFirst()).allSatisfy { $0 < $1 })
        var again: [UInt8] = []
        set.encode(into: &again)
        #expect(Self.decoded(again)?.elements == elements)
      }
    }
  }
}
