package import Questions
import Warehouse

extension NaiveEvaluator {
  /// Answers a query.
  package func answer(_ question: QueryQuestion) -> QueryAnswer {
    let days = question.scope.range.resolved(today: today)
    let length = days.lowerBound.distance(to: days.upperBound) + 1
    let earlier = days.lowerBound.advanced(by: -length)...days.lowerBound.advanced(by: -1)
    var answer = QueryAnswer()
    let before = question.comparesPreviousPeriod ? cells(question, in: earlier) : [:]
    var rows = cells(question, in: days).map { cell, metrics in
      QueryAnswer.Row(
        dimensions: cell, metrics: metrics,
        compared: question.comparesPreviousPeriod
          ? before[moved(cell, question, from: days, to: earlier)] ?? metricsOf([], question, cell: nil, in: earlier)
          : nil)
    }
    rows.sort { precedes($0, $1, question) }
    if question.includesTotalRows { answer.totalRows = rows.count }
    answer.rows = Array(rows.dropFirst(question.offset).prefix(question.limit))
    answer.rowsLeftOut = max(0, rows.dropFirst(question.offset).count - question.limit)
    if question.includesTotals {
      answer.totals = metricsOf(passing(question.scope, in: days), question, cell: nil, in: days)
      if question.comparesPreviousPeriod {
        answer.comparedTotals = metricsOf(passing(question.scope, in: earlier), question, cell: nil, in: earlier)
      }
    }
    if question.includesTimeLabels, let unit = question.groups.lazy.compactMap(\.dimension.timeUnit).first {
      answer.timeLabels = labels(unit, in: days)
    }
    return answer
  }

  private func labels(_ unit: TimeUnit, in days: ClosedRange<Day>) -> [String] {
    calendar.numbers(of: unit, in: days).map { QuestionCalendar.label(of: unit, number: $0) }
  }

  private func cells(_ question: QueryQuestion, in days: ClosedRange<Day>) -> [[QuestionValue?]: [Double?]] {
    let counted = passing(question.scope, in: days).filter { row in
      question.metrics.flatMap(\.terms).contains { isOf($0, row, question, days) }
    }
    let groups = Dictionary(grouping: counted) { row in
      question.groups.map { $0.bucket(of: row.value($0.dimension, calendar)) }
    }
    return Dictionary(
      uniqueKeysWithValues: groups.map { ($0, metricsOf($1, question, cell: $0, in: days)) })
  }

  /// The cell of the period before that stands for the same units: the same clock time so many days before, or the
  /// week or month with the same position.
  private func moved(
    _ cell: [QuestionValue?], _ question: QueryQuestion, from days: ClosedRange<Day>, to earlier: ClosedRange<Day>
  ) -> [QuestionValue?] {
    zip(cell, question.groups).map { value, group in
      guard let unit = group.dimension.timeUnit, let label = value?.text, let day = Day(label.prefix(10)) else {
        return value
      }
      let distance = earlier.lowerBound.distance(to: days.lowerBound)
      switch unit {
      case .day: return .text(day.advanced(by: -distance).description)
      case .zonedHour: return .text(calendar.label(ofZonedHour: label, daysBefore: distance))
      case .hour: return .text(day.advanced(by: -distance).description + label.dropFirst(10))
      case .week, .month:
        let shift =
          QuestionCalendar.number(of: unit, on: days.lowerBound)
          - QuestionCalendar.number(of: unit, on: earlier.lowerBound)
        return .text(
          QuestionCalendar.label(of: unit, number: QuestionCalendar.number(of: unit, on: day) - shift))
      }
    }
  }

  private func precedes(_ left: QueryAnswer.Row, _ right: QueryAnswer.Row, _ question: QueryQuestion) -> Bool {
    for part in question.effectiveOrder {
      let comparison: Bool? =
        switch part.column {
        case .metric(let index): isBefore(left.metrics[index], right.metrics[index], part.isDescending, by: <)
        case .group(let index):
          isBefore(left.dimensions[index], right.dimensions[index], part.isDescending) {
            question.groups[index].dimension.isOrdered($0, before: $1)
          }
        }
      if let comparison { return comparison }
    }
    return false
  }

  /// The order of two values, `nil` if they are equal. Missing values come last in both directions.
  private func isBefore<Value: Equatable>(
    _ left: Value?, _ right: Value?, _ isDescending: Bool, by precedes: (Value, Value) -> Bool
  ) -> Bool? {
    guard let left, let right else { return (left == nil) == (right == nil) ? nil : left != nil }
    return left == right ? nil : precedes(left, right) != isDescending
  }

