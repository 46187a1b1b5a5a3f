import Foundation
import Ingest
import TernEvents
import Testing

@testable import RowFiles
@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Deletions that would have to write files anew whose events can't all be read.
@Suite struct DamagedDeletionTests {
  /// A deletion, by what it deletes.
  private enum Deletion: CaseIterable {
    case person, expiry, app
  }

  private static let (app, other) = (AppID(1), AppID(2))
  private static let batches = 6
  private static let person = Person.install("install-3")

  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["UTC", "UTC"])

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> SQLiteWarehouse {
    try SQLiteWarehouse(directory: directory.path, catalog: catalog)
  }

  /// Opens a warehouse with one file: seven events of each of five installs, the fourth of them of another app and the last a month
  /// later.
  private func filled() async throws -> SQLiteWarehouse {
    let warehouse = try open()
    for number in 0..<Self.batches {
      let batch = WarehouseTests.batch(
        (0..<7).map { "\(number).\($0)" },
        at: number == Self.batches - 1 ? "2026-06-04T10:00:00Z" : "2026-05-04T10:00:00Z",
        install: "install-\(number)", firstKey: Int64(number) * 100)
      _ = try await warehouse.commit(batch, app: number == 4 ? Self.other : Self.app)
    }
    try await warehouse.flush()
    return warehouse
  }

  private var file: String { RowSegment.path(1, in: directory.path + "/rows") }

  /// Changes a byte in the middle of the block with a batch.
  private func damage(batch number: Int) throws {
    var bytes = try Data(contentsOf: URL(filePath: file))
    var position = RowSegment.headerSize
    func count() -> Int {
      bytes.withUnsafeBytes {
        Int($0.loadUnaligned(fromByteOffset: position, as: RowSegment.BlockHeader.self).byteCount)
      }
    }
    for _ in 0..<number { position += RowSegment.blockHeaderSize + count() }
    bytes[position + RowSegment.blockHeaderSize + count() / 2] ^= 0x10
    try bytes.write(to: URL(filePath: file))
  }

  private func run(_ deletion: Deletion, _ warehouse: SQLiteWarehouse) async throws {
    switch deletion {
    case .person:
      try await warehouse.delete(
        PersonDeletionRequest(person: Self.person, refusesLater: false), app: Self.app, views: [])
    case .expiry: _ = try await warehouse.removeRows(of: Self.app, before: day("2026-06-01"), views: [])
    case .app: try await warehouse.delete(app: Self.app, views: [])
    }
  }

  /// The batches whose rows can be read.
  private func batches(_ warehouse: SQLiteWarehouse) async throws -> Set<Int> {
    try await warehouse.reader.reading { connection in
      let scan = try EventScan(connection, after: 0, damage: DamagedRows())
      var found: Set<Int> = []
      while let row = try scan.next() { found.insert(Int(row.id - 1) / 7) }
      return found
    }
  }

  @Test(arguments: Deletion.allCases)
  private func `a deletion refuses to write a file anew that has unreadable events, until a rebuild has removed these`(
    deletion: Deletion
  ) async throws {
    var warehouse = try await filled()
    try damage(batch: 1)
    let whole = try Data(contentsOf: URL(filePath: file))
    for _ in 0..<2 {
      let error = await #expect(throws: WarehouseError.self) { try await run(deletion, warehouse) }
      let message = try #require(error?.message)
      #expect(error?.code == .damaged)
      #expect(
        message.contains("\(file) is damaged: 7 events can't be read (8 to 14). Nothing in this file"), "\(message)")
      #expect(message.contains("`tern rebuild`"), "\(message)")
      #expect(try Data(contentsOf: URL(filePath: file)) == whole)
    }
    #expect(!warehouse.problems.isEmpty, "the operator sees it")
    #expect(try await warehouse.reader.verify().problems.contains { $0.contains("events 8 to 14 can't be read") })
    try await warehouse.close()

    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    warehouse = try open()
    try await run(deletion, warehouse)
    let kept: Set = deletion == .person ? [0, 2, 4, 5] : deletion == .expiry ? [4, 5] : [4]
    #expect(try await batches(warehouse) == kept)
    try await warehouse.flush()
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.problems) \(report.differences)")
    try await warehouse.close()
  }

  @Test(arguments: Deletion.allCases)
  private func `once the disk gives the events again, a deletion goes on and loses no others`(
    deletion: Deletion
  ) async throws {
    let warehouse = try await filled()
    let whole = try Data(contentsOf: URL(filePath: file))
    try damage(batch: 4)
    let damaged = try Data(contentsOf: URL(filePath: file))
    await #expect(throws: WarehouseError.self) { try await run(deletion, warehouse) }
    #expect(damaged != whole)
    try whole.write(to: URL(filePath: file))
    try await run(deletion, warehouse)
    let kept: Set = deletion == .person ? [0, 1, 2, 4, 5] : deletion == .expiry ? [4, 5] : [4]
    #expect(try await batches(warehouse) == kept)
    try await warehouse.flush()
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.problems) \(report.differences)")
    try await warehouse.close()
  }

  @Test func `files that need not be read go with their app`() async throws {
    let warehouse = try open()
    _ = try await warehouse.commit(WarehouseTests.batch(["a", "b"]), app: Self.app)
    try await warehouse.flush()
    try damage(batch: 0)
    try await run(.app, warehouse)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `the error counts the events of all files`() {
    func unreadable(_ number: Int64, _ ids: [ClosedRange<Int64>]) -> DamagedSegments {
      DamagedSegments(UnreadableSegment(number: number, path: "\(number).rows", ids: ids))
    }
    let first = unreadable(1, [1...1])
    #expect(first.error.message.hasPrefix("1.rows is damaged: 1 event can't be read (1 to 1). Nothing in this file "))
    let all = first.adding(unreadable(2, (1...9).map { $0 * 1_000...$0 * 1_000 + 199 })).adding(first)
    #expect(
      all.error.message.hasPrefix(
        "1.rows is damaged: 1 event can't be read (1 to 1). 1,800 more can't be read in another file. Nothing in these "
      ))
  }
}
