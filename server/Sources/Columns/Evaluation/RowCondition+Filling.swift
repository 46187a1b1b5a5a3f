import Ingest
import Questions
import ServerBase
import Warehouse

extension ColumnEvaluation {
  /// Sets a mask to the rows of the chunk that pass.
  func fill(_ mask: ChunkCursor.Mask, _ condition: RowCondition, _ cursor: ChunkCursor) throws {
    let count = cursor.chunk.rows
    let isFilled = try cursor.withMask { table in
      guard let indexes = try fill(table: table, condition, cursor) else { return false }
      let (table, mask) = (table.start, mask.start)
      for row in 0..<count { mask[row] = table[Int(indexes.start[row])] }
      return true
    }
    guard !isFilled else { return }
    switch condition {
    case .value(.property(let name), let predicate): fill(mask, name.text, predicate, cursor)
    case .rows(let ids):
      mask.start.update(repeating: 0, count: count)
      for id in ids[cursor.chunk.places(in: ids)] {
        if let row = cursor.chunk.row(id) { mask[row] = 1 }
      }
    case .all(let conditions):
      let conditions = conditions.filter { !$0.isAlways }
      try fill(mask, conditions.first ?? .always, cursor)
      for condition in conditions.dropFirst() {
        try cursor.withMask { other in
          try fill(other, condition, cursor)
          Self.intersect(mask, other, count)
        }
      }
    case .any(let conditions):
      mask.start.update(repeating: 0, count: count)
      for condition in conditions {
        try cursor.withMask { other in
          try fill(other, condition, cursor)
          Self.unite(mask, other, count)
        }
      }
    case .not(let inner):
      try fill(mask, inner, cursor)
      Self.invert(mask, count)
    case .always, .value, .persons, .target, .days: mask.start.update(repeating: 1, count: count)
    }
  }

  /// Sets a mask to the rows of the chunk that pass and lie in the range.
  func fill(_ mask: ChunkCursor.Mask, _ condition: RowCondition, _ range: DayRange?, _ cursor: ChunkCursor) throws {
    try fill(mask, range.map { .all([condition, .days($0.days)]) } ?? condition, cursor)
  }

  /// The column by whose indexes a condition decides.
  struct DecidingIndexes {
    let start: UnsafePointer<UInt16>
    /// The number of indexes.
    let count: Int
  }

  /// Sets a table to the indexes of a column that pass, and returns that column; `nil` if the condition isn't about one alone. A chunk
  /// has far fewer senders and labels than rows.
  func fill(table: Memory<UInt8>, _ condition: RowCondition, _ cursor: ChunkCursor) throws -> DecidingIndexes? {
    let chunk = cursor.chunk
    switch condition {
    case .always, .rows, .value(.property, _): return nil
    case .value(let dimension, let predicate):
      return try fill(table: table, cursor.column(dimension), cursor) { try passes($0, predicate, dimension) }
    case .days(let days):
      let days = days.lowerBound.number...days.upperBound.number
      return fill(table: table, cursor.column(.time(.day)), cursor) { value in
        if case .unit(let day) = value { days.contains(day) } else { false }
      }
    case .persons(let set):
      let persons = cursor.persons
      for sender in 0..<chunk.header.senders { table[sender] = set.contains(persons[sender]) ? 1 : 0 }
      return DecidingIndexes(start: chunk.senders, count: chunk.header.senders)
    case .target(let target):
      for label in 0..<chunk.header.labels { table[label] = Self.matches(target, label, chunk) ? 1 : 0 }
      return DecidingIndexes(start: chunk.labels, count: chunk.header.labels)
    case .not(let inner):
      let indexes = try fill(table: table, inner, cursor)
      if let indexes { Self.invert(table, indexes.count) }
      return indexes
    case .all(let conditions): return try fill(table: table, conditions, cursor, Self.intersect)
    case .any(let conditions): return try fill(table: table, conditions, cursor, Self.unite)
    }
  }