  private func isOf(
    _ term: DerivedMetric.Term, _ row: QuestionRow, _ question: QueryQuestion, _ days: ClosedRange<Day>
  ) -> Bool {
    term.rows.map { matches($0, row, question.scope.person, days) } ?? true
  }

  private func metricsOf(
    _ rows: [QuestionRow], _ question: QueryQuestion, cell: [QuestionValue?]?, in days: ClosedRange<Day>
  ) -> [Double?] {
    question.metrics.map { metric in
      switch metric {
      case .derived(let derived):
        let values = [derived.term, derived.divisor].compactMap(\.self).map { term in
          var own = question
          own.metrics = [term.metric]
          return metricsOf(rows.filter { isOf(term, $0, question, days) }, own, cell: cell, in: days)[0]
        }
        guard values.count > 1 else { return values[0] }
        guard let dividend = values[0], let divisor = values[1], divisor != 0 else { return nil }
        return (dividend / divisor).isFinite ? dividend / divisor : nil
      case .plain(let plain): return value(of: plain, rows, question, cell, days)
      case .property(let aggregate, let name):
        return value(of: aggregate, rows.compactMap { $0.properties[name]?.number }.sorted())
      }
    }
  }

  private func value(of aggregate: QuestionMetric.Aggregate, _ values: [Double]) -> Double? {
    if let percent = aggregate.percent { return percentile(percent, ofSorted: values) }
    guard !values.isEmpty else { return nil }
    let sum = values.reduce(0, +)
    switch aggregate {
    case .sum: return sum
    case .avg: return sum / Double(values.count)
    case .min: return values.first
    default: return values.last
    }
  }

  private func value(
    of metric: QuestionMetric.Plain, _ rows: [QuestionRow], _ question: QueryQuestion, _ cell: [QuestionValue?]?,
    _ days: ClosedRange<Day>
  ) -> Double? {
    let key = question.scope.person
    let persons = Set(rows.map { $0.person(key) })
    let sessions = sessions(rows)
    func count(_ kind: QuestionKind) -> Double { Double(rows.count { $0.kind == kind }) }
    func quotient(_ value: Double) -> Double { persons.isEmpty ? 0 : value / Double(persons.count) }
    switch metric {
    case .events: return count(.event)
    case .screens: return count(.screen)
    case .errors: return count(.handledError)
    case .crashes: return count(.crash)
    case .users: return Double(persons.count)
    case .newUsers:
      return Double(
        persons.count { person in
          guard let first = firstRow(person, key), isIn(days, first) else { return false }
          return zip(question.groups, cell ?? []).allSatisfy { group, value in
            group.dimension.timeUnit == nil || first.value(group.dimension, calendar) == value
          }
        })
    case .sessions: return Double(sessions.count)
    case .sessionStarts: return Double(rows.count(where: \.startsSession))
    case .eventsPerUser: return quotient(count(.event))
    case .sessionsPerUser: return quotient(Double(sessions.count))
    case .sessionDurationAverage:
      let durations = durations(sessions, days)
      return durations.isEmpty ? nil : Double(durations.reduce(0, +)) / Double(durations.count) / 1_000
    case .sessionDurationMedian: return percentile(50, ofSorted: durations(sessions, days)).map { Double($0) / 1_000 }
    case .sessionDurationP90: return percentile(90, ofSorted: durations(sessions, days)).map { Double($0) / 1_000 }
    case .crashFreeUsers:
      let crashed = Set(rows.filter { $0.kind == .crash }.map { $0.person(key) })
      return persons.isEmpty ? nil : 1 - Double(crashed.count) / Double(persons.count)
    case .crashFreeSessions:
      let crashed = self.sessions(rows.filter { $0.kind == .crash })
      return sessions.isEmpty ? nil : 1 - Double(crashed.count) / Double(sessions.count)
    }
  }

  /// A session: its install and its number.
  private struct SessionKey: Hashable {
    var install: String
    var session: Int64
  }

  private func session(of row: QuestionRow) -> SessionKey? {
    guard row.kind != .other, let session = row.session else { return nil }
    return SessionKey(install: row.install, session: session)
  }

  private func sessions(_ rows: [QuestionRow]) -> Set<SessionKey> { Set(rows.compactMap(session)) }

  /// Milliseconds from the first to the last row of each session within the range, without pauses of half an hour or more, ascending.
  private func durations(_ sessions: Set<SessionKey>, _ days: ClosedRange<Day>) -> [Int64] {
    sessions.map { key in
      let times = rows.filter { isIn(days, $0) && session(of: $0) == key }.map(\.time).sorted()
      return zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 < 1_800_000 }.reduce(0, +)
    }
    .sorted()
  }
}
