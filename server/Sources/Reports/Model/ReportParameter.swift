/// A parameter of a report in addition to range and limit.
package struct ReportParameter: Sendable, Hashable {
  /// The kinds of parameters.
  package enum Kind: Sendable, Hashable {
    /// Any text, including an empty one.
    case text
    /// The number of a row.
    case number
    /// One of some words, by default the first.
    case choice([String])
  }

  /// The name in commands and addresses.
  package var name: String
  package var kind: Kind

  /// Creates a parameter.
  package init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
