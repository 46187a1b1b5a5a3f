public import Tern
import TernBase
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

  /// The answer to one request.
  public typealias Answer = ScriptedAnswer

  private let recorder: RequestRecorder<Request>
  private let hits = Locked<[[String: String]]>([])

  /// Creates a server that answers each request as `script` says.
  public init(_ script: @escaping @Sendable (Request) -> Answer = { _ in .accept }) {
    recorder = RequestRecorder(script)
  }

  /// Creates a server that gives these answers in turn, and accepts everything after them.
  public init(answers: [Answer]) {
    recorder = RequestRecorder(answers: answers)
  }

  /// Replaces the script.
  public func answer(_ script: @escaping @Sendable (Request) -> Answer) { recorder.answer(script) }

  /// The requests so far.
  public var requests: [Request] { recorder.requests }

  /// The hits accepted so far, in the order of their arrival, repetitions included.
  public var received: [[String: String]] { hits.withLock { $0 } }

  /// The most requests that were under way at a time.
  public var mostActive: Int { recorder.mostActive }

  /// Waits until there have been so many requests, and returns the last of them.
  @discardableResult
  public func request(number count: Int) async -> Request { await recorder.request(number: count) }

  /// Answers the requests that are held now; later ones may be held again.
  public func release() { recorder.release(forGood: false) }

  /// Records a request and answers it by the script.
  public func send(_ request: TransportRequest) async -> TransportResult {
    let decoded = Request(decoding: request)
    return await recorder.send(decoded) {
      hits.withLock { $0 += decoded.hits }
      return .response(
        TransportResponse(status: 200, headers: ["Content-Type": "image/gif"], body: Array("GIF89a".utf8)))
    }
  }
}
