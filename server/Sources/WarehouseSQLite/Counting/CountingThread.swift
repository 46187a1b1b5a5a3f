import Dispatch
import Foundation
import RowFiles
import TernBase
import Threads
import Warehouse

/// The thread that counts committed rows, some time after they were committed.
///
/// `@unchecked Sendable`: `counter` is used by the thread that opens the warehouse until `start`, and only by the
/// counting thread afterwards.
package final class CountingThread: @unchecked Sendable {
  private typealias Call = @Sendable (EventCounter) -> Void

  private struct State {
    var calls: [Call] = []
    /// The ID of the last row known to be committed.
    var committedRow: Int64 = 0
    var isAsleep = false
    /// True if the thread sleeps until rows arrive, rather than until they are due.
    var isIdle = false
    var isClosed = false
  }

  private let state = Locked(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let counter: EventCounter
  private let didCount: @Sendable ((any Error)?) -> Void
  private var pacing: FlushPacing

  /// - Parameter didCount: Runs after counts were stored, and after counting failed.
  init(_ counter: EventCounter, interval: Duration, didCount: @escaping @Sendable ((any Error)?) -> Void) {
    self.counter = counter
    self.didCount = didCount
    pacing = FlushPacing(interval: interval)
  }

  func start() {
    ThreadKind.counting.start { [self] in
      run()
      ended.signal()
    }
  }

  /// Must be called when rows are committed, with the ID of the last one.
  func committed(through row: Int64) {
    let mustWake = state.withLock { state in
      state.committedRow = row
      guard state.isIdle else { return false }
      (state.isIdle, state.isAsleep) = (false, false)
      return true
    }
    if mustWake { wake.signal() }
  }

  /// Runs `body` on the counting thread.
  @discardableResult
  package func perform<Value: Sendable>(_ body: @escaping @Sendable (EventCounter) throws -> Value) async throws
    -> Value
  {
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Value, any Error>) in
      let isClosed = change { state in
        guard !state.isClosed else { return true }
        state.calls.append { counter in
          waiter.resume(with: Result { try body(counter) }.mapError { WarehouseError.from($0) as any Error })
        }
        return false
      }
      if isClosed { waiter.resume(throwing: WarehouseError.closed) }
    }
  }

  /// Counts all committed rows.
  package func flush() async throws {
    try await perform { [didCount] counter in
      do {
        try counter.count()
      } catch {
        didCount(error)
        throw error
      }
    }
    didCount(nil)
  }

  /// The time for counting what is left at the end.
  private static let closingTime: Duration = .seconds(2)

  /// Counts the committed rows, as many as there is time for, and ends the thread. Must be called once, after the last
  /// commit. The next start counts what is left.
  func close() throws {
    change { $0.isClosed = true }
    ended.wait()
    let end = ContinuousClock.now + Self.closingTime
    do {
      try counter.count(isStopped: { .now >= end })
    } catch let error as WarehouseError where error.code == .held {
      // The next start counts them.
    } catch is RowFailure {
      // Like those, after it has set the row aside.
    }
    try counter.finish()
  }

  @discardableResult
  private func change<Value>(_ body: (inout State) -> Value) -> Value {
    let (value, mustWake) = state.withLock { state in
      let value = body(&state)
      defer { (state.isIdle, state.isAsleep) = (false, false) }
      return (value, state.isAsleep)
    }
    if mustWake { wake.signal() }
    return value
  }

  private func run() {
    while true {
      let (calls, committedRow, isClosed) = state.withLock { state in
        defer { state.calls = [] }
        return (state.calls, state.committedRow, state.isClosed)
      }
      for call in calls { call(counter) }
      if isClosed { return }
      if committedRow > counter.countedRow { pacing.needsFlush(at: .now) }
      if let due = pacing.due, due <= .now {
        countDueRows()
      } else {
        sleep(after: committedRow)
      }
    }
  }

  private func countDueRows() {
    do {
      let storing = try counter.count(isStopped: { state.withLock { $0.isClosed } })
      let now = ContinuousClock.now
      pacing.flushed(from: now - storing, to: now)
      didCount(nil)
    } catch {
      // The rows are safe; they will be counted when counting works again.
      pacing.failed(at: .now)
      didCount(error)
    }
  }

  /// Waits for a change, unless there was one since the state was read, or until rows are due.
  private func sleep(after committedRow: Int64) {
    let due = pacing.due
    let mustSleep = state.withLock { state in
      guard state.calls.isEmpty, !state.isClosed, due != nil || state.committedRow == committedRow else { return false }
      state.isAsleep = true
      state.isIdle = due == nil
      return true
    }
    guard mustSleep else { return }
    guard let due else { return wake.wait() }
    _ = wake.wait(timeout: .now() + .nanoseconds(Int(clamping: ContinuousClock.now.duration(to: due).nanoseconds)))
    state.withLock { $0.isAsleep = false }
  }
}
