import Questions
import Views

/// Rows of persons or sessions, collected from chunks and then visited person by person, in the order of time.
///
/// The rows of as many persons as fit into the memory are collected at once; if there are more, the chunks are read
/// again for the others.
final class PersonRows<Row: BitwiseCopyable> {
  struct Element: BitwiseCopyable {
    var owner: UInt32
    var value: Int32
    var time: Int64
    var row: Row
  }

  private let rows: GrowingMemory<Element>
  private let limit: Int
  /// The persons whose rows are collected.
  private(set) var owners: Range<UInt32> = 0..<0

  /// - Parameter bytes: The memory that the rows may take; sorting takes as much again.
  init(bytes: Int) {
    rows = GrowingMemory()
    limit = max(bytes / 3 / MemoryLayout<Element>.stride, 1)
  }

  func begin(_ owners: Range<UInt32>) {
    self.owners = owners
    rows.truncate(to: 0)
  }

  /// Adds a row of one of the ``owners``; the `filter` is the one that decides which persons those are.
  @inline(__always)
  func append(_ element: Element) { rows.append(element) }

  /// Collects fewer persons if their rows take too much memory; throws if those of one do.
  ///
  /// - Parameter person: Returns the person of an owner.
  func shrink(person: (UInt32) -> UInt32) throws {
    while rows.count > limit {
      guard owners.count > 1 else { throw QuestionError.tooLarge }
      owners = owners.lowerBound..<owners.lowerBound + UInt32(owners.count / 2)
      var kept = 0
      let elements = rows.elements
      for element in elements where owners.contains(person(element.owner)) {
        elements[kept] = element
        kept += 1
      }
      rows.truncate(to: kept)
    }
  }

  /// Calls `body` with the rows of each owner, by time; rows of the same time in the order in which they were added.
  func forEach(_ body: (UnsafeMutableBufferPointer<Element>) throws -> Void) rethrows {
    let elements = rows.elements
    elements.radixSort { UInt64($0.owner) }
    var start = 0
    while start < elements.count {
      var end = start + 1
      while end < elements.count, elements[end].owner == elements[start].owner { end += 1 }
      let part = UnsafeMutableBufferPointer(rebasing: elements[start..<end])
      Self.sortByTime(part)
      try body(part)
      start = end
    }
  }

  private static func sortByTime(_ rows: UnsafeMutableBufferPointer<Element>) {
    var isSorted = true
    var index = 1
    while index < rows.count, isSorted {
      isSorted = rows[index - 1].time <= rows[index].time
      index += 1
    }
    guard !isSorted else { return }
    // Stable, and the bits of a negative time order it before positive ones.
    rows.radixSort { UInt64(bitPattern: $0.time) ^ 1 << 63 }
  }
}
