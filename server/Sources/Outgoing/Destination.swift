/// A way of sending notifications, with the address that gets them.
package enum Destination: Sendable, Hashable {
  /// A mail.
  case mail(MailAddress)
  /// A POST to an address.
  case post(PostFormat, WebAddress)

  /// Returns the forms of all destinations in words: `mail:ADDRESS, webhook:URL or chat:URL`.
  ///
  /// - Parameters:
  ///   - mail: The text for an address of a mail.
  ///   - web: The text for an address that is posted to.
  ///   - quote: The mark around each form.
  package static func forms(mail: String = "ADDRESS", web: String = "URL", quote: String = "") -> String {
    let forms = (["mail:\(mail)"] + PostFormat.all.map { "\($0.name):\(web)" }).map { quote + $0 + quote }
    return forms.dropLast().joined(separator: ", ") + " or " + forms[forms.count - 1]
  }

  /// The kinds of all destinations, as in their texts before the colon.
  package static let kinds = ["mail"] + PostFormat.all.map(\.name)

  /// Parses a text in one of the ``forms(mail:web:quote:)``.
  ///
  /// Throws ``OutgoingError`` with code `invalid`, which says what is allowed.
  package init(_ text: String) throws(OutgoingError) {
    let parts = text.split(separator: ":", maxSplits: 1).map { String($0) }
    let rest = parts.count == 2 ? parts[1] : ""
    if parts.first == "mail" {
      self = .mail(try MailAddress.parse(rest))
    } else if let format = PostFormat.all.first(where: { $0.name == parts.first }) {
      self = .post(format, try Self.address(rest, after: format.name))
    } else {
      throw OutgoingError(.invalid, "Enter \(Self.forms()).")
    }
  }

  /// Parses several destinations. The text of an existing one as it is shown keeps that one, because its secret part
  /// isn't shown to people who edit the list.
  ///
  /// Throws ``OutgoingError`` with code `invalid`, also if it isn't clear which existing destination is meant.
  package static func parse(
    _ texts: [String], keeping existing: [Destination] = []
  ) throws(OutgoingError) -> [Destination] {
    var existing = existing
    var destinations: [Destination] = []
    for text in texts {
      let alike = existing.filter { $0.shown == text && $0.text != text }
      if alike.count > 1, texts.count(where: { $0 == text }) < existing.count(where: { $0.shown == text }) {
        throw OutgoingError(
          .invalid, "Several destinations are shown as \(text). Enter the whole address of each to keep.")
      }
      if let index = existing.firstIndex(where: { $0.shown == text }) {
        destinations.append(existing.remove(at: index))
      } else if text.contains("…") {
        throw OutgoingError(.invalid, "No destination is shown as \(text) now. Enter its whole address.")
      } else {
        destinations.append(try Destination(text))
      }
    }
    return destinations
  }

  private static func address(_ text: String, after kind: String) throws(OutgoingError) -> WebAddress {
    guard let address = WebAddress(text) else {
      throw OutgoingError(
        .invalid,
        "Enter an http or https address after \(kind):, without a user name, a password or a #, such as "
          + "\(kind):https://example.org/hook.")
    }
    return address
  }

  /// The server that gets messages, and how many it gets at the same time: one that doesn't answer must not hold up all
  /// others.
  package var receiver: (name: String, maximumConcurrent: Int) {
    switch self {
    case .mail: ("mail", 4)
    case .post(_, let address): (address.receiver, 1)
    }
  }

  /// Removes what may be a secret from a line of a receiver's answer.
  func withoutSecret(_ line: String) -> String {
    switch self {
    case .mail: line
    case .post(_, let address): address.removed(from: line)
    }
  }

  /// The part of ``text`` before the colon.
  package var kind: String {
    switch self {
    case .mail: "mail"
    case .post(let format, _): format.name
    }
  }

  /// The text that ``init(_:)`` parses. It may be a secret.
  package var text: String {
    switch self {
    case .mail(let address): "mail:\(address.text)"
    case .post(let format, let address): "\(format.name):\(address.text)"
    }
  }

  /// The destination as shown to people, without parts that may be secret.
  package var shown: String {
    switch self {
    case .mail(let address): "mail:\(address.text)"
    case .post(let format, let address): "\(format.name):\(address.shown)"
    }
  }
}
