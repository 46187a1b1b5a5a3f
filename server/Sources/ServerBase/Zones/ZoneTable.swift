/// The offsets of one time zone from UTC: its changes, and the rule for all later times.
///
/// As in a TZif file: https://www.rfc-editor.org/rfc/rfc9636
package struct ZoneTable: Sendable, Hashable {
  /// The largest offset that is accepted, either way, in seconds; RFC 9636 recommends 25 hours west and 26 hours east.
  static let maximumOffset = 26 * 3_600

  /// A moment from which another offset applies.
  package struct Change: Sendable, Hashable {
    /// Seconds since 1970.
    package var second: Int64
    /// Seconds east of UTC.
    package var offset: Int

    package init(second: Int64, offset: Int) { (self.second, self.offset) = (second, offset) }
  }

  /// The offset before the first change, in seconds east of UTC.
  package let first: Int
  /// All listed changes, in order of time.
  package let changes: [Change]
  /// The rule after the last change; without one, the last offset stays.
  package let rule: ZoneRule?

  /// Creates a table, or returns `nil` if its changes are out of order or an offset is too large.
  package init?(first: Int, changes: [Change], rule: ZoneRule?) {
    guard ([first] + changes.map(\.offset)).allSatisfy({ abs($0) <= Self.maximumOffset }),
      zip(changes, changes.dropFirst()).allSatisfy({ $0.second < $1.second })
    else { return nil }
    (self.first, self.changes, self.rule) = (first, changes, rule)
  }

  /// The zone whose clocks show UTC.
  package static let utc = ZoneTable(offset: 0)

  /// A zone whose clocks never change.
  package init(offset: Int) { (first, changes, rule) = (offset, [], nil) }

  /// True if clocks never change.
  var isConstant: Bool { changes.isEmpty && rule?.saving == nil }

  /// The offset at a time, in seconds east of UTC.
  package func offset(atSecond second: Int64) -> Int {
    guard let last = changes.last else { return rule?.offset(atSecond: second) ?? first }
    if second >= last.second { return rule?.offset(atSecond: second) ?? last.offset }
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].second <= second { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : changes[low - 1].offset
  }

  /// The moments within a range at which the offset may change, in order.
  package func moments(in range: Range<Int64>) -> [Int64] {
    var moments = changes.map(\.second).filter { range.contains($0) }
    if let rule {
      let start = max(range.lowerBound, changes.last?.second ?? .min)
      if start < range.upperBound { moments += rule.moments(in: start..<range.upperBound) }
    }
    return moments
  }

  /// The ranges of time in which another table has another offset, in order.
  package func differences(from other: ZoneTable, in range: Range<Int64>) -> [Range<Int64>] {
    guard !range.isEmpty, self != other else { return [] }
    let moments = Set(moments(in: range) + other.moments(in: range) + [range.lowerBound]).sorted()
    var ranges: [Range<Int64>] = []
    for (index, start) in moments.enumerated() where offset(atSecond: start) != other.offset(atSecond: start) {
      let end = index + 1 < moments.count ? moments[index + 1] : range.upperBound
      if let last = ranges.last, last.upperBound == start {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(start..<end)
      }
    }
    return ranges
  }
}
