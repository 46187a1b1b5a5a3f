import Foundation
import GRDBSQLite
import Testing
import Warehouse

@testable import DataFiles
@testable import RowFiles
@testable import WarehouseSQLite

/// The reasons of a disk for which a database can't be used.
@Suite struct DirectoryObstacleTests {
  @Test func `a disk that works is no obstacle`() throws {
    let directory = try TemporaryDirectory()
    #expect(DataDirectory(path: directory.path).obstacle() == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    let failure = SQLFailure(code: SQLITE_IOERR, message: "disk I/O error", path: directory.path + "/warehouse.sqlite")
    #expect(WarehouseError.from(failure).message == "The warehouse can't be read or written.")
  }

  @Test func `each reason says what it is and what to do`() throws {
    let files = DataDirectory(path: "/data")
    func message(_ step: DataDirectory.FileStep, _ code: Int32) -> String {
      files.obstacle(to: step, code)?.message ?? ""
    }
    #expect(message(.map, ENODEV).contains("can't share memory between processes"))
    #expect(message(.map, ENODEV).contains("cache.files=auto-full"))
    #expect(message(.map, ENOSPC).contains("disk of /data is full. Free some space."))
    #expect(files.obstacle(to: .write, ENOSPC)?.code == .full)
    #expect(message(.create, EDQUOT).contains("quota"))
    #expect(files.obstacle(to: .write, EDQUOT)?.code == .full)
    #expect(message(.create, EROFS).contains("can only be read"))
    #expect(message(.create, EACCES).contains("permissions"))
    #expect(message(.write, EIO).contains("bring the disk back"))
    #expect(files.obstacle(to: .create, ENOENT) == nil)
    // That is the system's memory, not the disk.
    #expect(files.obstacle(to: .map, ENOMEM) == nil)
  }

  @Test func `a full disk is full, whatever its file system answers, and another reason stays`() {
    func code(_ failure: (step: DataDirectory.FileStep, code: Int32)?, isFull: Bool) -> Int32? {
      DataDirectory.cause(of: failure, isFull: isFull)?.code
    }
    #expect(code(nil, isFull: false) == nil && code(nil, isFull: true) == ENOSPC)
    #expect(code((.write, EIO), isFull: true) == ENOSPC && code((.write, EIO), isFull: false) == EIO)
    #expect(code((.create, EROFS), isFull: true) == EROFS && code((.create, ENOTCONN), isFull: true) == ENOTCONN)
  }

  @Test func `only what is certainly missing is taken for missing`() throws {
    let directory = try TemporaryDirectory()
    let files = DataDirectory(path: directory.path)
    #expect(DataDirectory.isMissing(files.catalogPath) && DataDirectory.isMissing(files.ownerPath + "/owner"))
    #expect(files.isEmpty(files.catalogPath) && !files.exists(files.catalogPath))
    // A link to itself can't be followed, whatever it should lead to.
    try FileManager.default.createSymbolicLink(atPath: files.catalogPath, withDestinationPath: files.catalogPath)
    #expect(!DataDirectory.isMissing(files.catalogPath))
    #expect(!files.isEmpty(files.catalogPath) && files.exists(files.catalogPath))
    #expect(StoredFile.exists(files.catalogPath))
  }

  @Test func `a directory that only seems to exist is an error`() throws {
    let directory = try TemporaryDirectory()
    // Creating one says that a link without a destination is in the way.
    let path = directory.path + "/rows"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path + "/none")
    let error = #expect(throws: WarehouseError.self) { try StoredFile.createDirectory(path) }
    #expect(error?.message.contains(path) == true)
    let other = #expect(throws: WarehouseError.self) { try DataDirectory(path: path).create() }
    #expect(other?.message.contains("doesn't have it") == true)
  }

  @Test func `a file that was made for its owner and that everyone may read is warned about`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/owner"
    try DataDirectory(path: directory.path).createFile(path)
    #expect(DataDirectory.exposure(of: path) == nil)
    for (mode, isExposed) in [(0o640, false), (0o777, true), (0o604, true)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let warning = DataDirectory.exposure(of: path)
      #expect(warning?.hasPrefix("Every user of this machine may read \(directory.path): ") == (isExposed ? true : nil))
      #expect(warning.map { $0.contains("umask=077") && !$0.contains("chmod") } != false)
    }
    #expect(DataDirectory.exposure(of: path + "/none") == nil)
  }

  @Test func `a damaged database is named, with the way out`() {
    func message(_ path: String, counts: String? = nil) -> String {
      let failure = SQLFailure(code: SQLITE_CORRUPT, message: "malformed", path: path, countsPath: counts)
      return WarehouseError.from(failure).message
    }
    #expect(
      message("/data/warehouse.sqlite") == "/data/warehouse.sqlite is damaged. Stop the server and restore a backup.")
    let counts = message("/data/counts.sqlite")
    #expect(counts.hasPrefix("/data/counts.sqlite is damaged. Stop the server and move /data/counts.sqlite away, with"))
    #expect(!counts.contains("backup"))
    let either = message("/data/warehouse.sqlite", counts: "/data/counts.sqlite")
    #expect(either.hasPrefix("/data/warehouse.sqlite or /data/counts.sqlite is damaged. Stop the server and move "))
    #expect(either.hasSuffix("If the error comes back, put it back and restore a backup."))
  }

  #if os(Linux)
    @Test func `a failure of SQLite is explained by what the disk refuses`() throws {
      // Nobody may create files there, not even root.
      let path = "/sys/warehouse.sqlite"
      let failure = SQLFailure(code: SQLITE_IOERR, message: "disk I/O error", path: path)
      #expect(WarehouseError.from(failure).message.contains("/sys can"))
      #expect(SQLFailure(code: SQLITE_CONSTRAINT, message: "", path: path).obstacle == nil)
    }
  #endif
}
