public import Tern
import TernEvents

/// A transport to an in-memory collector.
public typealias ScriptedTransport = RecordingTransport<InMemoryCollector>

/// An in-memory collector, which reports duplicates as a real one does.
public struct InMemoryCollector: InMemoryServer {
  /// One request, decoded.
  public struct Request: Sendable {
    /// The request as sent.
    public var raw: TransportRequest
    /// Its body, decompressed.
    public var body: [UInt8]
    /// The lines of its events, each with the members of its context.
    public var lines: [[UInt8]]
    /// Its events; lines that are not events are left out.
    public var events: [ReceivedEvent]
  }

  /// The events accepted so far, each once.
  public private(set) var received: [ReceivedEvent] = []
  private var known: Set<String> = []

  /// Creates a collector without events.
  public init() {}

  /// Decodes a request's events.
  public static func decode(_ request: TransportRequest) -> Request { Request(decoding: request) }

  /// Stores the events of a request that are new.
  public mutating func accept(_ request: Request) -> TransportResult {
    var duplicates: [Int] = []
    for (index, event) in request.events.enumerated() {
      if known.insert(event.id).inserted { received.append(event) } else { duplicates.append(index) }
    }
    let accepted = request.events.count - duplicates.count
    let body = "{\"accepted\":\(accepted),\"duplicates\":\(duplicates),\"rejected\":[]}"
    return .response(TransportResponse(status: 200, body: Array(body.utf8)))
  }
}
