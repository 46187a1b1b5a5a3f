import ServerBase

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

  /// The times between a step and the one before, ascending; in milliseconds.
  func sortedTimes(beforeStep step: Int) -> [Int64] {
    var sorted = times[step]
    // Times are not negative, because rows are in order.
    sorted.withUnsafeMutableBufferPointer { $0.radixSort { UInt64(bitPattern: $0) } }
    return sorted
  }
}
