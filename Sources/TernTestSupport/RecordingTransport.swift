public import Tern
import TernBase
import TernEvents

/// The common part of scripted transports: records requests, responds according to a script, lets a test wait for a
/// request, and holds requests whose response is to be delayed.
final class RequestRecorder<Request: Sendable>: Sendable {
  private struct State {
    var script: @Sendable (Request) -> ScriptedAnswer
    var requests: [Request] = []
    var active = 0
    var mostActive = 0
    var held: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastHeld = 0
    var isReleased = false
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Locked<State>

  init(_ script: @escaping @Sendable (Request) -> ScriptedAnswer) {
    state = Locked(State(script: script))
  }

  /// Gives these answers in turn, and then accepts everything.
  convenience init(answers: [ScriptedAnswer]) {
    let rest = Locked(answers[...])
    self.init { _ in rest.withLock { $0.popFirst() } ?? .accept }
  }

  func answer(_ script: @escaping @Sendable (Request) -> ScriptedAnswer) {
    state.withLock { $0.script = script }
  }

  /// The requests so far.
  var requests: [Request] { state.withLock { $0.requests } }

  /// The maximum number of concurrent requests so far.
  var mostActive: Int { state.withLock { $0.mostActive } }

  /// Waits until there have been `count` requests, and returns the last of them.
  func request(number count: Int) async -> Request {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requests.count < count { state.waiters.append((count, continuation)) }
        return state.requests.count >= count
      }
      if isThere { continuation.resume() }
    }
    return requests[count - 1]
  }

  /// Releases the held requests.
  ///
  /// - Parameter forGood: True to hold no requests from now on.
  func release(forGood: Bool) {
    let held = state.withLock { state in
      if forGood { state.isReleased = true }
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for continuation in held { continuation.resume() }
  }

  /// Records a request and responds according to the script; `accept` makes the protocol's response of success.
  func send(_ request: Request, _ accept: () -> TransportResult) async -> TransportResult {
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
    let result = await perform(answer, accept)
    state.withLock { $0.active -= 1 }
    return result
  }

  private func perform(_ answer: ScriptedAnswer, _ accept: () -> TransportResult) async -> TransportResult {
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
