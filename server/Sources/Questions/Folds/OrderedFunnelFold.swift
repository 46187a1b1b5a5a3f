/// Finds the attempts that get furthest through an ordered funnel without exclusions.
///
/// The rows by which an attempt advances don't depend on its window, so each row is linked to the row of the next step
/// once, and attempts follow the links. ``FunnelFold`` answers the same and other funnels; it takes several times as
/// long because it keeps the times of every attempt.
package struct OrderedFunnelFold: FunnelFolding {
  private let steps: Int
  private let window: Int64
  /// The step that decides on the breakdown's values.
  private let valueStep: FunnelBreakdownStep?
  private var times: [Int64] = []
  private var matches: [UInt16] = []
  /// The value of each row, if a step decides on values.
  private var values: [Int32] = []
  /// For each row and step, the next row that matches the step after; −1 for none.
  private var links: [Int32] = []
  /// The bit of each step that any row matches.
  private var seen: UInt16 = 0
  /// The rows that are tied to the one before.
  private var tied: [Int] = []
  /// Folds the few persons with such rows.
  private var tiedFold: FunnelFold

  /// An attempt by the row that started it and the number of steps taken.
  private typealias Attempt = (start: Int, count: Int)

  /// Creates a fold for an ordered funnel without exclusions.
  package init(_ question: FunnelQuestion) {
    steps = question.steps.count
    window = question.window
    valueStep = question.foldedStep
    tiedFold = FunnelFold(question)
  }

  package mutating func add(_ row: FunnelRow) {
    if row.isTied { tied.append(times.count) }
    times.append(row.time)
    matches.append(row.steps)
    if valueStep != nil { values.append(row.value) }
    seen |= row.steps
  }

  package mutating func finish() -> FunnelResult {
    defer {
      times.removeAll(keepingCapacity: true)
      matches.removeAll(keepingCapacity: true)
      values.removeAll(keepingCapacity: true)
      tied.removeAll(keepingCapacity: true)
      seen = 0
    }
    guard tied.isEmpty else { return foldTied() }
    guard seen & 1 != 0 else { return FunnelResult() }
    link()
    switch valueStep {
    case nil, .every: return FunnelResult(common: best(of: steps))
    case .first:
      var result = FunnelResult()
      result.byValue = bestByFirstValue().mapValues { attempt($0) }
      return result
    case .last:
      var result = FunnelResult(common: best(of: steps - 1))
      if seen >> UInt16(steps - 1) & 1 != 0 { result.byValue = firstByLastValue() }
      return result
    }
  }

  private mutating func foldTied() -> FunnelResult {
    var rest = tied[...]
    for index in times.indices {
      let isTied = rest.first == index
      if isTied { rest.removeFirst() }
      tiedFold.add(
        FunnelRow(
          time: times[index], isTied: isTied, steps: matches[index], value: valueStep == nil ? 0 : values[index]))
    }
    return tiedFold.finish()
  }

  /// The attempt that takes most of the first steps, the earliest among equals.
  private func best(of limit: Int) -> FunnelAttempt {
    var best: Attempt = (0, 0)
    for start in times.indices where matches[start] & 1 != 0 {
      let count = count(from: start, of: limit)
      if count > best.count { best = (start, count) }
      if count == limit { break }
    }
    return attempt(best)
  }

  /// The best attempts by the value of the row that started them.
  private func bestByFirstValue() -> [Int32: Attempt] {
    var best: [Int32: Attempt] = [:]
    for start in times.indices where matches[start] & 1 != 0 {
      let known = best[values[start]]?.count ?? 0
      guard known < steps else { continue }
      let count = count(from: start, of: steps)
      if count > known { best[values[start]] = (start, count) }
    }
    return best
  }

  /// The earliest whole attempts by the value of the row that ended them.
  ///
  /// Later attempts reach the step before the last one no earlier. So a row can end none of them if it doesn't end the
  /// first one whose window it lies in.
  private func firstByLastValue() -> [Int32: FunnelAttempt] {
    let starts = times.indices.filter { matches[$0] & 1 != 0 }
    var found: [Int32: FunnelAttempt] = [:]
    var (place, reached) = (0, row(before: steps, from: starts[0]))
    for end in times.indices where matches[end] >> UInt16(steps - 1) & 1 != 0 && found[values[end]] == nil {
      while place < starts.count, times[end] - times[starts[place]] > window {
        place += 1
        if place < starts.count { reached = row(before: steps, from: starts[place]) }
      }
      guard place < starts.count else { break }
      guard let reached, reached < end else { continue }
      var attempt = attempt((starts[place], steps - 1))
      attempt.times.append(times[end])
      found[values[end]] = attempt
    }
    return found
  }

  /// The row by which an attempt takes the step before another one, however late; `nil` for none.
  private func row(before step: Int, from start: Int) -> Int? {
    var row = start
    for count in 1..<max(step - 1, 1) {
      row = Int(links[row * steps + count - 1])
      guard row >= 0 else { return nil }
    }
    return row
  }

  /// The number of steps that an attempt takes in its window, up to a limit.
  private func count(from start: Int, of limit: Int) -> Int {
    var (row, count) = (start, 1)
    while count < limit {
      let next = Int(links[row * steps + count - 1])
      guard next >= 0, times[next] - times[start] <= window else { break }
      (row, count) = (next, count + 1)
    }
    return count
  }

  /// The attempt with its times.
  private func attempt(_ best: Attempt) -> FunnelAttempt {
    var attempt = FunnelAttempt(start: best.start, times: [times[best.start]])
    attempt.times.reserveCapacity(best.count)
    var row = best.start
    for count in 1..<max(best.count, 1) {
      row = Int(links[row * steps + count - 1])
      attempt.times.append(times[row])
    }
    return attempt
  }

  /// Links the rows, the last one first.
  private mutating func link() {
    let (count, steps) = (times.count, steps)
    if links.count < count * steps { links += Array(repeating: -1, count: count * steps - links.count) }
    links.withUnsafeMutableBufferPointer { links in
      matches.withUnsafeBufferPointer { matches in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: steps + 1) { next in
          next.initialize(repeating: -1)
          for row in stride(from: count - 1, through: 0, by: -1) {
            var rest = matches[row]
            while rest != 0 {
              let step = rest.trailingZeroBitCount
              links[row * steps + step] = next[step + 1]
              rest &= rest - 1
            }
            rest = matches[row]
            while rest != 0 {
              next[rest.trailingZeroBitCount] = Int32(row)
              rest &= rest - 1
            }
          }
        }
      }
    }
  }
}
