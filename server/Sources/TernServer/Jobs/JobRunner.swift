package import AppCatalog
import Foundation
import Ingest
import Reports
import Shipping
import TernBase
package import TernEvents
import Warehouse
package import WarehouseSQLite
import WarehouseUpkeep

/// Does the work that waits in the catalog. The process must hold the warehouse's lock.
package struct JobRunner {
  package let warehouse: SQLiteWarehouse
  package let catalog: Catalog
  /// The data directory.
  package let directory: String
  /// The copying of rows to a cluster; `nil` if there is none.
  package let copy: ClusterCopy?
  /// The age at which events are refused.
  package let recognizedAge: Duration
  /// The deletions that are done here, and wait for the cluster, with what they have done.
  private let deletedHere = Locked<[Int64: String]>([:])
  /// The deletions that wait until damage is mended: each attempt reads all rows of the app.
  private let refused = Locked<Set<Int64>>([])

  package init(
    warehouse: SQLiteWarehouse, catalog: Catalog, directory: String, copy: ClusterCopy? = nil,
    recognizedAge: Duration = IngestLimits.native.maximumAge
  ) {
    self.recognizedAge = recognizedAge
    (self.warehouse, self.catalog, self.directory, self.copy) = (warehouse, catalog, directory, copy)
  }

  /// A deletion is done here, but not on the cluster. Other work goes on meanwhile.
  private struct WaitsForCluster: Error {}

  /// Does all waiting work.
  ///
  /// - Throws: A `WarehouseError` with code `rowsAway` or `damaged`, after all other work, if some can't be done now. Damage is
  ///   reported once for each deletion, until ``retryRefused()``.
  package func run() async throws {
    var last: Int64 = 0
    var waiting: WarehouseError?
    while !Task.isCancelled, let job = try catalog.nextJob(after: last) {
      if refused.withLock({ $0.contains(job.id) }) {
        last = job.id
        continue
      }
      // A command that waits must not take an earlier attempt for this one.
      if try catalog.progress(ofJob: job.id)?.obstacle != nil {
        try? catalog.note(DataJob.Progress(text: "Trying again."), ofJob: job.id)
      }
      do {
        try catalog.finishJob(job.id, DataJob.Result(message: try await perform(job)))
        if job.kind == .deletePerson { try await warehouse.forgetDeletion(ofJob: job.id) }
        if [.deletePerson, .deleteApp].contains(job.kind) { try catalog.emptyLog() }
        removeInput(of: job)
      } catch is WaitsForCluster {
        last = job.id
      } catch let error as WarehouseError where error.code == .rowsAway {
        // Other jobs needn't wait for the cluster.
        try? catalog.note(DataJob.Progress(text: error.message), ofJob: job.id)
        (last, waiting) = (job.id, error)
      } catch let error as WarehouseError where error.code == .damaged && Self.deletions.contains(job.kind) {
        // A deletion that someone asked for is never forgotten, and never called done while its rows may still be there.
        var error = error
        error.message += " Then this deletion goes on by itself."
        try? catalog.note(DataJob.Progress(text: error.message, obstacle: .damage), ofJob: job.id)
        refused.withLock { _ = $0.insert(job.id) }
        (last, waiting) = (job.id, error)
      } catch is CancellationError {
        // The server ends. The job begins again at the next start.
        throw CancellationError()
      } catch let error as WarehouseError where [.full, .unavailable, .held].contains(error.code) {
        // Not the job's fault: it is tried again. On a full disk there may be no room for the reason either.
        try? catalog.note(
          DataJob.Progress(text: error.message, obstacle: error.code == .full ? .disk : nil), ofJob: job.id)
        throw error
      } catch {
        try catalog.finishJob(job.id, DataJob.Result(isFailed: true, message: ServerFailure.reason(of: error)))
        removeInput(of: job)
      }
    }
    if let waiting { throw waiting }
  }

  private static let deletions: Set<DataJob.Kind> = [.deletePerson, .deleteApp, .removeRows]

  /// Tries deletions again that damage has kept from being done.
  func retryRefused() { refused.withLock { $0 = [] } }

  /// Removes what `tern import -` read from standard input, which stays until its job is done.
  private func removeInput(of job: DataJob) {
    if [.importFile, .importAppCenter].contains(job.kind) { ImportInput.removeCopy(job.argument) }
  }

  /// Removes the rows of all apps that are older than the apps keep them.
  ///
  /// - Returns: The first error if some of them can't be read. The others are gone.
  func removeOldRows(now: Timestamp) async throws -> WarehouseError? {
    var failure: WarehouseError?
    for app in try catalog.apps() {
      guard let keeping = app.keeping else { continue }
      let today = ReportZone(app.zone).day(of: now)
      do {
        try await warehouse.removeRows(
          of: app.id, before: keeping.firstDay(today: today), views: try catalog.views(app: app.id))
      } catch let error as WarehouseError where [.rowsAway, .damaged].contains(error.code) {
        failure = failure ?? error
      }
    }
    return failure
  }

  /// Moves old rows of all apps to the cluster.
  package func retireRows(
    receivedBefore time: Timestamp, now: Timestamp, progress: (Int) -> Void = { _ in }
  ) async throws -> RowRetirement.Summary {
    guard let copy else {
      throw ServerFailure("The server was started without --clickhouse. Start it with that option.")
    }
    let limit = RowRetirement.limit(before: time, recognizedAge: recognizedAge, now: now)
    return try await ServerFailure.describing {
      try await RowRetirement(warehouse: warehouse, shipping: copy.shipping).run(
        receivedBefore: limit, progress: progress)
    }
  }

  private func retireRows(_ job: DataJob) async throws -> String {
    let time = Timestamp(millisecondsSince1970: Int64(job.argument) ?? 0)
    return try await retireRows(receivedBefore: time, now: WallClock.system()) {
      try? catalog.note(DataJob.Progress(text: "\(grouped($0)) rows have left."), ofJob: job.id)
    }.text
  }

  private func perform(_ job: DataJob) async throws -> String {
    switch job.kind {
    case .importFile: return try await importFile(job, to: try app(of: job))
    case .importAppCenter: return try await importAppCenter(job, to: try app(of: job))
    case .deleteApp:
      let app = try app(of: job)
      let message = try await deleted(by: job) {
        try await warehouse.delete(app: app.id, views: try catalog.views(app: app.id).map(\.id))
        return "Deleted app \(app.id), \"\(visible(app.name))\", and all its data."
      }
      try catalog.finishDeletion(of: app.id, job: job.id, DataJob.Result(message: message))
      return message
    case .deletePerson:
      let app = try app(of: job)
      guard let request = PersonDeletionRequest(job.argument) else { throw ServerFailure("The job has no person.") }
      return try await deleted(by: job) {
        // Once the rows are gone, no alias says which other filters name the person.
        let names = try await warehouse.identifiers(joinedWith: request.person, app: app.id)
        let forgotten = try catalog.forget([request.person] + names.map { .user($0) }, app: app.id)
        try await warehouse.delete(
          request, identifiers: names, app: app.id, views: try catalog.views(app: app.id).map(\.id), job: job.id)
        let filters = forgotten.text.isEmpty ? "" : " Filters named the person: \(forgotten.text)."
        return "Deleted the person's data in app \(app.id), \"\(visible(app.name))\".\(filters)"
      }
    case .changeZone:
      let app = try app(of: job)
      var noted: ContinuousClock.Instant?
      let note = { [catalog] (done: Int, all: Int) in
        guard noted.map({ .now - $0 >= .seconds(1) }) ?? true else { return }
        noted = .now
        try? catalog.note(
          DataJob.Progress(text: "\(grouped(done)) of \(counted(all, "day")) done."), ofJob: job.id)
      }
      try await warehouse.recountDays(of: app.id, progress: note)
      // Rows on the cluster still have days in the previous zone.
      try forgetShippedDays()
      return "Recounted the days of app \(app.id), \"\(visible(app.name))\", in \(app.timeZone)."
    case .retireRows: return try await retireRows(job)
    case .removeRows:
      let app = try app(of: job)
      guard let day = Day(job.argument) else { throw ServerFailure("The job has no day.") }
      let hasRemoved = try await warehouse.removeRows(
        of: app.id, before: day, views: try catalog.views(app: app.id))
      return hasRemoved
        ? "Removed the rows of app \(app.id), \"\(visible(app.name))\", before \(day)."
        : "No rows of app \(app.id) could be removed yet: views haven't closed their days."
    case .deleteView:
      if let number = Int64(job.argument) { try await warehouse.delete(view: ViewID(number)) }
      return "Deleted view \(job.argument) of app \(job.app)."
    }
  }

  /// Returns the app of a job, which may be newer than the apps in memory.
  private func app(of job: DataJob) throws -> App {
    guard let app = try catalog.apps().first(where: { $0.id == job.app }) else {
      throw WarehouseError(.unknownApp, "There is no app \(job.app).")
    }
    return app
  }

  /// Has all rows on the cluster compared with those here, by the next server with a cluster if this one has none.
  private func forgetShippedDays() throws {
    if let copy { return try copy.shipping.manifest.forgetSegments() }
    guard ClusterConnection.hasManifest(directory: directory) else { return }
    let manifest = try ClusterConnection.manifest(directory: directory, catalog)
    try manifest.forgetSegments()
    try manifest.close()
  }

  /// Deletes here, then waits a moment for the cluster; if that takes longer, the job goes on at the next run.
  private func deleted(by job: DataJob, _ delete: () async throws -> String) async throws -> String {
    let known = deletedHere.withLock { $0[job.id] }
    let message = if let known { known } else { try await delete() }
    guard let copy else {
      let isCopied = ClusterConnection.hasManifest(directory: directory)
      return isCopied ? "\(message) The cluster still has the data until a server runs with --clickhouse." : message
    }
    deletedHere.withLock { $0[job.id] = message }
    let reason: String
    do {
      guard let waiting = try await copy.shipping.settle(within: Self.patience) else {
        deletedHere.withLock { $0[job.id] = nil }
        return message
      }
      reason = waiting
    } catch {
      try Task.checkCancellation()
      reason = "\(error)"
    }
    try? catalog.note(DataJob.Progress(text: "Deleted here; waits for the cluster. \(reason)"), ofJob: job.id)
    throw WaitsForCluster()
  }

  private static let patience: Duration = .seconds(5)

  private func importFile(_ job: DataJob, to app: App) async throws -> String {
    let file = try ImportFile(job.argument)
    var noted = ContinuousClock.now
    let summary = try await warehouse.importRows(to: app, server: try Self.serverName(catalog)) { rows in
      guard .now - noted >= .seconds(1) else { return }
      noted = .now
      try? catalog.note(DataJob.Progress(text: "\(counted(rows, "row")) so far."), ofJob: job.id)
    } read: {
      try file.read()
    }
    let duplicates = summary.duplicates == 0 ? "" : "; \(grouped(summary.duplicates)) were stored already"
    return "Imported \(counted(summary.rows, "row")) into app \(app.id)\(duplicates)."
  }

  /// The text by which this server recognizes its own exports.
  package static func serverName(_ catalog: Catalog) throws -> String {
    let secret = try catalog.duplicateSecret()
    return DuplicateHashKey(secret.0, secret.1).fingerprint
  }
}
