/// The list of files in a zip archive, with 32 or 64 bits (APPNOTE 6.3.10). It may be hostile, so every position is checked.
package struct ZipArchive {
  /// A file in the archive. Its name is for people, and never a path.
  package struct Entry: Sendable, Hashable {
    /// The forms of the content.
    package enum Form: Sendable { case stored, deflated }

    package var name: String
    /// The last part of the name.
    package var fileName: String { name.split(separator: "/").last.map(String.init) ?? "" }
    package var form: Form
    package var checksum: UInt32
    /// The size in the archive.
    package var packedBytes: UInt64
    /// The size that it says it has.
    package var bytes: UInt64
    /// The position of its header.
    fileprivate var header: UInt64
  }

  static let maximumEntries = 20_000
  private static let maximumListBytes: UInt64 = 4 << 20
  private static let maximumCommentBytes = 0xFFFF
  private static let endBytes = 22
  private static let entryBytes = 46
  private static let headerBytes: UInt64 = 30

  /// The files, without those that are empty, encrypted or compressed in another form.
  package let entries: [Entry]

  /// Returns true if a file begins like an archive.
  package static func isArchive(_ source: ObjectSource) -> Bool {
    (try? source.bytes(at: 0, count: 4, "its header"))?.bytes == [0x50, 0x4B, 3, 4]
  }

  /// Reads the list; throws ``ObjectError`` if it is damaged or too long.
  package init(_ source: ObjectSource) throws(ObjectError) {
    let (offset, bytes) = try Self.list(in: source)
    guard bytes <= Self.maximumListBytes else { throw .tooManyFiles }
    let list = try source.bytes(at: offset, count: bytes, "its list of files")
    var entries: [Entry] = []
    var position = 0
    while position + Self.entryBytes <= list.bytes.count {
      guard try list.word(at: position) == 0x0201_4B50 else { break }
      let name = Int(try list.number(at: position + 28, bytes: 2))
      let extra = Int(try list.number(at: position + 30, bytes: 2))
      let end = position + Self.entryBytes + name + extra
      guard end <= list.bytes.count else { throw .damaged("its list of files ends early") }
      guard entries.count < Self.maximumEntries else { throw .tooManyFiles }
      if let entry = try Self.entry(in: list, at: position, name: name, extra: extra) { entries.append(entry) }
      position = end + Int(try list.number(at: position + 32, bytes: 2))
    }
    self.entries = entries
  }

  /// Returns the content of a file as it is in the archive.
  func content(of entry: Entry, in source: ObjectSource) throws(ObjectError) -> ObjectSource {
    let header = try source.bytes(at: entry.header, count: Self.headerBytes, "a file of the archive")
    guard try header.word(at: 0) == 0x0403_4B50 else { throw .damaged("a file of the archive has no header") }
    // The header's name and extra fields may differ from those in the list.
    let (name, extra) = (try header.number(at: 26, bytes: 2), try header.number(at: 28, bytes: 2))
    return try source.part(
      at: entry.header + Self.headerBytes + name + extra, count: entry.packedBytes, "a file of the archive")
  }

  /// Returns the place of the list, which the archive's last bytes name.
  private static func list(in source: ObjectSource) throws(ObjectError) -> (offset: UInt64, bytes: UInt64) {
    let tailBytes = min(source.count, endBytes + maximumCommentBytes)
    let start = UInt64(source.count - tailBytes)
    let tail = try source.bytes(at: start, count: UInt64(tailBytes), "its end")
    var end = tailBytes - endBytes
    while end >= 0, tail.bytes[end..<end + 4] != [0x50, 0x4B, 5, 6] { end -= 1 }
    guard end >= 0 else { throw .damaged("it has no list of files") }
    let (bytes, offset) = (try tail.word(at: end + 12), try tail.word(at: end + 16))
    let count = try tail.number(at: end + 10, bytes: 2)
    guard bytes == 0xFFFF_FFFF || offset == 0xFFFF_FFFF || count == 0xFFFF else { return (offset, bytes) }
    guard start + UInt64(end) >= 20 else { return (offset, bytes) }
    let locator = try source.bytes(at: start + UInt64(end) - 20, count: 20, "its end")
    guard try locator.word(at: 0) == 0x0706_4B50 else { return (offset, bytes) }
    let record = try source.bytes(at: locator.number(at: 8, bytes: 8), count: 56, "its end")
    guard try record.word(at: 0) == 0x0606_4B50 else { throw .damaged("it has no list of files") }
    return (try record.number(at: 48, bytes: 8), try record.number(at: 40, bytes: 8))
  }

  /// Returns the file at a position of the list; `nil` if its content can't be read.
  private static func entry(
    in list: ObjectFields, at position: Int, name: Int, extra: Int
  ) throws(ObjectError) -> Entry? {
    let isEncrypted = try list.number(at: position + 8, bytes: 2) & 1 != 0
    let form: Entry.Form
    switch try list.number(at: position + 10, bytes: 2) {
    case 0: form = .stored
    case 8: form = .deflated
    default: return nil
    }
    var entry = Entry(
      name: list.text(at: UInt64(position + entryBytes), limit: name), form: form,
      checksum: UInt32(truncatingIfNeeded: try list.word(at: position + 16)),
      packedBytes: try list.word(at: position + 20), bytes: try list.word(at: position + 24),
      header: try list.word(at: position + 42))
    // Numbers that don't fit are in an extra field, in this order.
    var field = position + entryBytes + name
    let end = field + extra
    while field + 4 <= end {
      let (kind, size) = (try list.number(at: field, bytes: 2), Int(try list.number(at: field + 2, bytes: 2)))
      var (next, last) = (field + 4, min(field + 4 + size, end))
      field = last
      guard kind == 1 else { continue }
      for member in [\Entry.bytes, \.packedBytes, \.header] where entry[keyPath: member] == 0xFFFF_FFFF {
        guard next + 8 <= last else { break }
        entry[keyPath: member] = try list.number(at: next, bytes: 8)
        next += 8
      }
      last = next
    }
    // No sum of positions can overflow.
    guard !isEncrypted, entry.bytes > 0, entry.packedBytes > 0, entry.header < 1 << 62 else { return nil }
    return entry
  }
}
