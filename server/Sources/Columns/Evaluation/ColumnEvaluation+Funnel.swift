import Questions
import Threads
import Warehouse

extension ColumnEvaluation {
  /// The bits of a row: the steps that it matches, the exclusions, and one for rows that a strict funnel may not skip.
  private enum RowBits {
    static let firstExclusion: UInt32 = 16
    static let eventOrScreen: UInt32 = 1 << 31
  }

  /// The conditions of a funnel.
  private struct Conditions {
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
      try limits.check(limits.bytes / 2 + all.byteCount)
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
  ///   - finish: Receives these states in the order of persons.
  func forEachResult<State>(
    _ question: FunnelQuestion, _ values: ValueNumbers, _ make: @escaping () -> State,
    body: @escaping (State, _ person: Int, FunnelResult) throws -> Void, finish: (State) throws -> Void
  ) throws {
    let days = question.scope.range.resolved(today: today)
    let conditions = try conditions(question, days)
    var next: UInt32 = 0
    while next < UInt32(personCount) {
      let persons = next..<UInt32(personCount)
      let (collected, valueNumbers) = try collect(conditions, days, question.breakdown, values, persons)
      let end = collected.reduce(UInt32.max) { min($0, $1.persons.upperBound) }
      let ranges = GroupedRows.ranges(next..<end, count: threads.count)
      let states = try threads.map(ranges.count) { part in
        let state = make()
        let rows = GroupedRows(collected, owners: ranges[part], valueNumbers: valueNumbers)
        try Self.fold(rows, question) { try body(state, $0, $1) }
        return state
      }
      for state in states { try finish(state) }
      next = end
      try limits.check()
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
    try grouped.forEach { rows, values in
      for (index, row) in rows.enumerated() {
        fold.add(
          FunnelRow(
            time: row.moment.time, isTied: index > 0 && rows[index - 1].moment == row.moment,
            steps: UInt16(row.bits & 0xFFFF),
            exclusions: UInt16(row.bits >> RowBits.firstExclusion & 0x7FFF),
            isEventOrScreen: row.bits & RowBits.eventOrScreen != 0, value: values?[index] ?? 0))
      }
      let result = fold.finish()
      if !result.isEmpty { try body(Int(rows[0].owner), result) }
    }
  }

  private func conditions(_ question: FunnelQuestion, _ days: ClosedRange<Day>) throws -> Conditions {
    let steps = try question.steps.enumerated().map { index, step in
      (condition: try condition(step, days), bit: UInt32(1) << UInt32(index))
    }
    let exclusions = try question.exclusions.enumerated().map { index, exclusion in
      (condition: try condition(exclusion.selector, days), bit: UInt32(1) << (RowBits.firstExclusion + UInt32(index)))
    }
    return Conditions(
      scope: try condition(question.scope.filters, days), bits: steps + exclusions,
      needsAllRows: question.order == .strict)
  }

  /// Collects the rows of some persons; returns them by part, and the numbers of each part's values among all.
  private func collect(
    _ conditions: Conditions, _ days: ClosedRange<Day>, _ breakdown: QuestionDimension?, _ values: ValueNumbers,
    _ persons: Range<UInt32>
  ) throws -> ([PersonRows], [[Int]]) {
    let bytes = limits.bytes / 2 / threads.count
    let parts = try inParts(of: DayRange(days)) {
      (
        rows: PersonRows(persons: persons, hasValues: breakdown != nil, bytes: bytes),
        values: breakdown.map { ValueNumbers($0) }, bits: Memory<UInt32>(count: Chunk.maximumRows, zero: 0)
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
        add(Self.rowList(mask, cursor), part.bits, value, cursor, to: part.rows)
      }
      try part.rows.shrink { $0 }
    }
    return (parts.map(\.rows), parts.map { part in part.values.map { values.adopt($0) } ?? [] })
  }

  private func add(
    _ rows: UnsafeBufferPointer<UInt16>, _ bits: Memory<UInt32>, _ value: ChunkValues?, _ cursor: ChunkCursor,
    to collected: PersonRows
  ) {
    let (chunk, persons, wanted) = (cursor.chunk, cursor.persons, collected.persons)
    let (bits, last) = (bits.start, QuestionKind.screen.storedNumber)
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let person = persons[Int(chunk.senders[row])]
      guard wanted.contains(person) else { continue }
      let isEventOrScreen = chunk.labelKinds[Int(chunk.labels[row])] >> 1 <= last
      collected.append(
        PersonRow(
          owner: person, bits: bits[row] | (isEventOrScreen ? RowBits.eventOrScreen : 0),
          moment: chunk.moment(row)),
        value: Int32(value?.number(row) ?? 0))
    }
  }

  /// Sets the bits of the conditions that each row of the chunk meets; returns false, at once, if none of them can be
  /// met.
  private func fill(
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
