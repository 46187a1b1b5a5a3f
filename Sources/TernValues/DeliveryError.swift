/// A reason why events were not delivered; they stay queued unless the collector rejected them permanently.
public struct DeliveryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; new kinds may be added.
  public struct Code: Hashable, Sendable {
    private enum Kind {
      case offline, connection, timedOut, server, notAcknowledged, unauthorized, waiting, refused, stopped, unreadable
    }

    private let kind: Kind

    /// There is no network.
    public static let offline = Code(kind: .offline)
    /// The connection failed or was interrupted.
    public static let connection = Code(kind: .connection)
    /// The request timed out.
    public static let timedOut = Code(kind: .timedOut)
    /// The collector answered with a temporary error.
    public static let server = Code(kind: .server)
    /// The response is not from a collector: a captive portal, a proxy, or a wrong URL.
    public static let notAcknowledged = Code(kind: .notAcknowledged)
    /// The collector does not accept the key.
    public static let unauthorized = Code(kind: .unauthorized)
    /// The collector asked the client to wait, and the wait is not over.
    public static let waiting = Code(kind: .waiting)
    /// The collector rejected the events permanently.
    public static let refused = Code(kind: .refused)
    /// Sending is paused, disabled, or the client was shut down.
    public static let stopped = Code(kind: .stopped)
    /// The events cannot be read from the disk or written to it at the moment; they are kept and retried later.
    public static let unreadable = Code(kind: .unreadable)
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure and how to fix it.
  public var message: String
  /// The HTTP status, if the server responded.
  public var status: Int?
  /// The collector's requested wait, if any.
  public var retryAfter: Duration?

  package init(_ code: Code, _ message: String, status: Int? = nil, retryAfter: Duration? = nil) {
    self.code = code
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
  }

  /// The message.
  public var description: String { message }
}
