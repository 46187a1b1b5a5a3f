import TernBase

/// The stored form of a hit: its encoded parameters without `qt`, which each attempt computes.
package enum HitPayload {
  /// The maximum size of a hit on the wire, in bytes.
  package static let maximumBytes = 8192
  /// The maximum bytes that an attempt adds to a stored hit: `&qt=` and the milliseconds of a hundred years.
  package static let queueTimeBytes = 17

  /// Encodes parameters in the given order.
  package static func encode(_ parameters: [(name: String, value: String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    for (name, value) in parameters {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      PercentCoding.append(name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      PercentCoding.append(value, to: &bytes)
    }
    return bytes
  }

  /// Decodes parameters; the last of duplicates wins.
  package static func decode(_ bytes: some Collection<UInt8>) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      parameters[PercentCoding.decode(name)] = PercentCoding.decode(pair.dropFirst(name.count + 1))
    }
    return parameters
  }

  /// The bytes for one attempt: `qt` is inserted before `z`, which must stay the last parameter.
  package static func line(_ stored: ArraySlice<UInt8>, queueTime: Int64) -> [UInt8] {
    let wait = Array("&qt=\(queueTime)".utf8)
    let marker = Array("&z=".utf8)
    guard stored.count >= marker.count,
      let last = stride(from: stored.endIndex - marker.count, through: stored.startIndex, by: -1).first(where: {
        stored[$0] == marker[0] && stored[$0 + 1] == marker[1] && stored[$0 + 2] == marker[2]
      })
    else { return stored + wait }
    return Array(stored[..<last]) + wait + stored[last...]
  }
}
