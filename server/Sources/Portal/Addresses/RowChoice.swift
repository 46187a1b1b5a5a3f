import JSON
import Questions

/// A choice of rows in an address: `event Play`, `screen Home`, `crash` or `any`.
struct RowChoice: Equatable {
  /// The kind: `event`, `screen`, `any`, or one of rows without a name.
  var kind: String
  /// The name of an event or screen.
  var name: String

  /// The kinds of rows without a name.
  static let unnamed: Set<String> = ["crash", "handled_error", "session_start"]

  /// Creates the choice of two fields; `nil` if they are not filled in.
  init?(kind: String, name: String) {
    switch kind {
    case "any": (self.kind, self.name) = (kind, "")
    case _ where Self.unnamed.contains(kind): (self.kind, self.name) = (kind, "")
    case "", "event":
      guard !name.isEmpty else { return nil }
      (self.kind, self.name) = ("event", name)
    case "screen":
      guard !name.isEmpty else { return nil }
      (self.kind, self.name) = (kind, name)
    default: return nil
    }
  }

  /// Reads the choice of an address; `nil` if it names no kind.
  init?(_ text: String) {
    let kind = text.unicodeScalars.prefix { $0 != " " }
    self.init(kind: String(kind), name: String(text.unicodeScalars.dropFirst(kind.count + 1)))
  }

  /// The choice in an address.
  var text: String { name.isEmpty ? kind : "\(kind) \(name)" }

  /// The selector of a question.
  var json: JSONTree { json(filters: []) }

  /// The selector of a question, with filters.
  func json(filters: [JSONTree]) -> JSONTree {
    let target: (String, JSONTree) =
      switch kind {
      case "any": ("any", .boolean(true))
      case "event", "screen": (kind, .text(name))
      default: ("kind", .text(kind))
      }
    return .object([target] + (filters.isEmpty ? [] : [("filters", .array(filters))]))
  }

  /// The filter of the rows; `nil` if all rows pass.
  var filter: JSONTree? {
    switch kind {
    case "any": nil
    case "event", "screen": .array([.text("is"), .text(kind), .array([.text(name)])])
    default: .array([.text("is"), .text("kind"), .array([.text(kind)])])
    }
  }

  /// The rows in words.
  var title: String {
    switch kind {
    case "crash": "Crash"
    case "handled_error": "Error"
    case "session_start": "Session start"
    case "any": "Any event or screen"
    default: name
    }
  }
}
