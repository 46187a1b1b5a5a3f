import Questions
import Warehouse

/// The metrics of a query over one range of days.
struct PeriodFigures {
  var cells: [(dimensions: [QuestionValue?], metrics: [Double?])] = []
  var totals: [Double?]?
  /// The metrics of a cell without rows.
  var empty: [Double?] = []
  var rowsRead = 0
}

/// A query over one range of days.
private struct QueryPeriod {
  /// The filters that decide on the rows. Those about persons count them in days.
  struct Filters: Hashable {
    var filters: [QuestionFilter]
    var days: ClosedRange<Day>?
  }

  let question: QueryQuestion
  let range: DayRange

  /// The filters that are not among some others.
  func filters(besides others: [QuestionFilter] = []) -> Filters {
    let filters = question.scope.filters.filter { !others.contains($0) }
    return Filters(filters: filters, days: filters.contains(where: \.countsRowsOfPersons) ? range.days : nil)
  }

  /// The days of the only periods that may be looked at together with this one; `nil` for all others. The chunks would be divided among
  /// threads in another way, which decides on the last digit of the sums of a property.
  var exclusiveDays: ClosedRange<Day>? {
    question.metrics.contains { if case .property = $0 { true } else { false } } ? range.days : nil
  }

  var needsDurations: Bool {
    question.metrics.contains { metric in
      if case .plain(let plain) = metric { CellMetrics.durationMetrics.contains(plain) } else { false }
    }
  }
}

/// The metrics of one period in some chunks.
private struct PeriodMetrics {
  let cells: CellMetrics
  let totals: CellMetrics?
  /// The bounds of all sessions; `nil` if no metric needs durations.
  let times: SessionTimes?

  var byteCount: Int { cells.byteCount + (totals?.byteCount ?? 0) + (times?.byteCount ?? 0) }

  /// Adds the metrics of later chunks.
  func merge(_ other: PeriodMetrics, sessionNumbers: [Int]) {
    if let theirs = other.times { times?.merge(theirs, numbers: sessionNumbers) }
    cells.merge(other.cells, sessionNumbers: sessionNumbers)
    if let theirs = other.totals { totals?.merge(theirs, sessionNumbers: sessionNumbers) }
  }
}

/// The metrics of all periods in some chunks.
private final class PeriodPart {
  let periods: [PeriodMetrics]
  let numbers: SessionNumbers?

  init(_ periods: [PeriodMetrics]) {
    self.periods = periods
    numbers = periods.contains { $0.cells.needsSessions } ? SessionNumbers() : nil
  }

  var byteCount: Int { periods.reduce(numbers?.byteCount ?? 0) { $0 + $1.byteCount } }

  func merge(_ other: PeriodPart) {
    let sessions = other.numbers.flatMap { numbers?.adopt($0) } ?? []
    for (mine, theirs) in zip(periods, other.periods) { mine.merge(theirs, sessionNumbers: sessions) }
  }
}

/// The rows of some periods, which pass the same filters and lie in the same days.
private struct PeriodRows {
  /// Those besides the filters of all periods.
  let filters: QueryPeriod.Filters
  let condition: RowCondition
  let range: DayRange
  /// The numbers of the periods.
  var periods: [Int]
}

extension ColumnEvaluation {
  /// Returns the figures of queries, each over some days.
  func figures(_ queries: [(question: QueryQuestion, days: ClosedRange<Day>)]) throws -> [PeriodFigures] {
    let periods = queries.map { QueryPeriod(question: $0.question, range: DayRange($0.days)) }
    var figures = Array(repeating: PeriodFigures(), count: periods.count)
    for numbers in Dictionary(grouping: periods.indices, by: { periods[$0].exclusiveDays }).values {
      for (number, found) in zip(numbers, try self.figures(together: numbers.map { periods[$0] })) {
        figures[number] = found
      }
    }
    return figures
  }

  /// Returns the figures of periods: together, or one by one if they don't fit into the memory together.
  private func figures(together periods: [QueryPeriod]) throws -> [PeriodFigures] {
    do {
      return try figures(ofAll: periods)
    } catch let error as QuestionError where error.code == .tooLarge && periods.count > 1 {
      return try periods.flatMap { try figures(ofAll: [$0]) }
    }
  }

