import Questions
import Warehouse

extension ColumnEvaluation {
  /// The metrics of one range of days.
  private struct Period {
    var cells: [(dimensions: [QuestionValue?], metrics: [Double?])] = []
    var totals: [Double?]?
    /// The metrics of a cell without rows.
    var empty: [Double?] = []
  }

  func answer(_ question: QueryQuestion) throws -> QueryAnswer {
    let days = question.scope.range.resolved(today: today)
    let current = try period(question, days)
    var answer = QueryAnswer()
    answer.totals = current.totals
    answer.rows = current.cells.map { QueryAnswer.Row(dimensions: $0.dimensions, metrics: $0.metrics) }
    if question.comparesPreviousPeriod {
      let length = days.lowerBound.distance(to: days.upperBound) + 1
      let earlier = days.lowerBound.advanced(by: -length)...days.lowerBound.advanced(by: -1)
      let before = try period(question, earlier)
      answer.comparedTotals = before.totals
      let cells = Dictionary(before.cells.map { ($0.dimensions, $0.metrics) }, uniquingKeysWith: { first, _ in first })
      for index in answer.rows.indices {
        let cell = moved(answer.rows[index].dimensions, question, from: days, to: earlier)
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

  /// The metrics of some chunks.
  private struct Part {
    let metrics: CellMetrics
    let totals: CellMetrics?
    let numbers: SessionNumbers?
    /// The bounds of all sessions; `nil` if no metric needs durations.
    let times: SessionTimes?

    var byteCount: Int {
      metrics.byteCount + (totals?.byteCount ?? 0) + (numbers?.byteCount ?? 0) + (times?.byteCount ?? 0)
    }

    /// Adds the metrics of later chunks.
    func merge(_ other: Part) {
      let sessions = other.numbers.flatMap { numbers?.adopt($0) } ?? []
      if let theirs = other.times { times?.merge(theirs, numbers: sessions) }
      metrics.merge(other.metrics, sessionNumbers: sessions)
      if let theirs = other.totals { totals?.merge(theirs, sessionNumbers: sessions) }
    }
  }

  private func period(_ question: QueryQuestion, _ days: ClosedRange<Day>) throws -> Period {
    let range = DayRange(days)
    let condition = try condition(question.scope.filters, days)
    let needsDurations = question.metrics.contains { metric in
      if case .plain(let plain) = metric { CellMetrics.durationMetrics.contains(plain) } else { false }
    }
    let persons = personCount
    let parts = try inParts(of: range) { [self] in
      let metrics = try CellMetrics(question.metrics, question.groups, self, range)
      // Without dimensions, the only cell has the totals.
      let hasTotals = question.includesTotals && !question.groups.isEmpty && !metrics.canBeUnited
      return Part(
        metrics: metrics, totals: hasTotals ? try CellMetrics(question.metrics, [], self, range) : nil,
        numbers: metrics.needsSessions ? SessionNumbers() : nil, times: needsDurations ? SessionTimes() : nil)
    } body: { [self] part, cursor, range in
      part.numbers?.load(cursor.chunk)
      if let times = part.times, let numbers = part.numbers {
        try select(.always, range, cursor) { times.add($0, cursor.chunk, numbers) }
      }
      try select(condition, range, cursor) { rows in
        part.metrics.add(rows, cursor, part.numbers)
        part.totals?.add(rows, cursor, part.numbers)
      }
      try check(part.byteCount + (cursor.part == 0 ? persons * 8 : 0), cursor)
    }
    for part in parts.dropFirst() {
      parts[0].merge(part)
      try limits.check(parts[0].byteCount + part.byteCount + persons * 8)
    }
    let (metrics, times) = (parts[0].metrics, parts[0].times)
    var totals = parts[0].totals
    if question.includesTotals, !question.groups.isEmpty, metrics.canBeUnited {
      let united = try CellMetrics(question.metrics, [], self, range)
      united.unite(metrics)
      try limits.check(parts[0].byteCount + united.byteCount)
      totals = united
    }
    metrics.finish(times)
    totals?.finish(times)
    var period = Period()
    period.cells = try metrics.present.map { cell in
      let dimensions = try zip(metrics.cells.parts(cell), metrics.cells.values).map { try $1.value($0, names) }
      return (dimensions, question.metrics.map { metrics.value($0, cell) })
    }
    if question.includesTotals { period.totals = question.metrics.map { (totals ?? metrics).value($0, 0) } }
    period.empty = question.metrics.map { metrics.value($0, .max) }
    return period
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
