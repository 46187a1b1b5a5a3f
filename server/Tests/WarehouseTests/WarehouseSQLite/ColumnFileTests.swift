import Foundation
import Ingest
import Questions
import TernEvents
import Testing

@testable import AppCatalog
@testable import Columns
@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Files of columns, which are derived from rows.
@Suite struct ColumnFileTests {
  private let directory: TemporaryDirectory
  private let app: AppID
  private static let rows = Chunk.maximumRows * 2 + 100

  /// Stores more rows than two chunks have, and closes the warehouse.
  init() async throws {
    directory = try TemporaryDirectory()
    app = try Catalog(directory: directory.path).createApp(name: "Player").id
    let warehouse = try Self.open(directory)
    let names = (0..<5_000).map { "Event \($0 % 7)" }
    for start in stride(from: 0, to: Self.rows, by: names.count) {
      let batch = batch(Array(names.prefix(Self.rows - start)), install: "install \(start)")
      _ = try await warehouse.commit(batch, app: app)
    }
    #expect(try await Self.count(warehouse.reader, app) == Self.rows)
    try await warehouse.close()
  }

  private static func open(_ directory: TemporaryDirectory) throws -> SQLiteWarehouse {
    try SQLiteWarehouse(directory: directory.path, catalog: Catalog(directory: directory.path))
  }

