import Foundation
import Testing
import Warehouse

@testable import RowFiles
@testable import WarehouseSQLite

#if os(Linux)
  /// SQLite's shared memory, where the disk can't store what is written to it.
  ///
  /// The last page of a file that was cut short behaves like all pages on a full disk that copies on write: writing to it
  /// raises SIGBUS. SQLite uses that page only for larger databases than those of these tests, so a failure ends no process.
  @Suite struct SharedMemoryTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/test.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> SQLDatabase {
      try StoredFile.createEmpty(path)
      let database = try SQLDatabase(path, isReadOnly: false)
      try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS test (value)")
      try database.execute("INSERT INTO test VALUES (zeroblob(10000))")
      return database
    }

    private func cut() throws {
      let memory = try FileHandle(forWritingTo: URL(filePath: path + "-shm"))
      try memory.truncate(atOffset: 28_672)
      try memory.close()
    }

    @Test func `writing and reading fail, and nothing is lost`() throws {
      do {
        let database = try open()
        try cut()
        let error = #expect(throws: WarehouseError.self) { try database.execute("INSERT INTO test VALUES (1)") }
        #expect((error?.cause as? SQLFailure).map { $0.code & 0xFF } == 10)
        #expect(throws: WarehouseError.self) { _ = try database.integer("SELECT count(*) FROM test") }
        // Closing would write, too. It leaves the log to the next connection.
      }
      #expect(try SQLDatabase(path).integer("SELECT count(*) FROM test") == 1)
    }

    @Test func `closing alone doesn't write either`() throws {
      do {
        let database = try open()
        try cut()
        withExtendedLifetime(database) {}
      }
      #expect(FileManager.default.fileExists(atPath: path + "-wal"))
      #expect(try SQLDatabase(path).integer("SELECT count(*) FROM test") == 1)
    }
  }
#endif
