import Questions
import ServerBase
import Threads
import Warehouse

extension ColumnEvaluation {
  func answer(_ question: RetentionQuestion) throws -> RetentionAnswer {
    let days = question.scope.range.resolved(today: today)
    let intervals = QuestionIntervals(question.interval, days, hours)
    let values = ValueNumbers(question.breakdown ?? .kind)
    let cells = PairTable()
    let counts = GrowingMemory<Int>()
    let width = question.intervals + 1
    var lengths: [Int] = []
    try forEachCohort(question, values) { _, cohort, value, isBack in
      let (cell, isNew) = cells.number(UInt64(value), UInt64(cohort))
      if isNew {
        for _ in 0..<width { counts.append(0) }
        lengths.append(isBack.count)
      }
      for index in isBack.indices where isBack[index] { counts.elements[cell * width + index] += 1 }
    }
    let found = try (0..<cells.count).map { cell in
      let (value, interval) = (Int(cells.pair(cell).first), Int(cells.pair(cell).second))
      return (
        value: try values.value(value, names), interval: interval,
        counts: Array(counts.elements[cell * width..<cell * width + lengths[cell]])
      )
    }
    let cohorts = found.sorted { left, right in
      left.value == right.value
        ? left.interval < right.interval : (question.breakdown ?? .kind).isOrdered(left.value, before: right.value)
    }
    .map { RetentionAnswer.Cohort(value: $0.value, interval: intervals.label($0.interval), values: $0.counts) }
    let partial = intervals.numbers.indices.filter {
      !QuestionCalendar.isWhole(question.interval, intervals.numbers[$0], in: days, today: today)
    }
    return RetentionAnswer(cohorts: cohorts, partial: partial.map(intervals.label))
  }

  /// Calls `body` with each cohort of each person, the number of the breakdown's value, and the intervals from the
  /// cohort on, each true if the person counts there.
  func forEachCohort(
    _ question: RetentionQuestion, _ values: ValueNumbers,
    _ body: (_ person: Int, _ cohort: Int, _ value: Int, _ isBack: [Bool]) -> Void
  ) throws {
    let days = question.scope.range.resolved(today: today)
    let range = DayRange(days)
    let intervals = QuestionIntervals(question.interval, days, hours)
    let isFirstEver = question.cohort == .firstEver
    let size = PersonIntervals.byteCount(persons: personCount, intervals: intervals.count)
    try limits.check(threads.count * (2 * size + personCount * 16))
    let scope = try condition(question.scope.filters, days)
    let start = RowCondition.all([scope, try condition(question.start, days)])
    let comesBack = RowCondition.all([scope, try condition(question.comesBack, days)])
    let persons = personCount
    // A row after the range can't be a person's first row in it.
    let looked = isFirstEver ? DayRange(Day(number: -1_000_000)...days.upperBound) : range
    let parts = try inParts(of: looked) {
      CohortPart(question, isFirstEver: isFirstEver, persons: persons, intervals: intervals.count)
    } body: { [self] part, cursor, _ in
      let column = cursor.column(.time(question.interval))
      let bits = (0..<column.distinct).map { index in
        if case .unit(let number) = column.value(index) { intervals.index(of: number) ?? -1 } else { -1 }
      }
      // The same rows need no second look.
      let isShared = question.start == question.comesBack && (!isFirstEver || range.includes(cursor.chunk, hours))
      try select(start, isFirstEver ? nil : range, cursor) { rows in
        if isShared { part.returns.insert(rows, column, bits: bits, cursor) }
        if isFirstEver {
          part.addFirst(rows, cursor, question.breakdown)
        } else {
          part.starts.insert(rows, column, bits: bits, cursor)
          part.addFirstOfIntervals(rows, column, bits: bits, cursor, question.breakdown)
        }
      }
      if !isShared, !range.excludes(cursor.chunk) {
        try select(comesBack, range, cursor) { part.returns.insert($0, column, bits: bits, cursor) }
      }
      try check(2 * size + persons * 16 + part.byteCount, cursor)
    }
    let merged = parts[0]
    for part in parts.dropFirst() { merged.merge(part) }
    let numbers = values.adopt(merged.values)
    let (starts, returns, first) = (merged.starts, merged.returns, merged.first)
    var fold = RetentionFold(question, intervals: intervals.count)
    for person in 0..<personCount {
      var cohort: Int?
      if isFirstEver {
        cohort = first.time(person).flatMap { intervals.index(at: $0, in: range, hours) }
        guard cohort != nil else { continue }
      } else {
        starts.forEach(person) { fold.add(interval: $0, isStart: true, isReturn: false) }
      }
      returns.forEach(person) { fold.add(interval: $0, isStart: false, isReturn: true) }
      fold.finish(first: cohort) { cohort, isBack in
        let value =
          question.breakdown == nil
          ? 0 : numbers[isFirstEver ? first.value(person) : merged.firstValue(of: person, in: cohort)]
        body(person, cohort, value, isBack)
      }
    }
  }
}

