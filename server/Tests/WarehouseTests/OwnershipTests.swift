import Dispatch
import Foundation
import TernBase
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

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

  @Test func `a server that was killed is followed at once, under its name`() throws {
    var first: Ownership? = try ownership(effects("first", place: "a"))
    try first?.renew()
    first = nil
    let waits = Locked(0)
    let second = try ownership(effects("second", place: "a", wait: { waits.withLock { $0 += 1 } }))
    #expect(waits.withLock { $0 } == 0)
    try second.renew()
    try second.check()
    #expect(try OwnerFile.read(files.ownerPath)?.name == "first")
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
    try OwnerFile(path: files.ownerPath).replace(with: other)
    let error = await #expect(throws: WarehouseError.self) {
      try await warehouse.commit(batch(["b"], firstKey: 2), app: app)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("process 2 on other, as /mnt") == true)
    #expect(losses.withLock { $0 } == 1)
    #expect(try warehouse.reader.read { try WarehouseSchema.lastRow($0) } == 1)
    try? await warehouse.close()
    #expect(try OwnerFile.read(files.ownerPath) == other)
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
