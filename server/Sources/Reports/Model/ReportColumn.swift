/// A column of a list.
package struct ReportColumn: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The member's name in JSON, in camel case.
  package var name: String
  /// The heading on terminals and in CSV.
  package var heading: String
  /// The heading on pages.
  package var title: String
  /// True if only JSON has the column.
  package var isJSONOnly: Bool
  /// The meaning in one sentence, for pages; `nil` where the heading says it all.
  package var meaning: String?
  /// The unit of the values; `nil` for what they are.
  package var unit: Unit?

  /// The units of values that are more than numbers and texts.
  package enum Unit: Sendable, Hashable {
    /// An amount in the currency of a view, which the headings name.
    case money
    /// A code that pages show by its English name.
    case code(Ranking.Codes)
  }

  /// Creates a column; by default, the headings derive from the name.
  package init(
    _ name: String, heading: String? = nil, title: String? = nil, isJSONOnly: Bool = false, meaning: String? = nil,
    unit: Unit? = nil
  ) {
    self.name = name
    self.heading = heading ?? Self.words(of: name)
    let words = self.heading.replacing("_", with: " ")
    self.title = title ?? words.prefix(1).uppercased() + words.dropFirst()
    self.isJSONOnly = isJSONOnly
    self.meaning = meaning
    self.unit = unit
  }

  /// Creates a column from its name.
  package init(stringLiteral name: String) { self.init(name) }

  /// The words and numbers of a name in camel case, with underscores: `below100Ms` becomes `below_100_ms`.
  private static func words(of name: String) -> String {
    var (words, previous) = ("", Character("_"))
    for character in name {
      let begins = character.isUppercase || (character.isNumber && previous.isLetter)
      if begins, previous != "_" { words.append("_") }
      words += character.lowercased()
      previous = character
    }
    return words
  }
}
