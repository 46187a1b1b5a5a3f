public import Tern
import TernEvents

/// A collector that exists only in memory: it records requests and answers by script.
///
/// Without a script it accepts everything, and says which events it has had before, as a collector does.
public final class ScriptedTransport: Transport {
  /// One request, decoded.
  public struct Request: Sendable {
    /// The request as it was sent.
    public var raw: TransportRequest
    /// Its body, decompressed.
    public var body: [UInt8]
    /// Its events; lines that are not events are left out.
    public var events: [ReceivedEvent]
  }

  /// How to answer one request.
  public enum Answer: Sendable {
    /// As a collector that takes every event it has not had before.
    case accept
    /// As a collector that has it all, but whose answer is lost on the way.
    case acceptAndLoseAnswer
    /// With a status and a body.
    case status(Int, headers: [String: String] = [:], body: String = "")
    /// Not at all.
    case failure(TransportFailure.Kind)
    /// Not before ``ScriptedTransport/release()``, and then by accepting.
    case hold
  }

  private struct State {
    var script: @Sendable (Request) -> Answer
    var requests: [Request] = []
    var received: [ReceivedEvent] = []
    var known: Set<String> = []
    var active = 0
    var mostActive = 0
    var held: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextHeld = 0
    var isReleased = false
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func accept(_ request: Request) -> TransportResult {
      var duplicates: [Int] = []
      for (index, event) in request.events.enumerated() {
        if known.insert(event.id).inserted { received.append(event) } else { duplicates.append(index) }
      }
      let accepted = request.events.count - duplicates.count
      let body = "{\"accepted\":\(accepted),\"duplicates\":\(duplicates),\"rejected\":[]}"
      return .response(TransportResponse(status: 200, body: Array(body.utf8)))
    }
  }

  private let state: Locked<State>

  /// Creates a transport that answers each request as `script` says.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    state = Locked(State(script: script))
  }

  /// Creates a transport that gives these answers in turn, and accepts everything after them.
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

  /// The events accepted so far, each once, in the order of their arrival.
  public var received: [ReceivedEvent] { state.withLock { $0.received } }

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

  /// Answers the requests that are held, and holds none from now on.
  public func release() {
    let held = state.withLock { state in
      state.isReleased = true
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
    let result = await result(answer, decoded)
    state.withLock { $0.active -= 1 }
    return result
  }

  private func result(_ answer: Answer, _ request: Request) async -> TransportResult {
    switch answer {
    case .accept: return state.withLock { $0.accept(request) }
    case .acceptAndLoseAnswer:
      _ = state.withLock { $0.accept(request) }
      return .failure(TransportFailure(.connection, "The connection was reset."))
    case .status(let status, let headers, let body):
      return .response(TransportResponse(status: status, headers: headers, body: Array(body.utf8)))
    case .failure(let kind): return .failure(TransportFailure(kind, "scripted"))
    case .hold:
      await hold()
      if Task.isCancelled { return .failure(TransportFailure(.connection, "cancelled")) }
      return state.withLock { $0.accept(request) }
    }
  }

  private func hold() async {
    let number = state.withLock { state in
      state.nextHeld += 1
      return state.nextHeld
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
