public import Tern
import TernBase
import TernEvents

/// A server that exists only in memory, such as a collector.
public protocol InMemoryServer: Sendable {
  /// A request, decoded.
  associatedtype Request: Sendable
  /// The records that the server stores from a request, such as events.
  associatedtype Item: Sendable

  /// Creates a server that has stored nothing.
  init()

  /// Decodes a request.
  static func decode(_ request: TransportRequest) -> Request

  /// Stores a request and answers it.
  mutating func accept(_ request: Request) -> TransportResult

  /// The items stored so far, in order of arrival.
  var received: [Item] { get }
}

/// A transport to an in-memory server: records requests, responds according to a script, lets a test wait for a request,
/// and holds requests whose response is to be delayed.
///
/// Without a script, the server accepts everything.
public final class RecordingTransport<Server: InMemoryServer>: Transport {
  /// One request, decoded.
  public typealias Request = Server.Request
  /// The answer to one request.
  public typealias Answer = ScriptedAnswer

  private struct State {
    var script: @Sendable (Request) -> Answer
    var server = Server()
    var requests: [Request] = []
    var active = 0
    var mostActive = 0
    var held: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastHeld = 0
    var isReleased = false
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Locked<State>

  /// Creates a transport that responds to each request according to `script`.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    state = Locked(State(script: script))
  }

  /// Creates a transport that gives these answers in turn, and then accepts everything.
  public convenience init(answers: [Answer]) {
    let rest = Locked(answers[...])
    self.init { _ in rest.withLock { $0.popFirst() } ?? .accept }
  }

  /// Replaces the script.
  public func answer(_ script: @escaping @Sendable (Request) -> Answer) {
    state.withLock { $0.script = script }
  }

  /// The requests so far.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The items that the server accepted so far, in order of arrival.
  public var received: [Server.Item] { state.withLock { $0.server.received } }

  /// The maximum number of concurrent requests so far.
  public var mostActive: Int { state.withLock { $0.mostActive } }

  /// Waits until there have been `count` requests, and returns the last of them.
  @discardableResult
  public func request(number count: Int) async -> Request {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requests.count < count { state.waiters.append((count, continuation)) }
        return state.requests.count >= count
      }
      if isThere { continuation.resume() }
    }
    return requests[count - 1]
  }

  /// Answers the held requests, and holds none from now on.
  public func release() {
    let held = state.withLock { state in
      state.isReleased = true
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for continuation in held { continuation.resume() }
  }

  /// Records a request and responds according to the script.
  public func send(_ request: TransportRequest) async -> TransportResult {
    let request = Server.decode(request)
    let (answer, waiters) = state.withLock { state in
      state.requests.append(request)
      state.active += 1
      state.mostActive = max(state.mostActive, state.active)
      let count = state.requests.count
      let ready = state.waiters.filter { $0.count <= count }.map(\.continuation)
      state.waiters.removeAll { $0.count <= count }
      return (state.script(request), ready)
    }
    for waiter in waiters { waiter.resume() }
    let result = await perform(answer, request)
    state.withLock { $0.active -= 1 }
    return result
  }

  private func perform(_ answer: Answer, _ request: Request) async -> TransportResult {
    func accept() -> TransportResult { state.withLock { $0.server.accept(request) } }
    switch answer {
    case .accept: return accept()
    case .acceptAndLoseAnswer:
      _ = accept()
      return .failure(TransportFailure(.connection, "The connection was reset."))
    case .status(let status, let headers, let body):
      return .response(TransportResponse(status: status, headers: headers, body: Array(body.utf8)))
    case .failure(let kind): return .failure(TransportFailure(kind, "scripted"))
    case .hold:
      await hold()
      return Task.isCancelled ? .failure(TransportFailure(.connection, "cancelled")) : accept()
    }
  }

  /// Returns when the request is released or cancelled.
  private func hold() async {
    let number = state.withLock { state in
      state.lastHeld += 1
      return state.lastHeld
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.isReleased || Task.isCancelled { return true }
          state.held[number] = continuation
          return false
        }
        if isFree { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.held.removeValue(forKey: number) }?.resume()
    }
  }
}

/// The response of an in-memory server of any protocol.
public enum ScriptedAnswer: Sendable {
  /// Accepts everything.
  case accept
  /// Stores everything, but the response is lost.
  case acceptAndLoseAnswer
  /// Responds with a status and a body.
  case status(Int, headers: [String: String] = [:], body: String = "")
  /// Does not respond.
  case failure(TransportFailure.Kind)
  /// Responds only after the transport's `release()`, by accepting; a cancelled request fails.
  case hold
}
