package import TernEvents

/// The ways in which people can treat an error group.
package enum ErrorStatus: String, Sendable, CaseIterable {
  /// To be looked at.
  case open
  /// Fixed. An occurrence in a later version opens it again.
  case closed
  /// Known, and of no interest. It stays that way in every version.
  case ignored
}

/// The status that a person gave an error group.
package struct ErrorState: Sendable, Hashable {
  /// The longest note, in characters.
  package static let maximumNoteLength = 1_000

  package var status: ErrorStatus
  /// The reason, in any words; empty for none.
  package var note: String
  /// The last version that may still have a closed error, `version (build)`; empty if unknown, so that nothing opens it.
  package var version: String
  /// The name of the account or token that set it.
  package var author: String
  /// The time at which it was set.
  package var changed: Timestamp

  package init(status: ErrorStatus, note: String, version: String, author: String, changed: Timestamp) {
    self.status = status
    self.note = note
    self.version = version
    self.author = author
    self.changed = changed
  }
}

/// The status of an error group as it applies: as a person set it, unless the error came back.
package struct ErrorTriage: Sendable, Hashable {
  /// The status that a person set; `nil` for one that no person has looked at.
  package var state: ErrorState?
  /// The earliest later version in which a closed error came back.
  package var reopenedIn: String?

  /// The triage of an error that has no state.
  package init() {}

  /// Decides on a group.
  ///
  /// - Parameter versions: The versions of the errors that were received since the state was set.
  package init(_ state: ErrorState, versions: [String]) {
    self.state = state
    guard state.status == .closed else { return }
    let closed = AppVersion(state.version)
    reopenedIn =
      versions.map { (label: $0, version: AppVersion($0)) }.filter { $0.version.isLater(than: closed) }
      .min { ($0.version, $0.label) < ($1.version, $1.label) }?.label
  }

  /// The status that applies.
  package var status: ErrorStatus { reopenedIn == nil ? state?.status ?? .open : .open }
}
