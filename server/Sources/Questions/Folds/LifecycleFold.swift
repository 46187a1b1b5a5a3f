/// The states of one person in the intervals of a range.
package struct LifecycleFold: Sendable {
  /// A state in one interval.
  package enum State: String, CaseIterable, Sendable {
    /// The person's first row ever lies in it.
    case new
    /// Active in it and in the one before.
    case returning
    /// Active in it, not in the one before, but earlier.
    case resurrected
    /// Active in the one before, but not in it.
    case dormant
  }

  /// Activity by interval; the first element is the interval before the range.
  private var active: [Bool]

  /// Creates a fold for a range with so many intervals.
  package init(intervals count: Int) { active = Array(repeating: false, count: count + 1) }

  /// Adds a row, by the index of its interval; −1 for the interval before the range.
  package mutating func add(interval: Int) { active[interval + 1] = true }

  /// The number of intervals of the range with a row.
  package var activeIntervals: Int { active.dropFirst().count { $0 } }

  /// Calls `body` with each interval in which the person has a state, then forgets the person.
  ///
  /// - Parameter first: The interval of the person's first row ever, if that lies in the range.
  package mutating func finish(first: Int?, _ body: (_ interval: Int, State) -> Void) {
    for interval in 0..<active.count - 1 {
      let (before, now) = (active[interval], active[interval + 1])
      if now {
        body(interval, interval == first ? .new : before ? .returning : .resurrected)
      } else if before {
        body(interval, .dormant)
      }
    }
    for index in active.indices { active[index] = false }
  }
}
