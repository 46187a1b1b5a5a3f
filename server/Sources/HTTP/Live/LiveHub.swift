import HTTPTypes
import ServerBase
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
    /// The open streams by visitor.
    var open = ConcurrencyCounts<String>()
  }

  private let state = Locked(State())
  private let heartbeat: Duration

  /// - Parameter heartbeat: The interval between heartbeats on silent streams.
  package init(heartbeat: Duration = .seconds(15)) {
    self.heartbeat = heartbeat
  }

  /// The number of open streams.
  package var openStreams: Int { state.withLock { $0.open.total } }

  /// Reserves a place for one more stream of a visitor; throws ``APIError`` 503 if there is none.
  package func place(for visitor: String, _ limits: CollectorLimits) throws(APIError) -> Place {
    try state.withLock { state throws(APIError) in
      guard state.open[visitor] < limits.maximumLiveStreamsPerVisitor else {
        throw .tooManyStreams(
          "You have \(limits.maximumLiveStreamsPerVisitor) live pages open, the most possible. Close one, then reload.",
          limits)
      }
      guard state.open.total < limits.maximumLiveStreams else {
        throw .tooManyStreams("All users together have too many live pages open. Close one, or reload later.", limits)
      }
      state.open.began(visitor)
    }
    return Place(hub: self, visitor: visitor)
  }

  /// The place of one stream, freed when the last reference is released.
  package final class Place: Sendable {
    private let hub: LiveHub
    private let visitor: String

    fileprivate init(hub: LiveHub, visitor: String) { (self.hub, self.visitor) = (hub, visitor) }

    deinit { hub.state.withLock { $0.open.ended(visitor) } }
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

extension APIError {
  fileprivate static func tooManyStreams(_ message: String, _ limits: CollectorLimits) -> APIError {
    APIError(
      status: .serviceUnavailable, code: "too_many_streams", message: message,
      headers: [.retryAfter: String(limits.retryAfterSeconds)])
  }
}
