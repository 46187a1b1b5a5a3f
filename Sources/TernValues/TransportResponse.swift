/// The response to a request.
public struct TransportResponse: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The headers, with lowercase names.
  public var headers: [String: String]
  /// The body.
  public var body: [UInt8]

  /// Creates a response; header names are lowercased.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    self.body = body
  }
}
