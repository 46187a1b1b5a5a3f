/// A form in which a message is posted to an address. A new one is a file like `PostFormat+Chat.swift`, and a line in ``all``.
package struct PostFormat: Sendable {
  /// The word before the colon of a destination.
  package let name: String
  /// True if the receiver can check that a message is from this server, and recognize repeats.
  let isSigned: Bool
  /// Returns the body of a message to an address.
  let body: @Sendable (OutgoingMessage, WebAddress) -> [UInt8]

  /// All forms, in the order of the help.
  package static let all: [PostFormat] = [.webhook, .chat, .slack, .mattermost, .teams]

  init(_ name: String, isSigned: Bool = false, body: @escaping @Sendable (OutgoingMessage, WebAddress) -> [UInt8]) {
    (self.name, self.isSigned, self.body) = (name, isSigned, body)
  }
}

/// Two forms are the same if their names are.
extension PostFormat: Hashable {
  package static func == (left: PostFormat, right: PostFormat) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
