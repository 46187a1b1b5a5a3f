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
