import Foundation
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Backups, and directories restored from them.
@Suite struct BackupTests {
  private struct Interruption: Error {}

  private let directory: TemporaryDirectory
  private let backups: TemporaryDirectory
  private let app: AppID
  private let now = timestamp("2026-05-04T12:00:00Z")

  init() throws {
    directory = try TemporaryDirectory()
    backups = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
  }

  private func open() throws -> SQLiteWarehouse {
    // Several segments, so that a backup has more than one.
    try SQLiteWarehouse(
      directory: directory.path, catalog: Catalog(directory: directory.path),
      configuration: WarehouseConfiguration(flushInterval: .seconds(3_600), spanRows: 16, segmentBytes: 1_000))
  }

  private func fill(_ warehouse: SQLiteWarehouse, _ numbers: Range<Int>) async throws {
    for number in numbers {
      let names = (0..<20).map { "\(number).\($0 % 4)" }
      _ = try await warehouse.commit(batch(names, firstKey: Int64(number) * 100), app: app)
    }
  }

  private func path(_ name: String) -> String { "\(backups.path)/\(name)" }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: backups.path).sorted() }

  /// The names of all events of a data directory, and whether its counts match.
  private func content(_ directory: String) async throws -> [String] {
    let catalog = try Catalog(directory: directory)
    defer { try? catalog.close() }
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let names = try await warehouse.reader.recent(app: app, limit: 100_000).map(\.name)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    return names
  }

  private func files(_ directory: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory).filter { name in
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(directory)/\(name)", isDirectory: &isDirectory)
      return !isDirectory.boolValue
    }
  }

  @Test func `a backup has the files with symbols, which later backups share`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<2)
    let catalog = try Catalog(directory: directory.path)
    let folder = "\(directory.path)/symbols"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for hash in ["aa", "bb"] {
      try Data(repeating: 7, count: 50_000).write(to: URL(filePath: "\(folder)/\(hash).new"))
      let file = SymbolFile(
        app: app, buildID: hash, architecture: "arm64", image: "Player", hash: hash, bytes: 50_000, hasLines: true,
        textAddress: .max, author: "me", uploaded: now)
      #expect(try catalog.addSymbols(file, from: "\(folder)/\(hash).new") == .new)
    }
    // A row whose file is gone, as after a crash, stops no backup.
    try FileManager.default.removeItem(atPath: "\(folder)/bb")
    let first = try Backup.create(of: directory.path, at: path("first"), now: now)
    let second = try Backup.create(of: directory.path, at: path("second"), linkingTo: path("first"), now: now)
    #expect(second.bytes - second.copiedBytes >= 50_000 && first.copiedBytes == first.bytes)
    // A damaged one is not shared.
    let other = try Backup.create(of: directory.path, at: path("other"), now: now)
    #expect(other.copiedBytes == other.bytes)
    let shared = try #require(FileHandle(forWritingAtPath: path("other/symbols/aa")))
    try shared.write(contentsOf: Data([1]))
    try shared.close()
    let third = try Backup.create(of: directory.path, at: path("third"), linkingTo: path("other"), now: now)
    #expect(third.bytes - third.copiedBytes < second.bytes - second.copiedBytes)
    _ = try Backup.restore(path("third"), to: path("from the third"))
    _ = try Backup.restore(path("second"), to: path("restored"))
    #expect(try files(path("restored")).filter { $0.hasPrefix("symbols/") } == ["symbols/aa"])
    #expect(try Data(contentsOf: URL(filePath: path("restored/symbols/aa"))) == Data(repeating: 7, count: 50_000))
    let restored = try Catalog(directory: path("restored"))
    #expect(try restored.symbols(app: app).map(\.textAddress) == [.max, .max])
    try await warehouse.close()
  }

  @Test func `a backup that can't share files is complete, and knows the reason`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<4)
    let first = try Backup.create(of: directory.path, at: path("first"), now: now)
    #expect(first.linkFailure == nil && first.exposure == nil)
    let second = try Backup.create(
      of: directory.path, at: path("second"), linkingTo: path("first"), now: now,
      link: { _, _ in "Operation not permitted" }, onStep: { _ in })
    #expect(second.linkFailure == "Operation not permitted" && second.copiedBytes == second.bytes)
    #expect(try Backup.check(path("second")).damages == [])
    let third = try Backup.create(of: directory.path, at: path("third"), linkingTo: path("second"), now: now)
    #expect(third.linkFailure == nil && third.copiedBytes < third.bytes)
    try await warehouse.close()
  }

  @Test func `a restored backup has the events of its moment, exactly counted, and recognizes their duplicates`()
    async throws
  {
    let warehouse = try open()
    try await fill(warehouse, 0..<10)
    let summary = try Backup.create(of: directory.path, at: path("first"), now: now)
    #expect(summary.events == 200 && summary.created == now)
    let names = try await warehouse.reader.recent(app: app, limit: 1_000).map(\.name)
    try await fill(warehouse, 10..<20)
    try await warehouse.close()

    #expect(try Backup.restore(path("first"), to: path("restored")).events == 200)
    #expect(try await content(path("restored")) == names)
    let catalog = try Catalog(directory: path("restored"))
    let restored = try SQLiteWarehouse(directory: path("restored"), catalog: catalog)
    let again = try await restored.commit(batch((0..<20).map { "3.\($0 % 4)" }, firstKey: 300), app: app)
    #expect(again.accepted == 0 && again.duplicates.count == 20)
    try await restored.close()
  }

  @Test func `a backup made while apps are created and send events has no event without its app`() async throws {
    let warehouse = try open()
    let catalog = try Catalog(directory: directory.path)
    let writing = Task {
      for number in 0..<60 {
        let app = try catalog.createApp(name: "App \(number)").id
        for part in 0..<3 {
          _ = try await warehouse.commit(batch(["a", "b"], firstKey: Int64(part) * 10), app: app)
        }
      }
    }
    for number in 0..<6 {
      let summary = try Backup.create(of: directory.path, at: path("\(number)"), now: now)
      #expect(try Backup.restore(path("\(number)"), to: path("restored \(number)")).events == summary.events)
      _ = try await content(path("restored \(number)"))
    }
    try await writing.value
    try await warehouse.close()
  }

  @Test func `an interrupted backup leaves nothing under its name, and the next one succeeds`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<6)
    var steps = 0
    _ = try Backup.create(of: directory.path, at: path("all"), now: now) { _ in steps += 1 }
    #expect(steps > 10)
    for last in 0..<steps {
      var step = 0
      var image: TemporaryDirectory?
      #expect(throws: (any Error).self) {
        try Backup.create(of: directory.path, at: path("half"), now: now) { _ in
          defer { step += 1 }
          guard step == last else { return }
          image = try backups.copy()
          throw Interruption()
        }
      }
      #expect(try names() == ["all"], "a failure at step \(last) leaves nothing")
      // A crash leaves the files, but not as a backup.
      let crashed = try #require(image)
      #expect(throws: WarehouseError.self) { try Backup.restore(crashed.path + "/half", to: crashed.path + "/new") }
      #expect(throws: WarehouseError.self) {
        try Backup.restore(crashed.path + "/half.unfinished", to: crashed.path + "/new")
      }
      if last % 5 == 0 {
        #expect(try Backup.create(of: directory.path, at: crashed.path + "/half", now: now).events == 120)
        #expect(try Backup.restore(crashed.path + "/half", to: crashed.path + "/new").events == 120)
      }
    }
    try await warehouse.close()
    #expect(try await content(directory.path).count == 120)
  }

  @Test func `an interrupted restoration leaves no data directory, and the next one succeeds`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<6)
    try await warehouse.close()
    _ = try Backup.create(of: directory.path, at: path("backup"), now: now)
    var steps = 0
    _ = try Backup.restore(path("backup"), to: path("all")) { _ in steps += 1 }
    for last in 0..<steps {
      var step = 0
      var image: TemporaryDirectory?
      #expect(throws: (any Error).self) {
        try Backup.restore(path("backup"), to: path("half")) { _ in
          defer { step += 1 }
          guard step == last else { return }
          image = try backups.copy()
          throw Interruption()
        }
      }
      #expect(try names() == ["all", "backup"])
      let crashed = try #require(image)
      #expect(!FileManager.default.fileExists(atPath: crashed.path + "/half"))
      #expect(try Backup.restore(path("backup"), to: crashed.path + "/half").events == 120)
    }
  }

  @Test func `a backup with a damaged, short or missing file is refused`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<3)
    try await warehouse.close()
    _ = try Backup.create(of: directory.path, at: path("backup"), now: now)
    for file in try files(path("backup")) {
      let name = URL(filePath: path("backup") + "/" + file)
      let content = try Data(contentsOf: name)
      var changed = content
      changed[changed.count / 2] ^= 1
      for damaged in [changed, content.dropLast(), Data(), nil] {
        try damaged.map { try $0.write(to: name) } ?? FileManager.default.removeItem(at: name)
        // A digit of the manifest's time may differ without harm.
        if file == BackupManifest.name, damaged == changed { continue }
        #expect(throws: WarehouseError.self, "\(file)") { try Backup.restore(path("backup"), to: path("new")) }
        #expect(try names() == ["backup"])
        try content.write(to: name)
      }
      try content.write(to: name)
    }
    #expect(try Backup.restore(path("backup"), to: path("new")).events == 60)
  }

  @Test func `damaged rows are not backed up as if they were whole`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<3)
    try await warehouse.close()
    let segment = URL(filePath: RowSegment.path(1, in: directory.path + "/rows"))
    var bytes = try Data(contentsOf: segment)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: segment)
    let error = #expect(throws: WarehouseError.self) {
      try Backup.create(of: directory.path, at: path("backup"), now: now)
    }
    #expect(error?.code == .damaged)
    #expect(try names().isEmpty)
  }

  @Test func `only new names and empty directories are written to, and newer backups are refused`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<1)
    try await warehouse.close()
    for name in ["backup", "empty/"] {
      if name == "empty/" {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
      }
      _ = try Backup.create(of: directory.path, at: path(name), now: now)
      #expect(throws: WarehouseError.self) { try Backup.create(of: directory.path, at: path(name), now: now) }
      #expect(throws: WarehouseError.self) { try Backup.restore(path("backup"), to: path(name)) }
    }
    #expect(throws: WarehouseError.self) { try Backup.restore(path("backup"), to: directory.path) }
    #expect(throws: WarehouseError.self) { try Backup.restore(directory.path, to: path("new")) }
    #expect(throws: WarehouseError.self) { try Backup.create(of: path("nothing"), at: path("new"), now: now) }
    let manifest = URL(filePath: path("backup") + "/backup.json")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    try text.replacing(#""version" : 1"#, with: #""version" : 2"#).write(
      to: manifest, atomically: true, encoding: .utf8)
    let error = #expect(throws: WarehouseError.self) { try Backup.restore(path("backup"), to: path("new")) }
    #expect(error?.message.contains("newer version") == true)
    try text.replacing("rows/1.rows", with: "../stolen").write(to: manifest, atomically: true, encoding: .utf8)
    #expect(throws: WarehouseError.self) { try Backup.restore(path("backup"), to: path("new")) }
    #expect(try names() == ["backup", "empty"])
  }

  @Test func `only the owner can read backups and what is restored from them`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<2)
    try await warehouse.close()
    _ = try Backup.create(of: directory.path, at: path("backup"), now: now)
    _ = try Backup.restore(path("backup"), to: path("new"))
    for root in [path("backup"), path("new")] {
      for name in try FileManager.default.subpathsOfDirectory(atPath: root) + [""] {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
        let mode = try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
        #expect(mode & 0o077 == 0, "\(root)/\(name)")
      }
    }
  }

  // MARK: - Series

  private func inode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require((attributes[.systemFileNumber] as? NSNumber)?.intValue)
  }

  @Test func `backups of a series share the segments that did not change, and only those`() async throws {
    let series = BackupSeries(path: path("series"), interval: .seconds(86_400), kept: 3)
    let warehouse = try open()
    try await fill(warehouse, 0..<6)
    let (first, _) = try series.add(of: directory.path, now: now)
    try await fill(warehouse, 6..<9)
    let (second, summary) = try series.add(of: directory.path, now: now + .seconds(86_400))
    try await warehouse.close()
    #expect(summary.copiedBytes < summary.bytes)
    let last = try #require(try RowSegment.numbers(in: first + "/rows").max())
    for number in try RowSegment.numbers(in: first + "/rows") {
      let isShared = try inode("\(first)/rows/\(number).rows") == inode("\(second)/rows/\(number).rows")
      #expect(isShared == (number != last), "segment \(number)")
      #expect(try inode("\(second)/rows/\(number).rows") != inode("\(directory.path)/rows/\(number).rows"))
    }
    // Each is whole without the other.
    try FileManager.default.removeItem(atPath: first)
    _ = try Backup.restore(second, to: path("restored"))
    #expect(try await content(path("restored")).count == 180)
  }

  @Test func `a series makes a backup when one is due, keeps as many as wanted, and removes what crashes left`()
    async throws
  {
    let series = BackupSeries(path: path("series"), interval: .seconds(3_600), kept: 2)
    try await open().close()
    func isDue(at time: Timestamp) throws -> Bool { series.isDue(after: try series.latest(), at: time) }
    #expect(try series.latest() == nil && isDue(at: now))
    var made: [String] = []
    for hour in 0..<4 {
      let time = now + .seconds(3_600 * hour)
      #expect(try isDue(at: time))
      if hour == 2 {
        // As a crash while a backup is made, or deleted, would leave them.
        try FileManager.default.createDirectory(
          atPath: path("series/tern-20260504T130001Z.unfinished"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
          atPath: path("series/tern-20260504T130002Z"), withIntermediateDirectories: true)
      }
      made.append(try series.add(of: directory.path, now: time).path)
      #expect(try series.latest() == time && !isDue(at: time + .seconds(3_599)))
      #expect(try series.backups() == made.suffix(2))
    }
    #expect(made.last == path("series/tern-20260504T150000Z"))
    #expect(try isDue(at: now), "the clock was set back")
    let names = try FileManager.default.contentsOfDirectory(atPath: path("series"))
    #expect(!names.contains { $0.hasSuffix(".unfinished") })
  }

  @Test func `a backup ends early when it is cancelled`() async throws {
    try await open().close()
    #expect(throws: CancellationError.self) {
      try Backup.create(of: directory.path, at: path("backup"), now: now) { true }
    }
    #expect(try names().isEmpty)
  }

  @Test func `a damaged file of a backup is named once, and the next backup doesn't share it`() async throws {
    let warehouse = try open()
    try await fill(warehouse, 0..<10)
    let series = BackupSeries(path: backups.path, interval: .seconds(60), kept: 9)
    let first = try series.add(of: directory.path, now: now).path
    let second = try series.add(of: directory.path, now: now + .seconds(60)).path
    #expect(try BackupSeries.damages(in: backups.path) == [])
    // Both have it.
    let file = URL(filePath: first + "/rows/1.rows")
    let handle = try FileHandle(forUpdating: file)
    try handle.seek(toOffset: 100)
    try handle.write(contentsOf: [0xA5, 0x5A, 0xA5])
    try handle.close()
    let found = try series.scrubbedFiles().filter { try warehouse.damage(of: $0) { _ in } != nil }
    #expect(found.map(\.path) == [file.path])
    #expect(try BackupSeries.damages(in: backups.path).allSatisfy { $0.contains(file.path) })
    #expect(BackupSeries.directory(ofFile: file.path) == backups.path)
    let third = try series.add(of: directory.path, now: now + .seconds(120))
    #expect(third.summary.copiedBytes < third.summary.bytes, "the others are shared")
    _ = try Backup.restore(third.path, to: path("restored"))
    #expect(throws: WarehouseError.self) { try Backup.restore(second, to: path("other")) }
    // What is cut short is copied, too.
    #expect(truncate(third.path + "/rows/1.rows", 50) == 0)
    let fourth = try Backup.create(
      of: directory.path, at: path("fourth"), linkingTo: third.path, now: now + .seconds(180))
    #expect(fourth.copiedBytes < fourth.bytes)
    _ = try Backup.restore(path("fourth"), to: path("restored again"))
    try FileManager.default.removeItem(atPath: first + "/backup.json")
    #expect(try BackupSeries.damages(in: backups.path).contains { $0.contains(first + "/backup.json is missing") })
    try await warehouse.close()
  }
}
