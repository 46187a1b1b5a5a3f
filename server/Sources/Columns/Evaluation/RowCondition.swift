import Ingest
import Questions
import Views
import Warehouse

/// A set of persons, as bits by their numbers.
final class PersonSet {
  private let words: Memory<UInt64>

  init(persons count: Int) { words = Memory(count: count / 64 + 1, zero: 0) }

  @inline(__always)
  func contains(_ person: UInt32) -> Bool { words[Int(person >> 6)] >> UInt64(person & 63) & 1 == 1 }

  func insert(_ person: UInt32) { words[Int(person >> 6)] |= 1 << UInt64(person & 63) }

  func invert() { for index in 0..<words.count { words[index] = ~words[index] } }
}

/// A filter or selector, prepared for evaluation column by column.
indirect enum RowCondition {
  case always
  case value(QuestionDimension, ValuePredicate)
  case persons(PersonSet)
  case target(Selector.Target)
  case all([RowCondition])
  case any([RowCondition])
  case not(RowCondition)
}

extension ColumnEvaluation {
  /// Prepares filters; counts what persons have done in some days, if a filter asks for it.
  func condition(_ filters: [QuestionFilter], _ days: ClosedRange<Day>) throws -> RowCondition {
    filters.isEmpty ? .always : .all(try filters.map { try condition($0, days) })
  }

  func condition(_ selector: Selector, _ days: ClosedRange<Day>) throws -> RowCondition {
    selector.filters.isEmpty
      ? .target(selector.target) : .all([.target(selector.target), try condition(selector.filters, days)])
  }

  private func condition(_ filter: QuestionFilter, _ days: ClosedRange<Day>) throws -> RowCondition {
    switch filter {
    case .isOneOf(let dimension, let values):
      .value(dimension, ValuePredicate(oneOf: values, isNegated: false))
    case .isNoneOf(let dimension, let values):
      .value(dimension, ValuePredicate(oneOf: values, isNegated: true))
    case .contains(let dimension, let texts): .value(dimension, ValuePredicate(contains: texts))
    case .compare(let comparison, let dimension, let limit): .value(dimension, ValuePredicate(comparison, limit))
    case .isSet(let dimension): .value(dimension, ValuePredicate(isSet: true))
    case .isNotSet(let dimension): .value(dimension, ValuePredicate(isSet: false))
    case .all(let filters): .all(try filters.map { try condition($0, days) })
    case .any(let filters): .any(try filters.map { try condition($0, days) })
    case .not(let filter): .not(try condition(filter, days))
    case .hasDone(let selector, let count): .persons(try persons(with: selector, atLeast: count, in: days))
    case .hasNotDone(let selector):
      .not(.persons(try persons(with: selector, atLeast: 1, in: days)))
    }
  }

  /// Returns the persons with so many matching rows in some days.
  private func persons(with selector: Selector, atLeast count: Int, in days: ClosedRange<Day>) throws -> PersonSet {
    let set = PersonSet(persons: personCount)
    if count <= 0 {
      set.invert()
      return set
    }
    let condition = try condition(selector, days)
    let counts = Memory<UInt32>(count: count == 1 ? 0 : personCount, zero: 0)
    try forEachChunk(in: DayRange(days)) { cursor, range in
      try select(condition, range, cursor) { rows in
        let (persons, senders) = (cursor.persons, cursor.chunk.senders)
        for row in rows {
          let person = persons[Int(senders[Int(row)])]
          if count > 1 {
            counts[Int(person)] &+= 1
            if counts[Int(person)] < count { continue }
          }
          set.insert(person)
        }
      }
    }
    return set
  }

  /// Sets a mask to the rows of the chunk that pass.
  func fill(_ mask: ChunkCursor.Mask, _ condition: RowCondition, _ cursor: ChunkCursor) throws {
    let count = cursor.chunk.rows
    switch condition {
    case .always: mask.start.update(repeating: 1, count: count)
    case .value(let dimension, let predicate):
      let column = cursor.column(dimension)
      try gather(mask, column.indexes, distinct: column.distinct, rows: count) { index in
        try passes(column.value(index), predicate, dimension)
      }
    case .persons(let set):
      let persons = cursor.persons
      gather(mask, cursor.chunk.senders, distinct: cursor.chunk.header.senders, rows: count) {
        set.contains(persons[$0])
      }
    case .target(let target):
      let chunk = cursor.chunk
      gather(mask, chunk.labels, distinct: chunk.header.labels, rows: count) { Self.matches(target, $0, chunk) }
    case .all(let conditions):
      try fill(mask, conditions.first ?? .always, cursor)
      for condition in conditions.dropFirst() {
        try cursor.withMask { other in
          try fill(other, condition, cursor)
          for row in 0..<count { mask[row] &= other[row] }
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
    _ mask: ChunkCursor.Mask, _ indexes: UnsafePointer<UInt16>, distinct: Int, rows: Int,
    _ passes: (Int) throws -> Bool
  ) rethrows {
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

  private static func matches(_ target: Selector.Target, _ label: Int, _ chunk: Chunk) -> Bool {
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
      let rows = rowList(mask, count: cursor.chunk.rows)
      if !rows.isEmpty { try body(rows) }
    }
  }

  func fill(_ mask: ChunkCursor.Mask, _ condition: RowCondition, _ range: DayRange?, _ cursor: ChunkCursor) throws {
    try fill(mask, condition, cursor)
    guard let range, !range.includes(cursor.chunk) else { return }
    for row in 0..<cursor.chunk.rows where mask[row] != 0 && !range.contains(cursor.chunk.time(row), hours) {
      mask[row] = 0
    }
  }

  /// The rows of a mask, valid until the next call.
  func rowList(_ mask: ChunkCursor.Mask, count: Int) -> UnsafeBufferPointer<UInt16> {
    var selected = 0
    let (list, mask) = (list.start, mask.start)
    for row in 0..<count {
      list[selected] = UInt16(row)
      selected += Int(mask[row])
    }
    return UnsafeBufferPointer(start: list, count: selected)
  }
}
