package import Outgoing
package import TernEvents

/// An alert with what it remembers.
package struct StoredAlert: Sendable, Hashable {
  /// What people see of it.
  package enum Status: String, Sendable, CaseIterable {
    case quiet, raised, muted
  }

  package var alert: Alert
  package var state: AlertState
  /// The state as it is stored, by which a change in between is recognized.
  package var stateText: String

  package init(_ alert: Alert, state: AlertState, stateText: String) {
    (self.alert, self.state, self.stateText) = (alert, state, stateText)
  }

  /// Returns the status: raised while a breach or a problem was told that isn't over.
  package func status(at now: Timestamp) -> Status {
    if alert.isMuted(at: now) { return .muted }
    return state.isBreached || !state.problems.isEmpty ? .raised : .quiet
  }
}

/// A message that waits to be sent to one destination.
package struct PendingDelivery: Sendable, Hashable {
  package var id: Int64
  package var destination: Destination
  package var message: OutgoingMessage
  /// The attempts that have failed.
  package var failures: Int
  /// The token with which the receiver of a report by mail ends further ones.
  package var unsubscribeToken: String?

  package init(
    id: Int64, destination: Destination, message: OutgoingMessage, failures: Int, unsubscribeToken: String? = nil
  ) {
    (self.id, self.destination, self.message, self.failures) = (id, destination, message, failures)
    self.unsubscribeToken = unsubscribeToken
  }
}

/// A message of an alert or of a report by mail, and its deliveries.
package struct AlertNotification: Sendable, Hashable {
  /// How far a message to one destination is.
  package enum Status: String, Sendable, Hashable, CaseIterable {
    case waiting, delivered, failed
  }

  /// One destination.
  package struct Delivery: Sendable, Hashable {
    /// The destination for people, without what may be a secret.
    package var destination: String
    package var status: Status
    package var failures: Int
    /// What the other side answered last, or why it could not be reached; empty before the first attempt.
    package var answer: String

    package init(destination: String, status: Status, failures: Int, answer: String) {
      (self.destination, self.status, self.failures, self.answer) = (destination, status, failures, answer)
    }
  }

  /// The number of the alert, or of the report by mail.
  package var source: Int64
  package var message: OutgoingMessage
  package var deliveries: [Delivery]

  package init(source: Int64, message: OutgoingMessage, deliveries: [Delivery]) {
    (self.source, self.message, self.deliveries) = (source, message, deliveries)
  }
}
