import AppCatalog
import Foundation
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Symbols

struct SymbolStoreTests {
  /// A catalog of a new directory with two apps, and a clock that advances by a second with each look.
  private struct Home {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let apps: [App]
    let clock = Locked<Int64>(1_700_000_000_000)

    init(maximumBytes: Int = 8 << 30) throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path, maximumSymbolBytes: maximumBytes)
      apps = try ["A", "B"].map { [catalog] in try catalog.createApp(name: $0) }
    }

    func store(fileBytes: Int = 1 << 30) -> SymbolStore {
      var limits = SymbolLimits()
      (limits.fileBytes, limits.diskReserve) = (fileBytes, 0)
      return SymbolStore(directory: directory.path, catalog: catalog, limits: limits) { [clock] in
        clock.withLock { time in
          time += 1_000
          return Timestamp(millisecondsSince1970: time)
        }
      }
    }

    var files: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path + "/symbols").sorted() }
    }

    func add(_ bytes: [UInt8], app: Int = 0, name: String = "x") throws -> [StoredSymbols] {
      let upload = try store().receive()
      try bytes.withUnsafeBytes { try upload.append($0) }
      return try upload.finish(app: apps[app].id, image: name)
    }
  }

  private func sample(_ number: UInt8, padding: Int = 0) -> [UInt8] {
    MachOSample.thin(cpu: 0x0100_000C, uuid: [UInt8](repeating: number, count: 16))
      + [UInt8](repeating: number, count: padding)
  }

  @Test func `a file is stored once, however often and by how many apps it is uploaded`() throws {
    let home = try Home()
    #expect(try home.add(sample(1), name: "App\n").map(\.addition) == [.new])
    #expect(try home.add(sample(1)).map(\.addition) == [.known])
    #expect(try home.add(sample(1), app: 1).map(\.addition) == [.new])
    let file = try #require(try home.catalog.symbols(app: home.apps[0].id).first)
    #expect(try home.files == [file.hash] && file.image == "App" && file.textAddress == 0x1_0000_0000)
    #expect(try home.catalog.removeSymbols(app: home.apps[0].id, buildID: file.buildID))
    #expect(try home.files == [file.hash], "the other app has it still")
    #expect(try home.catalog.removeSymbols(app: home.apps[1].id, buildID: file.buildID))
    #expect(try home.files.isEmpty)
    #expect(try !home.catalog.removeSymbols(app: home.apps[1].id, buildID: file.buildID))
    let actions = try home.catalog.audit(limit: 10).map(\.action)
    #expect(actions.filter { $0 == "symbols uploaded" }.count == 2)
    #expect(actions.filter { $0 == "symbols deleted" }.count == 2)
  }

  @Test func `another file of a build replaces the first, and its file is deleted`() throws {
    let home = try Home()
    _ = try home.add(sample(1))
    #expect(try home.add(sample(1, padding: 9)).map(\.addition) == [.replaced])
    #expect(try home.catalog.symbols(app: home.apps[0].id).count == 1)
    #expect(try home.files.count == 1)
  }

  @Test func `an upload looks only at the files that it replaces`() throws {
    let home = try Home()
    let first = try home.add(sample(1))[0].file
    let orphan = String(repeating: "a", count: 64)
    _ = try FileHandle.create("\(home.directory.path)/symbols/\(orphan)")
    let second = try home.add(sample(1, padding: 9))[0].file
    #expect(try home.files == [second.hash, orphan].sorted() && first.hash != second.hash)
    #expect(try home.catalog.removeSymbols(app: home.apps[0].id, buildID: second.buildID))
    #expect(try home.files == [orphan])
    try home.catalog.removeUnusedSymbols()
    #expect(try home.files.isEmpty)
  }

  @Test func `a name is one visible line of at most 255 bytes`() throws {
    let home = try Home()
    let long = String(repeating: "é", count: 200)
    let names = [
      ("App.debug", "App.debug"), ("a\r\nb\u{0}\u{7F}\u{1B}[31mc", "ab[31mc"), ("x\u{202E}y\u{2066}\u{200B}z", "xyz"),
      ("a\u{2028}b\u{2029}c\u{85}", "abc"), (long, String(long.prefix(127))), ("<b>&\"'", "<b>&\"'"), ("\n", ""),
      ("", ""),
    ]
    for (number, (name, expected)) in names.enumerated() {
      let file = try home.add(sample(UInt8(number + 1)), name: name)[0].file
      #expect(file.image == expected && file.image.utf8.count <= 255)
    }
    #expect(Set(try home.catalog.symbols(app: home.apps[0].id).map(\.image)) == Set(names.map(\.1)))
  }

  @Test func `symbols without lines never replace those with lines`() throws {
    let home = try Home()
    let program = try SampleProgram()
    let poor = try program.copied(by: "strip", ["-S", "-o"])
    #expect(try home.add(poor).map(\.addition) == [.new])
    #expect(try home.add(program.bytes).map(\.addition) == [.replaced])
    #expect(try home.add(poor).map(\.addition) == [.known])
    #expect(try home.catalog.symbols(app: home.apps[0].id).map(\.hasLines) == [true])
  }

  @Test func `the architectures of a universal file are stored apart`() throws {
    let home = try Home()
    let stored = try home.add(MachOSample.universal())
    #expect(stored.map(\.file.architecture) == ["x86_64", "arm64"])
    #expect(try home.files == stored.map(\.file.hash).sorted())
  }

  @Test func `the oldest files make room for new ones`() throws {
    let home = try Home(maximumBytes: 30_000)
    for number in 1...3 { _ = try home.add(sample(UInt8(number), padding: 9_000)) }
    #expect(try home.catalog.symbols(app: home.apps[0].id).count == 3)
    _ = try home.add(sample(4, padding: 9_000))
    let kept = try home.catalog.symbols(app: home.apps[0].id)
    #expect(kept.map { $0.buildID.prefix(2) } == ["04", "03", "02"])
    #expect(try home.files == kept.map(\.hash).sorted())
    let entry = try #require(try home.catalog.audit(limit: 1).first)
    #expect(entry.action == "symbols deleted" && entry.actor.name == "server")
  }

  @Test func `what can't be used leaves nothing behind`() throws {
    let home = try Home()
    #expect(throws: ObjectError.notSymbols) { try home.add(Array("hello".utf8)) }
    let upload = try home.store(fileBytes: 1_000).receive()
    #expect {
      try sample(1, padding: 1_000).withUnsafeBytes { try upload.append($0) }
    } throws: {
      ($0 as? WarehouseError)?.code == .invalid
    }
    #expect {
      try home.store().add(path: home.directory.path + "/missing", app: home.apps[0].id)
    } throws: {
      ($0 as? WarehouseError)?.code == .invalid
    }
    withExtendedLifetime(upload) {}
    #expect(throws: WarehouseError.self) {
      let upload = try home.store().receive()
      try sample(1).withUnsafeBytes { try upload.append($0) }
      _ = try upload.finish(app: AppID(99), image: "")
    }
    #expect(try home.catalog.symbols(app: home.apps[0].id).isEmpty)
  }

  @Test func `compressed files are unpacked, and damaged ones refused`() throws {
    let home = try Home()
    let program = try SampleProgram()
    let path = try program.directory.write(sample(1, padding: 100_000), "plain")
    try program.directory.run("gzip", ["-k", path])
    let packed = try program.directory.bytes("plain.gz")
    func receive(_ bytes: [UInt8]) throws -> [StoredSymbols] {
      let upload = try home.store().receive(isCompressed: true)
      for start in stride(from: 0, to: bytes.count, by: 7) {
        try bytes[start..<min(start + 7, bytes.count)].withUnsafeBytes { try upload.append($0) }
      }
      return try upload.finish(app: home.apps[0].id, image: "")
    }
    #expect(try receive(packed).map(\.file.bytes) == [sample(1, padding: 100_000).count])
    for broken in [Array(packed.dropLast(9)), [], Array("plain".utf8)] as [[UInt8]] {
      #expect(throws: WarehouseError.self) { try receive(broken) }
    }
    #expect(try home.files.count == 1)
  }

  @Test func `the next start removes what a crash has left, but no upload in progress`() throws {
    let home = try Home()
    let stored = try home.add(sample(1))
    let old = try FileHandle.create(home.directory.path + "/symbols/old.new")
    let orphan = try FileHandle.create(home.directory.path + "/symbols/" + String(repeating: "a", count: 64))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: old)
    let current = try FileHandle.create(home.directory.path + "/symbols/current.new")
    try home.catalog.removeUnusedSymbols()
    #expect(try home.files == [stored[0].file.hash, "current.new"].sorted())
    #expect(![old, orphan].contains { FileManager.default.fileExists(atPath: $0) })
    #expect(FileManager.default.fileExists(atPath: current))
    // A file that is missing is new again.
    try FileManager.default.removeItem(atPath: home.catalog.symbolPath(hash: stored[0].file.hash))
    #expect(try home.add(sample(1)).map(\.addition) == [.new])
  }
}

extension FileHandle {
  fileprivate static func create(_ path: String) throws -> String {
    try Data([1]).write(to: URL(filePath: path))
    return path
  }
}
