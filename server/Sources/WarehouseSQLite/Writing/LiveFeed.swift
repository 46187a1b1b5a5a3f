import Ingest
import TernBase
import TernEvents
import Views
import Warehouse

/// Hands stored events to those who watch an app as they arrive; costs nothing while nobody does.
final class LiveFeed: Sendable {
  private struct State {
    var nextID = 0
    var watchers: [Int: (app: AppID, stream: AsyncStream<StoredEvent>.Continuation)] = [:]
    /// What the open transaction has stored for watched apps.
    var waiting: [(app: AppID, event: StoredEvent)] = []
  }

  private let state = Locked(State())

  /// The events of an app from now on; a watcher that is slow loses the oldest of more than `limit`.
  func watch(_ app: AppID, limit: Int) -> AsyncStream<StoredEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoredEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let id = state.withLock { state in
      state.nextID += 1
      state.watchers[state.nextID] = (app, continuation)
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.watchers[id] = nil } }
    return stream
  }

  func isObserved(_ app: AppID) -> Bool {
    state.withLock { state in !state.watchers.isEmpty && state.watchers.values.contains { $0.app == app } }
  }

  /// Forgets what a transaction that was rolled back had stored.
  func begin() { state.withLock { if !$0.waiting.isEmpty { $0.waiting = [] } } }

  func add(_ event: IncomingEvent, _ row: EventRow, _ batch: IncomingBatch, app: AppID) {
    let stored = StoredEvent(
      id: row.id, kind: event.kind, name: event.name, time: event.time, received: batch.received,
      install: Int(row.slot), user: event.user, device: batch.devices[event.device], properties: event.properties)
    state.withLock { $0.waiting.append((app, stored)) }
  }

  /// Sends what the transaction that was just committed has stored.
  func commit() {
    let (events, watchers) = state.withLock { state in
      defer { if !state.waiting.isEmpty { state.waiting = [] } }
      return (state.waiting, state.waiting.isEmpty ? [] : Array(state.watchers.values))
    }
    for (app, event) in events {
      for watcher in watchers where watcher.app == app { watcher.stream.yield(event) }
    }
  }

  /// Ends all streams.
  func finish() {
    let watchers = state.withLock { Array($0.watchers.values) }
    for watcher in watchers { watcher.stream.finish() }
  }
}