  private static func count(_ reader: WarehouseReader, _ app: AppID) async throws -> Int {
    let question = QueryQuestion(
      scope: QuestionScope(range: .dates(day("2026-05-01"), day("2026-05-30"))), metrics: [.plain(.events)])
    let result = try await reader.answer(
      .query(question), app: app, calendar: try #require(QuestionCalendar("UTC")), today: day("2026-05-30"))
    guard case .query(let answer) = result.answer else { return 0 }
    return answer.rows.first?.metrics[0].map { Int($0) } ?? 0
  }

  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: directory.path + "/columns").filter {
        $0.hasSuffix(".columns")
      }
      .sorted { $0.count < $1.count }
    }
  }

  private func damage(_ name: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: directory.path + "/columns/" + name))
    try file.seek(toOffset: 100_000)
    try file.write(contentsOf: [0xA5, 0x5A, 0xA5])
    try file.close()
  }

  private func verification() async throws -> VerificationReport {
    let reader = try SQLiteWarehouse.openForReading(
      directory: directory.path, catalog: Catalog(directory: directory.path))
    defer { try? reader.close() }
    return try await reader.verify()
  }

  @Test func `full chunks are files, and all columns but the last rows are used again`() async throws {
    #expect(try files.count == 2)
    let warehouse = try Self.open(directory)
    #expect(try await Self.count(warehouse.reader, app) == Self.rows)
    _ = try await warehouse.commit(batch(["One more"]), app: app)
    #expect(try await Self.count(warehouse.reader, app) == Self.rows + 1)
    try await warehouse.close()
    #expect(try await verification().isClean)
  }

  @Test func `a damaged chunk is reported, and made again when the columns are next needed`() async throws {
    let name = try files[0]
    try damage(name)
    let report = try await verification()
    #expect(report.differences.map(\.key).contains(name), "\(report.differences)")
    let warehouse = try Self.open(directory)
    #expect(try await Self.count(warehouse.reader, app) == Self.rows)
    try await warehouse.close()
    #expect(try files.count == 2)
    #expect(try await verification().isClean)
  }

  @Test(arguments: [1, 4_096, 100_000, -1, -5_000])
  func `a file that is cut short while it is mapped is made again, and questions are answered`(size: Int) async throws {
    let warehouse = try Self.open(directory)
    #expect(try await Self.count(warehouse.reader, app) == Self.rows)
    for name in try files {
      let path = "\(directory.path)/columns/\(name)"
      let whole = try CopiedFile.size(path)
      #expect(truncate(path, off_t(size < 0 ? whole + size : size)) == 0)
      #expect(try await Self.count(warehouse.reader, app) == Self.rows)
      #expect(try await warehouse.reader.rowUsage(of: app, before: []).rows == Self.rows)
      #expect(try CopiedFile.size(path) == whole)
    }
    try await warehouse.close()
    #expect(try await verification().isClean)
  }

  @Test func `lost pages of a file read as zeros, and are noticed`() throws {
    let path = "\(directory.path)/columns/\(try files[0])"
    let memory = try #require(ChunkMemory(path: path))
    let chunk = try #require(Chunk(memory))
    #expect(!memory.isIncomplete && !chunk.isIncomplete)
    #expect(truncate(path, 8_192) == 0)
    #expect(memory.bytes[8_192...].allSatisfy { $0 == 0 })
    #expect(chunk.isIncomplete)
    // Whatever is read from it ends nothing.
    for row in 0..<chunk.rows { _ = (chunk.time(row), chunk.id(row), chunk.kind(Int(chunk.labels[row]))) }
    for label in 0..<chunk.header.labels { _ = chunk.text(chunk.labelNames[label]).count }
    chunk.forEachProperty { name, _ in _ = chunk.property(name) }
    chunk.forEachSender { _, _ in }
    // A deleted file stays mapped.
    let other = try #require(ChunkMemory(path: "\(directory.path)/columns/\(try files[1])"))
    try FileManager.default.removeItem(atPath: "\(directory.path)/columns/\(try files[1])")
    #expect(!other.isIncomplete)
  }

  @Test func `missing chunks are made again by a rebuild`() async throws {
    for name in try files { try FileManager.default.removeItem(atPath: directory.path + "/columns/" + name) }
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: Catalog(directory: directory.path))
    #expect(try files.count == 2)
    #expect(try await verification().isClean)
  }

  @Test func `chunks with other rows than the stored ones are found`() async throws {
    // A valid chunk under the name of another.
    let name = try files[0]
    let builder = ChunkBuilder(app: app.rawValue, after: 0)
    for id in 1...Int64(Chunk.maximumRows) {
      builder.append(
        ChunkBuilder.Row(
          id: id, time: 0, kind: .event, startsSession: false, slot: 0, user: 0, session: 0, device: 0), name: nil
      ) { ChunkDevice(version: "", os: "", model: "", country: "", language: "") }
    }
    try Data(builder.finished().bytes).write(to: URL(fileURLWithPath: directory.path + "/columns/" + name))
    let report = try await verification()
    #expect(report.differences.map(\.key) == [name], "\(report.differences)")
  }

  @Test func `chunks made by a rebuild are those made as rows arrived, sessions of hits included`() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Site").id
    let other = try catalog.createApp(name: "Other").id
    let warehouse = try Self.open(directory)
    // A session that begins in the first chunk and goes on in the second.
    var hits = batch(["Hit"], install: "browser")
    hits.source = .measurement
    let names = (0..<5_000).map { "Event \($0 % 7)" }
    for start in stride(from: 0, to: Self.rows, by: names.count) {
      _ = try await warehouse.commit(hits, app: app)
      _ = try await warehouse.commit(batch(["Event"], install: "install \(start)"), app: other)
      _ = try await warehouse.commit(
        batch(Array(names.prefix(Self.rows - start)), install: "install \(start)"), app: app)
    }
    #expect(try await Self.count(warehouse.reader, app) > Self.rows)
    try await warehouse.close()
    func contents() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/columns")
      return try Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, try Data(contentsOf: URL(fileURLWithPath: directory.path + "/columns/" + $0)))
        })
    }
    let made = try contents()
    #expect(made.count == 2)
    try SQLiteWarehouse.rebuild(directory: directory.path, catalog: catalog)
    #expect(try contents() == made)
    let reader = try SQLiteWarehouse.openForReading(directory: directory.path, catalog: catalog)
    #expect(try await reader.verify().isClean)
    try reader.close()
  }

  @Test func `a damaged file is found while the warehouse is open, and made from the rows again`() async throws {
    let warehouse = try Self.open(directory)
    #expect(try await Self.count(warehouse.reader, app) == Self.rows)
    let names = try files
    try damage(names[0])
    let found = try warehouse.scrubbedFiles().filter { try warehouse.damage(of: $0) { _ in } != nil }
    #expect(found.map(\.name) == [names[0]])
    #expect(try await warehouse.mend(#require(found.first)))
    #expect(try await Self.count(warehouse.reader, app) == Self.rows)
    #expect(try files == names)
    for file in try warehouse.scrubbedFiles() { #expect(try warehouse.damage(of: file) { _ in } == nil) }
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences)")
    try await warehouse.close()
  }
}
