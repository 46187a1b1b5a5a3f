import Foundation
import Ingest
import TernBase
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

#if canImport(Glibc)
  import Glibc
#endif

/// Files of duplicate keys that lose bytes while a server has them open.
@Suite struct IncompleteKeyTests {
  private let directory: TemporaryDirectory
  private let app: AppID
  private let messages = Locked<[String]>([])

  init() throws {
    directory = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
  }

  private func open() throws -> SQLiteWarehouse {
    var configuration = WarehouseConfiguration(flushInterval: .seconds(3_600))
    configuration.pendingKeys = 500
    configuration.report = { [messages] message in messages.withLock { $0.append(message) } }
    return try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path), configuration: configuration)
  }

  private func batch(_ number: Int) -> IncomingBatch {
    WarehouseTests.batch((0..<100).map { "\(number).\($0)" }, firstKey: Int64(number) * 100)
  }

  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: directory.path + "/keys").filter { $0.hasSuffix(".keys") }
        .map { "\(directory.path)/keys/\($0)" }.sorted()
    }
  }

  /// Stores twenty batches, and opens the warehouse again, with all of their keys in files.
  private func filled() async throws -> SQLiteWarehouse {
    let warehouse = try open()
    for number in 0..<20 { _ = try await warehouse.commit(batch(number), app: app) }
    try await warehouse.close()
    return try open()
  }

  private func cut(_ file: String, to size: Int) throws {
    #expect(truncate(file, off_t(size)) == 0)
  }

  /// -1 for the files' deletion.
  @Test(arguments: [0, 1, 4_096, 4_196, 8_192, 12_345, -1])
  func `events are stored once although files of keys are cut short while they are open`(size: Int) async throws {
    let warehouse = try await filled()
    for file in try files {
      let whole = try CopiedFile.size(file)
      if size < 0 { try FileManager.default.removeItem(atPath: file) } else { try cut(file, to: min(size, whole - 8)) }
    }
    for number in [3, 20, 19, 0] {
      let receipt = try await warehouse.commit(batch(number), app: app)
      #expect(receipt.accepted == (number == 20 ? 100 : 0), "batch \(number)")
    }
    #expect(messages.withLock { $0.contains { $0.contains("has lost a part of its keys") } })
    for file in try files { try KeyRun(path: file).checkBody() }
    try await warehouse.flush()
    let report = try await warehouse.reader.verify()
    #expect(report.isClean && report.events == 2_100, "\(report.problems)")
    try await warehouse.close()

    let again = try open()
    #expect(try await again.commit(batch(7), app: app).accepted == 0)
    #expect(try await again.commit(batch(21), app: app).accepted == 100)
    try await again.close()
  }

  @Test func `nothing is acknowledged while lost keys can't be written again`() async throws {
    let warehouse = try await filled()
    let keys = directory.path + "/keys"
    for file in try files { try cut(file, to: 4_096) }
    // In the way of the first new file.
    let obstacle = keys + "/0-500.keys.new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
    for number in [3, 20] {
      await #expect(throws: WarehouseError.self) { try await warehouse.commit(self.batch(number), app: self.app) }
    }
    try FileManager.default.removeItem(atPath: obstacle)
    #expect(try await warehouse.commit(batch(3), app: app).accepted == 0)
    #expect(try await warehouse.commit(batch(20), app: app).accepted == 100)
    try await warehouse.close()
  }

  @Test func `runs that lose keys while they are merged don't give their place to the result`() async throws {
    let warehouse = try await filled()
    try await warehouse.close()
    let runs = try files.map { try KeyRun(path: $0) }.sorted { $0.header.after < $1.header.after }
    try cut(try #require(runs.last).path, to: 4_096)
    let error = #expect(throws: WarehouseError.self) {
      try KeyRunWriter.merge(runs, directory: directory.path + "/keys")
    }
    #expect(error?.code == .damaged)
  }

  #if os(Linux)
    @Test func `a wrong access elsewhere ends the process as before`() async {
      await #expect(processExitsWith: .signal(SIGBUS)) {
        try IncompleteKeyTests.guardSomething()
        IncompleteKeyTests.readBeyondEnd()
      }
      await #expect(processExitsWith: .signal(SIGBUS)) {
        try IncompleteKeyTests.guardSomething()
        raise(SIGBUS)
      }
      await #expect(processExitsWith: .exitCode(7)) {
        signal(SIGBUS) { _ in _exit(7) }
        try IncompleteKeyTests.guardSomething()
        IncompleteKeyTests.readBeyondEnd()
      }
    }

    private static func guardSomething() throws {
      let directory = try TemporaryDirectory()
      let index = DuplicateIndex(directory: directory.path + "/keys", pendingLimit: 10)
      try index.open(lastRow: .max)
      #expect(index.insert(DuplicateKey(milliseconds: 1, hash: 2)))
      index.drain(throughRow: 1)
      #expect(index.coveredRow == 1)
      withExtendedLifetime(index) {}
    }

    private static func readBeyondEnd() {
      let path = FileManager.default.temporaryDirectory.path + "/tern-empty-\(getpid())"
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT, 0o600)
      unlink(path)
      let start = mmap(nil, 4_096, PROT_READ, MAP_SHARED, descriptor, 0)
      print(start?.load(as: UInt8.self) ?? 0)
    }
  #endif
}
