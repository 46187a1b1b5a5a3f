/// The deliveries of messages, that is of alerts and of reports by mail, for `/metrics`.
package struct DeliveryStatus: Sendable, Equatable {
  /// The outcome of one attempt to deliver a message.
  package enum Outcome: String, Sendable, CaseIterable {
    case delivered
    /// The attempt failed, and the message will be sent again.
    case failed
    /// The attempt failed, and was the last one.
    case givenUp = "given_up"
  }

  /// The kinds of destinations, such as `mail`.
  let kinds: [String]
  /// The deliveries that wait, by kind of destination; `nil` if the catalog can't be read.
  package var waiting: [String: Int]?
  private var attempts: [String: [Outcome: Int]] = [:]

  /// Creates a status of no attempts.
  package init(kinds: [String]) { self.kinds = kinds }

  /// Counts an attempt.
  package mutating func count(_ kind: String, _ outcome: Outcome) {
    attempts[kind, default: [:]][outcome, default: 0] += 1
  }

  /// Returns the number of attempts since the start.
  package func attempts(_ kind: String, _ outcome: Outcome) -> Int { attempts[kind]?[outcome] ?? 0 }
}
