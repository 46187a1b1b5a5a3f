import TernEvents

/// The bytes of a compacted segment, without the records that have left it.
struct SegmentWriter {
  private(set) var bytes: [UInt8]
  private(set) var segment: Segment
  /// The number of damaged records that were left out.
  private(set) var damaged = 0

  init(copyOf old: Segment) {
    var header = old.header
    // A new salt: the records move, and remains of the old file on the medium must not pass the checks here.
    var generator = FastGenerator(seed: UInt64(header.salt) << 32 | UInt64(truncatingIfNeeded: old.deadBytes))
    header.salt = UInt32(truncatingIfNeeded: generator.next())
    segment = Segment(name: old.name, header: header)
    segment.isOpenEnded = false
    segment.revision = old.revision + 1
    bytes = [UInt8](repeating: 0, count: SegmentHeader.size)
    bytes.withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { header.encode(to: start) }
    }
  }

  mutating func add(_ item: WaitingWalker.Item, from reader: SegmentReader) {
    guard case .record(var header, let run) = item, let payload = reader.payload(of: header, at: run.lower) else {
      if case .record(_, let run) = item { damaged += run.records }
      if case .damaged(let run) = item { damaged += run.records }
      return
    }
    let offset = bytes.count
    header.ordinal = segment.nextOrdinal
    bytes.append(contentsOf: repeatElement(0, count: RecordHeader.size))
    bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      header.encode(to: start + offset, salt: segment.header.salt, offset: offset)
    }
    bytes.append(contentsOf: payload)
    segment.append(recordBytes: header.recordBytes, time: header.time)
  }
}
