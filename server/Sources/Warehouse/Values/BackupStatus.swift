package import TernEvents

/// The regular backups of a running server.
package struct BackupStatus: Sendable, Hashable {
  /// A complete backup.
  package struct Backup: Sendable, Hashable {
    /// The name of its directory.
    package var name: String
    /// The time of the state that it contains.
    package var created: Timestamp
    /// The number of its events.
    package var events: Int

    /// Creates a description.
    package init(name: String, created: Timestamp, events: Int) {
      (self.name, self.created, self.events) = (name, created, events)
    }
  }

  /// The time from one backup to the next.
  package var interval: Duration
  /// The number of backups to keep.
  package var kept: Int
  /// The complete backups, earliest first.
  package var backups: [Backup]
  /// True if another one was requested and isn't complete.
  package var isRequested: Bool
  /// The reason why the last attempt failed; `nil` if it succeeded.
  package var failure: String?

  package init(interval: Duration, kept: Int, backups: [Backup], isRequested: Bool, failure: String?) {
    (self.interval, self.kept, self.backups) = (interval, kept, backups)
    (self.isRequested, self.failure) = (isRequested, failure)
  }
}

/// The state of the regular backups, for `/metrics`.
package struct BackupHealth: Sendable, Hashable {
  /// The time from one backup to the next.
  package var interval: Duration
  /// The time of the state in the last complete backup; `nil` if there is none.
  package var latest: Timestamp?
  /// True if the last attempt failed.
  package var isFailing: Bool

  package init(interval: Duration, latest: Timestamp?, isFailing: Bool) {
    (self.interval, self.latest, self.isFailing) = (interval, latest, isFailing)
  }
}
