/// Finds the attempt that gets furthest through an ordered funnel without exclusions.
///
/// The rows by which an attempt advances don't depend on its window, so each row is linked to the row of the next step
/// once, and attempts follow the links. ``FunnelFold`` answers the same and other funnels; it takes several times as
/// long because it keeps the times of every attempt.
package struct OrderedFunnelFold: Sendable {
  private let steps: Int
  private let window: Int64
  private var times: [Int64] = []
  private var matches: [UInt16] = []
  /// For each row and step, the next row that matches the step after; −1 for none.
  private var links: [Int32] = []
  /// The bit of each step that any row matches.
  private var seen: UInt16 = 0

  /// Creates a fold for an ordered funnel without exclusions.
  package init(_ question: FunnelQuestion) {
    steps = question.steps.count
    window = question.window
  }

  /// Adds the person's next row.
  ///
  /// - Parameter matched: A bit for each step that the row matches; the first step has the lowest.
  package mutating func add(time: Int64, steps matched: UInt16) {
    times.append(time)
    matches.append(matched)
    seen |= matched
  }

  /// Returns the result of the person and forgets their rows; `nil` if they never started.
  package mutating func finish() -> FunnelAttempt? {
    defer {
      times.removeAll(keepingCapacity: true)
      matches.removeAll(keepingCapacity: true)
      seen = 0
    }
    guard seen & 1 != 0 else { return nil }
    link()
    var best: (start: Int, count: Int) = (0, 0)
    for start in times.indices where matches[start] & 1 != 0 {
      var (row, count) = (start, 1)
      while count < steps {
        let next = Int(links[row * steps + count - 1])
        guard next >= 0, times[next] - times[start] <= window else { break }
        (row, count) = (next, count + 1)
      }
      if count > best.count { best = (start, count) }
      if count == steps { break }
    }
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
