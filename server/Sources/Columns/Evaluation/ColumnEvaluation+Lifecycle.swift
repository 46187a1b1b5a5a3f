import Questions
import Threads
import Warehouse

extension ColumnEvaluation {
  func lifecycle(_ question: IntervalQuestion) throws -> [LifecycleInterval] {
    let intervals = QuestionIntervals(question.interval, question.scope.range.resolved(today: today), hours)
    var answer = intervals.numbers.indices.map { LifecycleInterval(interval: intervals.label($0)) }
    try forEachState(question, intervals) { _, interval, state in
      switch state {
      case .new: answer[interval].new += 1
      case .returning: answer[interval].returning += 1
      case .resurrected: answer[interval].resurrected += 1
      case .dormant: answer[interval].dormant += 1
      }
    }
    return answer
  }

  /// Calls `body` with each person, and the intervals in which the person has a state.
  func forEachState(
    _ question: IntervalQuestion, _ intervals: QuestionIntervals,
    _ body: (_ person: Int, _ interval: Int, LifecycleFold.State) -> Void
  ) throws {
    let days = question.scope.range.resolved(today: today)
    let range = DayRange(days)
    guard intervals.count > 0 else { return }
    // The interval before the range decides between returning and resurrected.
    let firstBefore = question.firstDayBefore(days)
    let before = QuestionCalendar.number(of: question.interval, on: firstBefore)
    let active = try activity(
      question, intervals: intervals.count + 1, in: min(firstBefore, days.lowerBound)...days.upperBound
    ) { number, isInDays in
      number == before ? 0 : isInDays ? intervals.index(of: number).map { $0 + 1 } : nil
    }
    let first = try firstTimes()
    var fold = LifecycleFold(intervals: intervals.count)
    for person in 0..<personCount where active.contains(person) {
      active.forEach(person) { fold.add(interval: $0 - 1) }
      fold.finish(first: intervals.index(at: first[person], in: range, hours)) { body(person, $0, $1) }
    }
  }

  func stickiness(_ question: IntervalQuestion) throws -> [Int] {
    let days = question.scope.range.resolved(today: today)
    var answer = Array(repeating: 0, count: max(QuestionIntervals(question.interval, days, hours).count, 1))
    try forEachActivity(question) { _, count in answer[count - 1] += 1 }
    return answer
  }

  /// Calls `body` with each person that was active, and the number of intervals with activity.
  func forEachActivity(_ question: IntervalQuestion, _ body: (_ person: Int, _ intervals: Int) -> Void) throws {
    let days = question.scope.range.resolved(today: today)
    let intervals = QuestionIntervals(question.interval, days, hours)
    let active = try activity(question, intervals: intervals.count, in: days) { number, isInDays in
      isInDays ? intervals.index(of: number) : nil
    }
    for person in 0..<personCount {
      var count = 0
      active.forEach(person) { _ in count += 1 }
      if count > 0 { body(person, count) }
    }
  }

  /// Returns the intervals in which each person had a row that passes.
  ///
  /// - Parameters:
  ///   - wider: The days of rows that matter.
  ///   - index: Returns the bit of an interval's number; the flag is true if the row lies in the question's days.
  private func activity(
    _ question: IntervalQuestion, intervals: Int, in wider: ClosedRange<Day>, _ index: @escaping (Int, Bool) -> Int?
  ) throws -> PersonIntervals {
    let days = question.scope.range.resolved(today: today)
    let inner = DayRange(days)
    try limits.check(
      threads.count * PersonIntervals.byteCount(persons: personCount, intervals: intervals) + personCount * 8)
    let condition = try condition(question.scope.filters, days)
    let persons = personCount
    let parts = try inParts(of: DayRange(wider)) {
      PersonIntervals(persons: persons, intervals: intervals)
    } body: { [self] active, cursor, range in
      try select(condition, range, cursor) { rows in
        let column = cursor.column(.time(question.interval))
        // Each interval's bit for rows in the question's days, and for others.
        func bits(isInside: Bool) -> [Int] {
          (0..<column.distinct).map { distinct in
            if case .unit(let number) = column.value(distinct) { index(number, isInside) ?? -1 } else { -1 }
          }
        }
        if inner.includes(cursor.chunk, hours) {
          active.insert(rows, column, bits: bits(isInside: true), cursor)
          return
        }
        let (inside, outside) = (bits(isInside: true), bits(isInside: false))
        let chunk = cursor.chunk
        for row in rows {
          let row = Int(row)
          let bit = (inner.contains(chunk.time(row), hours) ? inside : outside)[Int(column.indexes[row])]
          if bit >= 0 { active.insert(cursor.persons[Int(chunk.senders[row])], bit) }
        }
      }
    }
    let active = parts[0]
    for part in parts.dropFirst() { active.merge(part) }
    return active
  }
}
