import Questions
import ServerBase

/// A row of a person or session.
struct PersonRow: BitwiseCopyable {
  /// The number of the person or session.
  var owner: UInt32
  /// Bits that the question needs.
  var bits: UInt32
  var moment: Moment
}

/// Rows of persons or sessions, collected by one part of the chunks.
///
/// The rows of as many persons as fit into the memory are collected at once; if there are more, the chunks are read
/// again for the others.
final class PersonRows {
  fileprivate let rows = GrowingMemory<PersonRow>()
  /// A value of each row, if the question needs one.
  fileprivate let values: GrowingMemory<Int32>?
  private let limit: Int
  /// The persons whose rows are collected.
  private(set) var persons: Range<UInt32>

  /// - Parameter bytes: The memory that the rows may take; sorting takes as much again.
  init(persons: Range<UInt32>, hasValues: Bool, bytes: Int) {
    self.persons = persons
    values = hasValues ? GrowingMemory() : nil
    // Twice as many because the memory grows by doubling.
    limit = max(bytes / 3 / (hasValues ? 20 : 16), 1)
  }

  /// Adds a row of one of the ``persons``.
  @inline(__always)
  func append(_ row: PersonRow, value: Int32) {
    rows.append(row)
    values?.append(value)
  }

  /// Collects fewer persons if their rows take too much memory; throws if those of one do.
  ///
  /// - Parameter person: Returns the person of an owner.
  func shrink(person: (UInt32) -> UInt32) throws {
    while rows.count > limit {
      guard persons.count > 1 else { throw QuestionError.tooLarge }
      persons = persons.lowerBound..<persons.lowerBound + UInt32(persons.count / 2)
      var kept = 0
      let elements = rows.elements
      for index in 0..<elements.count where persons.contains(person(elements[index].owner)) {
        elements[kept] = elements[index]
        if let values { values.elements[kept] = values.elements[index] }
        kept += 1
      }
      rows.truncate(to: kept)
      values?.truncate(to: kept)
    }
  }
}

/// The rows of some parts of the chunks, owner by owner and in the order of time.
struct GroupedRows {
  private let rows: Memory<PersonRow>
  private let values: Memory<Int32>?
  /// The end of the rows of each owner.
  private let ends: Memory<UInt32>
  private let owners: Range<UInt32>

  /// Groups the rows of some owners.
  ///
  /// - Parameters:
  ///   - parts: In the order of their chunks.
  ///   - valueNumbers: For each part, the number here of each value; empty if values have none.
  init(_ parts: [PersonRows], owners: Range<UInt32>, valueNumbers: [[Int]] = []) {
    self.owners = owners
    // Counted per owner, then placed: no comparisons, and rows of one moment stay in the order of their IDs.
    let ends = Memory<UInt32>(count: owners.count + 1, zero: 0)
    let counts = ends.start
    for part in parts {
      let elements = part.rows.elements
      for index in 0..<elements.count where owners.contains(elements[index].owner) {
        counts[Int(elements[index].owner - owners.lowerBound) + 1] += 1
      }
    }
    for owner in 0..<owners.count { counts[owner + 1] += counts[owner] }
    let count = Int(counts[owners.count])
    rows = Memory(count: count, zero: PersonRow(owner: 0, bits: 0, moment: Moment(time: 0, inMillisecond: 0)))
    values = parts.first?.values == nil ? nil : Memory(count: count, zero: 0)
    for (number, part) in parts.enumerated() {
      let elements = part.rows.elements
      for index in 0..<elements.count where owners.contains(elements[index].owner) {
        let owner = Int(elements[index].owner - owners.lowerBound)
        let place = Int(counts[owner])
        counts[owner] += 1
        rows[place] = elements[index]
        guard let values, let from = part.values else { continue }
        let value = from.elements[index]
        values[place] = valueNumbers.isEmpty || value < 0 ? value : Int32(valueNumbers[number][Int(value)])
      }
    }
    self.ends = ends
  }

  /// Calls `body` with the rows of each owner, and their values.
  func forEach(_ body: (UnsafeMutableBufferPointer<PersonRow>, UnsafeMutablePointer<Int32>?) throws -> Void) rethrows {
    var start = 0
    for owner in 0..<owners.count {
      let end = Int(ends[owner])
      guard end > start else { continue }
      let part = UnsafeMutableBufferPointer(start: rows.start + start, count: end - start)
      let values = values.map { $0.start + start }
      Self.sortByTime(part, values)
      try body(part, values)
      start = end
    }
  }

  /// Rows that arrived late are rare.
  private static func sortByTime(_ rows: UnsafeMutableBufferPointer<PersonRow>, _ values: UnsafeMutablePointer<Int32>?)
  {
    var isSorted = true
    var index = 1
    while index < rows.count, isSorted {
      isSorted = rows[index - 1].moment <= rows[index].moment
      index += 1
    }
    guard !isSorted else { return }
    let order = rows.indices.sorted { (rows[$0].moment, $0) < (rows[$1].moment, $1) }
    let sorted = order.map { rows[$0] }
    if let values {
      let sortedValues = order.map { values[$0] }
      for index in rows.indices { values[index] = sortedValues[index] }
    }
    for index in rows.indices { rows[index] = sorted[index] }
  }

  /// Divides numbers into as many ranges as there are threads.
  static func ranges(_ range: Range<UInt32>, count: Int) -> [Range<UInt32>] {
    let count = min(UInt32(count), UInt32(max(range.count, 1)))
    let size = UInt64(range.count)
    return (0..<count).map { part in
      let (start, end) = (size * UInt64(part) / UInt64(count), size * UInt64(part + 1) / UInt64(count))
      return range.lowerBound + UInt32(start)..<range.lowerBound + UInt32(end)
    }
  }
}
