import TernBase

/// The parameters of one hit: `name=value` pairs joined by `&`, percent-encoded UTF-8.
struct FormParameters {
  private struct Pair {
    let name: String
    let value: UnsafeRawBufferPointer
  }

  private var pairs: [Pair] = []
  /// The most parameters that are read: as many as a hit of 8 KiB can have.
  private static let maximumPairs = 4_096

  /// Splits a hit into parameters, which are decoded on demand. Valid as long as `bytes`.
  init(_ bytes: UnsafeRawBufferPointer) {
    pairs.reserveCapacity(24)
    var start = 0
    while start < bytes.count, pairs.count < Self.maximumPairs {
      var end = start
      var equalsSign: Int?
      while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
        if equalsSign == nil, bytes[end] == UInt8(ascii: "=") { equalsSign = end }
        end += 1
      }
      let nameEnd = equalsSign ?? end
      if nameEnd > start {
        let name = UnsafeRawBufferPointer(rebasing: bytes[start..<nameEnd])
        let value = UnsafeRawBufferPointer(rebasing: bytes[min(nameEnd + 1, end)..<end])
        pairs.append(Pair(name: Self.decoded(name), value: value))
      }
      start = end + 1
    }
  }

  /// Returns the value of a parameter, trimmed, with runs of white space collapsed, and truncated at a character
  /// boundary to `limit` bytes; `nil` if it is absent or empty. If a name is repeated, the last value counts.
  func text(_ name: String, limit: Int) -> String? { raw(name).flatMap { Self.text($0, limit: limit) } }

  /// Returns the value at a position of ``names``, in the same form.
  func text(at position: Int, limit: Int) -> String? { Self.text(pairs[position].value, limit: limit) }

  private static func text(_ value: UnsafeRawBufferPointer, limit: Int) -> String? {
    // Nearly all values stand for themselves.
    if value.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }) {
      return value.isEmpty ? nil : Ingest.text(value, limit: limit)
    }
    var decoded = decodedBytes(value)
    collapse(&decoded)
    return decoded.isEmpty ? nil : decoded.withUnsafeBytes { Ingest.text($0, limit: limit) }
  }

  /// Returns the decoded bytes of a parameter, with all their white space; `nil` if it is absent.
  func bytes(_ name: String) -> [UInt8]? { raw(name).map { Self.decodedBytes($0) } }

  /// Returns the value of a parameter as an integer, or `nil` if it is absent or not an integer.
  func integer(_ name: String) -> Int64? {
    text(name, limit: 32).flatMap { Int64($0) }
  }

  /// The names in the order sent.
  var names: [String] { pairs.map(\.name) }

  /// Returns true if a parameter has a name, also one without a value.
  func contains(_ name: String) -> Bool { raw(name) != nil }

  /// Returns all pairs except those with some names, in the order and encoding sent.
  func text(without names: [String]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 2 })
    for pair in pairs where !names.contains(pair.name) {
      text += pair.name.utf8
      text.append(UInt8(ascii: "="))
      text += pair.value
      text.append(UInt8(ascii: "&"))
    }
    return text
  }

  private func raw(_ name: String) -> UnsafeRawBufferPointer? {
    pairs.last { $0.name == name }?.value
  }

  private static func decoded(_ bytes: UnsafeRawBufferPointer) -> String {
    guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
    return String(decoding: decodedBytes(bytes), as: UTF8.self)
  }

  /// Percent-decodes bytes. NUL is replaced, because it would end the text in C libraries.
  private static func decodedBytes(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let decoded = PercentCoding.decodedBytes(bytes)
    guard decoded.contains(0) else { return decoded }
    return decoded.flatMap { $0 == 0 ? Array("\u{FFFD}".utf8) : [$0] }
  }

  /// Removes white space at both ends, and leaves one space of each run between words.
  private static func collapse(_ bytes: inout [UInt8]) {
    var count = 0
    for index in bytes.indices {
      let isSpace = bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index])
      if isSpace, count == 0 || bytes[count - 1] == 0x20 { continue }
      bytes[count] = isSpace ? 0x20 : bytes[index]
      count += 1
    }
    if count > 0, bytes[count - 1] == 0x20 { count -= 1 }
    bytes.removeSubrange(count...)
  }
}
