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
  /// The recorded kinds of actions.
  public enum Action: String, Sendable, CaseIterable {
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
