import GRDBSQLite
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The limits on an app's error groups.
extension ErrorStoreTests {
  /// A batch of errors that each create a group.
  private func flood(
    _ fingerprints: Range<Int>, at time: String = "2026-05-04T10:00:00Z", kind: StoredKind = .crash
  ) -> IncomingBatch {
    var batch = batch(fingerprints.map { _ in "Flood" }, at: time, kind: kind)
    batch.errors = fingerprints.enumerated().map { index, number in
      IncomingError(event: index, type: "Flood \(number)", fingerprint: Int64(number))
    }
    return batch
  }

  private func groups(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> [String: Int] {
    let groups = try await warehouse.reader.errorGroups(app: app, group: nil, days: Self.days, limit: 20_000)
    return Dictionary(groups.map { ($0.type + " \($0.kind)", $0.count) }, uniquingKeysWith: +)
  }

  @Test func `new groups have a daily allowance that renews, and errors beyond it count as others`() async throws {
    let (catalog, warehouse, app) = try open()
    let other = try catalog.createApp(name: "Other").id
    let allowance = ErrorGroups.dailyAllowance
    for start in stride(from: 1_000, to: 1_000 + allowance + 500, by: 500) {
      _ = try await warehouse.commit(flood(start..<start + 500), app: app)
    }
    _ = try await warehouse.commit(flood(1_000..<1_003), app: app)
    _ = try await warehouse.commit(flood(9_000..<9_005, kind: .handledError), app: app)
    _ = try await warehouse.commit(flood(9_000..<9_002), app: other)
    var found = try await groups(warehouse, app)
    #expect(found.count == allowance + 2)
    #expect(found["(other) crash"] == 500 && found["(other) handledError"] == 5 && found["Flood 1000 crash"] == 2)
    #expect(try await groups(warehouse, other) == ["Flood 9000 crash": 1, "Flood 9001 crash": 1])
    _ = try await warehouse.commit(flood(9_000..<9_002, at: "2026-05-05T10:00:00Z"), app: app)
    found = try await groups(warehouse, app)
    #expect(found["(other) crash"] == 500 && found["Flood 9000 crash"] == 1)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `a failed transaction does not renew the allowance for groups`() async throws {
    let (_, warehouse, app) = try open()
    _ = try await warehouse.commit(flood(1_000..<1_000 + ErrorGroups.dailyAllowance), app: app)
    var broken = flood(5_000..<5_002)
    broken.events[1].install = 5
    let sent = broken
    await #expect(throws: WarehouseError.self) { try await warehouse.commit(sent, app: app) }
    _ = try await warehouse.commit(flood(6_000..<6_001), app: app)
    #expect(try await groups(warehouse, app)["(other) crash"] == 1)
    try await warehouse.close()
  }

  @Test func `an error without a group does not search the existing groups`() async throws {
    let (_, warehouse, app) = try open()
    let start = 100_000
    _ = try await warehouse.commit(flood(start..<start + ErrorGroups.dailyAllowance), app: app)
    let before = try await steps(warehouse)
    _ = try await warehouse.commit(flood(1..<101), app: app)
    let each = (try await steps(warehouse) - before) / 100
    // Searching each group would take thousands.
    #expect(each < 700, "\(each) steps")
    #expect(try await groups(warehouse, app)["(other) crash"] == 100)
    try await warehouse.close()
  }

  /// The number of virtual machine steps that SQLite has taken for the writer's prepared statements.
  private func steps(_ warehouse: SQLiteWarehouse) async throws -> Int {
    let steps = Locked(0)
    try await warehouse.perform { writer in
      var statement = sqlite3_next_stmt(writer.connection.handle, nil)
      while let one = statement {
        let taken = Int(sqlite3_stmt_status(one, SQLITE_STMTSTATUS_VM_STEP, 0))
        steps.withLock { $0 += taken }
        statement = sqlite3_next_stmt(writer.connection.handle, one)
      }
    }
    return steps.withLock { $0 }
  }
}
