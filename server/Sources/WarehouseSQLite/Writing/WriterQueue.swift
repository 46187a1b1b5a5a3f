import Dispatch
import Ingest
import RowFiles
import TernBase
import Warehouse

/// A job for the writer thread.
enum WriterJob {
  case commit(CommitJob)
  /// A call to run on the writer thread, between transactions.
  case call(@Sendable (Writer) -> Void)
}

/// A batch to be stored, and its waiting caller.
package struct CommitJob {
  var batch: IncomingBatch
  var app: AppID
  var waiter: CheckedContinuation<CommitReceipt, any Error>
  /// The cost of the batch, in events. An event with many properties counts as several, to bound memory.
  let weight: Int

  init(batch: IncomingBatch, app: AppID, waiter: CheckedContinuation<CommitReceipt, any Error>) {
    self.batch = batch
    self.app = app
    self.waiter = waiter
    weight = batch.events.reduce(0) { $0 + 1 + $1.properties.count / 8 }
  }
}

/// The queue of the writer thread.
///
/// The thread takes all waiting jobs at once, so transactions grow with the load.
final class WriterQueue: Sendable {
  private struct State {
    var jobs: [WriterJob] = []
    /// The weight of the waiting batches, in events.
    var waiting = 0
    var isWriterAsleep = false
    var isClosed = false
  }

  private let state = Locked(State())
  private let wake = DispatchSemaphore(value: 0)
  let maximumEvents: Int

  init(maximumEvents: Int) { self.maximumEvents = maximumEvents }

  /// True if the limit of waiting events is reached.
  var isFull: Bool { state.withLock { $0.waiting >= maximumEvents } }

  /// Appends a batch. Throws if too many events are waiting or the queue is closed.
  func append(_ job: CommitJob) throws {
    let mustWake = try state.withLock { state in
      guard !state.isClosed else { throw WarehouseError.closed }
      guard state.waiting == 0 || state.waiting + job.weight <= maximumEvents else {
        throw WarehouseError(.busy, "The writer is behind by \(state.waiting) events. Try again shortly.")
      }
      state.jobs.append(.commit(job))
      state.waiting += job.weight
      defer { state.isWriterAsleep = false }
      return state.isWriterAsleep
    }
    if mustWake { wake.signal() }
  }

  /// Appends a call. Throws if the queue is closed.
  func append(_ call: @escaping @Sendable (Writer) -> Void) throws {
    let mustWake = try state.withLock { state in
      guard !state.isClosed else { throw WarehouseError.closed }
      state.jobs.append(.call(call))
      defer { state.isWriterAsleep = false }
      return state.isWriterAsleep
    }
    if mustWake { wake.signal() }
  }

  /// Closes the queue; returns false if it was already closed.
  func close() -> Bool {
    let (isFirst, mustWake) = state.withLock { state in
      defer {
        state.isClosed = true
        state.isWriterAsleep = false
      }
      return (!state.isClosed, state.isWriterAsleep)
    }
    if mustWake { wake.signal() }
    return isFirst
  }

  /// Takes jobs of up to about `events` events, waiting for the first; returns `nil` if the queue is closed and empty.
  func take(events: Int) -> [WriterJob]? {
    while true {
      let (jobs, isClosed) = state.withLock { state in
        let jobs = Self.take(&state, events: events)
        state.isWriterAsleep = jobs.isEmpty && !state.isClosed
        return (jobs, state.isClosed)
      }
      if !jobs.isEmpty { return jobs }
      if isClosed { return nil }
      wake.wait()
    }
  }

  private static func take(_ state: inout State, events: Int) -> [WriterJob] {
    var taken = 0
    var count = 0
    for job in state.jobs {
      if case .commit(let commit) = job {
        guard taken == 0 || taken + commit.weight <= events else { break }
        taken += commit.weight
      }
      count += 1
    }
    state.waiting -= taken
    if count == state.jobs.count {
      defer { state.jobs = [] }
      return state.jobs
    }
    defer { state.jobs.removeFirst(count) }
    return Array(state.jobs[..<count])
  }
}
