import Ingest
import Questions
import ServerBase
import Warehouse

extension ColumnEvaluation {
  /// Sets a mask to the rows of the chunk that pass.
  func fill(_ mask: ChunkCursor.Mask, _ condition: RowCondition, _ cursor: ChunkCursor) throws {
    let count = cursor.chunk.rows
    switch condition {
    case .always: mask.start.update(repeating: 1, count: count)
    case .value(.property(let name), let predicate): fill(mask, name.text, predicate, cursor)
    case .value(let dimension, let predicate):
      let column = cursor.column(dimension)
      try gather(mask, column.indexes, distinct: column.distinct, cursor) { index in
        try passes(column.value(index), predicate, dimension)
      }
    case .persons(let set):
      let persons = cursor.persons
      gather(mask, cursor.chunk.senders, distinct: cursor.chunk.header.senders, cursor) {
        set.contains(persons[$0])
      }
    case .rows(let ids):
      mask.start.update(repeating: 0, count: count)
      for id in ids[cursor.chunk.places(in: ids)] {
        if let row = cursor.chunk.row(id) { mask[row] = 1 }
      }
    case .target(let target):
      let chunk = cursor.chunk
      gather(mask, chunk.labels, distinct: chunk.header.labels, cursor) { Self.matches(target, $0, chunk) }
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
          for row in 0..<count { mask[row] |= other[row] }
        }
      }
    case .not(let inner):
      try fill(mask, inner, cursor)
      for row in 0..<count { mask[row] ^= 1 }
    }
  }

  @inline(__always)
  private func gather(
    _ mask: ChunkCursor.Mask, _ indexes: UnsafePointer<UInt16>, distinct: Int, _ cursor: ChunkCursor,
    _ passes: (Int) throws -> Bool
  ) rethrows {
    let (table, rows) = (cursor.table, cursor.chunk.rows)
    var passing = 0
    for index in 0..<distinct {
      let isPassing = try passes(index)
      table[index] = isPassing ? 1 : 0
      if isPassing { passing += 1 }
    }
    if passing == 0 || passing == distinct {
      mask.start.update(repeating: passing == 0 ? 0 : 1, count: rows)
    } else {
      let (table, mask) = (table.start, mask.start)
      for row in 0..<rows { mask[row] = table[Int(indexes[row])] }
    }
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
    for row in 0..<count { mask[row] &= other[row] }
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

  /// Calls `body` with the rows of the chunk that pass and lie in the range, ascending.
  func select(
    _ condition: RowCondition, _ range: DayRange?, _ cursor: ChunkCursor,
    _ body: (UnsafeBufferPointer<UInt16>) throws -> Void
  ) throws {
    try cursor.withMask { mask in
      try fill(mask, condition, range, cursor)
      let rows = Self.rowList(mask, cursor)
      if !rows.isEmpty { try body(rows) }
    }
  }

  func fill(_ mask: ChunkCursor.Mask, _ condition: RowCondition, _ range: DayRange?, _ cursor: ChunkCursor) throws {
    try fill(mask, condition, cursor)
    guard let range, !range.includes(cursor.chunk, cursor.hours) else { return }
    let days = range.days.lowerBound.number...range.days.upperBound.number
    let column = cursor.column(.time(.day))
    cursor.withMask { inside in
      gather(inside, column.indexes, distinct: column.distinct, cursor) { index in
        if case .unit(let day) = column.value(index) { days.contains(day) } else { false }
      }
      Self.intersect(mask, inside, cursor.chunk.rows)
    }
  }

  /// The rows of a mask, valid until the next call.
  static func rowList(_ mask: ChunkCursor.Mask, _ cursor: ChunkCursor) -> UnsafeBufferPointer<UInt16> {
    var selected = 0
    let (list, mask) = (cursor.list.start, mask.start)
    for row in 0..<cursor.chunk.rows {
      list[selected] = UInt16(row)
      selected += Int(mask[row])
    }
    return UnsafeBufferPointer(start: list, count: selected)
  }
}
