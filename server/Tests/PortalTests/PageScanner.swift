/// A strict reader of a page's tags; it reports everything unexpected.
struct PageScanner: Sendable {
  /// One start tag.
  struct Tag: Sendable, Hashable {
    var name: String
    var attributes: [Attribute]

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
  }

  /// One attribute; without `=` its value is empty.
  struct Attribute: Sendable, Hashable {
    var name: String
    var value: String
  }

  /// The start tags in order.
  private(set) var tags: [Tag] = []
  /// The text between tags, joined.
  private(set) var text = ""
  /// The unexpected parts.
  private(set) var problems: [String] = []

  init(_ page: String) {
    // Bytes, because delimiters are ASCII: a character that combines with one doesn't hide it.
    var rest = Array(page.utf8)[...]
    while let next = rest.firstIndex(of: Self.open) {
      text += string(rest[..<next])
      rest = rest[(next + 1)...]
      switch rest.first {
      case UInt8(ascii: "!"), Self.slash:
        guard let end = rest.firstIndex(of: Self.close) else {
          problems.append("a tag without an end")
          return
        }
        rest = rest[(end + 1)...]
      case let first? where isNamePart(first): readTag(&rest)
      default: problems.append("a bare < before \(string(rest.prefix(20)))")
      }
    }
    text += string(rest)
  }

  private mutating func readTag(_ rest: inout ArraySlice<UInt8>) {
    var tag = Tag(name: readName(&rest), attributes: [])
    while let first = rest.first {
      if first == Self.close {
        rest.removeFirst()
        return tags.append(tag)
      }
      if first == UInt8(ascii: " ") || first == Self.slash || first == UInt8(ascii: "\n") {
        rest.removeFirst()
        continue
      }
      let name = readName(&rest)
      guard !name.isEmpty else { return problems.append("in <\(tag.name)>: \(string(rest.prefix(20)))") }
      var value = ""
      if rest.first == UInt8(ascii: "=") {
        rest.removeFirst()
        guard rest.popFirst() == Self.quote, let end = rest.firstIndex(of: Self.quote) else {
          return problems.append("an unquoted value of \(name)")
        }
        value = string(rest[..<end])
        rest = rest[(end + 1)...]
      }
      tag.attributes.append(Attribute(name: name, value: value))
    }
    problems.append("a tag without an end")
  }

  private func readName(_ rest: inout ArraySlice<UInt8>) -> String {
    let name = rest.prefix { isNamePart($0) }
    rest = rest.dropFirst(name.count)
    return string(name)
  }

  private func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let (open, close, slash, quote) = (
    UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "\"")
  )
}
