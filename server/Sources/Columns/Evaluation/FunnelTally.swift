import Questions

/// The best attempts of some persons, by the number of the breakdown's value.
///
/// A person has at most one attempt for each value of their rows, and those rows are in memory anyway. What many persons
/// add up to is bounded by the question's memory: 16 bytes for each step of an attempt, and a few hundred for a value.
final class FunnelTally {
  /// The attempts of one value.
  private struct Group {
    var own: FunnelAttempts
    /// The common attempts of the same persons.
    var replaced: FunnelAttempts?
  }

  private var common: FunnelAttempts
  private var groups: [Int: Group] = [:]
  private let steps: Int
  private let limits: QuestionLimits
  private let parts: Int
  /// The memory of the attempts, in bytes.
  private(set) var byteCount = 0
  private var checkedBytes = 0

  /// - Parameter parts: The number of tallies that are made at the same time.
  init(steps: Int, _ limits: QuestionLimits, parts: Int) {
    self.steps = steps
    self.limits = limits
    self.parts = parts
    common = FunnelAttempts(steps: steps)
  }

  /// Adds a person; throws if the attempts of all take more than half of the question's memory.
  func add(_ result: FunnelResult) throws {
    if let attempt = result.common {
      common.add(attempt.times)
      byteCount += attempt.times.count * 16
    }
    for (value, attempt) in result.byValue {
      let number = Int(value)
      if groups[number] == nil {
        groups[number] = Group(own: FunnelAttempts(steps: steps))
        byteCount += 2 * (steps * 56 + 128)
      }
      groups[number]?.own.add(attempt.times)
      byteCount += attempt.times.count * 16
      guard let other = result.common else { continue }
      groups[number]?.replaced.add(other.times, steps: steps)
      byteCount += other.times.count * 16
    }
    // Looking at the clock for each person would take longer than they do.
    guard byteCount > checkedBytes + 1 << 20 else { return }
    checkedBytes = byteCount
    try limits.check(byteCount * parts * 2)
  }

  /// Adds other persons.
  func merge(_ other: FunnelTally) {
    common.merge(other.common)
    for (number, group) in other.groups {
      groups[number, default: Group(own: FunnelAttempts(steps: steps))].own.merge(group.own)
      if let replaced = group.replaced { groups[number]?.replaced.merge(replaced, steps: steps) }
    }
    byteCount += other.byteCount
  }

  /// The attempts of all persons, in one group.
  var all: FunnelGroupAttempts { FunnelGroupAttempts(common.sorted()) }

  /// Calls `body` with each value's number and the attempts that belong to it.
  func forEachGroup(_ body: (Int, FunnelGroupAttempts) throws -> Void) rethrows {
    let common = common.sorted()
    for (number, group) in groups {
      try body(number, FunnelGroupAttempts(common, without: group.replaced, with: group.own))
    }
  }
}

extension FunnelAttempts? {
  fileprivate mutating func add(_ times: [Int64], steps: Int) {
    var attempts = take() ?? FunnelAttempts(steps: steps)
    attempts.add(times)
    self = attempts
  }

  fileprivate mutating func merge(_ other: FunnelAttempts, steps: Int) {
    var attempts = take() ?? FunnelAttempts(steps: steps)
    attempts.merge(other)
    self = attempts
  }
}
