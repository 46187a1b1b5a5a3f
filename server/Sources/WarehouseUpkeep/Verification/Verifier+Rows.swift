import Ingest
import RowFiles
import ServerBase
import TernBase
import Threads
import Warehouse
import WarehouseSQLite

extension Verifier {
  /// The number of spans, of some 8,000 rows each, that one task checks.
  private static let taskSpans = 128

  /// Adds the checks of the files of rows and keys, and of everything that is stored about spans.
  func addRows(to tasks: ParallelTasks, _ connection: SQLConnection) throws {
    let last = try StoredSpan.lastRow(connection)
    if through > last {
      report.withLock {
        $0.add(problem: "The counts include events up to \(through), but the last one is \(last).")
      }
    }
    var expectedFirst: Int64 = 1
    for span in spans {
      let ids = span.ids
      if ids.lowerBound != expectedFirst {
        report.withLock {
          $0.add(problem: "The list of events continues at \(ids.lowerBound) instead of \(expectedFirst).")
        }
      }
      expectedFirst = ids.upperBound + 1
    }
    tasks.add { [keysPath = connection.keysPath] in
      let keys = try KeySample(keysPath)
      for problem in keys.damaged { self.report.withLock { $0.add(problem: problem) } }
      self.keys.withLock { $0 = keys }
      for start in stride(from: 0, to: self.spans.count, by: Self.taskSpans) {
        let spans = self.spans[start..<min(start + Self.taskSpans, self.spans.count)]
        tasks.add { try self.check(spans, keys) }
      }
    }
  }

  /// Checks the rows of some spans, and the sessions that are stored about them.
  private func check(_ spans: ArraySlice<StoredSpan>, _ keys: KeySample) throws {
    var checked = VerificationReport()
    let calendars = calendars()
    for span in spans {
      let sessions = SessionBounds()
      var outside = 0
      let scan = EventScan(directory: directory, [span], damage: damage)
      let hasKeys = !retired.contains(span.segment)
      while let row = try scan.next() {
        if !span.mayContain(row) { outside += 1 }
        sessions.add(app: row.app, slot: row.slot, session: row.session, time: row.time, flags: row.flags)
        if hasKeys { keys.check(row) }
      }
      if outside > 0 {
        let ids = "\(span.ids.lowerBound) to \(span.ids.upperBound)"
        checked.add(problem: "\(outside) of the events \(ids) lie outside their listed times or apps.")
      }
      if span.isComplete { try compare(sessions, of: span, calendars, &checked) }
    }
    report.withLock { $0.add(checked) }
  }

  /// Checks that the stored sessions of a complete span match its rows.
  private func compare(
    _ rows: SessionBounds, of span: StoredSpan, _ calendars: VerifierCalendars, _ checked: inout VerificationReport
  ) throws {
    var expected: [Int64: Set<SessionSpan>] = [:]
    rows.forEachStretch { expected[$0.app, default: []].insert($0) }
    for app in span.apps.union(expected.keys).sorted() {
      checked.metrics += 1
      let found = try lookups.withLock { try Self.stored(app, span, $0.connection) }
      if found == expected[app] ?? [] { continue }
      checked.add(
        VerificationReport.Difference(
          app: AppID(app), day: Day(number: try calendars.calendar(app).day(of: span.times.lowerBound)),
          dimension: .session, key: "rows \(span.ids.lowerBound) to \(span.ids.upperBound)",
          expected: "\(expected[app]?.count ?? 0) sessions",
          found: found.map { "\($0.count), or different times" } ?? "damaged data"))
    }
  }

  /// Returns the stored sessions of a span; `nil` if they are damaged.
  private static func stored(
    _ app: Int64, _ span: StoredSpan, _ connection: SQLConnection
  ) throws -> Set<SessionSpan>? {
    let sessions = SessionBounds()
    let stored = try StoredSessions(connection)
    guard (try? stored.add(app, span, to: sessions)) != nil else { return nil }
    var found: Set<SessionSpan> = []
    sessions.forEachStretch { found.insert($0) }
    return found
  }
}

/// Looks up a sample of rows in the index of duplicates, for several threads.
final class KeySample: Sendable {
  private struct Missing {
    var count = 0
    var example: Int64 = .max
  }

  /// Every 101st row is looked up.
  private static let interval: Int64 = 101
  private let runs: [KeyRun]
  private let missing = Locked(Missing())
  /// Messages about damaged files.
  let damaged: [String]

  /// Opens the index, which a server may be changing: runs stay readable after their files are deleted.
  init(_ path: String) throws {
    var (runs, damaged): ([KeyRun], [String]) = ([], [])
    // It is missing in a restored backup until the first start.
    let opened = StoredFile.exists(path) ? try KeyRunDirectory.runs(in: path) { damaged.append($0.message) } : []
    for run in opened {
      do {
        try run.checkBody()
        runs.append(run)
      } catch let error as WarehouseError where error.code == .damaged {
        damaged.append(error.message)
      }
    }
    self.runs = runs
    self.damaged = damaged
  }

  @inline(__always)
  func check(_ row: EventRow) {
    if row.id % Self.interval == 0 { lookUp(row) }
  }

  private func lookUp(_ row: EventRow) {
    guard let key = row.key, runs.contains(where: { $0.header.after < row.id && row.id <= $0.header.through }) else {
      return
    }
    let hash = key.mixedHash
    guard !runs.contains(where: { $0.reader.contains(key, hash) }) else { return }
    missing.withLock { missing in
      missing.count += 1
      missing.example = min(missing.example, row.id)
    }
  }

  /// A message about the rows that were not found, if any.
  var problem: String? {
    missing.withLock { missing in
      missing.count == 0
        ? nil
        : "The index of duplicates lacks \(missing.count) of the events looked up, for example \(missing.example)."
    }
  }
}
