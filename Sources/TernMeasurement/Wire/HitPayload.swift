import TernBase

/// The encoded parameters of one hit, as they are stored: all but `qt`, which every attempt computes anew.
package enum HitPayload {
  /// The most bytes of a hit on the wire.
  package static let maximumBytes = 8192
  /// `&qt=` and the milliseconds of a hundred years: what an attempt may add to a stored hit.
  package static let queueTimeBytes = 17

  /// Encodes parameters in the order given.
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

  /// Reads parameters; of one given twice the last one holds.
  package static func decode(_ bytes: some Collection<UInt8>) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      parameters[PercentCoding.decode(name)] = PercentCoding.decode(pair.dropFirst(name.count + 1))
    }
    return parameters
  }

  /// The bytes for one attempt: the wait goes before `z`, which has to stay the last parameter.
  package static func line(_ stored: [UInt8], queueTime: Int64) -> [UInt8] {
    let wait = Array("&qt=\(queueTime)".utf8)
    let marker = Array("&z=".utf8)
    guard stored.count >= marker.count,
      let last = stride(from: stored.count - marker.count, through: 0, by: -1).first(where: {
        stored[$0] == marker[0] && stored[$0 + 1] == marker[1] && stored[$0 + 2] == marker[2]
      })
    else { return stored + wait }
    return Array(stored[..<last]) + wait + stored[last...]
  }
}
