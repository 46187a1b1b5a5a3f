/// A row of one person as a funnel sees it.
package struct FunnelRow: Equatable, Sendable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// True if the row before it is of the same moment, so that nothing tells which of the two was first.
  package var isTied: Bool
  /// A bit for each step that the row matches; the first step has the lowest.
  package var steps: UInt16
  /// A bit for each exclusion that the row matches.
  package var exclusions: UInt16
  /// True for the rows that a strict funnel may not skip: events and screens.
  package var isEventOrScreen: Bool
  /// The number of the row's value of the breakdown.
  package var value: Int32

  package init(
    time: Int64, isTied: Bool = false, steps: UInt16, exclusions: UInt16 = 0, isEventOrScreen: Bool = true,
    value: Int32 = 0
  ) {
    self.time = time
    self.isTied = isTied
    self.steps = steps
    self.exclusions = exclusions
    self.isEventOrScreen = isEventOrScreen
    self.value = value
  }
}

/// An attempt of one person.
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

/// Finds the attempts that get furthest among the rows of one person, given in order.
///
/// Attempts that have taken the same steps differ only in when their window ends, so they advance as a group: a row
/// costs as much as there are groups, and an attempt is moved once per step. If the last step decides on values, a row
/// that matches it ends an attempt for its own value only, so the group before the last step stays.
///
/// Rows whose order is unknown are taken together (`FunnelFold+Ties.swift`).
package struct FunnelFold: FunnelFolding {
  let all: UInt16
  let order: FunnelOrder
  let window: Int64
  private let exclusions: [(from: Int, to: Int)]
  /// The step that decides on the breakdown's values.
  let valueStep: FunnelBreakdownStep?
  var groups: [Group] = []
  /// The attempts that got furthest so far.
  var result = FunnelResult()
  var position = 0
  /// The last row, and those that it is tied to.
  private var moment: [FunnelRow] = []

  /// The attempts that have taken the same steps.
  struct Group {
    var taken: UInt16
    var starts: [Int] = []
    /// The value of the row that started each attempt, if the first step decides on values.
    var values: [Int32] = []
    /// The times of the first attempt, then those of the second, and so on: an array for each would cost most of the
    /// time of a funnel.
    var times: [Int64] = []

    var stepsTaken: Int { taken.nonzeroBitCount }

    /// The attempts that rows may still advance, with their time.
    func advanced(to taken: UInt16, at time: Int64, within window: Int64) -> Group {
      var next = Group(taken: taken)
      let (count, more) = (stepsTaken, next.stepsTaken - stepsTaken)
      for (index, start) in starts.enumerated() where time - times[index * count] <= window {
        next.starts.append(start)
        if !values.isEmpty { next.values.append(values[index]) }
        next.times.append(contentsOf: times[index * count..<(index + 1) * count])
        for _ in 0..<more { next.times.append(time) }
      }
      return next
    }

    /// The place of the first attempt whose window is open; `nil` if there is none. Attempts are in the order of their
    /// starts, because a later one never overtakes an earlier one.
    func firstOpen(at time: Int64, within window: Int64) -> Int? {
      var (low, high) = (0, starts.count)
      while low < high {
        let middle = (low + high) / 2
        if time - times[middle * stepsTaken] > window { low = middle + 1 } else { high = middle }
      }
      return low < starts.count ? low : nil
    }

    /// The times of an attempt.
    func times(of index: Int) -> ArraySlice<Int64> { times[index * stepsTaken..<(index + 1) * stepsTaken] }
  }

  package init(_ question: FunnelQuestion) {
    all = UInt16((1 << question.steps.count) - 1)
    order = question.order
    window = question.window
    valueStep = question.foldedStep
    exclusions = question.exclusions.map { ($0.from, $0.to) }
  }

  package mutating func add(_ row: FunnelRow) {
    if !row.isTied { addMoment() }
    moment.append(row)
  }

  private mutating func addMoment() {
    if moment.count == 1 { add(alone: moment[0]) } else if moment.count > 1 { add(tied: moment) }
    moment.removeAll(keepingCapacity: true)
  }

  private mutating func add(alone row: FunnelRow) {
    defer { position += 1 }
    if row.exclusions != 0 { exclude(row.exclusions) }
    advance(row)
    let startable = order == .unordered ? row.steps : row.steps & 1
    guard startable != 0 else { return }
    keep(
      Group(
        taken: lowestBit(startable), starts: [position], values: valueStep == .first ? [row.value] : [],
        times: [row.time]))
  }

  package mutating func finish() -> FunnelResult {
    defer {
      groups.removeAll(keepingCapacity: true)
      result = FunnelResult()
      position = 0
    }
    addMoment()
    return result
  }

  private mutating func exclude(_ matched: UInt16) {
    let exclusions = exclusions
    groups.removeAll { Self.ends(matched, attemptsAt: $0.stepsTaken, exclusions) }
  }

  /// Returns true if exclusions end attempts that have taken so many steps.
  func ends(_ matched: UInt16, attemptsAt count: Int) -> Bool { Self.ends(matched, attemptsAt: count, exclusions) }

  private static func ends(_ matched: UInt16, attemptsAt count: Int, _ exclusions: [(from: Int, to: Int)]) -> Bool {
    exclusions.indices.contains { index in
      matched & 1 << index != 0 && exclusions[index].from <= count && count < exclusions[index].to
    }
  }

  private mutating func advance(_ row: FunnelRow) {
    guard row.steps != 0 || order == .strict else { return }
    let (order, window) = (order, window)
    // Groups taken out first, so that an attempt that a row has advanced is not advanced by it again.
    var moved: [Group] = []
    if valueStep == .last, row.steps & ~(all >> 1) != 0, result.byValue[row.value] == nil { end(at: row) }
    let last = valueStep == .last ? all >> 1 : all
    groups.removeAll { group in
      if group.taken == last { return order == .strict && row.isEventOrScreen }
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

  /// Records the first attempt that a row of the last step ends, under the value of the row.
  private mutating func end(at row: FunnelRow) {
    guard let group = groups.first(where: { $0.taken == all >> 1 }),
      let index = group.firstOpen(at: row.time, within: window)
    else { return }
    result.byValue[row.value] = FunnelAttempt(start: group.starts[index], times: group.times(of: index) + [row.time])
  }

  /// Records attempts that got further than others, and keeps them if they can still advance.
  mutating func keep(_ group: Group) {
    for (index, start) in group.starts.enumerated() {
      if valueStep == .first {
        Self.record(group, index, start, in: &result.byValue[group.values[index]])
      } else {
        Self.record(group, index, start, in: &result.common)
      }
    }
    guard group.taken != all else { return }
    if let index = groups.firstIndex(where: { $0.taken == group.taken }) {
      groups[index].starts += group.starts
      groups[index].values += group.values
      groups[index].times += group.times
    } else {
      groups.append(group)
    }
  }

  /// Records an attempt if it got further than the best one so far, or as far and began earlier.
  private static func record(_ group: Group, _ index: Int, _ start: Int, in best: inout FunnelAttempt?) {
    let (count, known) = (group.stepsTaken, best?.times.count ?? 0)
    guard count > known || count == known && start < best?.start ?? 0 else { return }
    best = FunnelAttempt(start: start, times: Array(group.times(of: index)))
  }
}

/// The lowest bit that is set.
func lowestBit(_ bits: UInt16) -> UInt16 { bits & ~(bits &- 1) }
