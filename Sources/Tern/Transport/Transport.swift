public import Foundation

/// A way to send requests to a collector.
///
/// `SystemTransport` is the usual one; tests use `ScriptedTransport` of TernTestSupport.
public protocol Transport: Sendable {
  /// Sends a request and waits for the answer; returns early with a failure when the task is cancelled.
  ///
  /// Redirects must not be followed, and nothing may be retried: that is decided elsewhere.
  func send(_ request: TransportRequest) async -> TransportResult

  /// The network came back or changed: connections that are kept open between requests may lead nowhere now.
  func networkChanged()
}

extension Transport {
  /// Does nothing, which is right for a transport that keeps no connections or looks after them itself.
  public func networkChanged() {}
}

/// One request to a collector.
public struct TransportRequest: Sendable, Hashable {
  /// The methods that Tern's protocols use.
  public enum Method: String, Sendable, Hashable {
    /// Everything is in the address; the body is left out.
    case get = "GET"
    /// Sends the body.
    case post = "POST"
  }

  /// The method; `POST` unless said otherwise.
  public var method: Method
  /// The address.
  public var url: URL
  /// The headers beside those that the connection needs.
  public var headers: [String: String]
  /// The body, compressed if the headers say so.
  public var body: [UInt8]
  /// The timeout of the whole request.
  public var timeout: Duration

  /// Creates a request.
  public init(
    url: URL, headers: [String: String], body: [UInt8], timeout: Duration = .seconds(60), method: Method = .post
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}

/// The answer to a request.
public struct TransportResponse: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The headers; names in lower case.
  public var headers: [String: String]
  /// The body.
  public var body: [UInt8]

  /// Creates a response; header names are lowered.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    self.body = body
  }
}

/// Why there was no answer.
public struct TransportFailure: Error, Sendable, Hashable {
  /// The kinds that Tern tells apart.
  public enum Kind: Sendable, Hashable {
    /// There is no network, or the collector's name cannot be resolved.
    case offline
    /// No answer came in time.
    case timedOut
    /// Everything else.
    case connection
  }

  /// The kind of failure.
  public var kind: Kind
  /// A description for developers.
  public var message: String

  /// Creates a failure.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// The result of a request.
public enum TransportResult: Sendable, Hashable {
  /// The server answered, whatever it said.
  case response(TransportResponse)
  /// There was no answer, or not a whole one.
  case failure(TransportFailure)
}