  private func fill(
    table: Memory<UInt8>, _ conditions: [RowCondition], _ cursor: ChunkCursor,
    _ combine: (ChunkCursor.Mask, ChunkCursor.Mask, Int) -> Void
  ) throws -> DecidingIndexes? {
    guard let first = conditions.first, let indexes = try fill(table: table, first, cursor) else { return nil }
    for condition in conditions.dropFirst() {
      let isCombined = try cursor.withMask { other in
        guard try fill(table: other, condition, cursor)?.start == indexes.start else { return false }
        combine(table, other, indexes.count)
        return true
      }
      guard isCombined else { return nil }
    }
    return indexes
  }

  private func fill(
    table: Memory<UInt8>, _ column: IndexColumn, _ cursor: ChunkCursor, _ passes: (ColumnValue) throws -> Bool
  ) rethrows -> DecidingIndexes {
    let byValue = column.valueNumbers == nil ? table : cursor.table
    for number in 0..<column.valueCount { byValue[number] = try passes(column.value(numbered: number)) ? 1 : 0 }
    if let numbers = column.valueNumbers {
      for index in 0..<column.distinct { table[index] = byValue[Int(numbers[index])] }
    }
    return DecidingIndexes(start: column.indexes, count: column.distinct)
  }

  /// Sets a mask to the rows whose property passes.
  private func fill(_ mask: ChunkCursor.Mask, _ name: String, _ predicate: ValuePredicate, _ cursor: ChunkCursor) {
    let (chunk, mask) = (cursor.chunk, mask.start)
    let column = withUTF8(name) { chunk.property($0) }
    mask.update(repeating: predicate.passes(.none) ? 1 : 0, count: chunk.rows)
    guard let column else { return }
    let table = cursor.table.start
    for index in 0..<column.distinct { table[index] = predicate.passes(column.value(index, chunk)) ? 1 : 0 }
    let indexes = column.indexes
    if let rows = column.rows {
      for position in 0..<column.count { mask[Int(rows[position])] = table[Int(indexes[position])] }
    } else {
      for position in 0..<column.count { mask[position] = table[Int(indexes[position])] }
    }
  }

  private static func intersect(_ mask: ChunkCursor.Mask, _ other: ChunkCursor.Mask, _ count: Int) {
    let (mask, other) = (mask.start, other.start)
    for index in 0..<count { mask[index] &= other[index] }
  }

  private static func unite(_ mask: ChunkCursor.Mask, _ other: ChunkCursor.Mask, _ count: Int) {
    let (mask, other) = (mask.start, other.start)
    for index in 0..<count { mask[index] |= other[index] }
  }

  private static func invert(_ mask: ChunkCursor.Mask, _ count: Int) {
    let mask = mask.start
    for index in 0..<count { mask[index] ^= 1 }
  }

  static func matches(_ target: Selector.Target, _ label: Int, _ chunk: Chunk) -> Bool {
    func isNamed(_ name: String) -> Bool {
      let text = chunk.labelNames[label]
      return text != Chunk.noText && chunk.text(text).elementsEqual(name.utf8)
    }
    return switch target {
    case .event(let name): chunk.kind(label) == .event && isNamed(name)
    case .screen(let name): chunk.kind(label) == .screen && isNamed(name)
    case .kind(let kind): chunk.kind(label) == kind
    case .any: chunk.kind(label) == .event || chunk.kind(label) == .screen
    }
  }

  private func passes(_ value: ColumnValue, _ predicate: ValuePredicate, _ dimension: QuestionDimension) throws -> Bool
  {
    let text: String
    switch value {
    case .none, .number, .text: return predicate.passes(value)
    case .unit(let unit): text = QuestionCalendar.label(of: dimension.timeUnit ?? .day, number: unit)
    case .install(let number): text = try names.install(number)
    case .user(let number): text = try names.user(number)
    }
    return withUTF8(text) { predicate.passes(.text($0)) }
  }
}
