/// Rows of the same time, whose order is unknown.
///
/// They may have happened in any order: an attempt takes as many steps as it can, each by a row of its own. What else happened
/// then was neither before nor after these steps, so it ends only attempts that take none of them.
extension FunnelFold {
  mutating func add(tied rows: [FunnelRow]) {
    defer { position += rows.count }
    if valueStep == .last { end(rows) }
    let steps = TiedSteps(rows, self)
    let begun = begun(rows, steps)
    let (matched, time) = (rows.reduce(0) { $0 | $1.exclusions }, rows[0].time)
    let endsStrict = order == .strict && rows.contains { $0.isEventOrScreen }
    // The furthest first, so that merged groups stay in the order of their starts.
    let before = groups.sorted { $0.stepsTaken > $1.stepsTaken }
    groups.removeAll(keepingCapacity: true)
    var advanced: [Group] = []
    for group in before {
      let taken = steps.taken(after: group.taken)
      if taken != group.taken {
        let group = group.advanced(to: taken, at: time, within: window)
        if !group.starts.isEmpty { advanced.append(group) }
      } else if !endsStrict, !ends(matched, attemptsAt: group.stepsTaken) {
        groups.append(group)
      }
    }
    for group in advanced + begun { keep(group) }
  }

  /// The attempts that begin with the rows.
  private func begun(_ rows: [FunnelRow], _ steps: TiedSteps) -> [Group] {
    // Equal rows get equally far.
    var taken: [TiedSteps.Kind: UInt16] = [:]
    return rows.indices.compactMap { index in
      let (row, kind) = (rows[index], TiedSteps.Kind(rows[index]))
      let startable = order == .unordered ? row.steps : row.steps & 1
      guard startable != 0 else { return nil }
      let reached = taken[kind] ?? steps.taken(after: lowestBit(startable), by: kind)
      taken[kind] = reached
      return Group(
        taken: reached, starts: [position + index], values: valueStep == .first ? [row.value] : [],
        times: Array(repeating: row.time, count: reached.nonzeroBitCount))
    }
  }

  /// Records the first attempt that rows of the last step end, under the value of each.
  private mutating func end(_ rows: [FunnelRow]) {
    let last = all & ~(all >> 1)
    // The last step is hidden in all rows, then restored in those of one value at a time.
    let others = TiedSteps(
      rows.map { row in
        var row = row
        row.steps &= ~last
        return row
      }, self, hasLast: true)
    let ending = Dictionary(grouping: rows.filter { $0.steps & last != 0 }, by: \.value)
    for (value, rows) in ending where result.byValue[value] == nil {
      result.byValue[value] = firstEnded(others.restoring(last, in: rows), at: rows[0].time)
    }
  }

  private func firstEnded(_ steps: TiedSteps, at time: Int64) -> FunnelAttempt? {
    for group in groups.sorted(by: { $0.stepsTaken > $1.stepsTaken }) where steps.taken(after: group.taken) == all {
      guard let index = group.firstOpen(at: time, within: window) else { continue }
      let missing = all.nonzeroBitCount - group.stepsTaken
      return FunnelAttempt(
        start: group.starts[index], times: group.times(of: index) + Array(repeating: time, count: missing))
    }
    guard steps.kinds.contains(where: { $0.steps & 1 != 0 && steps.taken(after: 1, by: $0) == all }) else { return nil }
    return FunnelAttempt(start: position, times: Array(repeating: time, count: all.nonzeroBitCount))
  }
}

/// The steps that rows of one moment can take: a bipartite matching of steps with rows, by augmenting paths (Kuhn's algorithm).
private struct TiedSteps {
  /// The part of a row on which its steps depend. Many rows of one moment have it in common.
  struct Kind: Hashable {
    var steps: UInt16
    let exclusions: UInt16

    init(_ row: FunnelRow) { (steps, exclusions) = (row.steps, row.exclusions) }
  }

  private let fold: FunnelFold
  private let all: UInt16
  private var counts: [Kind: Int] = [:]

  /// - Parameter hasLast: True if attempts take the last step, too, though it decides on values.
  init(_ rows: [FunnelRow], _ fold: FunnelFold, hasLast: Bool = false) {
    self.fold = fold
    all = fold.valueStep == .last && !hasLast ? fold.all >> 1 : fold.all
    for row in rows { counts[Kind(row), default: 0] += 1 }
  }

  /// The kinds of the rows.
  var kinds: Dictionary<Kind, Int>.Keys { counts.keys }

  /// Returns a copy in which the given rows can take a step again.
  func restoring(_ step: UInt16, in rows: [FunnelRow]) -> TiedSteps {
    var changed = self
    for row in rows {
      let kind = Kind(row)
      var before = kind
      before.steps &= ~step
      changed.counts[kind, default: 0] += 1
      changed.counts[before, default: 0] -= 1
      if changed.counts[before] == 0 { changed.counts[before] = nil }
    }
    return changed
  }

  /// The steps of an attempt after this moment.
  ///
  /// - Parameters:
  ///   - taken: Those it has taken before, or its first one.
  ///   - start: The kind of the row that took the first one, if that is one of the rows.
  func taken(after taken: UInt16, by start: Kind? = nil) -> UInt16 {
    let isOrdered = fold.order != .unordered
    // The row that began the attempt comes first. As many equal rows as there are steps are enough.
    var rows = start.map { [$0] } ?? []
    for (kind, count) in counts where kind.steps != 0 {
      rows += Array(repeating: kind, count: min(kind == start ? count - 1 : count, all.nonzeroBitCount))
    }
    // For each row, the step that it takes.
    var steps: [UInt16] = Array(repeating: 0, count: rows.count)
    if start != nil { steps[0] = taken }
    var (result, next) = (taken, UInt16(1))
    while next & all != 0 {
      defer { next <<= 1 }
      guard result & next == 0 else { continue }
      var tried = Array(repeating: false, count: rows.count)
      // The row that began an ordered attempt has taken the first step; in another one it may take any.
      if isOrdered, start != nil { tried[0] = true }
      if assign(next, to: rows, before: taken, hasStart: start != nil, &steps, &tried) {
        result |= next
      } else if isOrdered {
        break
      }
    }
    return result
  }

  /// Gives a step to a row, which may have to give its own to another one.
  private func assign(
    _ step: UInt16, to rows: [Kind], before taken: UInt16, hasStart: Bool, _ steps: inout [UInt16],
    _ tried: inout [Bool]
  ) -> Bool {
    let count = fold.order == .unordered ? taken.nonzeroBitCount : step.trailingZeroBitCount
    for index in rows.indices where !tried[index] && rows[index].steps & step != 0 {
      guard hasStart && index == 0 || !fold.ends(rows[index].exclusions, attemptsAt: count) else { continue }
      tried[index] = true
      if steps[index] == 0
        || assign(steps[index], to: rows, before: taken, hasStart: hasStart, &steps, &tried)
      {
        steps[index] = step
        return true
      }
    }
    return false
  }
}