/// The starts and returns of some chunks.
private final class CohortPart {
  let starts: PersonIntervals
  let returns: PersonIntervals
  /// The first start row of each person.
  let first: FirstRows
  let values: ValueNumbers
  /// The first start row of each person and interval, for its value.
  private let firstOfInterval = FirstRows(persons: 0)
  private let intervalTable = PairTable()
  private lazy var senderFirsts = Memory<Int64>(count: Chunk.maximumRows, zero: .max)

  init(_ question: RetentionQuestion, isFirstEver: Bool, persons: Int, intervals: Int) {
    starts = PersonIntervals(persons: isFirstEver ? 0 : persons, intervals: intervals)
    returns = PersonIntervals(persons: persons, intervals: intervals)
    first = FirstRows(persons: isFirstEver ? persons : 0)
    values = ValueNumbers(question.breakdown ?? .kind)
  }

  var byteCount: Int { intervalTable.count * 60 + values.byteCount }

  /// Adds start rows, each of which may be a person's first one.
  func addFirst(_ rows: UnsafeBufferPointer<UInt16>, _ cursor: ChunkCursor, _ breakdown: QuestionDimension?) {
    let (chunk, persons, senders) = (cursor.chunk, cursor.persons, cursor.chunk.senders)
    if let breakdown {
      let value = ChunkValues(cursor.column(breakdown), values)
      for row in rows {
        first.add(Int(persons[Int(senders[Int(row)])]), chunk.time(Int(row))) { value.number(Int(row)) }
      }
      return
    }
    // A chunk has few senders, whose times stay in the processor's cache; there are many persons.
    let firsts = senderFirsts.start
    firsts.update(repeating: .max, count: chunk.header.senders)
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let sender = Int(senders[row])
      firsts[sender] = min(firsts[sender], chunk.time(row))
    }
    for sender in 0..<chunk.header.senders where firsts[sender] != .max {
      first.add(Int(persons[sender]), firsts[sender]) { 0 }
    }
  }

  /// Adds start rows, each of which may be a person's first one in an interval.
  func addFirstOfIntervals(
    _ rows: UnsafeBufferPointer<UInt16>, _ column: IndexColumn, bits: [Int], _ cursor: ChunkCursor,
    _ breakdown: QuestionDimension?
  ) {
    guard let breakdown else { return }
    let (chunk, persons) = (cursor.chunk, cursor.persons)
    let value = ChunkValues(cursor.column(breakdown), values)
    for row in rows {
      let row = Int(row)
      let interval = bits[Int(column.indexes[row])]
      guard interval >= 0 else { continue }
      let (number, _) = intervalTable.number(UInt64(persons[Int(chunk.senders[row])]), UInt64(interval))
      firstOfInterval.add(number, chunk.time(row)) { value.number(row) }
    }
  }

  /// The value of a person's first start row in an interval.
  func firstValue(of person: Int, in interval: Int) -> Int {
    firstOfInterval.value(intervalTable.number(UInt64(person), UInt64(interval)).0)
  }

  /// Adds a part with later chunks.
  func merge(_ other: CohortPart) {
    starts.merge(other.starts)
    returns.merge(other.returns)
    let numbers = values.adopt(other.values)
    first.merge(other.first, persons: nil, values: numbers)
    let places = (0..<other.intervalTable.count).map { index in
      let pair = other.intervalTable.pair(index)
      return intervalTable.number(pair.first, pair.second).0
    }
    firstOfInterval.merge(other.firstOfInterval, persons: places, values: numbers)
  }
}

/// The time and the value of the first row of each of some things; the first one added among equals.
final class FirstRows {
  private let times = GrowingMemory<Int64>()
  private let values = GrowingMemory<Int32>()

  init(persons count: Int) { grow(to: count) }

  private func grow(to count: Int) {
    while times.count < count {
      times.append(.max)
      values.append(0)
    }
  }

  @inline(__always)
  func add(_ number: Int, _ time: Int64, value: () -> Int) {
    if number >= times.count { grow(to: number + 1) }
    guard time < times.elements[number] else { return }
    times.elements[number] = time
    values.elements[number] = Int32(value())
  }

  /// Adds rows that come after these.
  ///
  /// - Parameters:
  ///   - persons: The number here of each thing there; `nil` if they are the same.
  ///   - values: The number here of each value there.
  func merge(_ other: FirstRows, persons: [Int]?, values numbers: [Int]) {
    for index in 0..<other.times.count where other.times.elements[index] != .max {
      add(persons.map { $0[index] } ?? index, other.times.elements[index]) {
        numbers[Int(other.values.elements[index])]
      }
    }
  }

  func time(_ number: Int) -> Int64? { times.elements[number] == .max ? nil : times.elements[number] }
  func value(_ number: Int) -> Int { Int(values.elements[number]) }
}

/// The numbers of the values of one dimension of a chunk.
struct ChunkValues {
  private let column: IndexColumn
  private let values: ValueNumbers
  private let known: Memory<Int32>

  init(_ column: IndexColumn, _ values: ValueNumbers) {
    self.column = column
    self.values = values
    known = Memory(count: column.distinct, zero: -1)
  }

  @inline(__always)
  func number(_ row: Int) -> Int {
    let index = Int(column.indexes[row])
    if known[index] < 0 { known[index] = Int32(values.number(column.value(index))) }
    return Int(known[index])
  }
}
