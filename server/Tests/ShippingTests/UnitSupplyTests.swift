import Foundation
import TernBase
import Testing
import Warehouse

@testable import Shipping

@Suite struct UnitSupplyTests {
  private static func withSupply(
    _ rows: FakeRows, retired: @escaping @Sendable () throws -> [RetiredUnit] = { [] }, maximumBytes: Int = 1 << 30,
    uptime: @escaping @Sendable () -> Duration = { .zero },
    _ body: (UnitSupply, ShippingManifest) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-supply-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let manifest = try ShippingManifest(path: directory.appending(path: "shipping.sqlite").path, homeID: 1)
    let supply = UnitSupply(
      rows, manifest: manifest, retired: retired, patience: .zero, maximumBytes: maximumBytes, uptime: uptime)
    try await body(supply, manifest)
    try manifest.close()
  }

  @Test func `shards that ask at the same time get different units, which leave no row out`() async throws {
    let rows = FakeRows()
    for last in stride(from: Int64(100), through: 1_000, by: 100) { rows.add(through: last, inNewSegment: true) }
    try await Self.withSupply(rows) { supply, manifest in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for shard in ["a", "b", "c"] {
          group.addTask { while try await supply.next(for: shard) != nil {} }
        }
        try await group.waitForAll()
      }
      let units = try manifest.units()
      #expect(units.map(\.ids.lowerBound) == Array(stride(from: 1, through: 901, by: 100)))
      #expect(units.map(\.ids.upperBound) == Array(stride(from: 100, through: 1_000, by: 100)))
      #expect(units.allSatisfy { $0.content.rows == 100 })
      #expect(await supply.last == 1_000)
    }
  }

  @Test func `rows between units are sent, unless only the cluster has them`() async throws {
    let rows = FakeRows()
    for last in stride(from: Int64(100), through: 500, by: 100) { rows.add(through: last, inNewSegment: true) }
    func away(_ ids: ClosedRange<Int64>) -> RetiredUnit {
      RetiredUnit(home: 1, epoch: 2, shard: "a", number: 7, generation: 0, ids: ids, rows: ids.count, checksum: 3)
    }
    let retired = Locked([away(101...200), away(301...400)])
    try await Self.withSupply(rows, retired: { retired.withLock { $0 } }) { supply, manifest in
      while try await supply.next(for: "a") != nil {}
      #expect(try manifest.units().map(\.ids) == [1...100, 201...300, 401...500])
      #expect(await supply.last == 500)
      // Rows that were deleted bring the others of their segment home.
      rows.delete { $0.id == 150 }
      retired.withLock { _ = $0.removeFirst() }
      rows.add(through: 600, inNewSegment: true)
      while try await supply.next(for: "a") != nil {}
      #expect(try manifest.units().map(\.ids) == [1...100, 101...200, 201...300, 401...500, 501...600])
      #expect(try manifest.units()[1].content.rows == 99)
      #expect(await supply.last == 600)
    }
  }

  @Test func `a unit that is read anew takes no attachment beyond a size, and always the same ones`() async throws {
    let rows = FakeRows()
    rows.add(through: 500)
    func hasAttachment(_ row: Int, _ read: HashedRows) -> Bool {
      !read.columns.reducedRows.contains(read.columns.ids[row])
    }
    let places = rows.rows.indices.filter { rows.rows[$0].attachment != nil }
    try await Self.withSupply(rows, maximumBytes: 100_000) { supply, _ in
      let read = try await supply.rows(1...500)
      #expect(read.content.rows == 500)
      let taken = places.map { hasAttachment($0, read) }
      #expect(taken.contains(true) && taken.contains(false))
      #expect(taken == taken.sorted { $0 && !$1 }, "the first ones")
      #expect(try await supply.rows(1...500).content == read.content)
    }
    try await Self.withSupply(rows) { supply, _ in
      let read = try await supply.rows(1...500)
      #expect(places.allSatisfy { hasAttachment($0, read) })
    }
  }

  @Test func `rows that can't be read are in no unit, and the others don't wait for them`() async throws {
    let rows = FakeRows()
    for last in stride(from: Int64(100), through: 300, by: 100) { rows.add(through: last, inNewSegment: true) }
    rows.setUnreadable([1...10, 150...160, 170...200, 290...300])
    try await Self.withSupply(rows) { supply, manifest in
      while try await supply.next(for: "a") != nil {}
      #expect(try manifest.units().map(\.ids) == [11...100, 101...149, 161...169, 201...289])
      #expect(await supply.last == 300)
      await #expect(throws: UnreadableRows.self) { try await supply.rows(101...200) }
      rows.add(through: 400, inNewSegment: true)
      while try await supply.next(for: "a") != nil {}
      #expect(try manifest.units().last?.ids == 301...400)
      // Once they are written anew, they can be read.
      rows.setUnreadable([])
      rows.rewrite()
      rows.add(through: 500, inNewSegment: true)
      while try await supply.next(for: "a") != nil {}
      #expect(try manifest.units().map(\.ids.lowerBound) == [1, 11, 101, 150, 161, 170, 201, 290, 301, 401])
    }
  }

  @Test func `rows that could not be read are named, and tried again every minute`() async throws {
    let (rows, clock) = (FakeRows(), Locked(Duration.zero))
    for last in stride(from: Int64(100), through: 300, by: 100) { rows.add(through: last, inNewSegment: true) }
    rows.setUnreadable([150...160, 290...300])
    try await Self.withSupply(rows, uptime: { clock.withLock { $0 } }) { supply, manifest in
      func supplied() async throws -> [ClosedRange<Int64>] {
        while try await supply.next(for: "a") != nil {}
        return try manifest.units().map(\.ids)
      }
      let found1 = try await supplied()
      #expect(found1 == [1...100, 101...149, 161...200, 201...289])
      #expect(await supply.unreadableRows == [150...160, 290...300])
      // The disk had failed for a moment only.
      rows.setUnreadable([155...157])
      clock.withLock { $0 = .seconds(59) }
      let found2 = try await supplied()
      #expect(found2.count == 4)
      clock.withLock { $0 = .seconds(60) }
      let found3 = try await supplied()
      #expect(found3 == [1...100, 101...149, 150...154, 158...160, 161...200, 201...289, 290...300])
      #expect(await supply.unreadableRows == [155...157])
      #expect(await supply.last == 300)
      rows.setUnreadable([])
      clock.withLock { $0 = .seconds(120) }
      let found4 = try await supplied()
      #expect(found4.count == 8)
      #expect(await supply.unreadableRows == [])
    }
  }

  @Test func `what is left of gaps without some rows is right for all small cases`() {
    let bounds = (1...5).flatMap { first in (first...5).map { Int64(first)...Int64($0) } }
    for gap in bounds {
      for first in bounds {
        for second in bounds {
          let rows = [
            RowStretch(segment: 1, ids: first), RowStretch(segment: 1, ids: second), RowStretch(segment: 2, ids: 1...5),
          ]
          let left = UnitPlanner.gaps([RowStretch(segment: 1, ids: gap)], without: rows)
          #expect(left.allSatisfy { $0.segment == 1 })
          #expect(left.flatMap { Array($0.ids) } == gap.filter { !first.contains($0) && !second.contains($0) })
        }
      }
    }
  }

  @Test func `large rows end a unit, and the next one begins with the rows that did not fit`() async throws {
    let rows = FakeRows()
    rows.add(through: 300, bytesOfTexts: 1 << 20)
    try await Self.withSupply(rows) { supply, manifest in
      while try await supply.next(for: "a") != nil {}
      let units = try manifest.units()
      #expect(units.count > 2)
      #expect(units.reduce(0) { $0 + $1.content.rows } == 300)
      #expect(zip(units, units.dropFirst()).allSatisfy { $0.ids.upperBound + 1 == $1.ids.lowerBound })
      // All of it is read again, although it is as large.
      for unit in units { #expect(try await supply.rows(unit.ids).content == unit.content) }
    }
  }
}
