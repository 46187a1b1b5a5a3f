import Questions

/// Counting by one dimension or none: rows are first tallied by the column's values, of which a chunk has few, so that
/// cells, persons and sessions are looked up for values and senders instead of for rows.
extension CellMetrics {
  /// The most values of a column that are tallied.
  static let maximumTallies = 4_096
  /// The kinds of rows, each twice: without and with the mark of a begun session.
  static let tallyWidth = 16

  /// Adds the rows of a chunk that pass, by the values of a column.
  func add(
    _ rows: UnsafeBufferPointer<UInt16>, _ column: IndexColumn, _ cursor: ChunkCursor, _ numbers: SessionNumbers?
  ) {
    let (chunk, indexes, tallies) = (cursor.chunk, column.indexes, cursor.scratch.tallies.start)
    let (labels, kinds) = (chunk.labels, chunk.labelKinds)
    tallies.update(repeating: 0, count: column.distinct * Self.tallyWidth)
    for position in 0..<rows.count {
      let row = Int(rows[position])
      tallies[Int(indexes[row]) * Self.tallyWidth + Int(kinds[Int(labels[row])])] += 1
    }
    let cells = cells(column, tallies)
    guard users != nil || sessions != nil else { return }
    if indexes == chunk.senders {
      addSenders(cells, tallies, cursor, numbers)
    } else if column.distinct <= 64 {
      addUnits(rows, column, cells, cursor, numbers)
    } else {
      addPairs(rows, column, cells, cursor, numbers)
    }
    addCrashes(rows, column, cells, cursor, numbers)
  }

  /// Counts the tallied rows; returns the cell of each value, −1 for values without rows.
  private func cells(_ column: IndexColumn, _ tallies: UnsafeMutablePointer<UInt32>) -> [Int] {
    let cellOfValue = Memory<Int32>(count: column.valueCount, zero: -1)
    return (0..<column.distinct).map { index in
      let tallied = tallies + index * Self.tallyWidth
      // Most senders of a chunk may have no row that passes.
      guard Self.hasRows(tallied) else { return -1 }
      let value = column.valueNumber(index)
      if cellOfValue[value] < 0 {
        cellOfValue[value] = Int32(cells.values.first?.number(column.value(numbered: value)) ?? 0)
      }
      let cell = Int(cellOfValue[value])
      grow(to: cell)
      for code in 0..<Self.tallyWidth where tallied[code] > 0 {
        let count = Int(tallied[code])
        rowCounts.elements[cell] += count
        counts.elements[cell * Self.countWidth + code >> 1] += count
        if code & 1 == 1 { counts.elements[cell * Self.countWidth + Self.markedStarts] += count }
      }
      return cell
    }
  }

  @inline(__always)
  private static func hasRows(_ tallied: UnsafeMutablePointer<UInt32>) -> Bool {
    UnsafeRawPointer(tallied).loadUnaligned(as: SIMD16<UInt32>.self) != SIMD16()
  }

  @inline(__always)
  private func insert(_ cell: Int, user person: UInt32, _ users: DistinctPairs) {
    if users.insert(cell, person), let firstTimes, isNew(firstTimes[Int(person)], in: cell) {
      newUsers.elements[cell] += 1
    }
  }

  private func insert(_ cell: Int, session: Int32) {
    if session != SessionNumbers.none { _ = sessions?.insert(cell, UInt32(session)) }
  }

  /// The values are those of senders, who are one person in one session.
  private func addSenders(
    _ cells: [Int], _ tallies: UnsafeMutablePointer<UInt32>, _ cursor: ChunkCursor, _ numbers: SessionNumbers?
  ) {
    let other = Int(QuestionKind.other.storedNumber) << 1
    let (users, persons) = (users, cursor.persons)
    for (sender, cell) in cells.enumerated() where cell >= 0 {
      if let users { insert(cell, user: persons[sender], users) }
      let tallied = tallies + sender * Self.tallyWidth
      if let numbers, (0..<Self.tallyWidth).contains(where: { tallied[$0] > 0 && $0 & ~1 != other }) {
        insert(cell, session: numbers.number(ofSender: sender))
      }
    }
  }

