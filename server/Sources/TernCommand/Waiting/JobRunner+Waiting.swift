import AppCatalog
import TernServer
import Warehouse
import WarehouseSQLite

extension JobRunner {
  /// Waits until a job is done: by the server that runs on the directory, or by this process. Says what it waits for.
  ///
  /// - Throws: ``ServerFailure`` if the job has failed, or can't be done because the disk is full; ``WarehouseError`` with code
  ///   `inUse` if a server has taken the directory that reaches it in another way.
  static func wait(for job: DataJob, _ data: DataOption, _ catalog: Catalog) async throws -> String {
    var waiting = JobWaiting(job: job, directory: data.directory)
    var server = OtherServer.none
    while true {
      // The server beside which this command has opened the catalog may have ended.
      try catalog.checkOwner(Terminal.note)
      if let result = try catalog.result(ofJob: job.id) {
        guard !result.isFailed else { throw ServerFailure(result.message) }
        return result.message
      }
      if server.hasEnded(isServed: try catalog.isServed(), now: .now) {
        Terminal.complain("The server has ended. This command does the work in 20 seconds, unless a server runs again.")
      }
      if server.doesTheWork(now: .now) {
        if let current = try catalog.currentJob(for: job),
          let line = try waiting.line(
            current: current, progress: try catalog.progress(ofJob: current.id),
            freeBytes: SQLiteWarehouse.freeDiskBytes(of: data.directory), now: .now)
        {
          Terminal.complain(line)
        }
        try await Task.sleep(for: .milliseconds(100))
      } else {
        do {
          let warehouse = try SQLiteWarehouse(directory: data.directory, catalog: catalog)
          let result = await Result {
            try await showingProgress(catalog) {
              try await JobRunner(warehouse: warehouse, catalog: catalog, directory: data.directory).run()
            }
          }
          try await warehouse.close()
          // Another job may have to wait.
          if try catalog.result(ofJob: job.id) == nil { try result.get() }
        } catch let error as WarehouseError where error.code == .inUse {
          // A server has started in the meantime.
          continue
        }
      }
    }
  }

  /// Does work, and prints every five seconds what was noted of the job that is being done.
  private static func showingProgress(_ catalog: Catalog, _ work: @escaping @Sendable () async throws -> Void)
    async throws
  {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await work() }
      group.addTask {
        var said = ""
        while !Task.isCancelled {
          try? await Task.sleep(for: JobWaiting.interval)
          guard !Task.isCancelled, let job = try? catalog.nextJob(), let progress = try? catalog.progress(ofJob: job.id)
          else { continue }
          let line = "\(JobWaiting.work(of: job)): \(progress.text)"
          if line != said { Terminal.complain(line) }
          said = line
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }
}

extension Catalog {
  /// Returns the job that is being done, as far as the command cares that waits for another: jobs are done in order, but those that
  /// wait until damage is mended keep no other waiting.
  fileprivate func currentJob(for own: DataJob) throws -> DataJob? {
    var current = try nextJob()
    while let job = current, job.id != own.id, try progress(ofJob: job.id)?.obstacle == .damage {
      current = try nextJob(after: job.id)
    }
    return current
  }
}
