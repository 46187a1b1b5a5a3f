import Questions
import ServerBase
import Threads
import Warehouse

/// The rows of one version in some days.
struct ReleaseRows {
  let condition: RowCondition
  let range: DayRange
}

/// The persons who took the first step of a funnel, and those of them who took the last one, in each window.
private final class StepCounts {
  var first: [Int]
  var last: [Int]

  init(windows count: Int) {
    first = Array(repeating: 0, count: count)
    last = first
  }
}

/// The numbers of matching rows of each window and person.
private final class RowCounts {
  let pairs = PairTable()
  let counts = GrowingMemory<Int>()

  var byteCount: Int { pairs.count * 48 }

  func add(_ count: Int, window: UInt64, person: UInt64) {
    let (place, isNew) = pairs.number(window, person)
    if isNew { counts.append(count) } else { counts.elements[place] += count }
  }
}

extension ColumnEvaluation {
  /// Calls `body` with the rows of each window in a chunk.
  private func forEachWindow(
    _ windows: [ReleaseRows], _ cursor: ChunkCursor, _ body: (Int, UnsafeBufferPointer<UInt16>) throws -> Void
  ) throws {
    for (index, window) in windows.enumerated() where !window.range.excludes(cursor.chunk) {
      let range = window.range.includes(cursor.chunk, hours) ? nil : window.range
      try select(window.condition, range, cursor) { try body(index, $0) }
    }
  }

  private func chunks(of windows: [ReleaseRows]) -> [Chunk] {
    snapshot.chunks.filter { chunk in windows.contains { !$0.range.excludes(chunk) } }
  }

  /// Returns the share of those who took the first step of a funnel that took the last one, too, in each window.
  func shares(_ funnel: FunnelQuestion, _ windows: [ReleaseRows]) throws -> [ReleasesAnswer.Conversion] {
    guard !windows.isEmpty else { return [] }
    let conditions = try conditions(funnel, today...today)
    let all = StepCounts(windows: windows.count)
    let chunks = chunks(of: windows)
    try forEachGroup(width: RowBits.width(funnel)) {
      StepCounts(windows: windows.count)
    } collect: { [self] bytes, make in
      let bytes = bytes / 4 * 3 / threads.count
      let parts = try inParts(over: chunks) {
        (rows: make(), bits: Memory<UInt32>(count: Chunk.maximumRows, zero: 0))
      } body: { [self] part, cursor in
        guard try fill(part.bits, conditions.bits, cursor) || conditions.needsAllRows else { return }
        let bits = part.bits.start
        try forEachWindow(windows, cursor) { window, rows in
          cursor.withList { list in
            var count = 0
            for row in rows where conditions.needsAllRows || bits[Int(row)] != 0 {
              list[count] = row
              count += 1
            }
            add(
              UnsafeBufferPointer(start: list.start, count: count), part.bits, cursor, to: part.rows
            ) { _ in window }
          }
        }
        try part.rows.shrink(to: bytes)
      }
      return (parts.map(\.rows), [])
    } body: { counts, rows in
      if funnel.order == .ordered, funnel.exclusions.isEmpty {
        Self.count(rows, OrderedFunnelFold(funnel), steps: funnel.steps.count, in: counts)
      } else {
        Self.count(rows, FunnelFold(funnel), steps: funnel.steps.count, in: counts)
      }
    } finish: { counts in
      for window in windows.indices {
        all.first[window] += counts.first[window]
        all.last[window] += counts.last[window]
      }
      return 0
    }
    return windows.indices.map { .share(Share(all.last[$0], of: all.first[$0])) }
  }

  /// Folds the rows of each person and window.
  private static func count(
    _ grouped: GroupedRows, _ fold: some FunnelFolding, steps: Int, in counts: StepCounts
  ) {
    var fold = fold
    grouped.forEach { _, rows in
      let order = rows.indices.sorted { (rows[$0].value, $0) < (rows[$1].value, $1) }
      for (place, index) in order.enumerated() {
        let (row, next) = (rows[index], place + 1 < order.count ? rows[order[place + 1]] : nil)
        let before = place > 0 ? rows[order[place - 1]] : nil
        fold.add(
          row.funnelRow(isTied: before.map { $0.value == row.value && $0.moment == row.moment } ?? false, value: 0))
        guard next?.value != row.value else { continue }
        let taken = fold.finish().common?.times.count ?? 0
        if taken > 0 { counts.first[Int(row.value)] += 1 }
        if taken == steps { counts.last[Int(row.value)] += 1 }
      }
    }
  }

  /// Returns the mean number of rows of a user that match a selector, in each window.
  ///
  /// - Parameter users: The number of users of each window.
  func means(_ selector: Selector, _ windows: [ReleaseRows], users: [Int]) throws -> [ReleasesAnswer.Conversion] {
    let condition = try condition(selector, today...today)
    let parts = try inParts(over: chunks(of: windows)) {
      RowCounts()
    } body: { [self] part, cursor in
      let (persons, senders) = (cursor.persons, cursor.chunk.senders)
      try select(condition, nil, cursor) { matching in
        for (index, window) in windows.enumerated() where !window.range.excludes(cursor.chunk) {
          let range = window.range.includes(cursor.chunk, hours) ? nil : window.range
          try select(window.condition, range, cursor, among: matching) { rows in
            for row in rows { part.add(1, window: UInt64(index), person: UInt64(persons[Int(senders[Int(row)])])) }
          }
        }
      }
      try check(part.byteCount, cursor)
    }
    let all = parts[0]
    for part in parts.dropFirst() {
      for place in 0..<part.pairs.count {
        let pair = part.pairs.pair(place)
        all.add(part.counts.elements[place], window: pair.first, person: pair.second)
      }
      try limits.check(all.byteCount + part.byteCount)
    }
    var means = users.map { Mean(users: $0, sum: 0, squares: 0) }
    for place in 0..<all.pairs.count {
      let (window, count) = (Int(all.pairs.pair(place).first), all.counts.elements[place])
      means[window].sum += count
      means[window].squares += Double(count) * Double(count)
    }
    return means.map { .mean($0) }
  }
}
