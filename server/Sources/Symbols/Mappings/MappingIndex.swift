import Foundation

/// The places of the classes in a mapping, by the hashes of their names. A look at a few classes then reads little of it.
struct MappingIndex: Sendable {
  /// The most classes of a mapping, which take 16 MiB each way.
  static let maximumClasses = 1_000_000
  /// The most classes of one name that are looked at: several only where mappings follow each other.
  private static let maximumSameNames = 16

  private struct Entry: Comparable {
    var hash: Int
    var position: Int

    static func < (left: Self, right: Self) -> Bool { (left.hash, left.position) < (right.hash, right.position) }
  }

  /// By shortened names.
  private var shortened: [Entry] = []
  /// By names of the source.
  private var originals: [Entry] = []
  /// True if methods have lines.
  private(set) var hasLines = false

  var count: Int { shortened.count }

  /// Reads a mapping; throws ``ObjectError`` if it is none, has too many classes or too long lines.
  init(_ source: ObjectSource) throws(ObjectError) {
    try MappingLines(source: source).forEach { (line, position) throws(ObjectError) in
      if let found = MappingLine.classLine(line) {
        guard shortened.count < Self.maximumClasses else { throw .damaged("it has more than a million classes") }
        shortened.append(Entry(hash: Self.hash(found.shortened), position: position))
        originals.append(Entry(hash: Self.hash(found.original), position: position))
        return true
      }
      // Fields and methods belong to a class.
      guard MappingLine.isInside(line), !shortened.isEmpty || line.isEmpty || MappingLine.isComment(line) else {
        throw .notMapping
      }
      if !hasLines, line.first != 0x23, let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }) {
        hasLines = (0x30...0x39).contains(first)
      }
      return true
    }
    guard !shortened.isEmpty else { throw .notMapping }
    shortened.sort()
    originals.sort()
  }

  /// Returns the positions of the lines of classes that may have a shortened name.
  func positions(shortened name: String) -> [Int] { Self.positions(name, in: shortened) }

  /// Returns the positions of the lines of classes that may have a name of the source.
  func positions(original name: String) -> [Int] { Self.positions(name, in: originals) }

  private static func positions(_ name: String, in entries: [Entry]) -> [Int] {
    var name = name
    let wanted = name.withUTF8 { Self.hash(UnsafeRawBufferPointer($0)) }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].hash < wanted { low = middle + 1 } else { high = middle }
    }
    return entries[low...].prefix { $0.hash == wanted }.prefix(maximumSameNames).map(\.position)
  }

  private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: name)
    return hasher.finalize()
  }
}
