import TernBase

/// The values of a query or a posted form, `name=value&…`. If a name is repeated, the last value counts.
///
/// Hummingbird's own query map neither decodes names nor reads `+` as a space.
package struct URLEncodedForm: Sendable {
  package private(set) var values: [String: String] = [:]

  package init(_ text: some StringProtocol) {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      values[PercentCoding.decode(name)] = PercentCoding.decode(pair.dropFirst(name.count + 1))
    }
  }

  package subscript(name: String) -> String? { values[name] }
}
