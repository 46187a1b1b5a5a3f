import Foundation
import Ingest
import TernBase
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Reading and checking files while a warehouse is open, and making damaged ones again.
@Suite struct ScrubTests {
  private struct Stop: Error {}

  private let directory: TemporaryDirectory
  private let app: AppID
  private let warehouse: SQLiteWarehouse

  /// Stores twenty batches in several segments and runs of keys.
  init() async throws {
    directory = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 64, segmentBytes: 10_000)
    configuration.pendingKeys = 500
    let path = directory.path
    func open() throws -> SQLiteWarehouse {
      try SQLiteWarehouse(directory: path, catalog: Catalog(directory: path), configuration: configuration)
    }
    let first = try open()
    for number in 0..<20 { _ = try await first.commit(Self.batch(number), app: app) }
    try await first.close()
    warehouse = try open()
  }

  private static func batch(_ number: Int) -> IncomingBatch {
    WarehouseTests.batch((0..<100).map { "\(number).\($0)" }, firstKey: Int64(number) * 100)
  }

  private func files(_ kind: ScrubbedFile.Kind) throws -> [ScrubbedFile] {
    try warehouse.scrubbedFiles().filter { $0.kind == kind }.sorted { $0.path < $1.path }
  }

  private func damages() throws -> [String] {
    try warehouse.scrubbedFiles().compactMap { try warehouse.damage(of: $0) { _ in } }
  }

  private func damage(_ file: ScrubbedFile, at position: Int) throws {
    var bytes = try Data(contentsOf: URL(filePath: file.path))
    bytes[position] ^= 0x10
    // In place, as a disk does it.
    let handle = try #require(FileHandle(forWritingAtPath: file.path))
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test func `all files are read and whole, also while events arrive`() async throws {
    #expect(try files(.rows).count > 2 && !files(.keys).isEmpty)
    let read = Locked(0)
    for file in try warehouse.scrubbedFiles() {
      #expect(try warehouse.damage(of: file) { bytes in read.withLock { $0 += bytes } } == nil, "\(file.path)")
    }
    let sizes = try (files(.rows) + files(.keys)).reduce(0) { try $0 + CopiedFile.size($1.path) }
    #expect((sizes - 1_000...sizes).contains(read.withLock { $0 }))
    #expect(warehouse.scrub.status.bytes == read.withLock { $0 })
    _ = try await warehouse.commit(Self.batch(20), app: app)
    #expect(try damages() == [])
    try await warehouse.close()
  }

  @Test func `a damaged file of keys is made from the events again`() async throws {
    for file in try files(.keys) {
      try damage(file, at: KeyRun.pageSize + 40)
      #expect(try warehouse.damage(of: file) { _ in }?.contains(file.path) == true)
      #expect(try await warehouse.mend(file))
    }
    #expect(try damages() == [])
    #expect(try await warehouse.commit(Self.batch(20), app: app).accepted == 100)
    for number in 0...20 { #expect(try await warehouse.commit(Self.batch(number), app: app).accepted == 0) }
    try await warehouse.close()
    // The parts are there after a start, too.
    let again = try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
    for number in 0...20 { #expect(try await again.commit(Self.batch(number), app: app).accepted == 0) }
    let report = try await again.reader.verify()
    #expect(report.isClean, "\(report.problems)")
    try await again.close()
  }

  @Test func `a damaged file of events is named as verifying names it, and other files are still read`() async throws {
    let file = try files(.rows)[1]
    try damage(file, at: CopiedFile.size(file.path) / 2)
    let found = try damages()
    #expect(found.count == 1 && found[0].contains(file.path))
    #expect(try await warehouse.reader.verify().problems.contains(found[0]))
    #expect(try await !warehouse.mend(file))
    #expect(warehouse.problems.contains { $0.detail.contains(file.path) })
    try FileManager.default.removeItem(atPath: file.path)
    #expect(try damages().contains { $0.contains("\(file.path) is missing") })
    try await warehouse.close()
  }

  @Test func `a check ends when its step throws`() async throws {
    for kind in [ScrubbedFile.Kind.rows, .keys] {
      let file = try files(kind)[0]
      #expect(throws: Stop.self) { try warehouse.damage(of: file) { _ in throw Stop() } }
    }
    try await warehouse.close()
  }

  @Test func `merging damaged files asks for their check`() async throws {
    let suspects = Locked<[String]>([])
    let path = directory.path + "/more"
    let index = DuplicateIndex(directory: path, pendingLimit: 1_000) { _ in
    } suspect: { paths in
      suspects.withLock { $0 += paths }
    }
    try index.open(lastRow: .max)
    for row in 1...Int64(KeyRunDirectory.tier) {
      #expect(index.insert(DuplicateKey(milliseconds: row, hash: row)))
      index.drain(throughRow: row)
    }
    try damage(ScrubbedFile(.keys, path: path + "/0-1.keys"), at: KeyRun.pageSize)
    index.committed(throughRow: Int64(KeyRunDirectory.tier))
    index.waitForRuns()
    #expect(suspects.withLock { $0 }.contains(path + "/0-1.keys"))
    try await warehouse.close()
  }
}
