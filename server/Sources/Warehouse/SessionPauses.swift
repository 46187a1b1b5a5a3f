/// The sessions of a collection that have long pauses, by their numbers there.
///
/// An app that stays open overnight, or sends something in the background, keeps a session of App Center going for days. Nobody uses
/// it meanwhile, so pauses of half an hour or more are no part of a session's duration. Most sessions have none, and take no room here.
package struct SessionPauses {
  /// The shortest pause that doesn't count, in milliseconds.
  package static let shortest: Int64 = 1_800_000
  /// The rule in words, for everything that shows durations of sessions.
  package static let note = "Pauses of \(shortest / 60_000) minutes and more are left out."
  /// The most stretches of one session; a pause beyond them counts. 400 days have fewer pauses.
  static let maximumStretches = 20_000

  /// The stretches between pauses, in order, of sessions that have more than one.
  package private(set) var stretches: [Int: [ClosedRange<Int64>]] = [:]

  package init() {}

  package var byteCount: Int { stretches.values.reduce(0) { $0 + 64 + $1.count * 16 } }

  /// Notes that a session has rows between two times, before `bounds`, those of all its rows so far, take them in.
  @inline(__always)
  package mutating func add(_ first: Int64, _ last: Int64, to number: Int, bounds: ClosedRange<Int64>) {
    let isNear = first - bounds.upperBound < Self.shortest && bounds.lowerBound - last < Self.shortest
    if isNear, stretches.isEmpty { return }
    addSlowly(first...last, number, bounds, isNear: isNear)
  }

  private mutating func addSlowly(
    _ range: ClosedRange<Int64>, _ number: Int, _ bounds: ClosedRange<Int64>, isNear: Bool
  ) {
    if stretches[number] == nil {
      if isNear { return }
      stretches[number] = [bounds]
    }
    Self.insert(range, into: &stretches[number, default: []])
  }

  private static func insert(_ range: ClosedRange<Int64>, into stretches: inout [ClosedRange<Int64>]) {
    // The first stretch that doesn't end long before the range.
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if range.lowerBound - stretches[middle].upperBound >= shortest { low = middle + 1 } else { high = middle }
    }
    var (joined, end) = (range, low)
    while end < stretches.count, stretches[end].lowerBound - joined.upperBound < shortest {
      joined = min(joined.lowerBound, stretches[end].lowerBound)...max(joined.upperBound, stretches[end].upperBound)
      end += 1
    }
    if end == low, stretches.count >= maximumStretches {
      let last = max(low - 1, 0)
      stretches[last] =
        min(stretches[last].lowerBound, range.lowerBound)...max(stretches[last].upperBound, range.upperBound)
    } else {
      stretches.replaceSubrange(low..<end, with: CollectionOfOne(joined))
    }
  }

  /// The duration of a session without its pauses, in milliseconds.
  package func duration(_ number: Int, bounds: ClosedRange<Int64>) -> Int64 {
    guard !stretches.isEmpty, let stretches = stretches[number] else { return bounds.upperBound - bounds.lowerBound }
    return stretches.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  package mutating func removeAll() { stretches = [:] }
}
