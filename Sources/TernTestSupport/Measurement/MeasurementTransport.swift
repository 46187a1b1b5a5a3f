public import Tern
import TernEvents

/// A server of the Measurement Protocol that exists only in memory: it records requests and answers by script.
///
/// Without a script it answers as the original did, with 200 and a picture of one pixel.
public final class MeasurementTransport: Transport {
  /// One request, decoded.
  public struct Request: Sendable {
    /// The request as it was sent.
    public var raw: TransportRequest
    /// The path, such as `/collect`.
    public var path: String
    /// The lines as they were sent.
    public var lines: [String]
    /// The parameters of each hit.
    public var hits: [[String: String]]
  }

  /// How to answer one request.
  public enum Answer: Sendable {
    /// As a server that takes every hit.
    case accept
    /// As a server that takes every hit, but whose answer is lost on the way.
    case acceptAndLoseAnswer
    /// With a status.
    case status(Int, headers: [String: String] = [:], body: String = "")
    /// Not at all.
    case failure(TransportFailure.Kind)
    /// Not before ``MeasurementTransport/release()``, and then by accepting; a cancelled request fails.
    case hold
  }

  private struct State {
    var script: @Sendable (Request) -> Answer
    var requests: [Request] = []
    var received: [[String: String]] = []
    var active = 0
    var mostActive = 0
    var held: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastHeld = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Locked<State>

  /// Creates a server that answers each request as `script` says.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    state = Locked(State(script: script))
  }

  /// Creates a server that gives these answers in turn, and accepts everything after them.
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

  /// The hits accepted so far, in the order of their arrival, repetitions included.
  public var received: [[String: String]] { state.withLock { $0.received } }

  /// The most requests that were under way at a time.
  public var mostActive: Int { state.withLock { $0.mostActive } }

  /// Waits until there have been so many requests, and returns the last of them.
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

  /// Answers the requests that are held now.
  public func release() {
    let held = state.withLock { state in
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for continuation in held { continuation.resume() }
  }

  /// Records a request and answers it by the script.
  public func send(_ request: TransportRequest) async -> TransportResult {
    let decoded = Request(decoding: request)
    let (answer, waiters) = state.withLock { state in
      state.requests.append(decoded)
      state.active += 1
      state.mostActive = max(state.mostActive, state.active)
      let count = state.requests.count
      let ready = state.waiters.filter { $0.count <= count }.map(\.continuation)
      state.waiters.removeAll { $0.count <= count }
      return (state.script(decoded), ready)
    }
    for waiter in waiters { waiter.resume() }
    defer { state.withLock { $0.active -= 1 } }
    switch answer {
    case .accept: return accept(decoded)
    case .acceptAndLoseAnswer:
      _ = accept(decoded)
      return .failure(TransportFailure(.connection, "The connection was reset."))
    case .status(let status, let headers, let body):
      return .response(TransportResponse(status: status, headers: headers, body: Array(body.utf8)))
    case .failure(let kind): return .failure(TransportFailure(kind, "scripted"))
    case .hold:
      await hold()
      return Task.isCancelled ? .failure(TransportFailure(.connection, "cancelled")) : accept(decoded)
    }
  }

  private func accept(_ request: Request) -> TransportResult {
    state.withLock { $0.received += request.hits }
    return .response(TransportResponse(status: 200, headers: ["Content-Type": "image/gif"], body: Array("GIF89a".utf8)))
  }

  private func hold() async {
    let number = state.withLock { state in
      state.lastHeld += 1
      return state.lastHeld
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if Task.isCancelled { return true }
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