  private func figures(ofAll periods: [QueryPeriod]) throws -> [PeriodFigures] {
    let shared = (periods.first?.question.scope.filters ?? []).filter { filter in
      !filter.countsRowsOfPersons && periods.allSatisfy { $0.question.scope.filters.contains(filter) }
    }
    let (condition, rows, read) = try prepared(periods, shared)
    let (persons, limits) = (personCount, limits)
    let parts = try inParts(over: snapshot.chunks.filter { chunk in rows.contains { !$0.range.excludes(chunk) } }) {
      PeriodPart(try periods.map { try metrics($0) })
    } body: { [self] part, cursor in
      try add(rows, condition, cursor, to: part)
      try check(part.byteCount + (cursor.part == 0 ? persons * 8 : 0), cursor)
    }
    for part in parts.dropFirst() {
      parts[0].merge(part)
      try limits.check(parts[0].byteCount + part.byteCount + persons * 8)
    }
    return try zip(periods, parts[0].periods).enumerated().map { number, period in
      var figures = try figures(period.0, period.1, besides: parts[0].byteCount)
      figures.rowsRead = chunks(in: period.0.range).reduce(read[number]) { $0 + $1.rows }
      return figures
    }
  }

  /// Prepares the filters of periods, each once.
  ///
  /// - Returns: The condition of all, the rows of each and, for each period, the rows that were read for its filters.
  private func prepared(_ periods: [QueryPeriod], _ shared: [QuestionFilter]) throws -> (
    RowCondition, [PeriodRows], read: [Int]
  ) {
    var (known, rows) = ([QueryPeriod.Filters: (condition: RowCondition, read: Int)](), [PeriodRows]())
    let read = try periods.enumerated().map { number, period in
      let filters = period.filters(besides: shared)
      let before = rowsRead
      let found = try known[filters] ?? (try condition(filters.filters, period.range.days), rowsRead - before)
      known[filters] = found
      if let place = rows.firstIndex(where: { $0.filters == filters && $0.range.days == period.range.days }) {
        rows[place].periods.append(number)
      } else {
        rows.append(
          PeriodRows(filters: filters, condition: found.condition, range: period.range, periods: [number]))
      }
      return found.read
    }
    return (try condition(shared, periods[0].range.days), rows, read)
  }

  private func metrics(_ period: QueryPeriod) throws -> PeriodMetrics {
    let (metrics, groups) = (period.question.metrics, period.question.groups)
    let cells = try CellMetrics(metrics, groups, self, period.range)
    // Without dimensions, the only cell has the totals.
    let hasTotals = period.question.includesTotals && !groups.isEmpty && !cells.canBeUnited
    return PeriodMetrics(
      cells: cells, totals: hasTotals ? try CellMetrics(metrics, [], self, period.range) : nil,
      times: period.needsDurations ? SessionTimes() : nil)
  }

  /// Adds the rows of a chunk.
  private func add(_ rows: [PeriodRows], _ condition: RowCondition, _ cursor: ChunkCursor, to part: PeriodPart) throws {
    let chunk = cursor.chunk
    part.numbers?.move(to: chunk)
    let rows = rows.filter { !$0.range.excludes(chunk) }.map { rows in
      (rows, outside: rows.range.includes(chunk, hours) ? nil : rows.range)
    }
    for (rows, range) in rows {
      for period in rows.periods {
        guard let times = part.periods[period].times, let numbers = part.numbers else { continue }
        try select(.always, range, cursor) { times.add($0, chunk, numbers) }
      }
    }
    try select(condition, nil, cursor) { passing in
      for (rows, range) in rows {
        try select(rows.condition, range, cursor, among: passing) { selected in
          for period in rows.periods {
            part.periods[period].cells.add(selected, cursor, part.numbers)
            part.periods[period].totals?.add(selected, cursor, part.numbers)
          }
        }
      }
    }
  }

  /// Returns the figures of a period whose rows have all been added.
  private func figures(_ period: QueryPeriod, _ metrics: PeriodMetrics, besides bytes: Int) throws -> PeriodFigures {
    let (question, cells, times) = (period.question, metrics.cells, metrics.times)
    var totals = metrics.totals
    if question.includesTotals, !question.groups.isEmpty, cells.canBeUnited {
      let united = try CellMetrics(question.metrics, [], self, period.range)
      united.unite(cells)
      try limits.check(bytes + united.byteCount)
      totals = united
    }
    cells.finish(times)
    totals?.finish(times)
    var figures = PeriodFigures()
    figures.cells = try cells.present.map { cell in
      let dimensions = try zip(cells.cells.parts(cell), cells.cells.values).map { try $1.value($0, names) }
      return (dimensions, question.metrics.map { cells.value($0, cell) })
    }
    if question.includesTotals { figures.totals = question.metrics.map { (totals ?? cells).value($0, 0) } }
    figures.empty = question.metrics.map { cells.value($0, .max) }
    return figures
  }
}

extension QuestionFilter {
  /// True if the filter counts rows of persons in days.
  fileprivate var countsRowsOfPersons: Bool {
    switch self {
    case .hasDone, .hasNotDone: true
    case .all(let filters), .any(let filters): filters.contains(where: \.countsRowsOfPersons)
    case .not(let filter): filter.countsRowsOfPersons
    case .isOneOf, .isNoneOf, .contains, .compare, .isSet, .isNotSet, .isError: false
    }
  }
}
