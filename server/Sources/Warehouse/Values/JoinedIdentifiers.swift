import Ingest

/// The identifiers of an app that aliases have joined: those of one group name one person.
///
/// An identifier is a text that clients use: it may name a user, an install, or both. The groups are made of the aliases in the
/// order of their rows, and of nothing else, so all who read the same rows know the same persons.
package struct JoinedIdentifiers: Sendable {
  /// The most identifiers of one person. Without a limit, one request could make one person of all.
  package static let maximum = 100
  /// The memory that the identifiers of an app may take, in bytes: enough for about a million.
  package static let maximumSize = 128 << 20
  /// The memory that an identifier takes besides its text.
  private static let ownSize = 100

  /// What clients write if they know no identifier, in lowercase: to join these would make one person of strangers.
  private static let nobody: Set<String> = [
    "", "0", "-1", "anonymous", "false", "guest", "id", "nan", "nil", "none", "null", "true", "undefined", "unknown",
    "[object object]", "00000000-0000-0000-0000-000000000000", ClientEvent.noInstall,
  ]

  private var groups: [ExactText: Int] = [:]
  /// The identifiers of each group; empty for one that another has taken in.
  private var members: [[String]] = []
  private var size = 0
  private let maximumSize: Int

  package init(maximumSize: Int = maximumSize) { self.maximumSize = maximumSize }

  /// The identifiers of each person who has several.
  package var persons: [[String]] { members.filter { !$0.isEmpty } }

  /// Joins two identifiers, unless one of them names no one or there are too many, of their person or in all.
  package mutating func join(_ identifier: String, _ other: String) {
    // Clients send the same alias again and again.
    if let group = groups[ExactText(identifier)], group == groups[ExactText(other)] { return }
    guard !identifier.hasBytes(of: other), Self.namesSomeone(identifier), Self.namesSomeone(other) else { return }
    // The install of an identifier may have a name of another form.
    let forms = [identifier, other].flatMap { [$0, ClientEvent.installName($0)] }
    var (known, new): ([Int], [ExactText]) = ([], [])
    for form in forms.map(ExactText.init) {
      if let group = groups[form] {
        if !known.contains(group) { known.append(group) }
      } else if !new.contains(form) {
        new.append(form)
      }
    }
    guard known.count > 1 || !new.isEmpty else { return }
    let added = new.reduce(0) { $0 + $1.text.utf8.count + Self.ownSize }
    guard known.reduce(new.count, { $0 + members[$1].count }) <= Self.maximum, size + added <= maximumSize else {
      return
    }
    size += added
    let target = known.first ?? members.count
    if known.isEmpty { members.append([]) }
    for group in known.dropFirst() {
      new += members[group].map(ExactText.init)
      members[group] = []
    }
    for identifier in new { groups[identifier] = target }
    members[target] += new.map(\.text)
  }

  /// Returns all identifiers of a person by one of them; `nil` if it is joined with no other.
  package func identifiers(with identifier: String) -> [String]? { groups[ExactText(identifier)].map { members[$0] } }

  private static func namesSomeone(_ identifier: String) -> Bool { !nobody.contains(identifier.lowercased()) }
}
