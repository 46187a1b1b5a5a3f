public import TernEvents

/// The regular backups of a running server.
public struct BackupStatus: Sendable, Hashable {
  /// A complete backup.
  public struct Backup: Sendable, Hashable {
    /// The name of its directory.
    public var name: String
    /// The time of the state that it contains.
    public var created: Timestamp
    /// The number of its events.
    public var events: Int

    /// Creates a description.
    public init(name: String, created: Timestamp, events: Int) {
      (self.name, self.created, self.events) = (name, created, events)
    }
  }

  /// The time from one backup to the next.
  public var interval: Duration
  /// The number of backups to keep.
  public var kept: Int
  /// The complete backups, earliest first.
  public var backups: [Backup]
  /// True if another one was requested and isn't complete.
  public var isRequested: Bool
  /// The reason why the last attempt failed; `nil` if it succeeded.
  public var failure: String?

  /// Creates a status.
  public init(interval: Duration, kept: Int, backups: [Backup], isRequested: Bool, failure: String?) {
    (self.interval, self.kept, self.backups) = (interval, kept, backups)
    (self.isRequested, self.failure) = (isRequested, failure)
  }
}
