public import Tern
import TernBase
import TernEvents

/// An in-memory server of the Measurement Protocol, which records requests and responds according to a script.
///
/// Without a script, it responds like the original, with 200 and a one-pixel image.
public final class MeasurementTransport: Transport {
  /// One request, decoded.
  public struct Request: Sendable {
    /// The request as sent.
    public var raw: TransportRequest
    /// The path, such as `/collect`.
    public var path: String
    /// The lines as sent.
    public var lines: [String]
    /// The parameters of each hit.
    public var hits: [[String: String]]
  }

  /// The answer to one request.
  public typealias Answer = ScriptedAnswer

  private let recorder: RequestRecorder<Request>
  private let hits = Locked<[[String: String]]>([])

  /// Creates a server that responds to each request according to `script`.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    recorder = RequestRecorder(script)
  }

  /// Creates a server that gives these answers in turn, and then accepts everything.
  public init(answers: [Answer]) {
    recorder = RequestRecorder(answers: answers)
  }

  /// Replaces the script.
  public func answer(_ script: @escaping @Sendable (Request) -> Answer) { recorder.answer(script) }

  /// The requests so far.
  public var requests: [Request] { recorder.requests }

  /// The hits accepted so far, in order of arrival, including repetitions.
  public var received: [[String: String]] { hits.withLock { $0 } }

  /// The maximum number of concurrent requests so far.
  public var mostActive: Int { recorder.mostActive }

  /// Waits until there have been `count` requests, and returns the last of them.
  @discardableResult
  public func request(number count: Int) async -> Request { await recorder.request(number: count) }

  /// Answers the requests held at the moment; later ones may be held again.
  public func release() { recorder.release(forGood: false) }

  /// Records a request and responds according to the script.
  public func send(_ request: TransportRequest) async -> TransportResult {
    let decoded = Request(decoding: request)
    return await recorder.send(decoded) {
      hits.withLock { $0 += decoded.hits }
      return .response(
        TransportResponse(status: 200, headers: ["Content-Type": "image/gif"], body: Array("GIF89a".utf8)))
    }
  }
}
