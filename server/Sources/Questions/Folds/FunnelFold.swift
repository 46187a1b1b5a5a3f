/// A row of one person as a funnel sees it.
package struct FunnelRow: Equatable, Sendable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// A bit for each step that the row matches; the first step has the lowest.
  package var steps: UInt16
  /// A bit for each exclusion that the row matches.
  package var exclusions: UInt16
  /// True for the rows that a strict funnel may not skip: events and screens.
  package var isEventOrScreen: Bool

  package init(time: Int64, steps: UInt16, exclusions: UInt16 = 0, isEventOrScreen: Bool = true) {
    self.time = time
    self.steps = steps
    self.exclusions = exclusions
    self.isEventOrScreen = isEventOrScreen
  }
}

/// The attempt of one person that got furthest.
package struct FunnelAttempt: Equatable, Sendable {
  /// The position, among the rows of the person, of the row that started the attempt.
  package var start: Int
  /// The time of each step taken, in the order taken.
  package var times: [Int64]

  package init(start: Int, times: [Int64]) {
    self.start = start
    self.times = times
  }
}

/// Finds the attempt that gets furthest among the rows of one person, given in order.
///
/// Attempts that have taken the same steps differ only in when their window ends, so they advance as a group: a row
/// costs as much as there are groups, and an attempt is moved once per step.
package struct FunnelFold: Sendable {
  private let all: UInt16
  private let order: FunnelOrder
  private let window: Int64
  private let exclusions: [(from: Int, to: Int)]
  /// Attempts by the steps taken.
  private var groups: [(taken: UInt16, attempts: [FunnelAttempt])] = []
  private var best: FunnelAttempt?
  private var position = 0

  /// Creates a fold for a funnel.
  package init(_ question: FunnelQuestion) {
    all = UInt16((1 << question.steps.count) - 1)
    order = question.order
    window = question.window
    exclusions = question.exclusions.map { ($0.from, $0.to) }
  }

  /// Adds the person's next row.
  package mutating func add(_ row: FunnelRow) {
    defer { position += 1 }
    if row.exclusions != 0 { exclude(row.exclusions) }
    advance(row)
    let startable = order == .unordered ? row.steps : row.steps & 1
    guard startable != 0 else { return }
    keep(FunnelAttempt(start: position, times: [row.time]), taken: lowestBit(startable))
  }

  /// Returns the result of the person and forgets their rows; `nil` if they never started.
  package mutating func finish() -> FunnelAttempt? {
    defer {
      groups.removeAll(keepingCapacity: true)
      best = nil
      position = 0
    }
    return best
  }

  private mutating func exclude(_ matched: UInt16) {
    let exclusions = exclusions
    groups.removeAll { group in
      let count = group.taken.nonzeroBitCount
      return exclusions.indices.contains { index in
        matched & 1 << index != 0 && exclusions[index].from <= count && count < exclusions[index].to
      }
    }
  }

  private mutating func advance(_ row: FunnelRow) {
    guard row.steps != 0 || order == .strict else { return }
    let (order, window) = (order, window)
    // Groups taken out first, so that an attempt that a row has advanced is not advanced by it again.
    var moved: [(taken: UInt16, attempts: [FunnelAttempt])] = []
    groups.removeAll { group in
      let step = order == .unordered ? lowestBit(row.steps & ~group.taken) : group.taken &+ 1
      if row.steps & step != 0 {
        let live = group.attempts.filter { row.time - $0.times[0] <= window }
        if !live.isEmpty { moved.append((group.taken | step, live)) }
        return true
      }
      return order == .strict && row.isEventOrScreen
    }
    for group in moved {
      for var attempt in group.attempts {
        attempt.times.append(row.time)
        keep(attempt, taken: group.taken)
      }
    }
  }

  /// Records an attempt as the best if it is, and keeps it if it can still advance.
  private mutating func keep(_ attempt: FunnelAttempt, taken: UInt16) {
    let (count, bestCount) = (attempt.times.count, best?.times.count ?? 0)
    if count > bestCount || count == bestCount && attempt.start < (best?.start ?? .max) { best = attempt }
    guard taken != all else { return }
    if let index = groups.firstIndex(where: { $0.taken == taken }) {
      groups[index].attempts.append(attempt)
    } else {
      groups.append((taken, [attempt]))
    }
  }
}

/// The lowest bit that is set.
private func lowestBit(_ bits: UInt16) -> UInt16 { bits & ~(bits &- 1) }
