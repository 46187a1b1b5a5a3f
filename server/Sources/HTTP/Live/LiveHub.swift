import ServiceLifecycle
import TernBase
package import Warehouse

/// Wakes the streams of live events after commits.
///
/// Each stream reads the new rows itself, so even a slow listener costs one pending wake-up, never a queue.
package final class LiveHub: Service {
  private struct State {
    var listeners: [AppID: [Int: AsyncStream<Void>.Continuation]] = [:]
    var nextListener = 0
    var open = 0
  }

  private let state = Locked(State())
  private let heartbeat: Duration

  /// - Parameter heartbeat: The interval between heartbeats on silent streams.
  package init(heartbeat: Duration = .seconds(15)) {
    self.heartbeat = heartbeat
  }

  /// The number of open streams.
  package var openStreams: Int { state.withLock { $0.open } }

  /// Reserves a place for one more stream, or returns `nil` at the maximum.
  package func place(maximum: Int) -> Place? {
    let isFree = state.withLock { state in
      guard state.open < maximum else { return false }
      state.open += 1
      return true
    }
    return isFree ? Place(hub: self) : nil
  }

  /// The place of one stream, freed when the last reference is released.
  package final class Place: Sendable {
    private let hub: LiveHub

    fileprivate init(hub: LiveHub) { self.hub = hub }

    deinit { hub.state.withLock { $0.open -= 1 } }
  }

  /// Wakes the streams of an app.
  package func stored(_ app: AppID) {
    let woken = state.withLock { $0.listeners[app].map { Array($0.values) } }
    for continuation in woken ?? [] { continuation.yield() }
  }

  /// Returns a stream of wake-ups for an app: after commits, and with every heartbeat.
  package func wakeUps(of app: AppID) -> (stream: AsyncStream<Void>, finish: @Sendable () -> Void) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = state.withLock { state in
      state.nextListener += 1
      state.listeners[app, default: [:]][state.nextListener] = continuation
      return state.nextListener
    }
    continuation.onTermination = { [state] _ in
      state.withLock { state in
        state.listeners[app]?[listener] = nil
        if state.listeners[app]?.isEmpty == true { state.listeners[app] = nil }
      }
    }
    return (stream, { continuation.finish() })
  }

  /// Sends heartbeats until the server is asked to stop.
  package func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: self.heartbeat)
        self.beat()
      }
    }
  }

  /// Wakes every stream.
  func beat() {
    let woken = state.withLock { $0.listeners.values.flatMap(\.values) }
    for continuation in woken { continuation.yield() }
  }
}
