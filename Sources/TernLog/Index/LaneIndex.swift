import TernEvents

/// The segments of one lane, with sums that are updated with every change.
struct LaneIndex {
  private(set) var segments = SegmentQueue()
  private(set) var waiting = 0
  private(set) var claimed = 0
  /// The bytes that have left, of files that can be rewritten without them.
  private(set) var deadBytes = 0
  private(set) var fileBytes = 0
  /// The size of the files that must stay as they are: they hold claimed events, or are being read or written.
  private(set) var heldBytes = 0
  /// The bytes of the events that could be evicted, which are in the other files.
  private(set) var evictableBytes = 0
  /// The last segment's file while it is appended to.
  var active: OpenFile?
  /// The first segment that may have bytes that are not on the medium yet.
  var unsyncedFrom: UInt64?

  mutating func add(_ segment: Segment) {
    segments.add(segment)
    count(segment, 1)
  }

  mutating func remove(at index: Int) {
    count(segments[index], -1)
    segments.remove(at: index)
  }

  /// Replaces a segment by its rewritten version.
  mutating func replace(_ index: Int, with segment: Segment) {
    modify(index) { $0 = segment }
  }

  /// Changes a segment and updates the sums.
  mutating func modify<Result>(_ index: Int, _ body: (inout Segment) -> Result) -> Result {
    count(segments[index], -1)
    defer { count(segments[index], 1) }
    return body(&segments[index])
  }

  /// Registers an appended record; a fast version of `modify`.
  mutating func appended(_ index: Int, recordBytes: Int, time: Timestamp) {
    let before = segments[index].size
    segments[index].append(recordBytes: recordBytes, time: time)
    waiting += 1
    fileBytes += segments[index].size - before
    if segments[index].isFree { evictableBytes += recordBytes } else { heldBytes += segments[index].size - before }
  }

  /// The first segment from which an event can be evicted.
  var firstEvictable: Int? {
    segments.indices.first { segments[$0].isFree && segments[$0].waiting > 0 }
  }

  /// The first segment that holds waiting events.
  var firstWaiting: Int? { segments.indices.first { segments[$0].waiting > 0 } }

  /// The first segment that a rewrite would make this much smaller.
  func firstCompactable(atLeast bytes: Int) -> Int? {
    segments.indices.first {
      segments[$0].isFree && segments[$0].waiting > 0 && segments[$0].deadBytes >= bytes
    }
  }

  @inline(__always)
  private mutating func count(_ segment: borrowing Segment, _ sign: Int) {
    waiting += sign * segment.waiting
    claimed += sign * segment.claimed
    fileBytes += sign * segment.size
    if segment.isFree {
      evictableBytes += sign * segment.waitingBytes
      deadBytes += sign * segment.deadBytes
    } else {
      heldBytes += sign * segment.size
    }
  }
}
