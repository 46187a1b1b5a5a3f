import TernEvents

/// What reading a segment file from start to end found.
struct SegmentScan {
  var segment: Segment
  /// Records that did not check out, the torn tail included.
  var damaged = 0
  /// What the waiting records tell of time.
  var age: SegmentAge
  /// Runs that are gone but not marked so in the file yet.
  var missingTombstones: [Run] = []
  /// There are bytes behind `segment.end` that are no record.
  var hasTornTail = false

  /// Reads a whole file. Headers are checked here, payloads when they are claimed: that halves the time to open.
  init(_ name: SegmentName, _ header: SegmentHeader, _ reader: SegmentReader) {
    segment = Segment(name: name, header: header)
    age = SegmentAge(name, header)
    // Behind a settled run, how many records it held is known only from the record that follows.
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
          // Its tombstone was damaged, or it would not have been looked at.
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
