public import Foundation
public import TernValues

/// Sends requests to a collector.
///
/// The default is `SystemTransport`; tests use `ScriptedTransport` from TernTestSupport.
public protocol Transport: Sendable {
  /// Sends a request and waits for the response; returns a failure early if the task is cancelled.
  ///
  /// Implementations must not follow redirects or retry: Tern decides on both.
  func send(_ request: TransportRequest) async -> TransportResult

  /// Called when the network came back or changed: connections kept open between requests may be dead.
  func networkChanged()
}

extension Transport {
  /// Does nothing, which suits a transport that keeps no connections or manages them itself.
  public func networkChanged() {}
}

/// A request to a collector.
public struct TransportRequest: Sendable, Hashable {
  /// The methods that Tern's protocols use.
  public enum Method: String, Sendable, Hashable {
    /// Sends no body.
    case get = "GET"
    /// Sends the body.
    case post = "POST"
  }

  /// The method; the default is `POST`.
  public var method: Method
  /// The URL.
  public var url: URL
  /// The headers, in addition to those that the transport adds.
  public var headers: [String: String]
  /// The body, encoded as the headers say.
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

/// A reason why there was no response.
public struct TransportFailure: Error, Sendable, Hashable {
  /// The kinds of failure that Tern distinguishes.
  public enum Kind: Sendable, Hashable {
    /// There is no network, or the collector's name cannot be resolved.
    case offline
    /// The request timed out.
    case timedOut
    /// Any other failure.
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
  /// The server responded, with any status.
  case response(TransportResponse)
  /// There was no complete response.
  case failure(TransportFailure)
}
