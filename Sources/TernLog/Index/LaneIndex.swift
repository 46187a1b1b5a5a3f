import TernEvents

/// The segments of one lane and their sums, which are never recounted.
struct LaneIndex {
  private(set) var segments = SegmentQueue()
  private(set) var waiting = 0
  private(set) var claimed = 0
  private(set) var fileBytes = 0
  /// The size of the files that must stay as they are: they hold claimed events, or are being read or written.
  private(set) var heldBytes = 0
  /// The first segment that may have bytes that are not on the medium yet.
  var unsyncedFrom: UInt64?

  /// Adds a segment; `isOnMedium` if no flush needs to include it.
  mutating func add(_ segment: Segment, isOnMedium: Bool = false) {
    segments.add(segment)
    count(segment, 1)
    if !isOnMedium { markUnsynced(segment.name.number) }
  }

  /// Registers a change of a file: the next flush includes it.
  @inline(__always)
  mutating func markUnsynced(_ number: UInt64) {
    if unsyncedFrom.map({ $0 > number }) ?? true { unsyncedFrom = number }
  }

  mutating func remove(at index: Int) {
    count(segments[index], -1)
    segments.remove(at: index)
  }

  /// Changes a segment and updates the sums.
  @discardableResult
  mutating func modify<Result>(_ index: Int, _ body: (inout Segment) -> Result) -> Result {
    count(segments[index], -1)
    defer { count(segments[index], 1) }
    return body(&segments[index])
  }

  /// Registers an appended record; a fast version of `modify`.
  mutating func appended(_ index: Int, recordBytes: Int) {
    let before = segments[index].size
    segments[index].append(recordBytes: recordBytes)
    waiting += 1
    fileBytes += segments[index].size - before
    if !segments[index].isFree { heldBytes += segments[index].size - before }
  }

  /// The oldest segment that can be evicted.
  var firstEvictable: Int? {
    segments.indices.first { segments[$0].isFree && !segments[$0].isSettled }
  }

  @inline(__always)
  private mutating func count(_ segment: borrowing Segment, _ sign: Int) {
    waiting += sign * segment.waiting
    claimed += sign * segment.claimed
    fileBytes += sign * segment.size
    if !segment.isFree { heldBytes += sign * segment.size }
  }
}
