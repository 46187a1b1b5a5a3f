import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Columns
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Counting the same rows in parts, on several threads.
@Suite struct RecountTests {
  private static let events: Int64 = 3
  private static let properties: UInt64 = 7

  private static func row(_ id: Int64) -> EventRow {
    EventRow(
      id: id, app: 1, time: 0, lag: 0, slot: UInt32(id * id % 91), device: 1, session: 0,
      flags: EventRow.Flags(kind: .event, startsSession: id % 5 == 0, isMeasurement: false), name: id % events + 1)
  }

  /// Properties with values that begin to occur at different times.
  private static func bytes(_ id: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    for property in 1...properties where (UInt64(id) + property) % 4 > 0 {
      PropertyCoding.append(name: "", id: property, to: &bytes)
      PropertyCoding.append(.string("value \(id / 40) \(id % 11)"), to: &bytes)
    }
    return bytes
  }

  /// Counts some rows of two days, taking the counts after a number of rows.
  private static func packs(
    share: PropertyAccumulator.Share = .all, takingAfter step: Int64
  ) throws -> [PropertyPacks.Group: [UInt8]] {
    let accumulator = PropertyAccumulator(seed: 1, store: nil, share: share)
    var packs = PropertyPacks()
    for id in 1..<Int64(1_000) {
      try bytes(id).withUnsafeBytes { try accumulator.add(row(id), day: Int(id / 500), properties: $0) }
      if id % step == 0 { try packs.take(from: accumulator) }
    }
    try packs.take(from: accumulator)
    return try packs.merged()
  }

  @Test func `property values taken in parts are those taken at once`() throws {
    let expected = try Self.packs(takingAfter: 1_000)
    #expect(expected.count == 2 * Int(Self.events) * Int(Self.properties))
    for step in [1, 30, 400] as [Int64] { #expect(try Self.packs(takingAfter: step) == expected) }
  }

  @Test func `each share of the properties is counted by one accumulator`() throws {
    let expected = try Self.packs(takingAfter: 1_000)
    var packs: [PropertyPacks.Group: [UInt8]] = [:]
    for number in 0..<4 {
      let share = try Self.packs(share: PropertyAccumulator.Share(number: number, count: 4), takingAfter: 300)
      #expect(!share.isEmpty && share.count < expected.count)
      packs.merge(share) { _, _ in
        Issue.record("Two shares have the same group.")
        return []
      }
    }
    #expect(packs == expected)
  }

  @Test func `limits of properties don't depend on the share`() throws {
    let count = PropertyAccumulator.maximumPropertiesPerEvent + 30
    var bytes: [UInt8] = []
    for property in 1...count {
      PropertyCoding.append(name: "", id: UInt64(property), to: &bytes)
      PropertyCoding.append(.integer(1), to: &bytes)
    }
    var counted: [Int64] = []
    for number in 0..<3 {
      let accumulator = PropertyAccumulator(
        seed: 1, store: nil, share: PropertyAccumulator.Share(number: number, count: 3))
      try bytes.withUnsafeBytes { try accumulator.add(Self.row(1), day: 0, properties: $0) }
      accumulator.takePending { counted.append($0.property) }
    }
    #expect(counted.sorted() == Array(1...Int64(PropertyAccumulator.maximumPropertiesPerEvent)))
  }

  @Test func `removing repeated users early changes no count`() {
    func counted(maximumPairs: Int) -> RecountedRollups {
      let rollups = RollupAccumulator(maximumPairs: maximumPairs)
      let device = DeviceKeys(id: 1, version: 1, system: 2, model: 3, country: 4, language: 5)
      for id in 1...Int64(2_000) {
        rollups.add(Self.row(id), day: 1, device: { device }, properties: UnsafeRawBufferPointer(start: nil, count: 0))
      }
      return RecountedRollups(rollups)
    }
    let expected = counted(maximumPairs: .max)
    let bounded = counted(maximumPairs: 50)
    #expect(expected.users.values.map(\.count).max() == Set((1...2_000).map { $0 * $0 % 91 }).count)
    #expect(bounded.counts == expected.counts)
    #expect(bounded.users == expected.users)
  }
}
