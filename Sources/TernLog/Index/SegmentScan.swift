import TernEvents

/// The result of reading a whole segment file.
struct SegmentScan {
  var segment: Segment
  /// The number of damaged records, including a torn tail.
  var damaged = 0
  /// The age of the records.
  var age: SegmentAge
  /// Damaged spans, to be voided so that they are counted once.
  var damagedRuns: [RecordRun] = []
  /// True if there are bytes after `segment.end` that are no record.
  var hasTornTail = false

  /// Reads a whole file. Payloads are checked only when they are claimed, which halves the time to open.
  init(_ name: SegmentName, _ header: SegmentHeader, _ reader: SegmentReader) {
    segment = Segment(name: name, header: header)
    age = SegmentAge(name, header)
    var walker = SegmentWalker(header, reader)
    while let item = walker.peek() {
      switch item {
      case .record(let record, _): age.add(record)
      case .void: break
      case .damaged(_, isTail: true):
        damaged += 1
        hasTornTail = true
      case .damaged(let run, isTail: false):
        damaged += run.records
        damagedRuns.append(run)
      }
      if hasTornTail { break }
      segment.add(item)
      walker.take(item)
    }
    segment.isOpenEnded = damaged == 0
    segment.size = reader.end
  }
}
