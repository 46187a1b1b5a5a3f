/// A strict reader of a page's tags; it reports everything unexpected.
struct PageScanner {
  /// One start tag.
  struct Tag: Hashable {
    var name: String
    var attributes: [Attribute]

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
  }

  /// One attribute; without `=` its value is empty.
  struct Attribute: Hashable {
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
    var rest = Array(page.unicodeScalars)[...]
    while let next = rest.firstIndex(of: "<") {
      text += string(rest[..<next])
      rest = rest[(next + 1)...]
      switch rest.first {
      case "!", "/":
        guard let end = rest.firstIndex(of: ">") else {
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

  private mutating func readTag(_ rest: inout ArraySlice<Unicode.Scalar>) {
    var tag = Tag(name: readName(&rest), attributes: [])
    while let first = rest.first {
      if first == ">" {
        rest.removeFirst()
        return tags.append(tag)
      }
      if first == " " || first == "/" || first == "\n" {
        rest.removeFirst()
        continue
      }
      let name = readName(&rest)
      guard !name.isEmpty else { return problems.append("in <\(tag.name)>: \(string(rest.prefix(20)))") }
      var value = ""
      if rest.first == "=" {
        rest.removeFirst()
        guard rest.popFirst() == "\"", let end = rest.firstIndex(of: "\"") else {
          return problems.append("an unquoted value of \(name)")
        }
        value = string(rest[..<end])
        rest = rest[(end + 1)...]
      }
      tag.attributes.append(Attribute(name: name, value: value))
    }
    problems.append("a tag without an end")
  }

  private func readName(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
    let name = rest.prefix { isNamePart($0) }
    rest = rest.dropFirst(name.count)
    return string(name)
  }

  private func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ":": true
    default: false
    }
  }

  private func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
