import Questions
import Threads
import Warehouse

extension ColumnEvaluation {
  /// The bits of a row: one for rows that a strict funnel may not skip, the steps that the row matches, and the exclusions.
  enum RowBits {
    static let eventOrScreen: UInt32 = 1
    static let firstStep = 1
    static let firstExclusion = 17

    /// The number of the lowest bits that may be set.
    static func width(_ question: FunnelQuestion) -> Int {
      question.exclusions.isEmpty ? firstStep + question.steps.count : firstExclusion + question.exclusions.count
    }
  }

  /// The conditions of a funnel.
  struct Conditions {
    var scope: RowCondition
    /// The conditions of the steps, then of the exclusions, each with its bit.
    var bits: [(condition: RowCondition, bit: UInt32)]
    /// A strict attempt ends with a row of no step, so all rows matter.
    var needsAllRows: Bool
  }

  func answer(_ question: FunnelQuestion) throws -> FunnelAnswer {
    let values = ValueNumbers(question.breakdown ?? .kind)
    let (limits, parts) = (limits, threads.count)
    let all = FunnelTally(steps: question.steps.count, limits, parts: parts)
    try forEachResult(question, values) {
      FunnelTally(steps: question.steps.count, limits, parts: parts)
    } body: { tally, _, result in
      try tally.add(result)
    } finish: { tally in
      all.merge(tally)
      try limits.check(all.byteCount * 2)
      return all.byteCount
    }
    guard let breakdown = question.breakdown else { return FunnelAnswer(groups: [.init(value: nil, all.all)]) }
    var groups: [FunnelAnswer.Group] = []
    try all.forEachGroup { number, attempts in
      groups.append(FunnelAnswer.Group(value: try values.value(number, names), attempts))
      try limits.check()
    }
    return FunnelAnswer(groups: groups.sorted { breakdown.isOrdered($0.value, before: $1.value) })
  }

  /// Calls `body` with the best attempts of each person who has any, on several threads.
  ///
  /// - Parameters:
  ///   - values: Receives the values of the breakdown, which the attempts name by number.
  ///   - make: Makes the state to which a thread adds attempts.
  ///   - finish: Receives these states; returns the memory that the results of all take.
  func forEachResult<State>(
    _ question: FunnelQuestion, _ values: ValueNumbers, _ make: @escaping () -> State,
    body: @escaping (State, _ person: Int, FunnelResult) throws -> Void, finish: (State) throws -> Int
  ) throws {
    let days = question.scope.range.resolved(today: today)
    let conditions = try conditions(question, days)
    try forEachGroup(
      width: RowBits.width(question), make
    ) { [self] bytes, make in
      try collect(conditions, days, question.breakdown, values, bytes: bytes, make)
    } body: { state, rows in
      try Self.fold(rows, question) { try body(state, $0, $1) }
    } finish: {
      try finish($0)
    }
  }

  /// Collects the rows of persons in as many passes as the memory needs, and calls `body` with those of some persons, on
  /// several threads.
  ///
  /// - Parameters:
  ///   - width: The number of the lowest bits of a row that may be set.
  ///   - make: Makes the state of a thread.
  ///   - collect: Collects rows within so many bytes; returns them by part, and the numbers of each part's values among all.
  ///   - finish: Receives the states; returns the memory that the results of all take.
  func forEachGroup<State>(
    width: Int, _ make: @escaping () -> State,
    collect: (_ bytes: Int, _ make: () -> PersonRows) throws -> ([PersonRows], [[Int]]),
    body: @escaping (State, GroupedRows) throws -> Void, finish: (State) throws -> Int
  ) throws {
    var (next, kept) = (0, 0)
    while next < PersonRows.partitionCount {
      let partitions = next..<PersonRows.partitionCount
      let (collected, valueNumbers) = try collect(limits.bytes - kept) { PersonRows(partitions, width: width) }
      let end = collected.reduce(partitions.upperBound) { min($0, $1.partitions.upperBound) }
      let ranges = GroupedRows.ranges(next..<end, threads: threads.count)
      let (limits, persons, threads) = (limits, personCount, threads.count)
      let states = try self.threads.map(ranges.count) { part in
        let state = make()
        for partition in ranges[part] {
          let rows = try GroupedRows(
            partition, of: collected, owners: persons, valueNumbers: valueNumbers, threads: threads, within: limits)
          try body(state, rows)
        }
        return state
      }
      for state in states { kept = try finish(state) }
      next = end
    }
  }

  /// Folds the rows of each person with the quickest fold of the question.
  private static func fold(
    _ rows: GroupedRows, _ question: FunnelQuestion, _ body: (Int, FunnelResult) throws -> Void
  ) throws {
    let dividesByValue = question.breakdown != nil && question.breakdownStep == .every
    // Nearly all funnels are like this, and it takes a fraction of the time.
    switch (question.order == .ordered && question.exclusions.isEmpty, dividesByValue) {
    case (true, false): try fold(rows, OrderedFunnelFold(question), body)
    case (true, true): try fold(rows, EveryStepFold(question, OrderedFunnelFold(question)), body)
    case (false, false): try fold(rows, FunnelFold(question), body)
    case (false, true): try fold(rows, EveryStepFold(question, FunnelFold(question)), body)
    }
  }

  private static func fold(
    _ grouped: GroupedRows, _ fold: some FunnelFolding, _ body: (Int, FunnelResult) throws -> Void
  ) throws {
    var fold = fold
    try grouped.forEach { person, rows in
      for (index, row) in rows.enumerated() {
        fold.add(
          row.funnelRow(isTied: index > 0 && rows[index - 1].moment == row.moment, value: Int32(row.value)))
      }
      let result = fold.finish()
      if !result.isEmpty { try body(Int(person), result) }
    }
  }

