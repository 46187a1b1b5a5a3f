/// Extracts the campaign from a URL.
package enum Campaign {
  /// The query parameters of a link and the corresponding parameters of a hit.
  private static let names: [(link: String, parameter: String)] = [
    ("utm_id", "ci"), ("utm_campaign", "cn"), ("utm_content", "cc"), ("utm_medium", "cm"), ("utm_source", "cs"),
    ("utm_term", "ck"), ("dclid", "dclid"), ("gclid", "gclid"), ("gmob_t", "gmob_t"), ("aclid", "aclid"),
    ("anid", "anid"),
  ]

  /// Returns the campaign parameters in a URL or a bare query string.
  package static func parameters(of address: String) -> [(name: String, value: String)] {
    let bytes = Array(address.utf8)
    var query = bytes[...]
    if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) { query = bytes[(mark + 1)...] }
    if let mark = query.firstIndex(of: UInt8(ascii: "#")) { query = query[..<mark] }
    let found = HitPayload.decode(query)
    return names.compactMap { name in
      guard let value = found[name.link], !value.isEmpty else { return nil }
      return (name.parameter, value)
    }
  }
}
