package import TernEvents

/// The originator of a change, for the audit log.
package struct AuditActor: Sendable, Hashable {
  /// The originator of everything that the current task does: of a request its account or token, otherwise the command
  /// line.
  @TaskLocal package static var current = AuditActor(name: "command line", address: "")

  /// The server itself.
  package static let server = AuditActor(name: "server", address: "")

  /// The name of an account or token.
  package var name: String
  /// The network address, or empty.
  package var address: String

  /// Creates an originator.
  package init(name: String, address: String) {
    self.name = name
    self.address = address
  }
}

/// One line of the audit log.
package struct AuditEntry: Sendable, Hashable {
  /// A kind of action. Each is declared beside the change that it records.
  package struct Action: Sendable, Hashable {
    /// The action in words, as stored.
    package let text: String
    /// False for actions that leave settings, people and data as they are, such as logins. Repetitions of these are counted in one
    /// entry.
    package let isChange: Bool

    /// Creates a kind of action.
    package init(_ text: String, isChange: Bool = true) { (self.text, self.isChange) = (text, isChange) }
  }

  /// The number of the entry; later ones have larger numbers.
  package var id: Int64
  /// The first time.
  package var time: Timestamp
  /// The originator.
  package var actor: AuditActor
  /// The action, as stored.
  package var action: String
  /// The object of the action.
  package var subject: String
  /// The number of times that this has happened: more than one only for actions that change nothing.
  package var count: Int
  /// The last time.
  package var last: Timestamp

  package init(
    id: Int64, time: Timestamp, actor: AuditActor, action: String, subject: String, count: Int = 1,
    last: Timestamp? = nil
  ) {
    self.id = id
    self.time = time
    self.count = count
    self.last = last ?? time
    self.actor = actor
    self.action = action
    self.subject = subject
  }
}

/// The actions that change nothing in the catalog.
extension AuditEntry.Action {
  /// Rows were read by programs.
  package static let exported = Self("data exported", isChange: false)
  /// A backup was made.
  package static let backupCreated = Self("backup created", isChange: false)
  /// A backup took the place of the data.
  package static let backupRestored = Self("backup restored")
}
