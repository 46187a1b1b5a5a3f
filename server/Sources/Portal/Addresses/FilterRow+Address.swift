/// Filters in addresses: `country is DE`, `property:Length gt 10`, `user set`.
extension FilterRow {
  /// The filter as text. A name with a space or a quotation mark stands in quotation marks.
  var text: String {
    let isPlain = !dimension.isEmpty && !dimension.utf8.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }
    var name = dimension
    if !isPlain {
      // By scalar: a quotation mark before a combining mark is part of another character.
      let doubled = dimension.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
      name = "\"" + String(String.UnicodeScalarView(doubled)) + "\""
    }
    return "\(name) \(comparison)" + (takesValue ? " \(value)" : "")
  }

  /// False for comparisons with nothing.
  var takesValue: Bool { comparison != "set" && comparison != "not_set" }

  /// Reads the filter of an address. Without a known comparison the rest is the value that is meant.
  init(text: String) {
    var rest = text.unicodeScalars[...]
    var name = String.UnicodeScalarView()
    if rest.first == "\"" {
      rest.removeFirst()
      while let scalar = rest.popFirst() {
        if scalar == "\"" {
          guard rest.first == "\"" else { break }
          rest.removeFirst()
        }
        name.append(scalar)
      }
    } else {
      name.append(contentsOf: rest.prefix { $0 != " " })
      rest = rest.dropFirst(name.count)
    }
    rest = rest.dropFirst()
    let word = String(rest.prefix { $0 != " " })
    if Self.comparisons.contains(where: { $0.0 == word }) {
      self.init(
        dimension: String(name), comparison: word, value: String(rest.dropFirst(word.unicodeScalars.count + 1)))
      if !takesValue { value = "" }
    } else {
      self.init(dimension: String(name), comparison: "is", value: String(rest))
    }
  }

  /// The filters of an address, in order.
  static func rows(_ parameters: [String: String]) -> [FilterRow] {
    numbers.compactMap { parameters["f\($0)"] }.filter { !$0.isEmpty }.map { FilterRow(text: $0) }
  }

  /// The parameters of filters, numbered from 1.
  static func parameters(_ rows: [FilterRow]) -> [(String, String)] {
    rows.enumerated().map { ("f\($0 + 1)", $1.text) }
  }
}
