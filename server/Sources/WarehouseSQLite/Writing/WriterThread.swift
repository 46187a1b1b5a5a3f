import Foundation
import GRDB
import Ingest
import TernEvents
import Views
import Warehouse

/// The one thread that writes to `warehouse.sqlite`.
///
/// `@unchecked Sendable`: `writer` is used by the thread that opens the warehouse until `start`, and only by the writer
/// thread afterwards.
final class WriterThread: @unchecked Sendable {
  /// The age at which keys are deleted. Older events are not accepted.
  private static let keyLifetime = DuplicateIndex.lifetimeDays * 86_400_000

  let queue: WriterQueue
  let pool: DatabasePool
  private var writer: Writer?
  private let configuration: WarehouseConfiguration
  private let didFlush: @Sendable () -> Void
  private var flushes: FlushPacing
  private var latestReceived: Int64 = 0
  private var expiredDay: Int64 = 0

  /// - Parameter didFlush: Runs after rollups were written, for what is derived from rows on other threads.
  init(
    pool: DatabasePool, queue: WriterQueue, configuration: WarehouseConfiguration, writer: Writer,
    didFlush: @escaping @Sendable () -> Void
  ) {
    self.didFlush = didFlush
    self.pool = pool
    self.queue = queue
    self.configuration = configuration
    flushes = FlushPacing(interval: configuration.flushInterval)
    self.writer = writer
  }

  /// Starts the thread, which ends some time after the queue is closed. `whenDone` receives the error, if any.
  func start(whenDone: @escaping @Sendable ((any Error)?) -> Void) {
    let thread = Thread { [self] in
      let failure = pool.writeWithoutTransaction { _ in run() }
      whenDone(failure)
    }
    thread.name = "tern-writer"
    thread.stackSize = 4 << 20
    thread.start()
  }

  private func run() -> (any Error)? {
    guard let writer else { return nil }
    if writer.hasUnrolled { flushes.needsFlush(at: .now) }
    while let jobs = queue.take(events: configuration.maximumGroupEvents, waitingFor: waitingTime(writer)) {
      perform(jobs, writer)
      flushIfDue(writer)
    }
    defer { self.writer = nil }
    do {
      try writer.finish()
      return nil
    } catch {
      return WarehouseError.from(error)
    }
  }

  private func waitingTime(_ writer: Writer) -> Duration {
    flushes.due.map { max(.zero, ContinuousClock.now.duration(to: $0)) } ?? .seconds(3_600)
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
    if writer.hasUnrolled { flushes.needsFlush(at: .now) }
  }

  private func flushIfDue(_ writer: Writer) {
    guard let due = flushes.due else { return }
    let hasMany = writer.lastID - writer.rolledID >= Int64(configuration.flushEvents) || writer.properties.isLarge
    let now = ContinuousClock.now
    guard hasMany || now >= due else { return }
    do {
      try writer.flush()
      flushes.flushed(from: now, to: .now)
      didFlush()
      expireKeys(writer)
    } catch {
      // The rows are safe; their rollups will be written once there is space again.
      flushes.failed(at: .now)
    }
  }

  /// Deletes expired keys, once a day.
  private func expireKeys(_ writer: Writer) {
    let today = latestReceived / 86_400_000
    guard today > expiredDay, writer.duplicates.expire(before: latestReceived - Self.keyLifetime) else { return }
    expiredDay = today
  }
}
