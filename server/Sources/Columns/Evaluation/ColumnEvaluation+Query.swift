import Questions
import Warehouse

extension ColumnEvaluation {
  /// Answers questions, as one by one, but looks at each chunk once for all of them.
  func answers(_ questions: [QueryQuestion]) throws -> [QuestionResult] {
    let periods = questions.map { question in
      let days = question.scope.range.resolved(today: today)
      return [days] + (question.comparesPreviousPeriod ? [days.before] : [])
    }
    let asked = zip(questions.map(QueryTerms.init), periods).map { terms, periods in
      periods.map { period in terms.questions.map { (question: $0, days: period) } }
    }
    var figures = ArraySlice(try figures(asked.flatMap { $0.flatMap(\.self) }))
    return questions.indices.map { number in
      let own = asked[number].map { queries in
        let own = figures.prefix(queries.count)
        figures.removeFirst(queries.count)
        return QueryTerms(questions[number]).figures(Array(own))
      }
      return QuestionResult(
        .query(answer(questions[number], periods[number][0], own[0], before: own.dropFirst().first)),
        rowsRead: own.reduce(0) { $0 + $1.rowsRead })
    }
  }

  private func answer(
    _ question: QueryQuestion, _ days: ClosedRange<Day>, _ current: PeriodFigures, before: PeriodFigures?
  ) -> QueryAnswer {
    var answer = QueryAnswer()
    answer.totals = current.totals
    answer.rows = current.cells.map { QueryAnswer.Row(dimensions: $0.dimensions, metrics: $0.metrics) }
    if let before {
      answer.comparedTotals = before.totals
      let cells = Dictionary(before.cells.map { ($0.dimensions, $0.metrics) }, uniquingKeysWith: { first, _ in first })
      for index in answer.rows.indices {
        let cell = moved(answer.rows[index].dimensions, question, from: days, to: days.before)
        answer.rows[index].compared = cells[cell] ?? before.empty
      }
    }
    let order = question.effectiveOrder
    answer.rows.sort { Self.precedes($0, $1, order, question.groups) }
    if question.includesTotalRows { answer.totalRows = answer.rows.count }
    let rest = answer.rows.dropFirst(question.offset)
    answer.rowsLeftOut = max(0, rest.count - question.limit)
    answer.rows = Array(rest.prefix(question.limit))
    if question.includesTimeLabels, let unit = question.groups.lazy.compactMap(\.dimension.timeUnit).first {
      answer.timeLabels = hours.withCalendar { $0.numbers(of: unit, in: days) }.map {
        QuestionCalendar.label(of: unit, number: $0)
      }
    }
    return answer
  }

  /// The cell of the period before that stands for the same units: the same clock time so many days before, or the
  /// week or month with the same position.
  private func moved(
    _ cell: [QuestionValue?], _ question: QueryQuestion, from days: ClosedRange<Day>, to earlier: ClosedRange<Day>
  ) -> [QuestionValue?] {
    zip(cell, question.groups).map { value, group in
      guard let unit = group.dimension.timeUnit, let label = value?.text, let day = Day(String(label.prefix(10)))
      else { return value }
      let distance = earlier.lowerBound.distance(to: days.lowerBound)
      switch unit {
      case .zonedHour: return .text(hours.withCalendar { $0.label(ofZonedHour: label, daysBefore: distance) })
      case .day, .hour: return .text(day.advanced(by: -distance).description + label.dropFirst(10))
      case .week, .month:
        let shift =
          QuestionCalendar.number(of: unit, on: days.lowerBound)
          - QuestionCalendar.number(of: unit, on: earlier.lowerBound)
        return .text(QuestionCalendar.label(of: unit, number: QuestionCalendar.number(of: unit, on: day) - shift))
      }
    }
  }

  private static func precedes(
    _ left: QueryAnswer.Row, _ right: QueryAnswer.Row, _ order: [QueryQuestion.Order], _ groups: [QueryQuestion.Group]
  ) -> Bool {
    for part in order {
      let isBefore: Bool? =
        switch part.column {
        case .metric(let index): isBefore(left.metrics[index], right.metrics[index], part.isDescending, by: <)
        case .group(let index):
          isBefore(left.dimensions[index], right.dimensions[index], part.isDescending) {
            groups[index].dimension.isOrdered($0, before: $1)
          }
        }
      if let isBefore { return isBefore }
    }
    return false
  }

  /// The order of two values, `nil` if they are equal. Missing values come last in both directions.
  private static func isBefore<Value: Equatable>(
    _ left: Value?, _ right: Value?, _ isDescending: Bool, by precedes: (Value, Value) -> Bool
  ) -> Bool? {
    guard let left, let right else { return (left == nil) == (right == nil) ? nil : left != nil }
    return left == right ? nil : precedes(left, right) != isDescending
  }
}

extension ClosedRange<Day> {
  /// As many days, directly before.
  fileprivate var before: ClosedRange<Day> {
    lowerBound.advanced(by: upperBound.distance(to: lowerBound) - 1)...lowerBound.advanced(by: -1)
  }
}
