import Ingest
import TernBase
import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Tests work on stored rows that ends early because the server stops.
@Suite struct StoppingTests {
  @Test func `an import that is cancelled keeps what it has stored, and goes on when it is repeated`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let (source, target) = (
      try catalog.createApp(name: "Source", timeZone: "UTC"), try catalog.createApp(name: "Target", timeZone: "UTC")
    )
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await fill(warehouse, source.id, batches: 6)
    let export = try await rows(of: source, in: warehouse)
    let stopped = Task {
      let pieces = Pieces(export) { number in
        // In the middle of the second part.
        if number == export.count / 2 / Pieces.bytes { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return try await warehouse.importRows(to: target, server: "other") { pieces.next() }
    }
    await #expect(throws: CancellationError.self) { try await stopped.value }
    try await warehouse.flush()
    let stored = try await warehouse.reader.recent(app: target.id, limit: 9_999).count
    #expect(stored > 0 && stored < 6_000)
    let (pieces, seen) = (Pieces(export), Locked([Int]()))
    let summary = try await warehouse.importRows(to: target, server: "other") { rows in
      seen.withLock { $0.append(rows) }
    } read: {
      pieces.next()
    }
    #expect(summary == ImportSummary(rows: 6_000 - stored, duplicates: stored))
    #expect(seen.withLock { $0 } == seen.withLock { $0.sorted() } && seen.withLock { $0.last } == 6_000)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `counting days again can be stopped, and then nothing has changed`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "UTC").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await fill(warehouse, app, batches: 25)
    let day = try #require(Day("2026-05-04")).number
    let looks = Locked(0)
    let isComplete = try await warehouse.counting.perform { counter in
      do {
        _ = try counter.recount([day], app: app.rawValue) {
          looks.withLock { $0 += 1 }
          return looks.withLock { $0 } == 2
        }
        return true
      } catch is CancellationError {
        return false
      }
    }
    #expect(!isComplete && looks.withLock { $0 } == 2)
    #expect(try await warehouse.reader.verify().isClean)
    // New rows are added to the old counts.
    try await fill(warehouse, app, batches: 1, first: 25)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `counting stops between two chunks, and goes on where it stopped`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "UTC").id
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog, configuration: WarehouseConfiguration(flushEvents: 500))
    try await fill(warehouse, app, batches: 5)
    try await warehouse.counting.perform { counter in
      try counter.removeAll()
      var counted: [Int] = []
      try counter.count(progress: { counted.append($0) }, isStopped: { true })
      let first = try #require(counted.last)
      #expect(counted.count == 1 && first < 5_000)
      try counter.count { counted.append($0) }
      #expect(counted.last == 5_000 - first)
    }
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `the scan of a view's day ends when it is cancelled`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "UTC").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await fill(warehouse, app, batches: 12)
    let reader = warehouse.reader
    try await reader.reading { connection in
      let scan = try ViewScan(connection, app: app, dictionary: reader.dictionary)
      #expect(try scan.places(0..<Int64.max) { _, _, _ in true }.count == 12_000)
      scan.isCancelled = { true }
      #expect(throws: CancellationError.self) { try scan.places(0..<Int64.max) { _, _, _ in true } }
    }
    try await warehouse.close()
  }

  private func fill(_ warehouse: SQLiteWarehouse, _ app: AppID, batches: Int, first: Int = 0) async throws {
    let received = timestamp("2026-05-04T12:00:00Z")
    for batch in first..<first + batches {
      let events = (0..<1_000).map { index in
        IncomingEvent(
          index: index, kind: .event, duplicateKey: nil, time: received, name: "\(batch)-\(index % 50)")
      }
      _ = try await warehouse.commit(
        IncomingBatch(
          source: .native, received: received, installs: ["a"], devices: [IncomingDevice()], events: events), app: app)
    }
    try await warehouse.flush()
  }

  private func rows(of app: App, in warehouse: SQLiteWarehouse) async throws -> [UInt8] {
    var (export, cursor) = ([UInt8](), ExportCursor?.some(.start))
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(
        ExportRequest(app: app, format: .ndjson, server: "tests"), at: place)
      export += page.bytes
      cursor = page.next
    }
    return export
  }

  /// A file that is read in pieces.
  private final class Pieces: Sendable {
    static let bytes = 10_000

    private let all: [UInt8]
    private let position = Locked(0)
    private let onPiece: @Sendable (Int) -> Void

    init(_ all: [UInt8], onPiece: @escaping @Sendable (Int) -> Void = { _ in }) {
      self.all = all
      self.onPiece = onPiece
    }

    func next() -> [UInt8] {
      let start = position.withLock { position in
        defer { position = min(position + Self.bytes, all.count) }
        return position
      }
      onPiece(start / Self.bytes)
      return Array(all[start..<min(start + Self.bytes, all.count)])
    }
  }
}
