import Ingest
import Views
import Warehouse

extension Verifier {
  /// Checks the files of rows and keys, and everything that is stored about spans.
  func checkRows() throws {
    let keys = try KeySample(connection.keysPath)
    let stored = try StoredSessions(connection)
    let last = try WarehouseSchema.lastRow(connection)
    if through > last {
      report.add(problem: "The counts include events up to \(through), but the last one is \(last).")
    }
    var expectedFirst: Int64 = 1
    for span in spans {
      let ids = span.ids
      if ids.lowerBound != expectedFirst {
        report.add(problem: "The list of events continues at \(ids.lowerBound) instead of \(expectedFirst).")
      }
      expectedFirst = ids.upperBound + 1
      let sessions = SessionBounds()
      var outside = 0
      let scan = EventScan(connection, [span], damage: damage)
      while let row = try scan.next() {
        if !span.mayContain(row) { outside += 1 }
        sessions.add(app: row.app, slot: row.slot, session: row.session, time: row.time, flags: row.flags)
        keys.check(row)
      }
      if outside > 0 {
        report.add(
          problem:
            "\(outside) of the events \(ids.lowerBound) to \(ids.upperBound) lie outside their listed times or apps.")
      }
      if span.isComplete { try compare(sessions, of: span, stored) }
    }
    for problem in keys.problems { report.add(problem: problem) }
  }

  /// Checks that the stored sessions of a complete span match its rows.
  private func compare(_ rows: SessionBounds, of span: StoredSpan, _ stored: StoredSessions) throws {
    var expected: [Int64: Set<SessionSpan>] = [:]
    rows.forEach { expected[$0.app, default: []].insert($0) }
    for app in span.apps.union(expected.keys).sorted() {
      report.metrics += 1
      let sessions = SessionBounds()
      let isReadable = (try? stored.add(app, span, to: sessions)) != nil
      var found: Set<SessionSpan> = []
      sessions.forEach { found.insert($0) }
      if isReadable, found == expected[app] ?? [] { continue }
      report.add(
        VerificationReport.Difference(
          app: AppID(app), day: Day(number: try calendar(app).day(of: span.times.lowerBound)),
          dimension: .session, key: "rows \(span.ids.lowerBound) to \(span.ids.upperBound)",
          expected: "\(expected[app]?.count ?? 0) sessions",
          found: isReadable ? "\(found.count), or different times" : "damaged data"))
    }
  }
}

/// Looks up a sample of rows in the index of duplicates.
final class KeySample {
  /// One row in so many is looked up.
  private static let interval: Int64 = 101
  private var runs: [KeyRun] = []
  private var missing = 0
  private var example: Int64 = 0
  private var damaged: [String] = []

  /// Opens the index, which a server may be changing: runs stay readable after their files are deleted.
  init(_ path: String) throws {
    // It is missing in a restored backup until the first start.
    guard StoredFile.exists(path) else { return }
    let opened = try KeyRunDirectory.runs(in: path) { damaged.append($0.message) }
    for run in opened {
      do {
        try run.checkBody()
        runs.append(run)
      } catch let error as WarehouseError where error.code == .damaged {
        damaged.append(error.message)
      }
    }
  }

  func check(_ row: EventRow) {
    guard row.id % Self.interval == 0, let key = row.key,
      runs.contains(where: { $0.header.after < row.id && row.id <= $0.header.through })
    else { return }
    let hash = key.mixedHash
    guard !runs.contains(where: { $0.reader.contains(key, hash) }) else { return }
    missing += 1
    if example == 0 { example = row.id }
  }

  var problems: [String] {
    guard missing > 0 else { return damaged }
    return damaged + [
      "The index of duplicates lacks \(missing) of the events looked up, for example \(example)."
    ]
  }
}
