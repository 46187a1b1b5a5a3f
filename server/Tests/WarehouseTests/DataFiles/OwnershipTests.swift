import Dispatch
import Foundation
import GRDB
import TernBase
import Testing

@testable import AppCatalog
@testable import DataFiles
@testable import Warehouse
@testable import WarehouseSQLite

extension DataDirectory {
  fileprivate func replaceOwner(with record: OwnerRecord) throws {
    let file = OwnerFile(self)
    // The present owner increases its number.
    while let present = try OwnerFile.read(ownerPath), try !file.replace(present, with: record) {}
  }
}

/// The file with the owner of a data directory, and what a warehouse does when it loses it.
@Suite struct OwnershipTests {
  private let directory: TemporaryDirectory
  private let files: DataDirectory

  init() throws {
    directory = try TemporaryDirectory()
    files = DataDirectory(path: directory.path)
  }

  /// Returns effects of a process that reaches the directory in another way than others. It reads again without waiting.
  private func effects(
    _ name: String, place: String? = nil, wait: @escaping @Sendable () throws -> Void = {},
    onLoss: @escaping @Sendable (WarehouseError) -> Void = { _ in }
  ) -> DirectoryOwner.Effects {
    var effects = DirectoryOwner.Effects()
    effects.name = { name }
    effects.place = { _ in place }
    effects.wait = { _ in try? wait() }
    effects.onLoss = onLoss
    return effects
  }

  private func ownership(_ effects: DirectoryOwner.Effects, _ purpose: DirectoryClaim.Purpose = .own) throws
    -> Ownership
  {
    let ownership = Ownership(files, purpose, effects)
    try ownership.open()
    return ownership
  }

