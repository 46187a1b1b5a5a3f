import ServerBase
package import TernEvents

/// A notification, the same for every destination. Its texts come from people and clients: each format escapes them in
/// its own way.
package struct OutgoingMessage: Sendable, Hashable {
  /// A figure or name with its heading.
  package struct Fact: Sendable, Hashable {
    /// The value of a fact.
    package enum Value: Sendable, Hashable {
      case text(String)
      case number(Double)
    }

    /// The member's name in JSON.
    package var name: String
    /// The heading for people.
    package var label: String
    /// The value for programs.
    package var value: Value
    /// The value for people.
    package var text: String

    package init(_ name: String, _ label: String, _ value: Value, text: String) {
      (self.name, self.label, self.value, self.text) = (name, label, value, text)
    }

    package init(_ name: String, _ label: String, _ text: String) { self.init(name, label, .text(text), text: text) }
  }

  /// The identifier, which is the same in every attempt, so that receivers can recognize repeats.
  package var id: UniqueID
  /// The time of the event, not of the attempt.
  package var time: Timestamp
  /// The kind, such as `alert.breached`.
  package var event: String
  /// The subject, one line.
  package var title: String
  /// A sentence or two.
  package var text: String
  package var facts: [Fact]
  /// Tables; only mails show them.
  package var sections: [MailSection]
  /// The page with more; `nil` if the server doesn't know its own address.
  package var link: String?
  /// The address at which the recipient of a mail unsubscribes; `nil` if there is none. It isn't stored, since each
  /// recipient has a different one.
  package var unsubscribeLink: String?

  package init(
    id: UniqueID, time: Timestamp, event: String, title: String, text: String, facts: [Fact] = [],
    sections: [MailSection] = [], link: String? = nil
  ) {
    // People name apps, alerts and dashboards, and those names are in mails' subjects.
    (self.id, self.time, self.event, self.title) = (id, time, event, title.asLine)
    (self.text, self.facts, self.sections, self.link) = (text, facts, sections, link)
  }

  /// The message without its title, as one text for chats.
  package var plainText: String {
    ([text, ""] + facts.map { "\($0.label): \($0.text)" } + (link.map { ["", $0] } ?? [])).joined(separator: "\n")
  }
}
