import Foundation
import TernEvents
import Testing

@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

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
    try await fill(warehouse, batches: 60)
    let names = try await warehouse.reader.reading {
      try $0.texts("SELECT name FROM member WHERE app = 1 ORDER BY name")
    }
    var found: (name: String, segment: RetirementCandidate)?
    for name in names where found == nil {
      let rows = try await rows(warehouse) { $0.app == 1 && $1.user == name }
      found = try await segment(warehouse, amid: rows).map { (name, $0) }
    }
    let (name, segment) = try #require(found, "seed \(Self.seed)")
    try await warehouse.copy(segment, to: cluster)
    let person = Person.user(name)
    let isMeant = { @Sendable (row: EventRow, scan: EventScan) in row.app == 1 && scan.user == name }
    // Nothing of this file can be read, and it comes before others.
    try FileManager.default.removeItem(atPath: file(segment).path)
    cluster.isAway = true
    let request = PersonDeletionRequest(person: person, refusesLater: false)
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.delete(request, app: Self.app, views: [])
    }
    #expect(error?.code == .rowsAway)
    #expect(try await rows(warehouse, where: isMeant) == [])
    cluster.isAway = false
    try await warehouse.delete(request, app: Self.app, views: [])
    #expect(try await !isMended(segment, warehouse))
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
    let isMeant = { @Sendable (row: EventRow, _: EventScan) in row.app == 1 }
    let before = try await rows(warehouse, where: isMeant)
    let segment = try #require(try await segment(warehouse, amid: before), "seed \(Self.seed)")
    try await warehouse.copy(segment, to: cluster)
    try FileManager.default.removeItem(atPath: file(segment).path)
    cluster.isAway = true
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: [])
    }
    #expect(error?.code == .rowsAway)
    #expect(try await rows(warehouse, where: isMeant) == [])
    cluster.isAway = false
    #expect(try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: []))
    #expect(try await rows(warehouse, where: isMeant) == [])
    #expect(try damages(warehouse) == [])
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.problems) \(report.differences), seed \(Self.seed)")
    try await warehouse.close()
  }

  /// Makes the counts of an app lack rows that can't be read, but that the cluster has.
  private func countWithoutRows(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws {
    let counted = try await rows(warehouse) { row, _ in row.app == app.rawValue }
    let segment = try #require(try await segment(warehouse, amid: counted), "seed \(Self.seed)")
    try await warehouse.copy(segment, to: cluster)
    try FileManager.default.removeItem(atPath: file(segment).path)
    try await warehouse.recountDays(of: app) { _, _ in }
  }

  private func counts(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [String] {
    try await warehouse.everything().filter { $0.hasPrefix("daily_count \(app.rawValue) ") }
  }

  @Test func `counts become final with the rows that have just come back`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let before = try await counts(warehouse, Self.app)
    try await countWithoutRows(warehouse, Self.app)
    #expect(try await counts(warehouse, Self.app) != before)
    #expect(try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: []))
    #expect(try await counts(warehouse, Self.app) == before, "seed \(Self.seed)")
    #expect(try await warehouse.reader.reading { try !UncountedDays.hasDays(of: 1, $0) })
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.problems) \(report.differences), seed \(Self.seed)")
    try await warehouse.close()
  }

  @Test func `while days can't be counted again, no counts become final and no rows go`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let before = try await rows(warehouse) { row, _ in row.app == 1 }
    let days = Self.middle
    try await warehouse.perform { try UncountedDays.add(days, app: 1, $0.connection) }
    try await Self.setCounts(warehouse, areWritable: false)
    await #expect(throws: WarehouseError.self) {
      try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: [])
    }
    #expect(try await warehouse.reader.reading { try Horizons($0).counted } == [:])
    let after = try await rows(warehouse) { row, _ in row.app == 1 }
    #expect(after == before)
    try await Self.setCounts(warehouse, areWritable: true)
    #expect(try await warehouse.removeRows(of: Self.app, before: day("2026-05-30"), views: []))
    try await warehouse.close()
  }

  private static let middle: Set = [day("2026-05-03").number, day("2026-05-04").number, day("2026-05-05").number]

  /// Lets counts of app 1 be changed or not.
  private static func setCounts(_ warehouse: SQLiteWarehouse, areWritable: Bool) async throws {
    try await warehouse.counting.perform { counter in
      try counter.connection.execute(
        areWritable
          ? "DROP TRIGGER counts.refuse"
          : """
          CREATE TRIGGER counts.refuse BEFORE DELETE ON daily_count WHEN OLD.app = 1
          BEGIN SELECT RAISE(ABORT, 'refused'); END
          """)
    }
  }

  @Test func `an app whose days can't be counted again keeps no other app waiting`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let days = Self.middle
    for app in [1, 2] as [Int64] {
      try await warehouse.perform { try UncountedDays.add(days, app: app, $0.connection) }
    }
    try await Self.setCounts(warehouse, areWritable: false)
    #expect(await !warehouse.finishQuarantine())
    #expect(try await warehouse.reader.reading { try UncountedDays($0).days } == [1: days])
    #expect(warehouse.problems.contains { $0.summary.hasPrefix("Counting days again fails.") })
    try await Self.setCounts(warehouse, areWritable: true)
    #expect(await warehouse.finishQuarantine())
    #expect(warehouse.problems.isEmpty)
    try await warehouse.close()
  }
}
