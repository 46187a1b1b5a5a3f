/// The kind of an event.
public enum EventKind: String, Sendable, CaseIterable {
  /// Something the user or the app did, named by the developer.
  case event
  /// A screen that came into view.
  case screen
  /// A session that began; its `session` names it.
  case sessionStart = "session_start"
  /// Events dropped by the client, by reason; its properties are reason → count since the last such report.
  case drops
  /// An error that the app took care of; ``Event/details`` has its exception.
  case handledError = "handled_error"
  /// The end of an earlier process; ``Event/details`` has its exception.
  case crash
  /// A piece of a file that goes with an error; ``Event/details`` has it.
  case attachment
}

/// The priority with which an event is kept and sent.
public enum Priority: String, Sendable, CaseIterable {
  /// Sent with the next batch; the first to go when the queue is full.
  case normal
  /// Sent at once and before normal events; displaced only by other critical events.
  case critical
}

/// One recorded event, before or after its way over the wire.
public struct Event: Sendable, Hashable {
  /// The identifier by which the server removes duplicates (UUID version 7).
  public var id: UniqueID
  /// The kind of the event.
  public var kind: EventKind
  /// The event's name, or the screen's; empty for other kinds.
  public var name: String
  /// The device's wall time.
  public var time: Timestamp
  /// Milliseconds since the device booted, when known: does not jump when the wall clock is set.
  public var uptimeMilliseconds: Int64?
  /// The boot during which `uptimeMilliseconds` was read, when known.
  public var boot: String?
  /// The install that recorded the event.
  public var install: UniqueID
  /// The session it belongs to, if one was open.
  public var session: UniqueID?
  /// The user named by `identify`, if any.
  public var user: String?
  /// The developer's properties.
  public var properties: Properties
  /// Further members as encoded JSON, `"name":value`, for the kinds that have some; empty otherwise.
  public var details: [UInt8]

  /// Creates an event.
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
