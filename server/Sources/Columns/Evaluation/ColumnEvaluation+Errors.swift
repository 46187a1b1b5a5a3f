package import Questions
package import Threads
package import Warehouse

extension ColumnEvaluation {
  /// Returns the IDs of the errors that pass, in order.
  package static func errors(
    in scope: QuestionScope, _ snapshot: ColumnSnapshot, calendar: QuestionCalendar, today: Day,
    limits: QuestionLimits, threads: ParallelThreads = .none
  ) throws -> [Int64] {
    try ColumnEvaluation(
      scope.person, snapshot, calendar: calendar, today: today, limits: limits, threads: threads
    ).errors(in: scope)
  }

  private func errors(in scope: QuestionScope) throws -> [Int64] {
    let days = scope.range.resolved(today: today)
    let isError = RowCondition.any([.target(.kind(.crash)), .target(.kind(.handledError))])
    let condition = RowCondition.all([isError, try condition(scope.filters, days)])
    let parts = try inParts(of: DayRange(days)) {
      GrowingMemory<Int64>()
    } body: { [self] part, cursor, range in
      try select(condition, range, cursor) { rows in
        for row in rows { part.append(cursor.chunk.id(Int(row))) }
      }
      try check(part.count * 8, cursor)
    }
    return parts.flatMap { Array($0.elements) }
  }
}
