import Dispatch
import Foundation
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

@Suite struct CatalogTests {
  @Test func `an app gets a unique key, secret and tracking ID`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path + "/deep/er")
    let app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin")
    #expect(app.key.hasPrefix("tern_"))
    #expect(app.key.utf8.count >= 5 + 22)
    #expect(app.key.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || UInt8(ascii: "0")...UInt8(ascii: "z") ~= $0 })
    #expect(UniqueID(app.appSecret)?.description == app.appSecret)
    #expect(app.trackingID.wholeMatch(of: /UA-[0-9]+-1/) != nil)
    #expect(try catalog.app(key: app.key) == app)
    #expect(try catalog.app(appSecret: app.appSecret.uppercased()) == app)
    #expect(try catalog.app(trackingID: app.trackingID) == app)
    #expect(try catalog.app(app.id) == app)
    #expect(try catalog.apps() == [app])
    #expect(try catalog.app(key: "tern_unknown") == nil)
    let second = try catalog.createApp(name: "Player")
    #expect(Set([app.key, second.key]).count == 2)
    #expect(second.id > app.id)
  }

  @Test func `a name has something to see and is not longer than it looks`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let marks = "e" + String(repeating: "\u{301}", count: 600)
    for name in [
      "", " ", "\u{200B}\u{202E}", "\u{301}", "\u{3164}", marks, String(repeating: "x", count: 101), "a\nb",
      "a\u{202E}b", "a\u{2067}b",
      "a\u{200F}", "a\u{0}b",
    ] {
      #expect(throws: WarehouseError.self, "\(name.unicodeScalars.prefix(3).map(\.value))") {
        try catalog.createApp(name: name)
      }
    }
    for name in ["x", "é", "👩‍👩‍👧", "日本", "שלום", "می‌خواهم", String(repeating: "ж", count: 100)] {
      #expect(try catalog.createApp(name: name).name == name)
    }
  }

  @Test func `jobs are counted as finished or not`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player")
    #expect(try catalog.jobCounts() == (0, 0))
    let job = try catalog.requestDeletion(of: app)
    #expect(try catalog.jobCounts() == (0, 1))
    try catalog.finishJob(job.id, DataJob.Result(message: "Done"))
    #expect(try catalog.jobCounts() == (1, 0))
  }

  @Test func `databases of a newer version are refused with a one-line message, for any operation`() async throws {
    let newer = "PRAGMA user_version = 1000"
    let directory = try TemporaryDirectory()
    var catalog = try Catalog(directory: directory.path)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await warehouse.perform { try $0.connection.execute(newer) }
    try await warehouse.close()
    for attempt: () throws -> Void in [
      { _ = try SQLiteWarehouse(directory: directory.path, catalog: catalog) },
      { _ = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog) },
      { try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog) },
    ] {
      let error = #expect(throws: WarehouseError.self) { try attempt() }
      #expect(error?.description.contains("warehouse.sqlite was written by a newer version of tern") == true)
    }
    try withConnection(catalog.pool) { try $0.execute(newer) }
    try catalog.close()
    let error = #expect(throws: WarehouseError.self) { catalog = try Catalog(directory: directory.path) }
    #expect(error?.description.contains("catalog.sqlite was written by a newer version of tern") == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test(arguments: [
    "PRAGMA application_id = 7", "PRAGMA user_version = 0", "PRAGMA application_id = 0; PRAGMA user_version = 0",
  ])
  func `databases of other programs are refused and left alone`(change: String) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await warehouse.perform { try $0.connection.execute(change) }
    try await warehouse.close()
    let error = #expect(throws: WarehouseError.self) {
      _ = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    }
    #expect(error?.description.contains("warehouse.sqlite wasn't written by this program") == true)
    try withConnection(catalog.pool) { try $0.execute(change) }
    try catalog.close()
    let other = #expect(throws: WarehouseError.self) { _ = try Catalog(directory: directory.path) }
    #expect(other?.description.contains("catalog.sqlite wasn't written by this program") == true)
  }

  @Test func `invalid values are refused with a reason`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let secret = "0F8FAD5B-d9cb-469f-a165-70867728950e"
    let app = try catalog.createApp(name: "A", appSecret: secret, trackingID: "UA-12345-7")
    #expect(app.appSecret == secret.lowercased())
    let attempts: [() throws -> App] = [
      { try catalog.createApp(name: "") }, { try catalog.createApp(name: "   ") },
      { try catalog.createApp(name: String(repeating: "x", count: 101)) },
      { try catalog.createApp(name: "B", timeZone: "Mars/Olympus") },
      { try catalog.createApp(name: "B", timeZone: "") },
      { try catalog.createApp(name: "B", appSecret: "secret") },
      { try catalog.createApp(name: "B", appSecret: secret) },
      { try catalog.createApp(name: "B", trackingID: "UA-12345-7") },
      { try catalog.createApp(name: "B", trackingID: "UA-x-1") },
      { try catalog.createApp(name: "B", trackingID: "G-1") },
    ]
    for (index, attempt) in attempts.enumerated() {
      let error = #expect(throws: WarehouseError.self, "attempt \(index)") { _ = try attempt() }
      #expect(error?.code == .invalid)
    }
    #expect(try catalog.apps() == [app])
  }

  @Test func `an app created by another process is found at once`() throws {
    let directory = try TemporaryDirectory()
    let server = try Catalog(directory: directory.path)
    let command = try Catalog(directory: directory.path)
    for number in 0..<5 {
      #expect(try server.app(key: "tern_unknown") == nil)
      let app = try command.createApp(name: "App \(number)")
      #expect(try server.app(key: app.key) == app)
      #expect(try server.apps().count == number + 1)
    }
  }

  @Test func `an app's name and identifiers can be changed, also while another process has it in memory`() throws {
    let directory = try TemporaryDirectory()
    let time = Locked(Timestamp(millisecondsSince1970: 1_000_000))
    let server = try Catalog(directory: directory.path, now: { time.withLock { $0 } })
    let command = try Catalog(directory: directory.path)
    let app = try command.createApp(name: "A", appSecret: "0f8fad5b-d9cb-469f-a165-70867728950e")
    let other = try command.createApp(name: "B")
    #expect(try server.app(app.id) == app)
    func change(_ change: AppChange) throws -> App { try command.changeApp(app.id, change).app }
    let changed = try change(
      AppChange(
        name: "New", timeZone: "Europe/Berlin", appSecret: "1F8FAD5B-D9CB-469F-A165-70867728950E",
        trackingID: "UA-12345-9"))
    #expect(changed.name == "New" && changed.timeZone == "Europe/Berlin" && changed.key == app.key)
    #expect(changed.appSecret == "1f8fad5b-d9cb-469f-a165-70867728950e" && changed.trackingID == "UA-12345-9")
    time.withLock { $0 = $0 + .seconds(1) }
    #expect(try server.app(key: app.key) == changed, "within a second")
    #expect(try server.app(appSecret: app.appSecret) == nil)
    let entries = try command.audit(limit: 100).count
    for mistake in [
      AppChange(name: " "), AppChange(name: "Newer", timeZone: "Mars"), AppChange(name: "Newer", trackingID: "G-1"),
      AppChange(name: "Newer", appSecret: other.appSecret), AppChange(name: "Newer", trackingID: other.trackingID),
      AppChange(name: "Newer", newNamesPerDay: 100_001), AppChange(name: "Newer", timeZone: "Asia/Tokyo"),
    ] {
      let error = #expect(throws: WarehouseError.self) { try command.changeApp(app.id, mistake) }
      #expect(error?.code == .invalid)
      #expect(try command.apps().first == changed, "nothing has changed: \(mistake)")
    }
    #expect(try command.audit(limit: 100).count == entries)
    #expect(try change(AppChange(appSecret: changed.appSecret)) == changed, "its own values are not taken")
  }

  @Test func `a warehouse without its catalog is refused, because new apps would get the numbers of old ones`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await warehouse.close()
    try catalog.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) where name.hasPrefix("catalog.sql")
    {
      try FileManager.default.removeItem(atPath: directory.path + "/" + name)
    }
    for isEmptyFile in [false, true] {
      if isEmptyFile {
        #expect(FileManager.default.createFile(atPath: directory.path + "/catalog.sqlite", contents: nil))
      }
      let error = #expect(throws: WarehouseError.self) { _ = try Catalog(directory: directory.path) }
      #expect(error?.message.contains("Restore catalog.sqlite") == true)
    }
  }

  @Test func `the secret for event hashes is generated once`() throws {
    let directory = try TemporaryDirectory()
    let first = try Catalog(directory: directory.path).duplicateSecret()
    let second = try Catalog(directory: directory.path).duplicateSecret()
    #expect(first == second)
    #expect(first != (0, 0))
  }

  @Test func `a new catalog can be opened by many at once`() throws {
    for _ in 0..<10 {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/new"
      let keys = Locked<Set<String>>([])
      let failures = Locked<[String]>([])
      let group = DispatchGroup()
      for number in 0..<8 {
        group.enter()
        // Threads, not tasks: only as many tasks run at a time as the machine has cores.
        Thread.detachNewThread {
          do {
            let key = try Catalog(directory: path).createApp(name: "App \(number)").key
            keys.withLock { _ = $0.insert(key) }
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
          group.leave()
        }
      }
      group.wait()
      #expect(failures.withLock { $0 } == [])
      #expect(try Set(Catalog(directory: path).apps().map(\.key)) == keys.withLock { $0 })
    }
  }
}
