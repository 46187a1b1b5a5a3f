import Ingest
import Questions
import Warehouse

/// A set of persons, as bits by their numbers.
final class PersonSet {
  private let words: Memory<UInt64>

  init(persons count: Int) { words = Memory(count: count / 64 + 1, zero: 0) }

  @inline(__always)
  func contains(_ person: UInt32) -> Bool { words[Int(person >> 6)] >> UInt64(person & 63) & 1 == 1 }

  @inline(__always)
  func insert(_ person: UInt32) { words[Int(person >> 6)] |= 1 << UInt64(person & 63) }

  /// Adds the persons of another set.
  func merge(_ other: PersonSet) { for index in 0..<words.count { words[index] |= other.words[index] } }

  func invert() { for index in 0..<words.count { words[index] = ~words[index] } }
}

/// A filter or selector, prepared for evaluation column by column.
indirect enum RowCondition {
  case always
  case value(QuestionDimension, ValuePredicate)
  case persons(PersonSet)
  /// The rows with some IDs, which are in order.
  case rows([Int64])
  case target(Selector.Target)
  case days(ClosedRange<Day>)
  case all([RowCondition])
  case any([RowCondition])
  case not(RowCondition)
}

extension RowCondition {
  /// True if all rows pass, whichever they are.
  var isAlways: Bool {
    switch self {
    case .always: true
    case .all(let conditions): conditions.allSatisfy(\.isAlways)
    default: false
    }
  }
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
    case .contains(let dimension, let texts): .value(dimension, ValuePredicate(contains: texts.map(\.text)))
    case .compare(let comparison, let dimension, let limit): .value(dimension, ValuePredicate(comparison, limit))
    case .isSet(let dimension): .value(dimension, ValuePredicate(isSet: true))
    case .isNotSet(let dimension): .value(dimension, ValuePredicate(isSet: false))
    case .isError(let group): .rows(try errors(of: group))
    case .all(let filters): .all(try filters.map { try condition($0, days) })
    case .any(let filters): .any(try filters.map { try condition($0, days) })
    case .not(let filter): .not(try condition(filter, days))
    case .hasDone(let selector, let count, let length):
      .persons(try persons(with: selector, atLeast: count, in: QuestionFilter.days(length, upTo: days)))
    case .hasNotDone(let selector, let length):
      .not(.persons(try persons(with: selector, atLeast: 1, in: QuestionFilter.days(length, upTo: days))))
    }
  }

  /// Returns the persons with so many matching rows in some days.
  private func persons(with selector: Selector, atLeast count: Int, in days: ClosedRange<Day>) throws -> PersonSet {
    guard count > 0 else {
      let set = PersonSet(persons: personCount)
      set.invert()
      return set
    }
    return try persons(with: try condition(selector, days), atLeast: count, in: days)
  }

  /// Returns the persons with so many rows that pass in some days.
  func persons(with condition: RowCondition, atLeast count: Int, in days: ClosedRange<Day>) throws -> PersonSet {
    let set = PersonSet(persons: personCount)
    let persons = personCount
    let parts = try inParts(of: DayRange(days)) {
      (set: PersonSet(persons: persons), counts: Memory<UInt32>(count: count == 1 ? 0 : persons, zero: 0))
    } body: { [self] part, cursor, range in
      try select(condition, range, cursor) { rows in
        let (persons, senders) = (cursor.persons, cursor.chunk.senders)
        let (set, counts) = (part.set, part.counts.start)
        for position in 0..<rows.count {
          let person = persons[Int(senders[Int(rows[position])])]
          if count == 1 { set.insert(person) } else { counts[Int(person)] &+= 1 }
        }
      }
    }
    for part in parts {
      if count == 1 { set.merge(part.set) }
    }
    if count > 1 {
      for person in 0..<persons where parts.reduce(0, { $0 + Int($1.counts[person]) }) >= count {
        set.insert(UInt32(person))
      }
    }
    return set
  }
}
