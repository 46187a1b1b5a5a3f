import TernEvents

/// The result of reading a whole segment file.
struct SegmentScan {
  var segment: Segment
  /// The number of damaged records, including a torn tail.
  var damaged = 0
  /// The age of the waiting records.
  var age: SegmentAge
  /// Runs that are gone but have no tombstone yet.
  var missingTombstones: [Run] = []
  /// True if there are bytes after `segment.end` that are no record.
  var hasTornTail = false

  /// Reads a whole file. Payloads are checked only when they are claimed, which halves the time to open.
  init(_ name: SegmentName, _ header: SegmentHeader, _ reader: SegmentReader) {
    segment = Segment(name: name, header: header)
    age = SegmentAge(name, header)
    // How many records a settled run held is known only from the record that follows.
    var isOrdinalKnown = true
    var needsTombstones = false
    while segment.end < reader.end {
      let offset = segment.end
      if let runEnd = reader.settledEnd(at: offset) {
        segment.appendGone(upTo: runEnd, records: 1)
        isOrdinalKnown = false
      } else if let record = reader.header(at: offset) {
        segment.extendLastRun(toOrdinal: record.ordinal)
        isOrdinalKnown = true
        if record.isFiller {
          // Its tombstone is damaged; otherwise the run would have been skipped.
          segment.appendGone(upTo: offset + record.recordBytes, records: Int(UInt16(clamping: record.payloadCheck)))
          needsTombstones = true
        } else {
          age.add(record)
          segment.append(recordBytes: record.recordBytes, time: record.time)
        }
      } else if let next = reader.nextRecord(after: offset, before: reader.end) {
        let ordinal = reader.header(at: next)?.ordinal ?? 0
        let lost = isOrdinalKnown ? max(ordinal - segment.nextOrdinal, 1) : 1
        segment.appendGone(upTo: next, records: lost)
        damaged += lost
        needsTombstones = true
      } else {
        damaged += 1
        hasTornTail = true
        break
      }
    }
    segment.isOpenEnded = isOrdinalKnown && damaged == 0
    segment.size = reader.end
    if needsTombstones { missingTombstones = segment.runs.filter { $0.bytes >= RecordHeader.size } }
  }
}
