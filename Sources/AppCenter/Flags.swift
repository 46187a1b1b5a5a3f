/// The urgency of an event.
public struct Flags: OptionSet, Sendable {
  /// The bits, as in the original.
  public let rawValue: UInt

  /// Creates flags from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Sent with the next batch; evicted first when the storage is full.
  public static let normal = Flags(rawValue: 1)
  /// Sent after three seconds and before normal events; evicted only by other critical events.
  public static let critical = Flags(rawValue: 2)
  /// Equal to ``normal``.
  public static let `default` = Flags(rawValue: 1)

  /// An old name of ``normal``.
  @available(*, deprecated, renamed: "normal")
  public static let persistenceNormal = Flags(rawValue: 1)
  /// An old name of ``critical``.
  @available(*, deprecated, renamed: "critical")
  public static let persistenceCritical = Flags(rawValue: 2)
}
