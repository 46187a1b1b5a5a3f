import Questions
import QuestionsTestSupport
import Warehouse

/// Answers that feed the folds with the rows of the naive evaluator, as a store feeds them with its tuples.
extension NaiveEvaluator {
  func funnelRow(
    _ row: QuestionRow, isTied: Bool, _ question: FunnelQuestion, _ days: ClosedRange<Day>, value: Int32
  ) -> FunnelRow {
    func bits(_ selectors: [Selector]) -> UInt16 {
      selectors.enumerated().reduce(0) { bits, element in
        matches(element.element, row, question.scope.person, days) ? bits | 1 << element.offset : bits
      }
    }
    return FunnelRow(
      time: row.time, isTied: isTied, steps: bits(question.steps),
      exclusions: bits(question.exclusions.map(\.selector)),
      isEventOrScreen: row.kind == .event || row.kind == .screen, value: value)
  }

  /// The result of one person from a fold, which is given the rows of another person first.
  func folded(_ rows: [FunnelRow], _ fold: some FunnelFolding) -> FunnelResult {
    var fold = fold
    for row in rows.reversed() { fold.add(row) }
    _ = fold.finish()
    for row in rows { fold.add(row) }
    return fold.finish()
  }

  /// The results of one person from all folds that can answer a funnel.
  func folded(_ rows: [FunnelRow], _ question: FunnelQuestion) -> [FunnelResult] {
    let isSimple = question.order == .ordered && question.exclusions.isEmpty
    guard question.breakdown != nil, question.breakdownStep == .every else {
      return [folded(rows, FunnelFold(question))] + (isSimple ? [folded(rows, OrderedFunnelFold(question))] : [])
    }
    return [folded(rows, EveryStepFold(question, FunnelFold(question)))]
      + (isSimple ? [folded(rows, EveryStepFold(question, OrderedFunnelFold(question)))] : [])
  }

  func isAnchor(_ row: QuestionRow, _ question: PathsQuestion, _ days: ClosedRange<Day>) -> Bool {
    switch question.anchor {
    case .sessionStart: false
    case .start(let selector), .end(let selector): matches(selector, row, question.scope.person, days)
    }
  }

  func folded(_ question: RetentionQuestion, _ calendar: QuestionCalendar) -> RetentionAnswer {
    let (days, key) = (question.scope.range.resolved(today: today), question.scope.person)
    let units = calendar.numbers(of: question.interval, in: days)
    var fold = RetentionFold(question, intervals: units.count)
    var counts: [QuestionValue?: [Int: [Int]]] = [:]
    for rows in persons(rows.filter { passes(question.scope.filters, $0, key, days) }, key).values {
      var values: [Int: QuestionValue?] = [:]
      var first: Int?
      var isFirstFound = false
      for row in rows {
        let isStart = matches(question.start, row, key, days)
        defer { if isStart { isFirstFound = true } }
        guard isIn(days, row),
          let interval = units.firstIndex(of: calendar.number(of: question.interval, at: row.time))
        else { continue }
        if isStart, !isFirstFound { first = interval }
        if isStart, values[interval] == nil {
          values.updateValue(question.breakdown.flatMap { row.value($0, calendar) }, forKey: interval)
        }
        fold.add(interval: interval, isStart: isStart, isReturn: matches(question.comesBack, row, key, days))
      }
      fold.finish(first: first) { cohort, isBack in
        let value = values[cohort] ?? nil
        var sums = counts[value]?[cohort] ?? Array(repeating: 0, count: isBack.count)
        for index in isBack.indices where isBack[index] { sums[index] += 1 }
        counts[value, default: [:]][cohort] = sums
      }
    }
    func label(_ number: Int) -> String { QuestionCalendar.label(of: question.interval, number: number) }
    let cohorts = counts.sorted { (question.breakdown ?? .kind).isOrdered($0.key, before: $1.key) }.flatMap {
      value, intervals in
      intervals.sorted { $0.key < $1.key }
        .map { RetentionAnswer.Cohort(value: value, interval: label(units[$0]), values: $1) }
    }
    let partial = units.filter { !QuestionCalendar.isWhole(question.interval, $0, in: days, today: today) }
    return RetentionAnswer(cohorts: cohorts, partial: partial.map(label))
  }

  func folded(_ question: IntervalQuestion, _ calendar: QuestionCalendar) -> [LifecycleInterval] {
    let (days, key, unit) = (question.scope.range.resolved(today: today), question.scope.person, question.interval)
    let units = calendar.numbers(of: unit, in: days)
    let dayBefore = QuestionCalendar.firstDay(of: unit, number: units[0]).advanced(by: -1)
    let before = QuestionCalendar.number(of: unit, on: dayBefore)
    var fold = LifecycleFold(intervals: units.count)
    var answer = units.map { LifecycleInterval(interval: QuestionCalendar.label(of: unit, number: $0)) }
    for (person, rows) in persons(rows.filter { passes(question.scope.filters, $0, key, days) }, key) {
      for row in rows {
        let number = calendar.number(of: unit, at: row.time)
        if number == before { fold.add(interval: -1) }
        if isIn(days, row), let interval = units.firstIndex(of: number) { fold.add(interval: interval) }
      }
      let first = firstRow(person, key).flatMap { row in
        isIn(days, row) ? units.firstIndex(of: calendar.number(of: unit, at: row.time)) : nil
      }
      fold.finish(first: first) { interval, state in
        switch state {
        case .new: answer[interval].new += 1
        case .returning: answer[interval].returning += 1
        case .resurrected: answer[interval].resurrected += 1
        case .dormant: answer[interval].dormant += 1
        }
      }
    }
    return answer
  }
}
