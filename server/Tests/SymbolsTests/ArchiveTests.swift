import AppCatalog
import CTernZlib
import Foundation
import TernEvents
import Testing
import Warehouse

@testable import Symbols

struct ArchiveTests {
  private struct Home {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let app: AppID

    init() throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path)
      app = try catalog.createApp(name: "A").id
    }

    func add(_ archive: [UInt8]) throws -> StoredArchive {
      let upload = try SymbolStore(directory: directory.path, catalog: catalog).receive()
      try archive.withUnsafeBytes { try upload.append($0) }
      return try upload.finishAll(app: app, image: "archive.zip")
    }

    var files: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path + "/symbols") }
    }
  }

  private static func dSYM(_ number: UInt8, padding: Int = 0) -> [UInt8] {
    MachOSample.thin(cpu: 0x0100_000C, uuid: [UInt8](repeating: number, count: 16))
      + [UInt8](repeating: 0, count: padding)
  }

  @Test(.enabled(if: TemporaryDirectory.hasTool("zip")))
  func `all dSYMs of an archive are stored, wherever in it they are`() throws {
    let home = try Home()
    let folder = try TemporaryDirectory()
    let program = try SampleProgram()
    let stripped = try program.copied(by: "strip", ["-s", "-o"])
    let files: [(path: String, bytes: [UInt8])] = [
      ("App.xcarchive/dSYMs/App.app.dSYM/Contents/Resources/DWARF/App", MachOSample.universal()),
      ("App.xcarchive/dSYMs/Kit.framework.dSYM/Contents/Resources/DWARF/Kit", Self.dSYM(7, padding: 300_000)),
      ("App.xcarchive/Products/Applications/App.app/App", stripped),
      ("App.xcarchive/Info.plist", Array("<plist/>".utf8)), ("linux/app.debug", program.bytes), ("linux/empty", []),
    ]
    for (path, bytes) in files {
      let url = URL(filePath: "\(folder.path)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    }
    for options in [["-r"], ["-r", "-0"], ["-r", "-fz"]] {
      let path = "\(folder.path)/archive\(options.joined()).zip"
      // The tool writes names relative to the folder.
      try folder.run("sh", ["-c", "cd '\(folder.path)' && zip -q \(options.joined(separator: " ")) '\(path)' *"])
      let result = try home.add([UInt8](try Data(contentsOf: URL(filePath: path))))
      #expect(result.refused.isEmpty)
      let built = try program.buildID
      #expect(
        Set(result.stored.map { "\($0.file.image) \($0.file.buildID)" }) == [
          "App 00112233445566778899aabbccddeeff", "App ffeeddccbbaa99887766554433221100",
          "Kit \(String(repeating: "07", count: 16))", "app.debug \(built)",
        ])
      #expect(Set(result.stored.map(\.addition)) == [options == ["-r"] ? .new : .known])
      let onDisk = try SymbolStore(directory: home.directory.path, catalog: home.catalog)
        .addArchive(path: path, app: home.app)
      #expect(onDisk?.stored.count == 4)
    }
    #expect(try home.files.count == 4)
    withExtendedLifetime(program) {}
  }

  /// An archive of one file, written here so that any of its numbers can be wrong.
  private struct Sample {
    var name = "App"
    var content = ArchiveTests.dSYM(9)
    var isDeflated = true
    var bytes: Int?
    var checksum: UInt32?
    var copies = 1

    private func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// The content in deflate's form: that of zlib without its header and checksum.
    private var packed: [UInt8] {
      guard isDeflated else { return content }
      var length = compressBound(uLong(content.count))
      var output = [UInt8](repeating: 0, count: Int(length))
      compress2(&output, &length, content, uLong(content.count), 9)
      return Array(output[2..<Int(length) - 4])
    }

    var archive: [UInt8] {
      let packed = packed
      let sum = checksum ?? UInt32(truncatingIfNeeded: crc32(0, content, UInt32(content.count)))
      let facts =
        little(isDeflated ? 8 : 0, 2) + little(0, 4) + little(Int(sum), 4) + little(packed.count, 4)
        + little(bytes ?? content.count, 4) + little(name.utf8.count, 2) + little(0, 2)
      let file = little(0x0403_4B50, 4) + little(20, 2) + little(0, 2) + facts + Array(name.utf8) + packed
      let entry =
        little(0x0201_4B50, 4) + little(20, 2) + little(20, 2) + little(0, 2) + facts + little(0, 12) + little(0, 2)
        + Array(name.utf8)
      let list = (0..<copies).flatMap { _ in entry }
      return file + list + little(0x0605_4B50, 4) + little(0, 4) + little(copies, 2) + little(copies, 2)
        + little(list.count, 4) + little(file.count, 4) + little(0, 2)
    }
  }

  @Test func `names of an archive lead nowhere`() throws {
    let home = try Home()
    for name in ["../../../etc/passwd", "/absolute", "..", "a\\b", "\u{1B}[31mred"] {
      for isDeflated in [true, false] {
        let result = try home.add(Sample(name: name, isDeflated: isDeflated).archive)
        #expect(result.stored.count == 1 && !result.stored[0].file.image.contains("/"))
      }
    }
    #expect(try home.files.count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
    #expect(names.allSatisfy { $0 == "symbols" || $0.hasPrefix("catalog") }, "\(names)")
  }

  @Test func `a file that isn't what the archive says is refused, and leaves nothing behind`() throws {
    let home = try Home()
    let size = Self.dSYM(9).count
    var samples = [Sample(bytes: size + 1), Sample(bytes: size - 1), Sample(checksum: 1)]
    samples.append(Sample(content: Self.dSYM(9, padding: 4 << 20)))
    samples.append(Sample(isDeflated: false, bytes: 1 << 31))
    for sample in samples {
      let result = try home.add(sample.archive)
      #expect(result.stored.isEmpty && result.refused.map(\.error.code) == [.damaged])
    }
    #expect(throws: ObjectError.noSymbolsInArchive) { try home.add(Sample(content: Array("hello".utf8)).archive) }
    #expect(throws: ObjectError.noSymbolsInArchive) { try home.add(Sample(content: Sample().archive).archive) }
    #expect(throws: ObjectError.tooManyFiles) { try home.add(Sample(checksum: 1, copies: 2_001).archive) }
    #expect(throws: ObjectError.tooManyFiles) { try home.add(Sample(copies: 20_001).archive) }
    #expect(try home.files.count <= 1)
  }

  @Test func `an archive that is damaged anywhere is read or refused, but never traps`() throws {
    let home = try Home()
    let sample = Sample(content: Self.dSYM(9, padding: 2_000)).archive
    var generator = FastGenerator.seeded()
    for round in 0..<1_500 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
          ([0, 1, 0x7F, 0x80, 0xFF] as [UInt8]).randomElement(using: &generator) ?? 0
      }
      if round % 5 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))) }
      if let archive = try? ZipArchive(ObjectSource(bytes)) {
        for entry in archive.entries { _ = try? archive.content(of: entry, in: ObjectSource(bytes)) }
      }
      if round % 10 == 0 { _ = try? home.add(bytes) }
    }
    #expect(throws: ObjectError.self) { try ZipArchive(ObjectSource([0x50, 0x4B, 3, 4])) }
    #expect(throws: ObjectError.self) { try ZipArchive(ObjectSource([])) }
  }
}
