import AppCatalog
import DataFiles
import Dispatch
import TernBase
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// A server's stores on a data directory, as `tern serve` opens them, in small: few rows fill a segment, a span, a run of keys.
final class SimulatedServer {
  let directory: String
  let catalog: Catalog
  let warehouse: SQLiteWarehouse
  /// The job that waited when the catalog was opened.
  let waitingJob: DataJob.Kind?
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
    waitingJob = try catalog.nextJob()?.kind
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
    configuration.chunkRows = 30
    configuration.recognizedAge = ServerSteps.recognizedAge
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
    await warehouse.finishQuarantine()
  }

  /// Makes everything that is derived from rows anew, as `tern rebuild` does while no server runs.
  static func rebuild(_ directory: String) throws {
    let catalog = try Catalog(directory: directory)
    try SQLiteWarehouse.rebuild(directory: directory, catalog: catalog)
    try catalog.close()
  }

  func close() async throws {
    try await warehouse.close()
    try catalog.close()
    owner.release()
  }
}
