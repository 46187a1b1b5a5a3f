public import Tern
import TernBase
import TernEvents

/// An in-memory collector, which records requests and responds according to a script.
///
/// Without a script, it accepts everything and reports duplicates, as a collector does.
public final class ScriptedTransport: Transport {
  /// One request, decoded.
  public struct Request: Sendable {
    /// The request as sent.
    public var raw: TransportRequest
    /// Its body, decompressed.
    public var body: [UInt8]
    /// Its events; lines that are not events are left out.
    public var events: [ReceivedEvent]
  }

  /// The answer to one request.
  public typealias Answer = ScriptedAnswer

  private struct State {
    var received: [ReceivedEvent] = []
    var known: Set<String> = []

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

  private let recorder: RequestRecorder<Request>
  private let state = Locked(State())

  /// Creates a transport that responds to each request according to `script`.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    recorder = RequestRecorder(script)
  }

  /// Creates a transport that gives these answers in turn, and then accepts everything.
  public init(answers: [Answer]) {
    recorder = RequestRecorder(answers: answers)
  }

  /// Replaces the script.
  public func answer(_ script: @escaping @Sendable (Request) -> Answer) { recorder.answer(script) }

  /// The requests so far.
  public var requests: [Request] { recorder.requests }

  /// The events accepted so far, each once, in order of arrival.
  public var received: [ReceivedEvent] { state.withLock { $0.received } }

  /// The maximum number of concurrent requests so far.
  public var mostActive: Int { recorder.mostActive }

  /// Waits until there have been `count` requests, and returns the last of them.
  @discardableResult
  public func request(number count: Int) async -> Request { await recorder.request(number: count) }

  /// Answers the held requests, and holds none from now on.
  public func release() { recorder.release(forGood: true) }

  /// Records a request and responds according to the script.
  public func send(_ request: TransportRequest) async -> TransportResult {
    let decoded = Request(decoding: request)
    return await recorder.send(decoded) { state.withLock { $0.accept(decoded) } }
  }
}
