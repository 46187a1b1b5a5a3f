import TernEvents

/// Iterates over the waiting records of a segment, in order, and reports damaged ones.
struct WaitingWalker {
  enum Item {
    case record(RecordHeader, Run)
    case damaged(Run)
  }

  let reader: SegmentReader
  /// The start of the next item; after stopping early, the first record not taken.
  private(set) var offset: Int
  private var ordinal: Int
  private var remainingRuns: ArraySlice<Run>
  private let end: Int
  private let endOrdinal: Int

  init(_ segment: Segment, _ reader: SegmentReader) {
    self.reader = reader
    offset = SegmentHeader.size
    ordinal = 0
    remainingRuns = segment.runs[...]
    end = segment.end
    endOrdinal = segment.nextOrdinal
    skipRuns()
  }

  /// Returns the next waiting item without moving past it.
  func peek() -> Item? {
    guard offset < end else { return nil }
    let limit = remainingRuns.first?.lower ?? end
    let limitOrdinal = remainingRuns.first?.firstOrdinal ?? endOrdinal
    if let header = reader.header(at: offset), offset + header.recordBytes <= limit {
      return .record(header, run(upTo: offset + header.recordBytes, ordinal: ordinal + 1))
    }
    if let next = reader.nextRecord(after: offset, before: limit), let header = reader.header(at: next) {
      return .damaged(run(upTo: next, ordinal: min(max(header.ordinal, ordinal + 1), limitOrdinal)))
    }
    return .damaged(run(upTo: limit, ordinal: limitOrdinal))
  }

  /// Moves past an item that `peek` returned.
  mutating func take(_ item: Item) {
    switch item {
    case .record(_, let run), .damaged(let run):
      offset = run.upper
      ordinal = run.endOrdinal
      skipRuns()
    }
  }

  private func run(upTo upper: Int, ordinal end: Int) -> Run {
    Run(lower: offset, upper: upper, firstOrdinal: ordinal, endOrdinal: end, owner: Run.gone)
  }

  private mutating func skipRuns() {
    while let run = remainingRuns.first, run.lower <= offset {
      offset = run.upper
      ordinal = run.endOrdinal
      remainingRuns.removeFirst()
    }
  }
}
