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
  private var groups: [Group] = []
  /// The attempt that got furthest so far; without times if there is none.
  private var best = FunnelAttempt(start: 0, times: [])
  private var position = 0

  /// The attempts that have taken the same steps.
  private struct Group {
    var taken: UInt16
    var starts: [Int] = []
    /// The times of the first attempt, then those of the second, and so on: an array for each would cost most of the
    /// time of a funnel.
    var times: [Int64] = []

    var stepsTaken: Int { taken.nonzeroBitCount }

    /// The attempts that a row may still advance, with its time.
    func advanced(to taken: UInt16, at time: Int64, within window: Int64) -> Group {
      var next = Group(taken: taken)
      let count = stepsTaken
      for (index, start) in starts.enumerated() where time - times[index * count] <= window {
        next.starts.append(start)
        next.times.append(contentsOf: times[index * count..<(index + 1) * count])
        next.times.append(time)
      }
      return next
    }
  }

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
    keep(Group(taken: lowestBit(startable), starts: [position], times: [row.time]))
  }

  /// Returns the result of the person and forgets their rows; `nil` if they never started.
  package mutating func finish() -> FunnelAttempt? {
    defer {
      groups.removeAll(keepingCapacity: true)
      best.times.removeAll(keepingCapacity: true)
      position = 0
    }
    return best.times.isEmpty ? nil : best
  }

  private mutating func exclude(_ matched: UInt16) {
    let exclusions = exclusions
    groups.removeAll { group in
      let count = group.stepsTaken
      return exclusions.indices.contains { index in
        matched & 1 << index != 0 && exclusions[index].from <= count && count < exclusions[index].to
      }
    }
  }

  private mutating func advance(_ row: FunnelRow) {
    guard row.steps != 0 || order == .strict else { return }
    let (order, window) = (order, window)
    // Groups taken out first, so that an attempt that a row has advanced is not advanced by it again.
    var moved: [Group] = []
    groups.removeAll { group in
      let step = order == .unordered ? lowestBit(row.steps & ~group.taken) : group.taken &+ 1
      if row.steps & step != 0 {
        let advanced = group.advanced(to: group.taken | step, at: row.time, within: window)
        if !advanced.starts.isEmpty { moved.append(advanced) }
        return true
      }
      return order == .strict && row.isEventOrScreen
    }
    for group in moved { keep(group) }
  }

  /// Records the best of some attempts if it is better than others, and keeps them if they can still advance.
  private mutating func keep(_ group: Group) {
    let count = group.stepsTaken
    if count >= best.times.count {
      for (index, start) in group.starts.enumerated() where count > best.times.count || start < best.start {
        best.start = start
        best.times.removeAll(keepingCapacity: true)
        best.times.append(contentsOf: group.times[index * count..<(index + 1) * count])
      }
    }
    guard group.taken != all else { return }
    if let index = groups.firstIndex(where: { $0.taken == group.taken }) {
      groups[index].starts += group.starts
      groups[index].times += group.times
    } else {
      groups.append(group)
    }
  }
}

/// The lowest bit that is set.
private func lowestBit(_ bits: UInt16) -> UInt16 { bits & ~(bits &- 1) }
