import Questions
import Views
import Warehouse

extension ColumnEvaluation {
  func answer(_ question: RetentionQuestion) throws -> RetentionAnswer {
    let days = question.scope.range.resolved(today: today)
    let intervals = QuestionIntervals(question.interval, days, hours.calendar)
    let values = ValueNumbers(question.breakdown ?? .kind)
    var counts: [Int: [Int: [Int]]] = [:]
    try forEachCohort(question, values) { _, cohort, value, isBack in
      counts[value, default: [:]][cohort, default: Array(repeating: 0, count: isBack.count)].add(isBack)
    }
    let groups = try counts.map { (value: try values.value($0, names), intervals: $1) }
    let cohorts = groups.sorted { QuestionValue.isOrdered($0.value, $1.value) }.flatMap { group in
      group.intervals.sorted { $0.key < $1.key }
        .map { RetentionAnswer.Cohort(value: group.value, interval: intervals.label($0), values: $1) }
    }
    let current = QuestionCalendar.number(of: question.interval, on: today)
    let partial = intervals.numbers.indices.filter { intervals.numbers[$0] >= current }.map(intervals.label)
    return RetentionAnswer(cohorts: cohorts, partial: partial)
  }

  /// Calls `body` with each cohort of each person, the number of the breakdown's value, and the intervals from the
  /// cohort on, each true if the person counts there.
  func forEachCohort(
    _ question: RetentionQuestion, _ values: ValueNumbers,
    _ body: (_ person: Int, _ cohort: Int, _ value: Int, _ isBack: [Bool]) -> Void
  ) throws {
    let days = question.scope.range.resolved(today: today)
    let range = DayRange(days)
    let intervals = QuestionIntervals(question.interval, days, hours.calendar)
    let isFirstEver = question.cohort == .firstEver
    let size = PersonIntervals.byteCount(persons: personCount, intervals: intervals.count)
    try limits.check(2 * size + personCount * 16)
    let starts = PersonIntervals(persons: personCount, intervals: intervals.count)
    let returns = PersonIntervals(persons: personCount, intervals: intervals.count)
    let first = FirstRows(persons: isFirstEver ? personCount : 0)
    // The first start row of each person and interval, for its value.
    let firstOfInterval = FirstRows(persons: 0)
    let intervalTable = PairTable()

    let scope = try condition(question.scope.filters, days)
    let start = RowCondition.all([scope, try condition(question.start, days)])
    let comesBack = RowCondition.all([scope, try condition(question.comesBack, days)])
    // A row after the range can't be a person's first row in it.
    let looked = isFirstEver ? DayRange(Day(number: -1_000_000)...days.upperBound) : range
    try forEachChunk(in: looked) { cursor, _ in
      let (chunk, persons) = (cursor.chunk, cursor.persons)
      let column = cursor.column(.time(question.interval))
      let interval = (0..<column.distinct).map { index in
        if case .unit(let number) = column.value(index) { intervals.index(of: number) ?? -1 } else { -1 }
      }
      func forEachRow(
        _ rows: UnsafeBufferPointer<UInt16>, _ body: (_ row: Int, _ person: UInt32, _ interval: Int) -> Void
      ) {
        let isInside = range.includes(chunk)
        for row in rows {
          let row = Int(row)
          let index = isInside || range.contains(chunk.time(row), hours) ? interval[Int(column.indexes[row])] : -1
          body(row, persons[Int(chunk.senders[row])], index)
        }
      }
      let breakdown = question.breakdown.map { ChunkValues(cursor.column($0), values) }
      try select(start, isFirstEver ? nil : range, cursor) { rows in
        forEachRow(rows) { row, person, interval in
          if isFirstEver {
            first.add(Int(person), chunk.time(row)) { breakdown?.number(row) ?? 0 }
          } else if interval >= 0 {
            starts.insert(person, interval)
            guard let breakdown else { return }
            let (number, _) = intervalTable.number(UInt64(person), UInt64(interval))
            firstOfInterval.add(number, chunk.time(row)) { breakdown.number(row) }
          }
        }
      }
      guard !range.excludes(chunk) else { return }
      try select(comesBack, range, cursor) { rows in
        forEachRow(rows) { _, person, interval in if interval >= 0 { returns.insert(person, interval) } }
      }
      try limits.check(2 * size + personCount * 16 + intervalTable.count * 60 + values.byteCount)
    }
    var fold = RetentionFold(question, intervals: intervals.count)
    for person in 0..<personCount {
      var cohort: Int?
      if isFirstEver {
        cohort = first.time(person).flatMap { intervals.index(at: $0, in: range, hours) }
        guard cohort != nil else { continue }
      }
      starts.forEach(person) { fold.add(interval: $0, isStart: true, isReturn: false) }
      returns.forEach(person) { fold.add(interval: $0, isStart: false, isReturn: true) }
      fold.finish(first: cohort) { cohort, isBack in
        let value =
          isFirstEver
          ? first.value(person)
          : question.breakdown == nil
            ? 0 : firstOfInterval.value(intervalTable.number(UInt64(person), UInt64(cohort)).0)
        body(person, cohort, value, isBack)
      }
    }
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

extension [Int] {
  /// Adds one for each true element.
  fileprivate mutating func add(_ flags: [Bool]) {
    for index in flags.indices where flags[index] { self[index] += 1 }
  }
}
