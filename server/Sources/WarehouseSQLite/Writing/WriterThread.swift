import Foundation
import GRDB
import Ingest
import RowFiles
import TernEvents
import Threads
import Warehouse

/// The one thread that writes to `warehouse.sqlite`.
///
/// `@unchecked Sendable`: `writer` is used by the thread that opens the warehouse until `start`, and only by the writer
/// thread afterwards.
final class WriterThread: @unchecked Sendable {
  let queue: WriterQueue
  let pool: DatabasePool
  private var writer: Writer?
  private let configuration: WarehouseConfiguration
  private let counting: CountingThread
  private var latestReceived: Int64 = 0
  private var expiredDay: Int64 = 0

  init(
    pool: DatabasePool, queue: WriterQueue, configuration: WarehouseConfiguration, writer: Writer,
    counting: CountingThread
  ) {
    self.counting = counting
    self.pool = pool
    self.queue = queue
    self.configuration = configuration
    self.writer = writer
  }

  /// Starts the thread, which ends some time after the queue is closed. `whenDone` receives the error, if any.
  func start(whenDone: @escaping @Sendable ((any Error)?) -> Void) {
    ThreadKind.writer.start { [self] in
      let failure = pool.writeWithoutTransaction { _ in run() }
      whenDone(failure)
    }
  }

  private func run() -> (any Error)? {
    guard let writer else { return nil }
    while let jobs = queue.take(events: configuration.maximumGroupEvents) {
      perform(jobs, writer)
      counting.committed(through: writer.lastID)
      expireKeys(writer)
    }
    defer { self.writer = nil }
    let results = [Result { try writer.finish() }, Result { try counting.close() }]
    for case .failure(let error) in results { return WarehouseError.from(error) }
    return nil
  }

  private func perform(_ jobs: [WriterJob], _ writer: Writer) {
    var commits: [CommitJob] = []
    func commitWaiting() {
      guard !commits.isEmpty else { return }
      for job in commits { latestReceived = max(latestReceived, job.batch.received.millisecondsSince1970) }
      writer.commit(commits)
      commits = []
    }
    for job in jobs {
      switch job {
      case .commit(let commit): commits.append(commit)
      case .call(let call):
        commitWaiting()
        call(writer)
      }
    }
    commitWaiting()
  }

  /// Deletes expired keys, once a day.
  private func expireKeys(_ writer: Writer) {
    let today = latestReceived / 86_400_000
    guard today > expiredDay, writer.expireKeys(now: latestReceived) else { return }
    expiredDay = today
  }
}