  @Test func `a second server on another path is refused while the first one is alive`() throws {
    let first = try ownership(effects("first", place: "a"))
    let error = #expect(throws: WarehouseError.self) {
      _ = try ownership(effects("second", place: "b", wait: { try first.renew() }))
    }
    #expect(error?.code == .inUse)
    #expect(error?.message.contains("in use by a server that reaches it in another way") == true)
    #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier) on ") == true)
    try first.check()
    // So are commands.
    #expect(throws: WarehouseError.self) {
      _ = try ownership(effects("command", place: "b", wait: { try first.renew() }), .visit)
    }
    _ = try ownership(effects("command", place: "a"), .visit)
  }

  @Test func `a server that stalled for long stops when it finds another in its place`() throws {
    let losses = Locked<[WarehouseError]>([])
    let first = try ownership(effects("first", place: "a", onLoss: { loss in losses.withLock { $0.append(loss) } }))
    let readings = Locked(0)
    let second = try ownership(effects("second", place: "b", wait: { readings.withLock { $0 += 1 } }))
    #expect(readings.withLock { $0 } == 13)
    try second.renew()
    #expect(throws: WarehouseError.self) { try first.check() }
    try first.renew()
    #expect(throws: WarehouseError.self) { try first.check() }
    #expect(losses.withLock { $0.count } == 1)
    #expect(losses.withLock { $0.first }?.message.contains("another server has taken") == true)
    // Its end leaves the other one alone.
    first.end()
    try second.check()
    try second.renew()
    second.end()
    #expect(!files.exists(files.ownerPath))
  }

  @Test func `an owner whose file is gone stops`() throws {
    let first = try ownership(effects("first", place: "a"))
    try FileManager.default.removeItem(atPath: files.ownerPath)
    let error = #expect(throws: WarehouseError.self) { try first.check() }
    #expect(error?.message.contains("/owner is gone") == true)
  }

  @Test func `a server that was killed is followed at once, and stops if it is alive after all`() throws {
    let first = try ownership(effects("first", place: "a"))
    try first.renew()
    let waits = Locked(0)
    let second = try ownership(effects("second", place: "a", wait: { waits.withLock { $0 += 1 } }))
    #expect(waits.withLock { $0 } == 0)
    try second.renew()
    try second.check()
    // Some file systems give every process the lock.
    #expect(throws: WarehouseError.self) { try first.check() }
  }

  @Test(arguments: [[], [0], Array("tern-owner 2\n".utf8), Array(repeating: 0xFF, count: 600)] as [[UInt8]])
  func `a file that can't be read is one of an unknown owner`(bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: files.ownerPath))
    let waits = Locked(0)
    let owner = try ownership(effects("new", place: "a", wait: { waits.withLock { $0 += 1 } }))
    #expect(waits.withLock { $0 } == 13)
    try owner.check()
  }

  @Test func `a record is read as it was written, and has a fixed size`() {
    let record = OwnerRecord(name: "name", place: "boot 1", beat: .max, owner: "process 1 on host, as /data")
    #expect(record.bytes.count == OwnerRecord.size)
    #expect(OwnerRecord(record.bytes) == record)
    let long = OwnerRecord(name: "n", place: nil, beat: 1, owner: "a\nb" + String(repeating: "ä", count: 1_000))
    #expect(long.bytes.count == OwnerRecord.size)
    #expect(OwnerRecord(long.bytes).name == "n")
    #expect(OwnerRecord(long.bytes).owner.hasPrefix("a b"))
  }

  @Test func `a warehouse stores and confirms nothing once another server has its directory`() async throws {
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "App", timeZone: "UTC").id
    let losses = Locked(0)
    let owner = try SQLiteWarehouse.owner(of: directory.path, onLoss: { _ in losses.withLock { $0 += 1 } })
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, owner: owner, catalog: catalog, configuration: WarehouseConfiguration())
    #expect(try await warehouse.commit(batch(["a"], firstKey: 1), app: app).accepted == 1)
    let other = OwnerRecord(name: "other", place: "elsewhere", beat: 1, owner: "process 2 on other, as /mnt")
    try files.replaceOwner(with: other)
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.commit(batch(["b"], firstKey: 2), app: app)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("process 2 on other, as /mnt") == true)
    #expect(losses.withLock { $0 } == 1)
    #expect(try warehouse.reader.read { try StoredSpan.lastRow($0) } == 1)
    try? await warehouse.close()
    #expect(try OwnerFile.read(files.ownerPath) == other)
  }

  @Test func `a warehouse leaves the release of a directory to the caller that has taken it`() async throws {
    let catalog = try Catalog(directory: directory.path)
    let owner = try SQLiteWarehouse.owner(of: directory.path)
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, owner: owner, catalog: catalog, configuration: WarehouseConfiguration())
    try await warehouse.close()
    try owner.check()
    #expect(try catalog.isServed())
    owner.release()
    #expect(try !catalog.isServed())
  }

  @Test func `counting commits nothing once another server has the directory`() throws {
    let catalog = try Catalog(directory: directory.path)
    let owner = try SQLiteWarehouse.owner(of: directory.path)
    let configuration = WarehouseConfiguration().checking(owner)
    let pool = try WarehouseFile.open(files, configuration: configuration)
    defer { try? pool.close() }
    let counter = try EventCounter.open(files, catalog: catalog, configuration: configuration)
    try counter.removeAll()
    try files.replaceOwner(with: OwnerRecord(name: "other", place: "elsewhere", beat: 1))
    #expect(throws: WarehouseError.self) { try counter.removeAll() }
    owner.release()
  }

  @Test func `only one command waits for a server that was there before a power failure`() throws {
    #expect(try OwnerFile(files).create(OwnerRecord(name: "old", place: "before", beat: 7)))
    let (waits, reports) = (Locked(0), Locked<[String]>([]))
    var effects = effects("command", place: "now")
    effects.report = { text in reports.withLock { $0.append(text) } }
    effects.wait = { end in
      // The thread that renews an ownership waits, too.
      if waits.withLock({ $0 }) == 13 { end.wait() } else { waits.withLock { $0 += 1 } }
    }
    try files.visit(effects)
    #expect(waits.withLock { $0 } == 13)
    #expect(reports.withLock { $0.count } == 1)
    #expect(!files.exists(files.ownerPath))
    // A second one would wait for ever.
    try files.visit(effects)
  }

  @Test func `a command in a place that it can't determine starts beside a server that has the lock`() throws {
    for places in [(server: nil, command: "known"), ("known", nil), (nil, nil)] as [(server: String?, command: String?)]
    {
      var server = effects("server", place: places.server)
      server.wait = { end in end.wait() }
      let owner = try #require(try DirectoryOwner(files, server))
      try files.visit(effects("command", place: places.command, wait: { Issue.record("It waits.") }))
      try owner.check()
      owner.release()
    }
  }

  @Test func `a command that outlives its server ends if one elsewhere has taken over`() throws {
    let file = OwnerFile(files)
    let other = Locked(OwnerRecord(name: "other", place: "elsewhere", beat: 1, owner: "process 2 on other, as /mnt"))
    #expect(try file.create(other.withLock { $0 }))
    let path = files.ownerPath
    let command = effects(
      "command", place: "here",
      wait: {
        let bytes = other.withLock { other in
          other.beat += 1
          return other.bytes
        }
        try Data(bytes).write(to: URL(filePath: path))
      })
    let error = #expect(throws: WarehouseError.self) { try files.visit(command) }
    #expect(error?.code == .inUse)
    #expect(error?.message.contains("process 2 on other, as /mnt") == true)
    #expect(try OwnerFile.read(path)?.name == "other")
  }

  @Test func `a server waits for a command that waits for the server before`() throws {
    #expect(try OwnerFile(files).create(OwnerRecord(name: "old", place: "before", beat: 7)))
    let command = try #require(try files.lock())
    #expect(try DirectoryOwner(files) == nil)
    let (waits, reports) = (Locked(0), Locked<[String]>([]))
    var server = effects("server", place: "now")
    server.report = { text in
      reports.withLock { $0.append(text) }
      command.release()
    }
    server.wait = { end in
      if waits.withLock({ $0 }) == 13 { end.wait() } else { waits.withLock { $0 += 1 } }
    }
    let owner = try #require(try DirectoryOwner(files, waitingFor: .milliseconds(1), server))
    #expect(reports.withLock { $0.first }?.contains("Another process waits") == true)
    owner.release()
  }

  @Test(.enabled(if: geteuid() == 0))
  func `what a command of root creates belongs to the owner of the directory`() throws {
    try #require(chown(files.path, 4_321, 8_765) == 0)
    let owner = try #require(try DirectoryOwner(files))
    try files.whileOpeningCatalog {}
    try files.createFile(files.catalogPath)
    for path in [files.ownerPath, files.path + "/catalog.lock", files.catalogPath] {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_uid == 4_321 && status.st_gid == 8_765, "\(path)")
    }
    owner.release()
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a file of root to which a link in the directory leads stays that of root`() throws {
    let other = try TemporaryDirectory()
    let file = other.path + "/secret"
    try Data().write(to: URL(filePath: file))
    try #require(chown(files.path, 4_321, 8_765) == 0)
    try FileManager.default.createSymbolicLink(atPath: files.catalogPath, withDestinationPath: file)
    try FileManager.default.createSymbolicLink(atPath: files.path + "/catalog.lock", withDestinationPath: file)
    try files.createFile(files.catalogPath)
    try files.whileOpeningCatalog {}
    var status = stat()
    #expect(stat(file, &status) == 0)
    #expect(status.st_uid == 0)
  }

  @Test func `a server says that its directory is gone`() throws {
    var effects = effects("server", place: "a")
    effects.wait = { end in end.wait() }
    let owner = try #require(try DirectoryOwner(files, effects))
    let moved = directory.path + "-moved"
    try FileManager.default.moveItem(atPath: directory.path, toPath: moved)
    defer { try? FileManager.default.removeItem(atPath: moved) }
    // As the empty directory on which a disk was mounted.
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    let error = #expect(throws: WarehouseError.self) { try owner.check() }
    #expect(error?.code == .gone)
    #expect(error?.message.contains("its disk is gone") == true)
    owner.release()
  }

  @Test(arguments: [ENOTCONN, ESTALE, EIO])
  func `a server whose disk doesn't answer stops after three attempts, and says that nothing is lost`(code: Int32)
    throws
  {
    let (losses, failure) = (Locked<[WarehouseError]>([]), Locked<Int32?>(nil))
    var effects = effects("server", place: "a", onLoss: { loss in losses.withLock { $0.append(loss) } })
    effects.read = { path in
      if let code = failure.withLock({ $0 }) {
        throw WarehouseError(.unavailable, "\(path) can't be read.", cause: SystemFailure(code: code))
      }
      return try OwnerFile.read(path)
    }
    let owner = try ownership(effects)
    #expect(owner.renew(after: 0) == 0)
    failure.withLock { $0 = code }
    #expect(throws: WarehouseError.self) { try owner.check() }
    #expect(owner.renew(after: owner.renew(after: 0)) == 2)
    #expect(losses.withLock { $0.isEmpty })
    // It answers again.
    failure.withLock { $0 = nil }
    #expect(owner.renew(after: 2) == 0)
    try owner.check()
    failure.withLock { $0 = code }
    for failures in 0..<4 { #expect(owner.renew(after: failures) == failures + 1) }
    let loss = try #require(losses.withLock { $0.count == 1 ? $0.first : nil })
    #expect(loss.code == .unavailable)
    #expect(loss.message.contains("the disk of \(files.path) doesn't answer (\(String(cString: strerror(code))))"))
    #expect(loss.message.contains("Everything that was confirmed is stored there"))
    // Files that were open stay dead.
    failure.withLock { $0 = nil }
    #expect(throws: WarehouseError.self) { try owner.check() }
  }

  @Test func `a server stays while its disk only refuses`() throws {
    let losses = Locked(0)
    var effects = effects("server", place: "a", onLoss: { _ in losses.withLock { $0 += 1 } })
    effects.wait = { _ in }
    let owner = try ownership(effects)
    // Nothing can be read from a directory, whose name is in the way.
    try FileManager.default.removeItem(atPath: files.ownerPath)
    try FileManager.default.createDirectory(atPath: files.ownerPath, withIntermediateDirectories: false)
    for _ in 0..<9 { #expect(owner.renew(after: 2) == 0) }
    #expect(losses.withLock { $0 } == 0)
  }

  @Test func `what killed processes left is removed`() throws {
    let leftovers = [
      "owner.\(UUID().uuidString)", "probe.a1B2c3", "catalog.sqlite-shm.x9Y8z7", "warehouse.sqlite-shm.abcdef",
    ]
    let others = ["owner.txt", "probe.jsonl", "catalog.sqlite-shm", "config.json", "notes.123456"]
    for name in leftovers + others { try files.createFile("\(files.path)/\(name)") }
    let owner = try #require(try DirectoryOwner(files))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: files.path).sorted() == (others + ["owner"]).sorted())
    owner.release()
  }

  @Test func `a directory that was closed has no owner`() async throws {
    let catalog = try Catalog(directory: directory.path)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    #expect(files.exists(files.ownerPath))
    try await warehouse.close()
    #expect(!files.exists(files.ownerPath))
    let again = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    try await again.close()
  }
}
