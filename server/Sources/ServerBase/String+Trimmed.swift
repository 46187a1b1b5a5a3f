extension StringProtocol {
  /// The text without leading and trailing spaces and tabs.
  package var trimmed: String {
    var rest = Substring(self)
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
  }
}
