import TernEvents

/// Iterates over the records of a segment in order; skips those that have left the log and reports damaged ones.
struct SegmentWalker {
  enum Item {
    case record(RecordHeader, RecordRun)
    /// Without a record after it, the number of its records is a guess, unless the walker knows the last index.
    case damaged(RecordRun, isTail: Bool)
    /// Records that have left the log.
    case void(RecordRun)

    var run: RecordRun {
      switch self {
      case .record(_, let run), .damaged(let run, _), .void(let run): run
      }
    }
  }

  let reader: SegmentReader
  /// The start of the next item, and the index of its first record.
  private(set) var offset: Int
  private(set) var ordinal: Int
  private let end: Int
  private let endOrdinal: Int?
  private let gone: [Int: RecordRun]

  /// Walks over a whole file.
  init(_ header: SegmentHeader, _ reader: SegmentReader) {
    self.reader = reader
    offset = header.size
    ordinal = 0
    end = reader.end
    endOrdinal = nil
    gone = [:]
  }

  /// Walks over the records that are still in the log.
  init(_ segment: Segment, _ reader: SegmentReader) {
    self.reader = reader
    offset = segment.start
    ordinal = segment.firstOrdinal
    end = segment.end
    endOrdinal = segment.nextOrdinal
    gone = segment.gone
  }

  /// Returns the next item without moving past it.
  func peek() -> Item? {
    guard offset < end else { return nil }
    if !gone.isEmpty, let run = gone[offset] { return .void(run) }
    if let header = reader.header(at: offset), offset + header.recordBytes <= end {
      let records = header.isVoid ? Int(UInt16(clamping: header.payloadCheck)) : 1
      let run = RecordRun(
        lower: offset, upper: offset + header.recordBytes, firstOrdinal: header.ordinal,
        endOrdinal: header.ordinal + records)
      return header.isVoid ? .void(run) : .record(header, run)
    }
    if let next = reader.nextRecord(after: offset, before: end) {
      return .damaged(run(upTo: next.offset, max(next.header.ordinal, ordinal + 1)), isTail: false)
    }
    return .damaged(run(upTo: end, max(endOrdinal ?? 0, ordinal + 1)), isTail: true)
  }

  /// Moves past an item that `peek` returned.
  mutating func take(_ item: Item) {
    offset = item.run.upper
    ordinal = item.run.endOrdinal
  }

  private func run(upTo upper: Int, _ endOrdinal: Int) -> RecordRun {
    RecordRun(lower: offset, upper: upper, firstOrdinal: ordinal, endOrdinal: endOrdinal)
  }
}
