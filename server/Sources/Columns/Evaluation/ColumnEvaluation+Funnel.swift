import Questions
import Views
import Warehouse

extension ColumnEvaluation {
  /// The bits of one row of a funnel.
  private struct Bits: BitwiseCopyable {
    var steps: UInt16
    var exclusions: UInt16
    var isEventOrScreen: Bool
  }

  func answer(_ question: FunnelQuestion) throws -> FunnelAnswer {
    let values = ValueNumbers(question.breakdown ?? .kind)
    var attempts: [Int: [[Int64]]] = [:]
    var (count, size) = (0, 0)
    try forEachAttempt(question, values) { _, attempt, value in
      attempts[value, default: []].append(attempt.times)
      count += 1
      size += 40 + attempt.times.count * 8
      if count & 1_023 == 0 { try limits.check(limits.bytes / 2 + size) }
    }
    if question.breakdown == nil, attempts.isEmpty { attempts[0] = [] }
    let groups = try attempts.map { (value: try values.value($0, names), attempts: $1) }
    return FunnelAnswer(
      groups: groups.sorted { QuestionValue.isOrdered($0.value, $1.value) }
        .map { FunnelAnswer.Group(value: $0.value, steps: question.steps.count, attempts: $0.attempts) })
  }

  /// Calls `body` with the best attempt of each person, and the number of the breakdown's value.
  func forEachAttempt(
    _ question: FunnelQuestion, _ values: ValueNumbers,
    _ body: (_ person: Int, FunnelAttempt, _ value: Int) throws -> Void
  ) throws {
    let days = question.scope.range.resolved(today: today)
    let scope = try condition(question.scope.filters, days)
    let steps = try question.steps.map { try condition($0, days) }
    let exclusions = try question.exclusions.map { try condition($0.selector, days) }
    // A strict attempt ends with a row of no step, so all rows matter.
    let wanted: RowCondition = question.order == .strict ? scope : .all([scope, .any(steps + exclusions)])
    let collected = PersonRows<Bits>(bytes: limits.bytes / 2)
    var fold = FunnelFold(question)
    var next: UInt32 = 0
    while next < UInt32(personCount) {
      collected.begin(next..<UInt32(personCount))
      try forEachChunk(in: DayRange(days)) { cursor, range in
        try collect(wanted, steps, exclusions, range, question.breakdown, values, cursor, into: collected)
        try collected.shrink { $0 }
      }
      try collected.forEach { rows in
        for row in rows {
          fold.add(
            FunnelRow(
              time: row.time, steps: row.row.steps, exclusions: row.row.exclusions,
              isEventOrScreen: row.row.isEventOrScreen))
        }
        guard let attempt = fold.finish() else { return }
        try body(Int(rows[0].owner), attempt, Int(rows[attempt.start].value))
      }
      next = collected.owners.upperBound
      try limits.check()
    }
  }

  private func collect(
    _ wanted: RowCondition, _ steps: [RowCondition], _ exclusions: [RowCondition], _ range: DayRange?,
    _ breakdown: QuestionDimension?, _ values: ValueNumbers, _ cursor: ChunkCursor, into collected: PersonRows<Bits>
  ) throws {
    try select(wanted, range, cursor) { rows in
      let (chunk, persons, owners) = (cursor.chunk, cursor.persons, collected.owners)
      let stepBits = try bits(steps, cursor)
      let exclusionBits = exclusions.isEmpty ? nil : try bits(exclusions, cursor)
      let value = breakdown.map { ChunkValues(cursor.column($0), values) }
      let last = QuestionKind.screen.storedNumber
      for row in rows {
        let row = Int(row)
        let person = persons[Int(chunk.senders[row])]
        guard owners.contains(person) else { continue }
        collected.append(
          PersonRows.Element(
            owner: person, value: Int32(value?.number(row) ?? 0), time: chunk.time(row),
            row: Bits(
              steps: stepBits[row], exclusions: exclusionBits.map { $0[row] } ?? 0,
              isEventOrScreen: chunk.labelKinds[Int(chunk.labels[row])] >> 1 <= last)))
      }
    }
  }

  /// Returns, for each row of the chunk, a bit for each condition that it meets.
  private func bits(_ conditions: [RowCondition], _ cursor: ChunkCursor) throws -> Memory<UInt16> {
    let count = cursor.chunk.rows
    let bits = Memory<UInt16>(count: count, zero: 0)
    try cursor.withMask { mask in
      for (index, condition) in conditions.enumerated() {
        try fill(mask, condition, cursor)
        for row in 0..<count { bits[row] |= UInt16(mask[row]) << UInt16(index) }
      }
    }
    return bits
  }
}
