/// The reason why an event was dropped instead of delivered; every drop is counted under a reason.
public struct DropReason: Hashable, Sendable, CustomStringConvertible {
  /// The stable name, as shown in reports.
  public let description: String

  /// Creates a reason from its stable name.
  public init(_ name: String) { description = name }

  /// The queue was full, and this event was the oldest of the lowest priority, or the new one.
  public static let queueFull = DropReason("queue_full")
  /// The event exceeded the age limit before it could be sent.
  public static let expired = DropReason("expired")
  /// The stored bytes were damaged.
  public static let damaged = DropReason("damaged")
  /// The encoded event was larger than the protocol allows.
  public static let tooLarge = DropReason("too_large")
  /// The disk refused the write: it was full, read-only or removed.
  public static let storageFailed = DropReason("storage_failed")
  /// The server rejected this event permanently.
  public static let rejected = DropReason("rejected")
  /// The client was disabled.
  public static let disabled = DropReason("disabled")
  /// The queue was erased (opt-out).
  public static let erased = DropReason("erased")
}
