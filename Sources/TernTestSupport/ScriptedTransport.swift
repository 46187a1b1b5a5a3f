public import Tern
import TernBase
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
    /// The lines of its events, each with the members of its context.
    public var lines: [[UInt8]]
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

  /// Creates a transport that answers each request as `script` says.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    recorder = RequestRecorder(script)
  }

  /// Creates a transport that gives these answers in turn, and accepts everything after them.
  public init(answers: [Answer]) {
    recorder = RequestRecorder(answers: answers)
  }

  /// Replaces the script.
  public func answer(_ script: @escaping @Sendable (Request) -> Answer) { recorder.answer(script) }

  /// The requests so far.
  public var requests: [Request] { recorder.requests }

  /// The events accepted so far, each once, in the order of their arrival.
  public var received: [ReceivedEvent] { state.withLock { $0.received } }

  /// The most requests that were under way at a time.
  public var mostActive: Int { recorder.mostActive }

  /// Waits until there have been so many requests, and returns the last of them.
  @discardableResult
  public func request(number count: Int) async -> Request { await recorder.request(number: count) }

  /// Answers the requests that are held, and holds none from now on.
  public func release() { recorder.release(forGood: true) }

  /// Records a request and answers it by the script.
  public func send(_ request: TransportRequest) async -> TransportResult {
    let decoded = Request(decoding: request)
    return await recorder.send(decoded) { state.withLock { $0.accept(decoded) } }
  }
}
