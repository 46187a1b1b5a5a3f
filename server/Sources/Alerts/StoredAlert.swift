package import Outgoing
package import TernEvents

/// An alert with its state.
package struct StoredAlert: Sendable, Hashable {
  /// The state as people see it.
  package enum Status: String, Sendable, CaseIterable {
    case quiet, raised, muted, failing
  }

  package var alert: Alert
  package var state: AlertState
  /// The state as stored. Comparing it reveals a change since the alert was read.
  package var stateText: String

  package init(_ alert: Alert, state: AlertState, stateText: String) {
    (self.alert, self.state, self.stateText) = (alert, state, stateText)
  }

  /// Returns the status: raised if a breach or problem was reported that isn't over, and failing if the latest
  /// evaluation failed.
  package func status(at now: Timestamp) -> Status {
    if alert.isMuted(at: now) { return .muted }
    if state.failure != nil { return .failing }
    return state.isBreached || !state.problems.isEmpty ? .raised : .quiet
  }
}

/// A message that waits to be sent to one destination.
package struct PendingDelivery: Sendable, Hashable {
  package var id: Int64
  package var destination: Destination
  package var message: OutgoingMessage
  /// The number of failed attempts.
  package var failures: Int
  /// The token with which the recipient of a report by mail unsubscribes.
  package var unsubscribeToken: String?

  package init(
    id: Int64, destination: Destination, message: OutgoingMessage, failures: Int, unsubscribeToken: String? = nil
  ) {
    (self.id, self.destination, self.message, self.failures) = (id, destination, message, failures)
    self.unsubscribeToken = unsubscribeToken
  }
}

/// A message of an alert or a report by mail, and its deliveries.
package struct AlertNotification: Sendable, Hashable {
  /// The progress of a delivery.
  package enum Status: String, Sendable, Hashable, CaseIterable {
    case waiting, delivered, failed
  }

  /// The delivery to one destination.
  package struct Delivery: Sendable, Hashable {
    /// The destination as shown to people, without parts that may be secret.
    package var destination: String
    package var status: Status
    package var failures: Int
    /// The receiver's last answer, or the reason why it could not be reached; empty before the first attempt.
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
