import Ingest

/// A person whose data is read, exported or deleted, named by their install or user.
package enum Person: Sendable, Hashable {
  /// An install: a UUID, or the client ID of the Measurement Protocol.
  case install(String)
  /// A user ID that the app has set.
  case user(String)
}

/// The deletion of a person, as the argument of a job.
package struct PersonDeletionRequest: Sendable, Hashable {
  package var person: Person
  /// True if the server must refuse what the person still sends.
  package var refusesLater: Bool

  /// Creates a request.
  package init(person: Person, refusesLater: Bool) {
    self.person = person
    self.refusesLater = refusesLater
  }

  /// True if the request would refuse all events that name no one, which share one install.
  package var refusesEveryone: Bool { refusesLater && person == .install(ClientEvent.noInstall) }

  /// Reads the text of a request; `nil` if it is none.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, ["accept", "refuse"].contains(parts[0]) else { return nil }
    switch parts[1] {
    case "install": person = .install(String(parts[2]))
    case "user": person = .user(String(parts[2]))
    default: return nil
    }
    refusesLater = parts[0] == "refuse"
  }

  /// The request as text.
  package var text: String {
    let later = refusesLater ? "refuse" : "accept"
    return switch person {
    case .install(let name): "\(later) install \(name)"
    case .user(let name): "\(later) user \(name)"
    }
  }
}
