public import TernEvents

/// The originator of a change, for the audit log.
public struct AuditActor: Sendable, Hashable {
  /// The originator of everything that the current task does: of a request its account or token, otherwise the command
  /// line.
  @TaskLocal public static var current = AuditActor(name: "command line", address: "")

  /// The server itself.
  public static let server = AuditActor(name: "server", address: "")

  /// The name of an account or token.
  public var name: String
  /// The network address, or empty.
  public var address: String

  /// Creates an originator.
  public init(name: String, address: String) {
    self.name = name
    self.address = address
  }
}

/// One line of the audit log.
public struct AuditEntry: Sendable, Hashable {
  /// A kind of action. Each is declared beside the change that it records.
  public struct Action: Sendable, Hashable {
    /// The action in words, as stored.
    public let text: String

    /// Creates a kind of action.
    public init(_ text: String) { self.text = text }
  }

  /// The number of the entry; later ones have larger numbers.
  public var id: Int64
  /// The time.
  public var time: Timestamp
  /// The originator.
  public var actor: AuditActor
  /// The action, as stored.
  public var action: String
  /// The object of the action.
  public var subject: String

  /// Creates an entry.
  public init(id: Int64, time: Timestamp, actor: AuditActor, action: String, subject: String) {
    self.id = id
    self.time = time
    self.actor = actor
    self.action = action
    self.subject = subject
  }
}

/// What changes nothing in the catalog.
extension AuditEntry.Action {
  /// Rows were read by programs.
  public static let exported = Self("data exported")
  /// A backup was made.
  public static let backupCreated = Self("backup created")
  /// A backup took the place of the data.
  public static let backupRestored = Self("backup restored")
}
