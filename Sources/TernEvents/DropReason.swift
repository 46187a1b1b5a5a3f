/// The reason that an event was dropped instead of delivered; every drop is counted under one of these.
public struct DropReason: Hashable, Sendable, CustomStringConvertible {
  /// The stable name, as reports show it.
  public let description: String

  /// Creates a reason from its stable name.
  public init(_ name: String) { description = name }

  /// The queue was at its size limit and this event was the oldest of the lowest priority, or the newcomer.
  public static let queueFull = DropReason("queue_full")
  /// The event was older than the age limit before it could be sent.
  public static let expired = DropReason("expired")
  /// The stored bytes did not check out.
  public static let damaged = DropReason("damaged")
  /// The encoded event was larger than the protocol allows.
  public static let tooLarge = DropReason("too_large")
  /// The disk refused the write (full, read-only, removed).
  public static let storageFailed = DropReason("storage_failed")
  /// The server refused this event for good.
  public static let rejected = DropReason("rejected")
  /// The client was disabled.
  public static let disabled = DropReason("disabled")
  /// The queue was erased (opt-out).
  public static let erased = DropReason("erased")
}
