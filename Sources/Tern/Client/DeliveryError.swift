import TernDelivery

/// Why events did not arrive; they wait for the next attempt unless the collector refused them for good.
public struct DeliveryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; new kinds may be added.
  public struct Code: Hashable, Sendable {
    private enum Kind {
      case offline, connection, timedOut, server, notAcknowledged, unauthorized, waiting, refused, stopped, unreadable
    }
    private let kind: Kind
    /// There is no network.
    public static let offline = Code(kind: .offline)
    /// The connection could not be made or was cut.
    public static let connection = Code(kind: .connection)
    /// No answer came in time.
    public static let timedOut = Code(kind: .timedOut)
    /// The collector answered with an error that may pass.
    public static let server = Code(kind: .server)
    /// The answer is not a collector's: a captive portal, a proxy, or a wrong address.
    public static let notAcknowledged = Code(kind: .notAcknowledged)
    /// The collector does not know the key.
    public static let unauthorized = Code(kind: .unauthorized)
    /// The collector asked to wait, and the wait is not over.
    public static let waiting = Code(kind: .waiting)
    /// The collector refused the events for good.
    public static let refused = Code(kind: .refused)
    /// Sending is paused, disabled, or the client was shut down.
    public static let stopped = Code(kind: .stopped)

    /// The events cannot be read from the disk now, or written to it; they stay, and are tried again later.
    public static let unreadable = Code(kind: .unreadable)

    init(_ kind: DeliveryFailure.Kind) {
      switch kind {
      case .offline: self = .offline
      case .connection: self = .connection
      case .timedOut: self = .timedOut
      case .server: self = .server
      case .notAcknowledged: self = .notAcknowledged
      case .unauthorized: self = .unauthorized
      case .waiting: self = .waiting
      case .refused: self = .refused
      case .stopped: self = .stopped
      case .unreadable: self = .unreadable
      }
    }

    private init(kind: Kind) { self.kind = kind }
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure and its remedy.
  public var message: String
  /// The HTTP status, when there was an answer.
  public var status: Int?
  /// The wait that the collector asked for, if any.
  public var retryAfter: Duration?

  init(_ failure: DeliveryFailure) {
    code = Code(failure.kind)
    message = failure.message
    status = failure.status
    retryAfter = failure.retryAfter
  }

  /// The message.
  public var description: String { message }
}

/// The result of a flush.
public enum FlushOutcome: Sendable, Hashable {
  /// So many events arrived that had not before; nothing that waited when the flush was asked for is left.
  case sent(Int)
  /// Nothing was waiting.
  case nothingToSend
  /// Something that was waiting did not arrive; Tern goes on trying unless the error says that it was refused.
  case failed(DeliveryError)
  /// There is no network; what waits goes out when it is back.
  case offline
  /// The deadline came first; so many events are still queued or in flight, and go on their way.
  case outOfTime(left: Int)

  init(_ result: DeliveryMachine.FlushResult) {
    switch result {
    case .sent(let count): self = .sent(count)
    case .nothingToSend: self = .nothingToSend
    case .failed(let failure): self = failure.kind == .offline ? .offline : .failed(DeliveryError(failure))
    }
  }
}
