// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import AppCenter
public import Foundation

/// A log with a name; the modules make none, and take none.
open class LogWithNameAndProperties: LogWithProperties {
  /// The name.
  public var name: String!

  /// Creates an empty log.
  public override init() { super.init() }

  /// Writes the log.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(name as NSString?, forKey: "name")
  }

  /// Reads a log.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    name = coder.decodeObject(of: NSString.self, forKey: "name") as String?
  }

  /// Whether it can be sent.
  open override func isValid() -> Bool { super.isValid() && name != nil }
}

/// What App Center's SDK kept of an event; the modules make none, and take none.
open class EventLog: LogWithNameAndProperties {
  /// The event's identifier.
  public var eventId: String!
  /// Properties of several types.
  public var typedProperties: EventProperties!

  /// Creates an empty log.
  public override init() { super.init() }

  /// Writes the log.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(eventId as NSString?, forKey: "eventId")
    coder.encode(typedProperties, forKey: "typedProperties")
  }

  /// Reads a log.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    eventId = coder.decodeObject(of: NSString.self, forKey: "eventId") as String?
    typedProperties = coder.decodeObject(of: EventProperties.self, forKey: "typedProperties")
  }

  /// Whether it can be sent.
  open override func isValid() -> Bool { super.isValid() && eventId != nil }
}
