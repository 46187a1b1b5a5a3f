import TernEvents

/// The index entry of one segment file: a few numbers, never the events.
///
/// A segment is claimed, settled, evicted and erased as a whole. Only a batch that is smaller than a segment, a refused
/// event, an expired or a damaged one leave while others stay: a header that voids their bytes replaces theirs.
struct Segment {
  let name: SegmentName
  let header: SegmentHeader
  /// The offset and the index of the first record that may still be in the log.
  private(set) var start: Int
  private(set) var firstOrdinal = 0
  /// The offset after the last intact record.
  private(set) var end: Int
  /// The size of the file.
  var size: Int
  /// The index of the next record to be appended.
  private(set) var nextOrdinal = 0
  /// The records after `start` that have left the log, by their offsets.
  private(set) var gone: [Int: RecordRun] = [:]
  /// The number of records in the log.
  private(set) var records = 0
  /// The number of those that the open claim holds.
  private(set) var claimed = 0
  /// The open claim, if there is one: at most one at a time holds records of a segment.
  private(set) var claim: UInt64?
  /// True while the file is read or written outside the lock: it must not change or be removed.
  var isPinned = false
  /// True if the last record is intact and the segment was not claimed, so that appending can continue.
  var isOpenEnded = true

  init(name: SegmentName, header: SegmentHeader) {
    self.name = name
    self.header = header
    start = header.size
    end = header.size
    size = header.size
  }

  /// The number of records that no claim holds.
  var waiting: Int { records - claimed }
  /// The bytes of the records, including those that left since the first of them.
  var recordBytes: Int { end - start }
  var isSettled: Bool { records == 0 }
  /// True if the file can be removed.
  var isFree: Bool { claim == nil && !isPinned }

  /// True if the record at this offset has left the log.
  func isGone(at offset: Int) -> Bool {
    offset < start || gone.values.contains { $0.lower <= offset && offset < $0.upper }
  }

  /// Registers an appended record.
  mutating func append(recordBytes: Int) {
    end += recordBytes
    size = max(size, end)
    nextOrdinal += 1
    records += 1
  }

  /// Registers an item that was found while reading the whole file.
  mutating func add(_ item: SegmentWalker.Item) {
    end = item.run.upper
    size = max(size, end)
    nextOrdinal = item.run.endOrdinal
    if case .record = item { records += 1 } else { skip(item.run) }
  }

  mutating func hold(by claim: UInt64, records: Int) {
    self.claim = claim
    claimed = records
  }

  mutating func release() {
    claim = nil
    claimed = 0
  }

  /// Removes records from the log that no claim holds.
  mutating func remove(_ run: RecordRun, records: Int) {
    self.records -= records
    skip(run)
  }

  /// Sets the number of records to what reading has shown.
  mutating func correct(to records: Int) { self.records = records }

  /// Removes all records from the log, claimed ones included.
  mutating func clear() {
    release()
    records = 0
    start = end
    firstOrdinal = nextOrdinal
    gone = [:]
  }

  private mutating func skip(_ run: RecordRun) {
    guard run.lower == start else {
      gone[run.lower] = run
      return
    }
    var first = run
    while true {
      start = first.upper
      firstOrdinal = first.endOrdinal
      guard let next = gone.removeValue(forKey: start) else { break }
      first = next
    }
  }

  /// All records of the file, as one run.
  var everything: RecordRun {
    RecordRun(lower: header.size, upper: end, firstOrdinal: 0, endOrdinal: nextOrdinal)
  }
}