  /// The values fit into the bits of a word for each sender.
  private func addUnits(
    _ rows: UnsafeBufferPointer<UInt16>, _ column: IndexColumn, _ cells: [Int], _ cursor: ChunkCursor,
    _ numbers: SessionNumbers?
  ) {
    let (chunk, senders, indexes) = (cursor.chunk, cursor.chunk.senders, column.indexes)
    func collect(_ isWanted: (Int) -> Bool, _ body: (_ cell: Int, _ sender: Int) -> Void) {
      let units = cursor.senderUnits(count: chunk.header.senders)
      for position in 0..<rows.count {
        let row = Int(rows[position])
        if isWanted(row) { units[Int(senders[row])] |= 1 << UInt64(indexes[row]) }
      }
      for sender in 0..<chunk.header.senders {
        var rest = units[sender]
        while rest != 0 {
          body(cells[rest.trailingZeroBitCount], sender)
          rest &= rest - 1
        }
      }
    }
    let (other, labels, kinds) = (QuestionKind.other.storedNumber, chunk.labels, chunk.labelKinds)
    let hasOthers = (0..<chunk.header.labels).contains { kinds[$0] >> 1 == other }
    let persons = cursor.persons
    if let users, numbers != nil, !hasOthers {
      collect({ _ in true }) { cell, sender in
        insert(cell, user: persons[sender], users)
        insert(cell, session: numbers?.number(ofSender: sender) ?? SessionNumbers.none)
      }
      return
    }
    if let users { collect({ _ in true }) { insert($0, user: persons[$1], users) } }
    if let numbers {
      collect({ kinds[Int(labels[$0])] >> 1 != other }) { insert($0, session: numbers.number(ofSender: $1)) }
    }
  }

  /// There are many values, such as names of events.
  private func addPairs(
    _ rows: UnsafeBufferPointer<UInt16>, _ column: IndexColumn, _ cells: [Int], _ cursor: ChunkCursor,
    _ numbers: SessionNumbers?
  ) {
    let (chunk, indexes, persons, users) = (cursor.chunk, column.indexes, cursor.persons, users)
    let other = QuestionKind.other.storedNumber
    var last = (cell: -1, sender: -1)
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let (cell, sender) = (cells[Int(indexes[row])], Int(chunk.senders[row]))
      if let users { insert(cell, user: persons[sender], users) }
      let kind = chunk.labelKinds[Int(chunk.labels[row])] >> 1
      guard let numbers, last != (cell, sender), kind != other else { continue }
      insert(cell, session: numbers.number(ofSender: sender))
      last = (cell, sender)
    }
  }

  private func addCrashes(
    _ rows: UnsafeBufferPointer<UInt16>, _ column: IndexColumn, _ cells: [Int], _ cursor: ChunkCursor,
    _ numbers: SessionNumbers?
  ) {
    guard crashedUsers != nil || crashedSessions != nil else { return }
    let (chunk, crash) = (cursor.chunk, QuestionKind.crash.storedNumber)
    guard (0..<chunk.header.labels).contains(where: { chunk.labelKinds[$0] >> 1 == crash }) else { return }
    for position in 0..<rows.count {
      let row = Int(rows[position])
      guard chunk.labelKinds[Int(chunk.labels[row])] >> 1 == crash else { continue }
      let (cell, sender) = (cells[Int(column.indexes[row])], Int(chunk.senders[row]))
      _ = crashedUsers?.insert(cell, cursor.persons[sender])
      if let crashedSessions, let session = numbers?.number(ofSender: sender), session != SessionNumbers.none {
        _ = crashedSessions.insert(cell, UInt32(session))
      }
    }
  }
}
