import ServerBase
import TernBase

/// The best attempts of many persons: how many took each step, and the time since the one before.
package struct FunnelAttempts: Sendable {
  /// The number of persons who took each step.
  package private(set) var reached: [Int]
  /// Milliseconds since the step before.
  private var times: [[Int64]]

  /// Creates the attempts of a funnel with so many steps.
  package init(steps count: Int) {
    reached = Array(repeating: 0, count: count)
    times = Array(repeating: [], count: count)
  }

  /// Adds an attempt, by the times of its steps.
  package mutating func add(_ stepTimes: [Int64]) {
    for step in stepTimes.indices {
      reached[step] += 1
      if step > 0 { times[step].append(stepTimes[step] - stepTimes[step - 1]) }
    }
  }

  /// Adds other attempts.
  package mutating func merge(_ other: FunnelAttempts) {
    for step in reached.indices {
      reached[step] += other.reached[step]
      times[step] += other.times[step]
    }
  }

  /// The same with ascending times.
  package func sorted() -> FunnelAttempts {
    var sorted = self
    for step in times.indices {
      // A breakdown may have thousands of values with a few attempts each.
      guard times[step].count > 64 else {
        sorted.times[step].sort()
        continue
      }
      // Times are not negative, because rows are in order.
      sorted.times[step].withUnsafeMutableBufferPointer { $0.radixSort { UInt64(bitPattern: $0) } }
    }
    return sorted
  }

  /// The times since the step before.
  func times(of step: Int) -> [Int64] { times[step] }
}

/// The attempts that belong to one group of persons: attempts of all persons, some of which others replace.
package struct FunnelGroupAttempts {
  /// The attempts of all persons, with ascending times.
  private let common: FunnelAttempts
  /// Those of them that don't count in this group, and those that count instead.
  private let replaced: FunnelAttempts
  private let own: FunnelAttempts

  /// - Parameter common: With ascending times.
  package init(_ common: FunnelAttempts, without replaced: FunnelAttempts? = nil, with own: FunnelAttempts? = nil) {
    let none = FunnelAttempts(steps: common.reached.count)
    self.common = common
    self.replaced = replaced?.sorted() ?? none
    self.own = own?.sorted() ?? none
  }

  /// The number of persons who took each step.
  var reached: [Int] {
    common.reached.indices.map { common.reached[$0] - replaced.reached[$0] + own.reached[$0] }
  }

  /// The median of the times since the step before, by nearest rank, and their average; `nil` if there are none.
  func figures(of step: Int) -> (median: Double, average: Double)? {
    let (common, replaced, own) = (common.times(of: step), replaced.times(of: step), own.times(of: step))
    let count = common.count - replaced.count + own.count
    guard count > 0 else { return nil }
    // The times of all persons are sorted once, not for each group: the median is searched for by value.
    let rank = (count + 1) / 2
    var (low, high): (Int64, Int64) = (0, max(common.last ?? 0, own.last ?? 0))
    while low < high {
      let middle = low + (high - low) / 2
      let below = common.count(upTo: middle) - replaced.count(upTo: middle) + own.count(upTo: middle)
      if below >= rank { high = middle } else { low = middle + 1 }
    }
    let sum = (common.saturatingSum - replaced.saturatingSum).addingSaturated(own.saturatingSum)
    return (Double(low) / 1_000, Double(sum) / Double(count) / 1_000)
  }
}

extension [Int64] {
  /// The number of ascending values that are at most so large.
  fileprivate func count(upTo limit: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
