import AppCatalog
import DataFiles
import Foundation
import Ingest
import TernBase
import TernEvents
import TernServer
import Views
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

extension SimulatedServer {
  /// Does a step; doing it again changes nothing.
  func perform(_ step: ServerStep) async throws {
    switch step {
    case .begin(let names):
      for name in names {
        let app = try app(named: name) ?? catalog.createApp(name: name, timeZone: "America/Los_Angeles")
        if try catalog.views(app: app.id).isEmpty {
          _ = try catalog.createView(app: app.id, name: "All", timeZone: "Europe/Berlin")
        }
      }
    case .commit(let batch, let app): _ = try await warehouse.commit(batch, app: app)
    case .commitToApp(let name, let batch):
      let app = try app(named: name) ?? catalog.createApp(name: name)
      _ = try await warehouse.commit(batch, app: app.id)
    case .flush: try await warehouse.flush()
    case .deletePerson(let person, let app):
      _ = try catalog.requestDeletion(PersonDeletionRequest(person: person, refusesLater: false), app: app)
      try await runJobs()
    case .deleteApp(let name):
      if let app = try app(named: name) { _ = try catalog.requestDeletion(of: app) }
      try await runJobs()
    case .seal(let time): try await warehouse.sealDays(of: catalog.views(), now: time)
    case .deleteView(let app):
      if let view = try catalog.views(app: app).first { _ = try catalog.deleteView(view) }
      try await runJobs()
    case .changeZone(let app, let zone):
      _ = try catalog.changeApp(app, AppChange(timeZone: zone))
      try await runJobs()
    case .removeRows(let app, let day):
      _ = try catalog.requestRemoval(ofRowsOf: app, before: day)
      try await runJobs()
    case .backup(let number):
      let path = "\(directory)-backup-\(number)"
      // One that is complete stays.
      guard !FileManager.default.fileExists(atPath: path) else { return }
      _ = try Backup.create(of: directory, at: path)
    case .addSymbols(let number, let app): try addSymbols(number, app)
    case .importRows(let number, let app): try await importRows(number, app)
    case .setAside(let time, let app):
      // An import may have stored it twice.
      while let row = try await row(at: time, app) {
        guard try await warehouse.quarantine(row, work: "being simulated") else { return }
      }
    case .together(let step, let batch, let app):
      let warehouse = warehouse
      async let commit = warehouse.commit(batch, app: app)
      try await perform(step)
      _ = try await commit
    // Whoever holds the server has done these.
    case .restart, .rebuild: break
    }
  }

  private func addSymbols(_ number: Int, _ app: AppID) throws {
    let files = DataDirectory(path: directory)
    try DataDirectory(path: files.symbolsPath).create()
    // Few builds, so that files take the place of others.
    let (hash, build) = ("5e\(number)", "b\(number % 3)")
    let path = "\(files.symbolsPath)/\(hash)\(SymbolFile.incompleteSuffix)"
    let content = Data("symbols \(number)".utf8)
    try Self.write(content, to: path)
    let file = SymbolFile(
      app: app, buildID: build, architecture: "arm64", image: "App", hash: hash, bytes: content.count, hasLines: true,
      textAddress: 0, author: "simulation", uploaded: Timestamp(millisecondsSince1970: Int64(number)))
    _ = try catalog.addSymbols(file, from: path)
  }

  /// The most rows that are imported, since each import doubles the app's rows.
  private static let importedRows = 300

  /// Imports what the app has, as if it were from another server.
  private func importRows(_ number: Int, _ app: AppID) async throws {
    let path = "\(directory)-import-\(number)"
    let files = FileManager.default
    if !files.fileExists(atPath: path) {
      let lines = try await export(app, .ndjson)
      guard lines.count(where: { $0 == UInt8(ascii: "\n") }) < Self.importedRows else { return }
      // What the operator imports is on disk.
      try Self.write(Data(lines), to: path + ".new")
      try files.moveItem(atPath: path + ".new", toPath: path)
      try DataDirectory(path: directory).syncFolder("\(directory)/..")
    }
    let job = try catalog.addJob(.importFile, app: app, argument: path, audit: .imported, "a simulated file")
    try await runJobs()
    guard try catalog.job(job.id)?.state == .done else { throw SimulationFailure("The import failed.") }
  }

  /// Writes a file for good, as whoever sends it does.
  private static func write(_ content: Data, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw SimulationFailure("\(path) can't be written.") }
    try file.write(contentsOf: content)
    try file.synchronize()
    try file.close()
  }

  private func row(at time: Timestamp, _ app: AppID) async throws -> Int64? {
    let lines = String(decoding: try await export(app, .csv), as: UTF8.self).split(whereSeparator: \.isNewline)
    for line in lines {
      let fields = line.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
      if fields.count > 1, fields[1] == "\(time.millisecondsSince1970)" { return Int64(fields[0]) }
    }
    return nil
  }

  /// Returns the rows of an app, as an export has them.
  func export(_ app: AppID, _ format: ExportRequest.Format) async throws -> [UInt8] {
    guard let app = try catalog.apps().first(where: { $0.id == app }) else { return [] }
    let request = ExportRequest(app: app, format: format, server: "simulation")
    var (bytes, cursor): ([UInt8], ExportCursor?) = ([], .start)
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(request, at: place)
      bytes += page.bytes
      cursor = page.next
    }
    return bytes
  }

  private func app(named name: String) throws -> App? { try catalog.apps().first { $0.name == name } }
}
