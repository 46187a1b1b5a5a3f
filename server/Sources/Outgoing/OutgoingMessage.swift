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
    (self.id, self.time, self.event, self.title) = (id, time, event, title)
    (self.text, self.facts, self.sections, self.link) = (text, facts, sections, link)
  }

  /// The message as JSON, for webhooks.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.raw("{\"id\":")
    json.identifier(id)
    for (name, text) in [("time", time.iso8601), ("event", event), ("title", title), ("text", text)] {
      json.member(name)
      json.string(text)
    }
    json.member("facts")
    json.raw("{")
    for (index, fact) in facts.enumerated() {
      if index > 0 { json.raw(",") }
      json.string(fact.name)
      json.raw(":")
      switch fact.value {
      case .text(let text): json.string(text)
      // JSON has no infinity.
      case .number(let number): if number.isFinite { json.double(number) } else { json.raw("null") }
      }
    }
    json.raw("}")
    if let link {
      json.member("link")
      json.string(link)
    }
    json.raw("}")
    return json.bytes
  }

  /// The message without its title, as one text for chats.
  package var plainText: String {
    ([text, ""] + facts.map { "\($0.label): \($0.text)" } + (link.map { ["", $0] } ?? [])).joined(separator: "\n")
  }

  /// The message as JSON with one text: the form that incoming webhooks of Slack, Mattermost and Teams share.
  package var chatJSON: [UInt8] {
    var json = JSONWriter()
    json.raw("{\"text\":")
    json.string(ChatText.escaped("\(title)\n\(plainText)"))
    json.raw("}")
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String) {
    raw(",")
    string(name)
    raw(":")
  }
}

enum ChatText {
  /// Escapes text so that Slack finds no links, mentions or channels (`<!channel>`) in it, and Mattermost and Teams no links,
  /// pictures or mentions.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      // A zero-width space after the @ keeps @all and @channel from notifying everyone.
      .replacing("@", with: "@\u{200B}")
      // And one after the ] keeps it from being a link's text.
      .replacing("]", with: "]\u{200B}")
  }
}
