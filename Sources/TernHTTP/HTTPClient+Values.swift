extension HTTPClient {
  /// A request to a server.
  public struct Request: Sendable, Hashable {
    /// The methods that Tern uses.
    public enum Method: String, Sendable, Hashable {
      /// Sends no body.
      case get = "GET"
      /// Sends the body.
      case post = "POST"
    }

    /// The method.
    public var method: Method
    /// An absolute URL with the scheme `http` or `https`. Names and passwords belong in headers.
    public var url: String
    /// The headers, in addition to those that libcurl adds.
    public var headers: [String: String]
    /// The body, encoded as the headers say.
    public var body: [UInt8]
    /// The timeout of the whole request, also of a response that never ends.
    public var timeout: Duration
    /// The longest body of a response; a longer one ends the request. The default is 4 MiB.
    public var maximumResponseBytes: Int
    /// A PEM file with the certificates of the authorities to trust; `nil` for those of the system.
    public var authorities: String?

    /// Creates a request.
    public init(
      _ method: Method, _ url: String, headers: [String: String] = [:], body: [UInt8] = [],
      timeout: Duration = .seconds(60), maximumResponseBytes: Int = 4 << 20, authorities: String? = nil
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
      self.timeout = timeout
      self.maximumResponseBytes = maximumResponseBytes
      self.authorities = authorities
    }
  }

  /// A reason why there was no complete response.
  public struct Failure: Error, Sendable, Hashable {
    /// The kinds of failure that callers distinguish.
    public enum Kind: Sendable, Hashable {
      /// The server's name cannot be resolved, or there is no route to its address.
      case offline
      /// The request took longer than its timeout.
      case timedOut
      /// The task was cancelled.
      case cancelled
      /// The response is longer than the request allows.
      case tooLong
      /// The server's certificate was not issued by a trusted authority or for another name, or the file of authorities
      /// cannot be read.
      case untrusted
      /// Anything else, such as a refused or closed connection.
      case connection
    }

    /// The kind of failure.
    public var kind: Kind
    /// A description for developers and operators, without headers or bodies.
    public var message: String

    /// Creates a failure.
    public init(_ kind: Kind, _ message: String) {
      self.kind = kind
      self.message = message
    }
  }
}
