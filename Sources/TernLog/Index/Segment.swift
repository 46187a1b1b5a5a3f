import TernEvents

/// A run of adjoining records of one segment that are not waiting.
struct Run: Equatable {
  /// The owner of a run whose records have left the log.
  static let gone: UInt64 = 0

  /// Offsets in the file.
  var lower: Int
  var upper: Int
  /// The indexes of the first record, and of the one after the last.
  var firstOrdinal: Int
  var endOrdinal: Int
  /// The number of the claim that holds the records, or `gone`.
  var owner: UInt64

  var records: Int { endOrdinal - firstOrdinal }
  var bytes: Int { upper - lower }
}

extension Sequence<Run> {
  /// The runs with adjoining ones merged, all belonging to `owner`.
  func joined(owner: UInt64) -> [Run] {
    var joined: [Run] = []
    for var run in self {
      if let last = joined.indices.last, joined[last].upper == run.lower {
        joined[last].upper = run.upper
        joined[last].endOrdinal = run.endOrdinal
      } else {
        run.owner = owner
        joined.append(run)
      }
    }
    return joined
  }
}

/// The index entry of one segment file: a few numbers, never the events.
///
/// All records that no run covers are waiting.
struct Segment {
  let name: SegmentName
  let header: SegmentHeader
  /// The offset after the last intact record.
  var end: Int
  /// The size of the file.
  var size: Int
  /// The index of the next record to be appended.
  var nextOrdinal: Int
  /// The records that are not waiting, in order, without overlaps; adjoining gone runs are merged.
  private(set) var runs: [Run] = []
  /// The number of waiting records.
  private(set) var waiting = 0
  /// The number of records in open claims.
  private(set) var claimed = 0
  /// Bytes of gone records.
  private(set) var deadBytes = 0
  /// Bytes of records in open claims.
  private(set) var claimedBytes = 0
  /// True while the file is read or written outside the lock: it must not change or be removed.
  var isPinned = false
  /// True if the last record is intact, so that appending can continue.
  var isOpenEnded = true
  /// The number of times that the file was rewritten, which moves its records.
  var revision = 0
  /// The time of the first waiting record; `nil` if it must be read.
  var headTime: Timestamp?

  init(name: SegmentName, header: SegmentHeader) {
    self.name = name
    self.header = header
    end = SegmentHeader.size
    size = SegmentHeader.size
    nextOrdinal = 0
  }

  var waitingBytes: Int { end - SegmentHeader.size - deadBytes - claimedBytes }
  var isSettled: Bool { waiting == 0 && claimed == 0 }
  /// True if the file can be rewritten or removed.
  var isFree: Bool { claimed == 0 && !isPinned }

  /// True if the record at this offset has left the log.
  func isGone(at offset: Int) -> Bool {
    runs.contains { $0.owner == Run.gone && $0.lower <= offset && offset < $0.upper }
  }

  /// The offset and the index of the first waiting record.
  var firstWaiting: (offset: Int, ordinal: Int)? {
    if waiting == 0 { return nil }
    var position = (offset: SegmentHeader.size, ordinal: 0)
    for run in runs {
      if run.lower > position.offset { break }
      position = (run.upper, run.endOrdinal)
    }
    return position
  }

  /// Registers an appended record.
  mutating func append(recordBytes: Int, time: Timestamp) {
    if waiting == 0 { headTime = time }
    end += recordBytes
    size = max(size, end)
    nextOrdinal += 1
    waiting += 1
  }

  /// Marks records as not waiting; returns the merged run.
  @discardableResult
  mutating func insert(_ run: Run) -> Run {
    waiting -= run.records
    if run.owner == Run.gone {
      deadBytes += run.bytes
    } else {
      claimed += run.records
      claimedBytes += run.bytes
    }
    headTime = nil
    var index = runs.firstIndex { $0.lower > run.lower } ?? runs.count
    var merged = run
    if index > 0, runs[index - 1].upper == run.lower, runs[index - 1].owner == run.owner {
      index -= 1
      merged.lower = runs[index].lower
      merged.firstOrdinal = runs[index].firstOrdinal
      runs.remove(at: index)
    }
    if index < runs.count, runs[index].lower == run.upper, runs[index].owner == run.owner {
      merged.upper = runs[index].upper
      merged.endOrdinal = runs[index].endOrdinal
      runs.remove(at: index)
    }
    runs.insert(merged, at: index)
    return merged
  }

  /// Returns the records of a claim.
  mutating func release(claim: UInt64) {
    for run in runs where run.owner == claim {
      claimed -= run.records
      claimedBytes -= run.bytes
      waiting += run.records
    }
    runs.removeAll { $0.owner == claim }
    headTime = nil
  }

  /// Marks all waiting records as gone.
  mutating func loseWaiting() {
    var position = (offset: SegmentHeader.size, ordinal: 0)
    for run in runs + [Run(lower: end, upper: end, firstOrdinal: nextOrdinal, endOrdinal: nextOrdinal, owner: 0)] {
      if run.lower > position.offset {
        insert(
          Run(
            lower: position.offset, upper: run.lower, firstOrdinal: position.ordinal, endOrdinal: run.firstOrdinal,
            owner: Run.gone))
      }
      position = (run.upper, run.endOrdinal)
    }
  }

  /// Marks all records as gone, claimed ones included.
  mutating func clear() {
    waiting = 0
    claimed = 0
    claimedBytes = 0
    deadBytes = end - SegmentHeader.size
    runs = [
      Run(lower: SegmentHeader.size, upper: end, firstOrdinal: 0, endOrdinal: nextOrdinal, owner: Run.gone)
    ]
  }

  /// Corrects the index of the record after a gone run, which is known only once that record was read.
  mutating func extendLastRun(toOrdinal ordinal: Int) {
    guard let last = runs.indices.last, runs[last].owner == Run.gone, runs[last].upper == end,
      ordinal > runs[last].endOrdinal
    else { return }
    runs[last].endOrdinal = ordinal
    nextOrdinal = max(nextOrdinal, ordinal)
  }

  /// Appends a gone run that was found while reading the file.
  mutating func appendGone(upTo upper: Int, records: Int) {
    waiting += records
    let head = headTime
    let lower = end
    end = upper
    size = max(size, end)
    insert(
      Run(
        lower: lower, upper: upper, firstOrdinal: nextOrdinal, endOrdinal: nextOrdinal + records, owner: Run.gone))
    nextOrdinal += records
    headTime = head
  }
}
