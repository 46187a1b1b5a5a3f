@_exported public import TernValues

/// The kind of an event.
public enum EventKind: String, Sendable, CaseIterable {
  /// An action of the user or the app, named by the developer.
  case event
  /// A screen that appeared.
  case screen
  /// The start of a session, identified by ``Event/session``.
  case sessionStart = "session_start"
  /// Events dropped by the client, by reason; its properties are reason → count since the last such report.
  case drops
  /// An error that the app handled; ``Event/details`` contains its exception.
  case handledError = "handled_error"
  /// The crash of an earlier process; ``Event/details`` contains its exception.
  case crash
  /// A piece of a file attached to an error; ``Event/details`` contains it.
  case attachment
}

/// One recorded event, as stored and sent.
///
/// Its optional members are written as `Optional`: with `?` they would begin as `nil`, and the initializer, which then changes them,
/// would copy the whole event.
public struct Event: Sendable, Hashable {
  /// The identifier by which the server deduplicates events (``UniqueID/event(at:using:)``).
  public var id: UniqueID
  /// The kind of the event.
  public var kind: EventKind
  /// The event's name, or the screen's; empty for other kinds.
  public var name: String
  /// The device's wall time.
  public var time: Timestamp
  /// Milliseconds since the device booted, if known; unaffected by changes of the wall clock.
  public var uptimeMilliseconds: Optional<Int64>
  /// The boot to which `uptimeMilliseconds` refers, if known.
  public var boot: Optional<String>
  /// The install that recorded the event.
  public var install: UniqueID
  /// The session of the event, if any.
  public var session: Optional<UniqueID>
  /// The user set by `identify`, if any.
  public var user: Optional<String>
  /// The developer's properties.
  public var properties: Properties
  /// Further members as encoded JSON, `"name":value`, for kinds that have them; empty otherwise.
  public var details: [UInt8]

  /// Creates an event; inlined, so that it is built where it is stored.
  @inlinable
  public init(
    id: UniqueID, kind: EventKind = .event, name: String, time: Timestamp, uptimeMilliseconds: Int64? = nil,
    boot: String? = nil, install: UniqueID, session: UniqueID? = nil, user: String? = nil,
    properties: Properties = [:], details: [UInt8] = []
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.time = time
    self.uptimeMilliseconds = uptimeMilliseconds
    self.boot = boot
    self.install = install
    self.session = session
    self.user = user
    self.properties = properties
    self.details = details
  }
}
