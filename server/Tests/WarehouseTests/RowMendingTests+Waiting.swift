import Foundation
import TernEvents
import Testing

@testable import Warehouse
@testable import WarehouseSQLite

/// Jobs that find some files unreadable, of which the cluster may have the rows.
extension RowMendingTests {
  /// Returns the IDs of rows that meet a condition and can be read.
  private func rows(
    _ warehouse: SQLiteWarehouse, where isMeant: @escaping @Sendable (EventRow, EventScan) -> Bool
  ) async throws -> [Int64] {
    try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0, damage: DamagedRows())
      var ids: [Int64] = []
      while let row = try scan.next() { if isMeant(row, scan) { ids.append(row.id) } }
      return ids
    }
  }

  @Test func `a deletion of a person removes all rows that can be read, and the others once they are back`()
    async throws
  {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    try await warehouse.copy(segment, to: cluster)
    let person = try await person(warehouse)
    guard case .user(let name) = person else { return Issue.record("no user") }
    let isMeant = { @Sendable (row: EventRow, scan: EventScan) in row.app == 1 && scan.user == name }
    let before = try await rows(warehouse, where: isMeant)
    // Nothing of this file can be read, and it comes before others.
    try FileManager.default.removeItem(atPath: file(segment).path)
    cluster.isAway = true
    let request = PersonDeletionRequest(person: person, refusesLater: false)
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.delete(request, app: Self.app, views: [])
    }
    #expect(error?.code == .rowsAway)
    #expect(before.contains { !segment.ids.contains($0) }, "seed \(Self.seed)")
    #expect(try await rows(warehouse, where: isMeant) == [])
    cluster.isAway = false
    try await warehouse.delete(request, app: Self.app, views: [])
    #expect(try await warehouse.mendRows(in: segment.number, .ifWhole) == false)
    await warehouse.finishQuarantine()
    #expect(try await rows(warehouse, where: isMeant) == [])
    #expect(try damages(warehouse) == [])
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.problems) \(report.differences), seed \(Self.seed)")
    try await warehouse.close()
  }

  @Test func `old rows go where they can be read, and the others once they are back`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    try await warehouse.copy(segment, to: cluster)
    let isMeant = { @Sendable (row: EventRow, _: EventScan) in row.app == 1 }
    let before = try await rows(warehouse, where: isMeant)
    try FileManager.default.removeItem(atPath: file(segment).path)
    cluster.isAway = true
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: [])
    }
    #expect(error?.code == .rowsAway)
    #expect(before.contains { $0 < segment.ids.lowerBound } && before.contains { $0 > segment.ids.upperBound })
    #expect(try await rows(warehouse, where: isMeant) == [])
    cluster.isAway = false
    #expect(try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: []))
    #expect(try await rows(warehouse, where: isMeant) == [])
    #expect(try damages(warehouse) == [])
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.problems) \(report.differences), seed \(Self.seed)")
    try await warehouse.close()
  }
}
