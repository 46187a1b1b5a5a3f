import Ingest

/// The first and last event of one session, as far as they have been read.
struct SessionSpan: BitwiseCopyable {
  var slot: Int64
  var session: Int64
  var first: Int64
  var last: Int64
  /// The first of the app's own events; the largest number when there is none.
  var firstEvent: Int64
}

/// The bounds of sessions, whatever the order in which their rows are read.
///
/// All are minima and maxima over rows, so events that come late or twice change nothing that counts.
final class SessionBounds {
  /// More sessions than this take more memory than one report may.
  static let maximumSessions = 4_000_000
  private static let unset = SessionSpan(slot: 0, session: 0, first: .max, last: .min, firstEvent: .max)
  private let table = PairTable()
  private var spans = Memory<SessionSpan>(count: 1_024, zero: unset)
  private var latest = (slot: Int64(-1), session: Int64(0), number: 0)

  var count: Int { table.count }

  @inline(__always)
  func add(slot: Int64, session: Int64, time: Int64, isEvent: Bool) {
    merge(SessionSpan(slot: slot, session: session, first: time, last: time, firstEvent: isEvent ? time : .max))
  }

  @inline(__always)
  func merge(_ span: SessionSpan) {
    if latest.session != span.session || latest.slot != span.slot {
      let (number, isNew) = table.number(UInt64(bitPattern: span.slot), UInt64(bitPattern: span.session))
      if isNew {
        if number == spans.count { spans = spans.grown(to: number * 2, zero: Self.unset) }
        spans[number] = span
      }
      latest = (span.slot, span.session, number)
    }
    let number = latest.number
    spans[number].first = min(spans[number].first, span.first)
    spans[number].last = max(spans[number].last, span.last)
    spans[number].firstEvent = min(spans[number].firstEvent, span.firstEvent)
  }

  func forEach(_ body: (SessionSpan) -> Void) {
    for number in 0..<table.count { body(spans[number]) }
  }

  var all: [SessionSpan] {
    var all: [SessionSpan] = []
    all.reserveCapacity(count)
    forEach { all.append($0) }
    return all
  }
}

/// The sessions of stretches of rows that do not grow any more: they are read once for all reports.
final class SessionCache: Sendable {
  struct Key: Hashable {
    var app: Int64
    var month: Int
    var firstID: Int64
  }

  private struct State {
    var sessions: [Key: [SessionSpan]] = [:]
    var count = 0
  }

  /// About 40 MB.
  private static let maximumSessions = 1_000_000
  private let state = Locked(State())

  subscript(key: Key) -> [SessionSpan]? { state.withLock { $0.sessions[key] } }

  func store(_ sessions: [SessionSpan], for key: Key) {
    state.withLock { state in
      if state.count + sessions.count > Self.maximumSessions { state = State() }
      if state.sessions.updateValue(sessions, forKey: key) == nil { state.count += sessions.count }
    }
  }
}
