package import Questions
package import Warehouse

extension NaiveEvaluator {
  /// Answers a funnel; with a breakdown, one funnel for each value.
  package func answer(_ question: FunnelQuestion) -> FunnelAnswer {
    let days = question.scope.range.resolved(today: today)
    let rows = passing(question.scope, in: days)
    guard let breakdown = question.breakdown else {
      return FunnelAnswer(groups: [group(of: nil, question, rows, days)])
    }
    let values = Set(rows.map { $0.value(breakdown, calendar) })
      .sorted { breakdown.isOrdered($0, before: $1) }
    let groups = values.map { group(of: $0, question.requiring($0), rows, days) }
    return FunnelAnswer(
      groups: groups.filter { group in
        (question.breakdownStep == .last ? group.steps.last : group.steps.first)?.persons ?? 0 > 0
      })
  }

  /// The best attempts of all persons: tries an attempt from every row and follows it alone.
  private func group(
    of value: QuestionValue?, _ question: FunnelQuestion, _ rows: [QuestionRow], _ days: ClosedRange<Day>
  ) -> FunnelAnswer.Group {
    let best = persons(rows, question.scope.person).values.compactMap { bestAttempt(question, $0, days) }
    return FunnelAnswer.Group(value: value, steps: question.steps.count, attempts: best.map(\.times))
  }

  /// The attempt of one person that gets furthest, the earliest among equals.
  package func bestAttempt(_ question: FunnelQuestion, _ rows: [QuestionRow], _ days: ClosedRange<Day>)
    -> FunnelAttempt?
  {
    let rows = rows.sorted(by: QuestionRow.isEarlier)
    return rows.indices.compactMap { attempt(question, rows, from: $0, days) }
      .reduce(nil) { best, next in next.times.count > best?.times.count ?? 0 ? next : best }
  }

  private func attempt(_ question: FunnelQuestion, _ rows: [QuestionRow], from start: Int, _ days: ClosedRange<Day>)
    -> FunnelAttempt?
  {
    var trial = FunnelTrial(question, start: rows[start].time) { matches($0, $1, question.scope.person, days) }
    let moments = rows[rows.indices.filter { $0 >= start || rows[$0].isTied(to: rows[start]) }].chunked()
    guard let first = moments.first, trial.begin(rows[start], first.filter { $0 != rows[start] }) else { return nil }
    for moment in moments.dropFirst() where !trial.isOver { trial.pass(moment) }
    return FunnelAttempt(start: start, times: trial.times)
  }
}

extension [QuestionRow] {
  fileprivate subscript(indices: [Int]) -> [QuestionRow] { indices.map { self[$0] } }

  /// The rows of each moment.
  fileprivate func chunked() -> [[QuestionRow]] {
    reduce(into: []) { moments, row in
      if moments.last?.last?.isTied(to: row) ?? false {
        moments[moments.count - 1].append(row)
      } else {
        moments.append([row])
      }
    }
  }
}

/// One attempt, followed from its first row on. Of rows of one moment it tries all orders.
private struct FunnelTrial {
  let question: FunnelQuestion
  let matches: (Selector, QuestionRow) -> Bool
  var missing: [Int]
  var times: [Int64]
  private var isBroken = false

  init(_ question: FunnelQuestion, start: Int64, _ matches: @escaping (Selector, QuestionRow) -> Bool) {
    self.question = question
    self.matches = matches
    missing = Array(question.steps.indices)
    times = [start]
  }

  var isOver: Bool { missing.isEmpty || isBroken }

  private func steps(_ row: QuestionRow) -> [Int] {
    question.steps.indices.filter { matches(question.steps[$0], row) }
  }

  private func isExcluded(_ row: QuestionRow, at count: Int) -> Bool {
    question.exclusions.contains { $0.from <= count && count < $0.to && matches($0.selector, row) }
  }

  /// Takes the first step; returns false if the row can't.
  mutating func begin(_ row: QuestionRow, _ others: [QuestionRow]) -> Bool {
    let possible = steps(row).filter { question.order == .unordered || $0 == 0 }
    let outcomes = possible.map { step in best(missing.filter { $0 != step }, others, count: 1) }
    guard let outcome = outcomes.max(by: Self.isWorse) else { return false }
    take(outcome, at: row.time)
    return true
  }

  mutating func pass(_ moment: [QuestionRow]) {
    let time = moment[0].time
    let outcome = best(missing, moment, count: times.count)
    if outcome.count < missing.count {
      if time - times[0] > question.window { isBroken = true } else { take(outcome, at: time) }
    } else if moment.contains(where: { isExcluded($0, at: times.count) }) {
      isBroken = true
    } else if question.order == .strict, moment.contains(where: { $0.kind == .event || $0.kind == .screen }) {
      isBroken = true
    }
  }

  private mutating func take(_ outcome: [Int], at time: Int64) {
    missing = outcome
    while times.count < question.steps.count - missing.count { times.append(time) }
  }

  /// The steps that are missing after some rows, in the best of all orders.
  ///
  /// - Parameter count: The number of steps taken before, for the exclusions of an unordered funnel.
  private func best(_ missing: [Int], _ rows: [QuestionRow], count: Int) -> [Int] {
    let isOrdered = question.order != .unordered
    var outcomes = [missing]
    for (index, row) in rows.enumerated() {
      let count = isOrdered ? question.steps.count - missing.count : count
      for step in steps(row) where isOrdered ? step == missing.first : missing.contains(step) {
        guard !isExcluded(row, at: count) else { continue }
        var others = rows
        others.remove(at: index)
        outcomes.append(best(missing.filter { $0 != step }, others, count: count))
      }
    }
    return outcomes.max(by: Self.isWorse) ?? missing
  }

  /// More steps are better, then the first ones.
  private static func isWorse(_ left: [Int], _ right: [Int]) -> Bool {
    left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count > right.count
  }
}
