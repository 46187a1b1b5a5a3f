package import TernEvents

/// A notification as its receivers get it, whichever way it goes. Texts come from people and from clients: every way
/// escapes them in its own form.
package struct OutgoingMessage: Sendable, Hashable {
  /// A figure or name with its heading.
  package struct Fact: Sendable, Hashable {
    /// The values that facts have.
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

  /// The identifier, the same in every attempt, by which a receiver recognizes repeats.
  package var id: UniqueID
  /// The time of the event, not of the attempt.
  package var time: Timestamp
  /// The kind, such as `alert.breached`.
  package var event: String
  /// One line.
  package var title: String
  /// A sentence or two.
  package var text: String
  package var facts: [Fact]
  /// Tables, which only mails show.
  package var sections: [MailSection]
  /// The page with more; `nil` if the server doesn't know its own address.
  package var link: String?
  /// The address with which the receiver of a mail ends further ones; `nil` if that can't be done. It isn't stored: each
  /// receiver has another one.
  package var unsubscribing: String?

  package init(
    id: UniqueID, time: Timestamp, event: String, title: String, text: String, facts: [Fact] = [],
    sections: [MailSection] = [], link: String? = nil
  ) {
    (self.id, self.time, self.event, self.title) = (id, time, event, title)
    (self.text, self.facts, self.sections, self.link) = (text, facts, sections, link)
  }

  /// The message as JSON, which webhooks get.
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

  /// The message as one text, which chats and the plain part of mails have.
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

/// Text for chats.
enum ChatText {
  /// Returns text in which Slack finds no links, mentions or channels (`<!channel>`), and Mattermost no mention.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      // A character of no width after the sign keeps @all and @channel from calling everyone.
      .replacing("@", with: "@\u{200B}")
  }
}