  func conditions(_ question: FunnelQuestion, _ days: ClosedRange<Day>) throws -> Conditions {
    let steps = try question.steps.enumerated().map { index, step in
      (condition: try condition(step, days), bit: UInt32(1) << UInt32(RowBits.firstStep + index))
    }
    let exclusions = try question.exclusions.enumerated().map { index, exclusion in
      (condition: try condition(exclusion.selector, days), bit: UInt32(1) << UInt32(RowBits.firstExclusion + index))
    }
    return Conditions(
      scope: try condition(question.scope.filters, days), bits: steps + exclusions,
      needsAllRows: question.order == .strict)
  }

  /// Collects rows; returns them by part, and the numbers of each part's values among all.
  ///
  /// - Parameter bytes: The memory that there is; a quarter of it is left for one partition's rows in order.
  private func collect(
    _ conditions: Conditions, _ days: ClosedRange<Day>, _ breakdown: QuestionDimension?, _ values: ValueNumbers,
    bytes: Int, _ make: () -> PersonRows
  ) throws -> ([PersonRows], [[Int]]) {
    let bytes = bytes / 4 * 3 / threads.count
    let parts = try inParts(of: DayRange(days)) {
      (
        rows: make(), values: breakdown.map { ValueNumbers($0) },
        bits: Memory<UInt32>(count: Chunk.maximumRows, zero: 0)
      )
    } body: { [self] part, cursor, range in
      guard try fill(part.bits, conditions.bits, cursor) || conditions.needsAllRows else { return }
      let value = breakdown.flatMap { dimension in
        part.values.map { ChunkValues(cursor.column(dimension), $0) }
      }
      try cursor.withMask { mask in
        try fill(mask, conditions.scope, range, cursor)
        if !conditions.needsAllRows {
          let (mask, bits) = (mask.start, part.bits.start)
          for row in 0..<cursor.chunk.rows { mask[row] &= bits[row] == 0 ? 0 : 1 }
        }
        cursor.withList { list in
          add(Self.select(mask, into: list, cursor), part.bits, cursor, to: part.rows) { value?.number($0) ?? 0 }
        }
      }
      try part.rows.shrink(to: bytes)
    }
    return (parts.map(\.rows), parts.map { part in part.values.map { values.adopt($0) } ?? [] })
  }

  /// - Parameter value: Returns the number of a row's value.
  @inline(__always)
  func add(
    _ rows: UnsafeBufferPointer<UInt16>, _ bits: Memory<UInt32>, _ cursor: ChunkCursor, to collected: PersonRows,
    value: (Int) -> Int
  ) {
    let (chunk, persons, bits) = (cursor.chunk, cursor.persons, bits.start)
    let last = QuestionKind.screen.storedNumber
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let isEventOrScreen = chunk.labelKinds[Int(chunk.labels[row])] >> 1 <= last
      collected.append(
        PersonRow(
          moment: chunk.moment(row), bits: bits[row] | (isEventOrScreen ? RowBits.eventOrScreen : 0),
          value: UInt32(value(row))),
        of: persons[Int(chunk.senders[row])])
    }
  }

  /// Sets the bits of the conditions that each row of the chunk meets; returns false, at once, if none of them can be
  /// met.
  func fill(
    _ bits: Memory<UInt32>, _ conditions: [(condition: RowCondition, bit: UInt32)], _ cursor: ChunkCursor
  ) throws -> Bool {
    let (chunk, bits) = (cursor.chunk, bits.start)
    // Kinds and names belong to labels, of which a chunk has few.
    let labelBits = Memory<UInt32>(count: chunk.header.labels, zero: 0)
    var others: [(condition: RowCondition, bit: UInt32)] = []
    for (condition, bit) in conditions {
      guard let target = condition.target else {
        others.append((condition, bit))
        continue
      }
      var isPresent = false
      for label in 0..<chunk.header.labels where Self.matches(target, label, chunk) {
        isPresent = true
        if condition.isTarget { labelBits[label] |= bit }
      }
      if isPresent, !condition.isTarget { others.append((condition, bit)) }
    }
    guard !others.isEmpty || (0..<labelBits.count).contains(where: { labelBits[$0] != 0 }) else {
      bits.update(repeating: 0, count: chunk.rows)
      return false
    }
    let (labels, ofLabel) = (chunk.labels, labelBits.start)
    for row in 0..<chunk.rows { bits[row] = ofLabel[Int(labels[row])] }
    for (condition, bit) in others {
      try cursor.withMask { mask in
        try fill(mask, condition, cursor)
        let mask = mask.start
        for row in 0..<chunk.rows { bits[row] |= mask[row] == 0 ? 0 : bit }
      }
    }
    return true
  }
}

extension PersonRow {
  /// The row as a funnel sees it.
  func funnelRow(isTied: Bool, value: Int32) -> FunnelRow {
    typealias RowBits = ColumnEvaluation.RowBits
    return FunnelRow(
      time: moment.time, isTied: isTied, steps: UInt16(bits >> RowBits.firstStep & 0xFFFF),
      exclusions: UInt16(bits >> RowBits.firstExclusion), isEventOrScreen: bits & RowBits.eventOrScreen != 0,
      value: value)
  }
}

extension RowCondition {
  /// True if the condition is about nothing but the row's kind and name.
  fileprivate var isTarget: Bool { if case .target = self { true } else { false } }

  /// The kind and name that all rows that pass have.
  fileprivate var target: Selector.Target? {
    switch self {
    case .target(let target): target
    case .all(let conditions): conditions.lazy.compactMap(\.target).first
    default: nil
    }
  }
}
