package import Questions
import Warehouse

extension NaiveEvaluator {
  /// Answers a retention question.
  package func answer(_ question: RetentionQuestion) -> RetentionAnswer {
    let (days, key, unit) = (question.scope.range.resolved(today: today), question.scope.person, question.interval)
    let units = calendar.numbers(of: unit, in: days)
    func unitNumber(_ row: QuestionRow) -> Int { calendar.number(of: unit, at: row.time) }
    func label(_ number: Int) -> String { QuestionCalendar.label(of: unit, number: number) }
    var cohorts: [QuestionValue?: [Int: [[String]: [QuestionRow]]]] = [:]
    let stored = rows.filter { passes(question.scope.filters, $0, key, days) }
    for (person, rows) in persons(stored, key) {
      let starts = rows.filter { matches(question.start, $0, key, days) }
      let returns = rows.filter { isIn(days, $0) && matches(question.comesBack, $0, key, days) }
      for interval in units {
        let here = starts.filter { isIn(days, $0) && unitNumber($0) == interval }
        guard let start = here.first, question.cohort == .recurring || start == starts.first else { continue }
        let value = question.breakdown.flatMap { start.value($0, calendar) }
        cohorts[value, default: [:]][interval, default: [:]][person] = returns
      }
    }
    let answer = cohorts.sorted { (question.breakdown ?? .kind).isOrdered($0.key, before: $1.key) }.flatMap {
      value, intervals in
      intervals.sorted { $0.key < $1.key }.map { interval, members in
        let later = units.filter { $0 > interval }.prefix(question.intervals)
        let values = later.map { back in
          members.values.count { returns in
            returns.contains { question.mode == .on ? unitNumber($0) == back : unitNumber($0) >= back }
          }
        }
        return RetentionAnswer.Cohort(value: value, interval: label(interval), values: [members.count] + values)
      }
    }
    let partial = units.filter { number in
      let first = QuestionCalendar.firstDay(of: unit, number: number)
      let after = QuestionCalendar.firstDay(of: unit, number: number + 1)
      return first < days.lowerBound || after > days.upperBound.advanced(by: 1) || after > today
    }
    return RetentionAnswer(cohorts: answer, partial: partial.map(label))
  }

  /// Answers a question about the lifecycle.
  package func lifecycle(_ question: IntervalQuestion) -> [LifecycleInterval] {
    let (days, key, unit) = (question.scope.range.resolved(today: today), question.scope.person, question.interval)
    let units = calendar.numbers(of: unit, in: days)
    let persons = persons(rows.filter { passes(question.scope.filters, $0, key, days) }, key)
    return units.map { interval in
      var answer = LifecycleInterval(interval: QuestionCalendar.label(of: unit, number: interval))
      let previous = units.last { $0 < interval }
      let dayBefore = QuestionCalendar.firstDay(of: unit, number: units[0]).advanced(by: -1)
      for (person, rows) in persons {
        let isActive = rows.contains { isIn(days, $0) && calendar.number(of: unit, at: $0.time) == interval }
        let wasActive = rows.contains { row in
          let number = calendar.number(of: unit, at: row.time)
          return previous.map { isIn(days, row) && number == $0 }
            ?? (number == QuestionCalendar.number(of: unit, on: dayBefore))
        }
        let first = firstRow(person, key)
        let isNew = first.map { isIn(days, $0) && calendar.number(of: unit, at: $0.time) == interval } ?? false
        switch (isActive, wasActive) {
        case (true, _) where isNew: answer.new += 1
        case (true, true): answer.returning += 1
        case (true, false): answer.resurrected += 1
        case (false, true): answer.dormant += 1
        case (false, false): break
        }
      }
      return answer
    }
  }

  /// Answers a question about stickiness: the persons with a row in exactly 1, 2, … of the range's intervals.
  package func stickiness(_ question: IntervalQuestion) -> [Int] {
    let days = question.scope.range.resolved(today: today)
    let active = persons(passing(question.scope, in: days), question.scope.person).values.map { rows in
      Set(rows.map { calendar.number(of: question.interval, at: $0.time) }).count
    }
    return (1...max(calendar.numbers(of: question.interval, in: days).count, 1)).map { count in
      active.count { $0 == count }
    }
  }
}
