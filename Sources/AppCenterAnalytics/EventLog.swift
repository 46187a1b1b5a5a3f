// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import AppCenter
import Foundation

/// A log with a name; the modules make none, and take none.
open class LogWithNameAndProperties: LogWithProperties {
  /// The name.
  public var name: String!

  /// Whether it can be sent.
  open override func isValid() -> Bool { super.isValid() && name != nil }
}

/// What App Center's SDK kept of an event; the modules make none, and take none.
open class EventLog: LogWithNameAndProperties {
  /// The event's identifier.
  public var eventId: String!
  /// Properties of several types.
  public var typedProperties: EventProperties!

  /// Whether it can be sent.
  open override func isValid() -> Bool { super.isValid() && eventId != nil }
}
