public import Tern

/// A transport to an in-memory server of the Measurement Protocol.
public typealias MeasurementTransport = RecordingTransport<MeasurementServer>

/// An in-memory server of the Measurement Protocol.
public struct MeasurementServer: InMemoryServer {
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

  /// The hits accepted so far, including repetitions.
  public private(set) var received: [[String: String]] = []

  /// Creates a server without hits.
  public init() {}

  /// Decodes a request's hits.
  public static func decode(_ request: TransportRequest) -> Request { Request(decoding: request) }

  /// Stores a request's hits and responds like the original, with 200 and a one-pixel image.
  public mutating func accept(_ request: Request) -> TransportResult {
    received += request.hits
    return .response(
      TransportResponse(status: 200, headers: ["Content-Type": "image/gif"], body: Array("GIF89a".utf8)))
  }
}
