import TernBase

/// The content of the file that names the owner of a data directory.
package struct OwnerRecord: Hashable, Sendable {
  /// The size of the file, so that one write replaces all of it.
  package static let size = 512
  private static let mark = "tern-owner 1"

  /// A random name.
  package var name: String
  /// The running kernel, and the file system as it knows it. A lock excludes processes at the same place from each other.
  package var place: String?
  /// The number that the owner increases; 0 until a name that replaced another may be used.
  package var beat: UInt64
  /// The owner in words, for messages: process, computer and path.
  package var owner: String

  package init(name: String, place: String?, beat: UInt64 = 0, owner: String = "") {
    (self.name, self.place, self.beat, self.owner) = (name, place, beat, owner)
  }

  /// False if the owner has put its name in the place of another, and waits until that one has seen it.
  package var isSettled: Bool { beat > 0 }

  /// Reads a record. What can't be read is the record of an unknown owner, which stays the same as long as the bytes do.
  package init(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", maxSplits: 5, omittingEmptySubsequences: false)
    guard lines.count > 4, lines[0] == Self.mark, let beat = UInt64(lines[3]) else {
      self.init(name: "", place: nil, beat: bytes.reduce(0) { $0 &* 31 &+ UInt64($1) }, owner: "an unknown process")
      return
    }
    self.init(
      name: String(lines[1]), place: lines[2].isEmpty ? nil : String(lines[2]), beat: beat, owner: String(lines[4]))
  }

  /// The bytes of the file.
  package var bytes: [UInt8] {
    let number = String(beat)
    let padded = String(repeating: "0", count: max(20 - number.count, 0)) + number
    let words = owner.split(whereSeparator: \.isNewline).joined(separator: " ")
    let head = Array("\(Self.mark)\n\(name)\n\(place ?? "")\n\(padded)\n".utf8)
    var bytes = head + Array(words.prefix(utf8Bytes: max(Self.size - 1 - head.count, 0)).utf8)
    bytes.append(UInt8(ascii: "\n"))
    return bytes + Array(repeating: UInt8(ascii: "\n"), count: max(Self.size - bytes.count, 0))
  }
}
