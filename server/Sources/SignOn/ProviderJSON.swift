import JSON

/// An object in a provider's answer or a token, whose size and depth ``JSONTree`` bounds.
package struct ProviderJSON: Sendable {
  private let members: [String: JSONTree]

  /// Parses an object. A name that is given twice is refused, because parsers disagree on which one counts.
  ///
  /// - Parameters:
  ///   - code: The code of the error that is thrown otherwise.
  ///   - subject: The document in words, which begins the error's message.
  init(_ bytes: [UInt8], _ code: SignOnError.Code, _ subject: String) throws(SignOnError) {
    guard let tree = try? JSONTree(parsing: bytes) else {
      throw SignOnError(code, "\(subject) isn't JSON, is longer than 64 KiB or is nested too deeply.")
    }
    try self.init(tree, code, subject)
  }

  init(_ tree: JSONTree, _ code: SignOnError.Code, _ subject: String) throws(SignOnError) {
    guard case .object(let members) = tree else { throw SignOnError(code, "\(subject) isn't a JSON object.") }
    let values = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    guard values.count == members.count else { throw SignOnError(code, "\(subject) has a member twice.") }
    self.members = values
  }

  /// The names of all members.
  var names: Dictionary<String, JSONTree>.Keys { members.keys }

  subscript(name: String) -> JSONTree? { members[name] }

  func has(_ name: String) -> Bool { members[name] != nil }

  func text(_ name: String) -> String? { if case .text(let text)? = members[name] { text } else { nil } }

  func number(_ name: String) -> Double? { if case .number(let number)? = members[name] { number } else { nil } }

  /// A member that is a text or an array of texts; `nil` for anything else.
  func texts(_ name: String) -> [String]? {
    switch members[name] {
    case .text(let text)?: return [text]
    case .array(let elements)?:
      let texts = elements.compactMap { if case .text(let text) = $0 { text } else { nil } }
      return texts.count == elements.count ? texts : nil
    default: return nil
    }
  }
}
