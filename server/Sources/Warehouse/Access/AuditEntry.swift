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
  /// The recorded kinds of actions.
  package enum Action: String, Sendable, CaseIterable {
    case login, logout
    case linkCreated = "login link created"
    case passwordSet = "password set"
    case userInvited = "user invited"
    case userCreated = "user created at sign-in"
    case userLinked = "user linked to provider"
    case userChanged = "user changed"
    case userRemoved = "user removed"
    case sessionEnded = "session ended"
    case tokenCreated = "token created"
    case tokenRevoked = "token revoked"
    case shared = "page shared"
    case shareRevoked = "shared link revoked"
    case appCreated = "app created"
    case appChanged = "app changed"
    case appDeleted = "app deleted"
    case personDeleted = "person deleted"
    case viewCreated = "view created"
    case viewChanged = "view changed"
    case viewDeleted = "view deleted"
    case errorChanged = "error status changed"
    case definitionChanged = "definition changed"
    case dashboardCreated = "dashboard created"
    case dashboardChanged = "dashboard changed"
    case dashboardRemoved = "dashboard deleted"
    case annotationCreated = "note created"
    case annotationRemoved = "note deleted"
    case segmentCreated = "segment created"
    case segmentChanged = "segment changed"
    case segmentRemoved = "segment deleted"
    case symbolsUploaded = "symbols uploaded"
    case symbolsDeleted = "symbols deleted"
    case alertCreated = "alert created"
    case alertChanged = "alert changed"
    case alertRemoved = "alert deleted"
    case mailReportCreated = "mail report created"
    case mailReportChanged = "mail report changed"
    case mailReportRequested = "mail report requested"
    case mailReportRemoved = "mail report deleted"
    case unsubscribed = "unsubscribed from mail report"
    case exported = "data exported"
    case imported = "data imported"
    case importRemoved = "imported days deleted"
    case backupCreated = "backup created"
    case backupRestored = "backup restored"
    case auditPruned = "audit log pruned"
  }

  /// The number of the entry; later ones have larger numbers.
  package var id: Int64
  package var time: Timestamp
  /// The originator.
  package var actor: AuditActor
  /// The action, as stored.
  package var action: String
  /// The object of the action.
  package var subject: String

  package init(id: Int64, time: Timestamp, actor: AuditActor, action: String, subject: String) {
    self.id = id
    self.time = time
    self.actor = actor
    self.action = action
    self.subject = subject
  }
}
