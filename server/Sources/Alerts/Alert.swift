package import Outgoing
package import TernEvents
package import Warehouse

/// A condition that the server watches, and the destinations of its notifications.
package struct Alert: Sendable, Hashable {
  /// The longest time for which an alert can be muted, in seconds.
  package static let longestMute = 366 * 86_400
  /// The most destinations of an alert.
  package static let maximumDestinations = 10

  /// The number; 0 for an alert that isn't stored yet.
  package var id: Int64
  /// The app; `nil` for an alert about the server.
  package var app: AppID?
  /// The name, unique within the app.
  package var name: String
  package var condition: AlertCondition
  /// The number of users that a period needs for a decision about it.
  package var minimumUsers: Int
  package var destinations: [Destination]
  /// The time until which the alert isn't evaluated; `nil` if it is.
  package var mutedUntil: Timestamp?
  /// The account or token that made the last change.
  package var author: String
  package var changed: Timestamp

  package init(
    id: Int64 = 0, app: AppID?, name: String, condition: AlertCondition, minimumUsers: Int? = nil,
    destinations: [Destination], mutedUntil: Timestamp? = nil, author: String = "",
    changed: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    (self.id, self.app, self.name, self.condition) = (id, app, name, condition)
    self.minimumUsers = minimumUsers ?? condition.standardMinimum
    (self.destinations, self.mutedUntil) = (destinations, mutedUntil)
    (self.author, self.changed) = (author, changed)
  }

  /// An alert whose settings are still to come.
  package init(app: AppID?) { self.init(app: app, name: "", condition: .serverProblem, destinations: []) }

  /// True if the alert isn't evaluated now.
  package func isMuted(at now: Timestamp) -> Bool { mutedUntil.map { now < $0 } ?? false }

  /// Returns why the alert can't be stored, as a sentence that says what to do; `nil` if it can.
  package var fault: String? {
    guard (app == nil) == (condition == .serverProblem) else {
      return "An alert about the server has no app, and every other alert has one."
    }
    guard !destinations.isEmpty else { return "Name at least one destination, such as mail:someone@example.org." }
    let distinct = Set(destinations.map { if case .mail = $0 { $0.text.lowercased() } else { $0.text } })
    guard destinations.count <= Self.maximumDestinations, distinct.count == destinations.count else {
      return "Name at most \(Self.maximumDestinations) destinations, each once."
    }
    guard (0...1_000_000_000).contains(minimumUsers) else {
      return "The minimum number of users must be from 0 to 1000000000."
    }
    switch condition {
    case .above(let limit, let question), .below(let limit, let question):
      // A limit outside would never be crossed, or always.
      if question.unit == .percent, !(0...100).contains(limit) {
        return "The figure is a share. Enter its limit as a percentage from 0 to 100, such as 99.5."
      }
      return abs(limit) <= 1e15 ? nil : "The limit must be a number of at most 15 digits."
    case .changed(let percent, _):
      return percent > 0 && percent <= 1_000_000 ? nil : "The change must be more than 0 and at most 1000000 percent."
    case .crashFreeUsersBelow(let percent, _):
      return percent > 0 && percent <= 100
        ? nil : "The share of crash-free users must be more than 0 and at most 100 percent."
    case .nothingArrived(let hours): return (1...720).contains(hours) ? nil : "The hours must be from 1 to 720."
    case .newError, .errorCameBack, .serverProblem: return nil
    }
  }
}
