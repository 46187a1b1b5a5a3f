/// The value of one of Tern's own headers: `name=value; name=value`.
///
/// A header of any other form, with a repeated name, or with an overlong value counts as empty.
struct HeaderFields {
  /// The maximum length in UTF-8 bytes; no client has reason to send more.
  private static let maximumBytes = 512
  private static let maximumFields = 16
  private var values: [Substring: Substring] = [:]

  init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    let fields = text.split(separator: ";", omittingEmptySubsequences: false)
    guard fields.count <= Self.maximumFields else { return nil }
    for field in fields {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, values[parts[0]] == nil else { return nil }
      values[parts[0]] = parts[1]
    }
  }

  func text(_ name: String) -> String? { values[name[...]].map(String.init) }

  /// Returns true if the field is present, readable or not.
  func has(_ name: String) -> Bool { values[name[...]] != nil }

  /// Returns the integer in a field, written in decimal digits only, if it is within a range.
  func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = values[name[...]], text.utf8.first != UInt8(ascii: "+"), let number = Int64(text) else {
      return nil
    }
    return range.contains(number) ? number : nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
