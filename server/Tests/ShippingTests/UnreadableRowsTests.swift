import ClickHouse
import Foundation
import TernBase
import Testing
import Warehouse

@testable import Shipping

/// Rows that can't be read at home, of which the cluster may have the only copy.
@Suite struct UnreadableRowsTests {
  private static func withShipping(
    _ rows: FakeRows, _ body: (ClusterShipping, ShippingManifest) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-unreadable-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let manifest = try ShippingManifest(path: directory.appending(path: "shipping.sqlite").path, homeID: 1)
    // Nothing listens there.
    let server = try ClickHouseServer("http://127.0.0.1:1")
    let shipping = try ClusterShipping(
      ClickHouseClient(try ClickHouseCredentials(user: "tern", password: "")), servers: [server], manifest: manifest,
      source: rows, patience: .zero, report: { _ in })
    try await body(shipping, manifest)
    try manifest.close()
  }

  /// Adds a unit of each hundred rows that a shard has confirmed.
  private static func ship(_ rows: FakeRows, _ manifest: ShippingManifest) async throws {
    let supply = UnitSupply(rows, manifest: manifest, patience: .zero, uptime: { .zero })
    while let (unit, _) = try await supply.next(for: "a") { try manifest.confirm(unit) }
  }

  @Test func `a unit with rows that can't be read is not sent anew, and others are`() async throws {
    let rows = FakeRows()
    for last in stride(from: Int64(100), through: 400, by: 100) { rows.add(through: last, inNewSegment: true) }
    try await Self.withShipping(rows) { shipping, manifest in
      try await Self.ship(rows, manifest)
      let before = try manifest.units()
      rows.delete { [50, 150, 250].contains($0.id) }
      rows.setUnreadable([120...130])
      let unreadable = try await shipping.check()
      #expect(unreadable.map(\.unit.ids) == [101...200] && unreadable.map(\.rows.ids) == [120...130])
      #expect(try manifest.units().map(\.generation) == [1, 0, 1, 0])
      #expect(try manifest.units()[1] == before[1])
      #expect(try await shipping.settle(within: .zero)?.contains("Events 120 to 130") == true)
      rows.setUnreadable([])
      #expect(try await shipping.check().isEmpty)
      #expect(try manifest.units().map(\.content.rows) == [99, 99, 99, 100])
    }
  }

  @Test func `rows that were not sent because they can't be read are named at the end`() async throws {
    let rows = FakeRows()
    for last in [Int64(100), 200, 300] { rows.add(through: last, inNewSegment: true) }
    try await Self.withShipping(rows) { shipping, manifest in
      try await Self.ship(rows, manifest)
      #expect(try await shipping.unsentRows(of: ["a"]) == [])
      // Its unit was made before, and can't be read any more.
      try manifest.renew(try manifest.units()[1].next(.empty))
      #expect(try await shipping.unsentRows(of: ["a"]) == [101...200])
      #expect(try await shipping.unsentRows(of: ["b"]) == [])
    }
  }

  @Test func `verifying names rows that can't be read, without asking the cluster`() async throws {
    let rows = FakeRows()
    rows.add(through: 100)
    try await Self.withShipping(rows) { shipping, manifest in
      try await Self.ship(rows, manifest)
      rows.setUnreadable([7...9])
      let shard = ClusterShard(
        shard: ClusterTopology.Shard(name: "a", replicas: shipping.servers), client: shipping.client,
        home: manifest.home,
        isReplicated: false, sleep: { _ in })
      let found = try await shipping.verify(try #require(manifest.units().first), shard)
      #expect(found.map(\.unreadable) == [UnreadableRows(7...9)])
      #expect(found.first?.description == "home, shard a, unit 1: Events 7 to 9 can't be read at home.")
    }
  }

  @Test func `only confirmed units of the same segment are copies, and others are named`() async throws {
    let rows = FakeRows()
    for last in [Int64(100), 200, 300] { rows.add(through: last, inNewSegment: true) }
    try await Self.withShipping(rows) { _, manifest in
      try await Self.ship(rows, manifest)
      let segments = try await rows.stretches(after: 0).map(\.segment)
      let copies = try manifest.copies(of: 150...160, segment: segments[1])
      #expect(copies.units.map(\.ids) == [101...200] && !copies.hasOthers)
      #expect(copies.units.first?.rows == 100 && copies.units.first?.shard == "a")
      let moved = try manifest.copies(of: 150...160, segment: segments[1] + 10)
      #expect(moved.units.isEmpty && moved.hasOthers)
      let several = try manifest.copies(of: 100...201, segment: segments[0])
      #expect(several.units.map(\.ids) == [1...100] && several.hasOthers)
      try manifest.renew(try manifest.units()[1].next(.empty))
      let waiting = try manifest.copies(of: 150...160, segment: segments[1])
      #expect(waiting.units.isEmpty && waiting.hasOthers)
      // Until the new rows are there, the older ones may be the only copy.
      #expect(try manifest.unclean(shard: "a", limit: 9).isEmpty)
      try manifest.confirm(try manifest.units()[1])
      #expect(try manifest.unclean(shard: "a", limit: 9).map(\.ids) == [101...200])
      let none = try manifest.copies(of: 301...400, segment: segments[2])
      #expect(none.units.isEmpty && !none.hasOthers)
    }
  }
}
