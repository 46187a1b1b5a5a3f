import AppCatalog
import Foundation
import Ingest
import TernBase
import TernEvents
import TernServer
import Views
import Warehouse
import WarehouseSQLite

/// A server's stores on a data directory, as `tern serve` opens them, in small: few rows fill a segment, a span, a run of keys.
final class SimulatedServer {
  let directory: String
  let catalog: Catalog
  let warehouse: SQLiteWarehouse
  private let owner: DirectoryOwner
  private let jobs: JobRunner

  /// Opens a directory, and does the work that waits there.
  ///
  /// - Parameter report: Receives what the stores report.
  init(_ directory: String, report: @escaping @Sendable (String) -> Void) async throws {
    self.directory = directory
    let files = DataDirectory(path: directory)
    try files.create()
    guard let taken = try DirectoryOwner(files, waitingFor: .seconds(3), Self.quickEffects()) else {
      throw SimulationFailure("\(directory) is locked.")
    }
    owner = taken
    catalog = try Catalog(directory: directory, isOwned: true)
    var configuration = WarehouseConfiguration.standard
    configuration.report = report
    // Counting by time would make runs differ.
    configuration.flushInterval = .seconds(86_400)
    configuration.flushEvents = 40
    configuration.recountedRows = 60
    configuration.pendingKeys = 32
    configuration.checkpointPages = 40
    configuration.spanRows = 25
    configuration.segmentBytes = 4_000
    warehouse = try SQLiteWarehouse(directory: directory, owner: owner, catalog: catalog, configuration: configuration)
    jobs = JobRunner(warehouse: warehouse, catalog: catalog, directory: directory)
  }

  /// The readings that tell whether another owner is alive take no time, and there are no others.
  private static func quickEffects() -> DirectoryOwner.Effects {
    var effects = DirectoryOwner.Effects()
    let readings = Locked(0)
    effects.wait = { end in
      let number = readings.withLock { number in
        number += 1
        return number
      }
      if number > 20 { end.wait() }
    }
    return effects
  }

  /// Does the work that waits.
  func runJobs() async throws {
    try await jobs.run()
  }

  func close() async throws {
    try await warehouse.close()
    try catalog.close()
    owner.release()
  }

  /// Does a step; doing it again changes nothing.
  func perform(_ step: ServerStep) async throws {
    switch step {
    case .begin(let names):
      for name in names where try !catalog.apps().contains(where: { $0.name == name }) {
        _ = try catalog.createApp(name: name, timeZone: "America/Los_Angeles")
      }
    case .commit(let batch, let app): _ = try await warehouse.commit(batch, app: app)
    case .flush: try await warehouse.flush()
    case .deletePerson(let person, let app):
      _ = try catalog.requestDeletion(PersonDeletionRequest(person: person, refusesLater: false), app: app)
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
    case .restart: break
    }
  }

  /// Everything that reports show, in words.
  func reports() async throws -> [String] {
    try await warehouse.flush()
    let days = ServerSteps.days
    let reader = warehouse.reader
    var lines: [String] = []
    for app in try catalog.apps() {
      lines.append("app \(app.id) \(app.name) \(app.timeZone)")
      for dimension in Dimension.allCases where ![.property, .dropped].contains(dimension) {
        let counts = try await reader.dailyCounts(app: app.id, dimension: dimension, days: days)
        let totals = try await reader.totals(app: app.id, dimension: dimension, days: days, limit: nil)
        lines += (counts.map { "\($0)" } + totals.map { "\($0)" }).sorted()
      }
      lines.append("\(try await reader.dailyOverview(app: app.id, days: days).users)")
      lines += try await rows(app)
    }
    return lines
  }

  /// The rows of an app without their numbers.
  private func rows(_ app: App) async throws -> [String] {
    let request = ExportRequest(app: app, format: .csv, server: "simulation")
    var (bytes, cursor): ([UInt8], ExportCursor?) = ([], .start)
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(request, at: place)
      bytes += page.bytes
      cursor = page.next
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      String(line.drop { $0 != "," })
    }.sorted()
  }
}
