/// The rows of one partition, owner by owner and in the order of time.
struct GroupedRows {
  private let partition: Int
  private let rows: Memory<PersonRow>
  /// The end of the rows of each owner.
  private let ends: Memory<UInt32>

  /// Takes the rows of a partition out of the parts that collected them.
  ///
  /// - Parameters:
  ///   - parts: In the order of their chunks.
  ///   - owners: The number of owners in all partitions.
  ///   - valueNumbers: For each part, the number here of each value; empty if values have none.
  ///   - threads: The number of partitions that are in order at the same time; they have a quarter of the question's memory.
  init(
    _ partition: Int, of parts: [PersonRows], owners: Int, valueNumbers: [[Int]], threads: Int,
    within limits: QuestionLimits
  ) throws {
    self.partition = partition
    let total = parts.reduce(0) { $0 + $1.count(partition) }
    try limits.check(total * MemoryLayout<PersonRow>.stride * 4 * threads)
    // Counted per owner, then placed: no comparisons, and rows of one moment stay in the order of their IDs.
    let owners = total == 0 ? 0 : PersonRows.owners(in: partition, of: owners)
    ends = Memory(count: owners + 1, zero: 0)
    rows = Memory(count: total, zero: PersonRow(moment: Moment(time: 0, inMillisecond: 0), bits: 0, value: 0))
    let (ends, rows) = (ends.start, rows.start)
    for part in parts { part.forEach(in: partition) { index, _ in ends[index + 1] += 1 } }
    for owner in 0..<owners { ends[owner + 1] += ends[owner] }
    for (number, part) in parts.enumerated() {
      let numbers = valueNumbers.isEmpty ? [] : valueNumbers[number]
      part.forEach(in: partition) { index, row in
        let place = Int(ends[index])
        ends[index] += 1
        rows[place] = row
        if !numbers.isEmpty { rows[place].value = UInt32(numbers[Int(row.value)]) }
      }
      part.remove(partition)
    }
  }

  /// Calls `body` with each owner that has rows, and these.
  func forEach(_ body: (_ owner: UInt32, UnsafeMutableBufferPointer<PersonRow>) throws -> Void) rethrows {
    var start = 0
    for index in 0..<ends.count - 1 {
      let end = Int(ends[index])
      guard end > start else { continue }
      let part = UnsafeMutableBufferPointer(start: rows.start + start, count: end - start)
      Self.sortByTime(part)
      try body(PersonRows.owner(index, in: partition), part)
      start = end
    }
  }

  /// Rows that arrived late are rare.
  private static func sortByTime(_ rows: UnsafeMutableBufferPointer<PersonRow>) {
    var isSorted = true
    var index = 1
    while index < rows.count, isSorted {
      isSorted = rows[index - 1].moment <= rows[index].moment
      index += 1
    }
    guard !isSorted else { return }
    let order = rows.indices.sorted { (rows[$0].moment, $0) < (rows[$1].moment, $1) }
    let sorted = order.map { rows[$0] }
    for index in rows.indices { rows[index] = sorted[index] }
  }

  /// Divides partitions into ranges, one for each thread.
  static func ranges(_ partitions: Range<Int>, threads: Int) -> [Range<Int>] {
    let (start, count) = (partitions.lowerBound, partitions.count)
    return (0..<threads).map { start + count * $0 / threads..<start + count * ($0 + 1) / threads }
  }
}
