import Ingest
package import RowFiles
import ServerBase
import Warehouse

/// The first and last event of one session, or of one stretch of it without a pause, among the rows read so far.
package struct SessionSpan: BitwiseCopyable, Hashable {
  /// The app in the upper half, the install in the lower.
  var owner: UInt64
  var session: Int64
  var first: Int64
  var last: Int64
  /// The time of the first event recorded by the app itself; the largest number if there is none.
  var firstEvent: Int64

  package var app: Int64 { Int64(owner >> 32) }

  @inline(__always)
  static func owner(app: Int64, slot: UInt32) -> UInt64 { UInt64(truncatingIfNeeded: app) << 32 | UInt64(slot) }
}

/// The bounds of sessions, independent of the order in which rows are read.
///
/// They are minima and maxima over rows, so late or repeated events do no harm, and the bounds of several spans can be
/// merged.
package final class SessionBounds {
  /// The maximum number of sessions in one report, to bound its memory.
  static let maximumSessions = 4_000_000
  private static let unset = SessionSpan(owner: 0, session: 0, first: .max, last: .min, firstEvent: .max)
  private let table = PairTable()
  @exclusivity(unchecked) private var spans = Memory<SessionSpan>(count: 1_024, zero: unset)
  @exclusivity(unchecked) private var pauses = SessionPauses()
  @exclusivity(unchecked) private var latest = (owner: UInt64.max, session: Int64(0), number: 0)

  package init() {}

  package var count: Int { table.count }

  /// Counts a row. This is the single place that defines which rows affect a session's duration.
  @inline(__always)
  package func add(app: Int64, slot: UInt32, session: Int64, time: Int64, flags: EventRow.Flags) {
    guard session != 0 else { return }
    let kind = flags.kind
    guard kind != .attachment, kind != .attachmentPart else { return }
    let owner = SessionSpan.owner(app: app, slot: slot)
    let firstEvent = kind == .event ? time : .max
    merge(SessionSpan(owner: owner, session: session, first: time, last: time, firstEvent: firstEvent))
  }

  @inline(__always)
  func merge(_ span: SessionSpan) {
    if latest.session != span.session || latest.owner != span.owner {
      let (number, isNew) = table.number(span.owner, UInt64(bitPattern: span.session))
      if isNew {
        if number == spans.count { spans = spans.grown(to: number * 2, zero: Self.unset) }
        spans[number] = span
      }
      latest = (span.owner, span.session, number)
    }
    let number = latest.number
    pauses.add(span.first, span.last, to: number, bounds: spans[number].first...spans[number].last)
    spans[number].first = min(spans[number].first, span.first)
    spans[number].last = max(spans[number].last, span.last)
    spans[number].firstEvent = min(spans[number].firstEvent, span.firstEvent)
  }

  /// Calls its argument with each session, and its duration without pauses, in milliseconds.
  func forEach(_ body: (SessionSpan, Int64) throws -> Void) rethrows {
    for number in 0..<table.count {
      let span = spans[number]
      try body(span, pauses.duration(number, bounds: span.first...span.last))
    }
  }

  /// Calls its argument with each stretch of each session between its pauses.
  package func forEachStretch(_ body: (SessionSpan) throws -> Void) rethrows {
    for number in 0..<table.count {
      guard let stretches = pauses.stretches[number] else {
        try body(spans[number])
        continue
      }
      for stretch in stretches {
        var span = spans[number]
        (span.first, span.last) = (stretch.lowerBound, stretch.upperBound)
        if !stretch.contains(span.firstEvent) { span.firstEvent = .max }
        try body(span)
      }
    }
  }

  func removeAll() {
    table.removeAll()
    pauses.removeAll()
    latest = (.max, 0, 0)
  }
}

extension SessionBounds {
  /// Reads the rows of a span, of one app or all apps.
  package func add(
    rowsOf span: StoredSpan, app wanted: Int64?, _ connection: SQLConnection, damage: DamagedRows? = nil
  ) throws {
    let scan = EventScan(connection, [span], damage: damage)
    while let row = try scan.next() {
      guard wanted == nil || wanted == row.app else { continue }
      add(app: row.app, slot: row.slot, session: row.session, time: row.time, flags: row.flags)
    }
  }
}
