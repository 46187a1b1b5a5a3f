#if !canImport(Darwin)
  import Foundation
  import TernHTTP

  /// Sends requests with libcurl, without cookies, caching or redirects; the transport on Linux.
  ///
  /// Each request has its own thread while it runs; none remain between requests.
  public final class CurlTransport: Transport {
    private let client = HTTPClient()

    /// Creates a transport.
    public init() {}

    /// Sends a request and waits for the response; returns a failure early if the task is cancelled.
    public func send(_ request: TransportRequest) async -> TransportResult {
      let result = await client.send(
        HTTPClient.Request(
          request.method == .post ? .post : .get, request.url.absoluteString, headers: request.headers,
          body: request.body, timeout: request.timeout))
      switch result {
      case .success(let response): return .response(response)
      case .failure(let failure): return .failure(TransportFailure(failure))
      }
    }

    /// Closes idle connections.
    public func networkChanged() { client.closeIdle() }
  }

  extension TransportFailure {
    fileprivate init(_ failure: HTTPClient.Failure) {
      switch failure.kind {
      case .offline: self.init(.offline, "The collector cannot be reached: \(failure.message).")
      case .timedOut: self.init(.timedOut, "The collector did not respond in time: \(failure.message).")
      case .cancelled: self.init(.connection, failure.message)
      // Longer than any acknowledgement.
      case .tooLong: self.init(.connection, "The response is too long to come from a collector.")
      case .untrusted, .connection: self.init(.connection, "The collector cannot be reached: \(failure.message).")
      }
    }
  }
#endif
