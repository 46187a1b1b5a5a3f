import Foundation
import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import DataFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Session durations, computed from rows and spans.
@Suite struct SessionDurationTests {
  private static let days = day("2026-05-02")...day("2026-05-06")

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `durations match a plain count, despite late, repeated and misdated events`(seed: UInt64) async throws {
    var generator = FastGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin").id
    let other = try catalog.createApp(name: "Other").id
    var configuration = WarehouseConfiguration()
    configuration.spanRows = [1, 3, 8, 16, 50, 8_192][Int(seed) - 1]
    var warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    var rows: [String: [(time: Int64, isEvent: Bool)]] = [:]
    var batches: [IncomingBatch] = []
    for number in 0..<60 {
      let start = milliseconds("2026-05-01T20:00:00Z") + Int64.random(in: 0..<5 * 86_400, using: &generator) * 1_000
      let session = Int64(number % 40 + 1)
      let install = "i\(number % 7)"
      var batch = batch([], install: install)
      batch.received = Timestamp(millisecondsSince1970: start + 1_000_000)
      for index in 0..<Int.random(in: 1...6, using: &generator) {
        let time = start + Int64.random(in: 0..<(number.isMultiple(of: 3) ? 20_000 : 4_000_000), using: &generator)
        let kind = [StoredKind.event, .screen, .crash, .attachment].randomElement(using: &generator) ?? .event
        batch.events.append(
          IncomingEvent(
            index: index, kind: kind,
            duplicateKey: key(Int64(number * 10 + index), at: .init(millisecondsSince1970: time)),
            time: Timestamp(millisecondsSince1970: time), session: session, name: "e"))
        if kind != .attachment { rows["\(install) \(session)", default: []].append((time, kind == .event)) }
      }
      batches.append(batch)
    }
    for (number, batch) in (batches + batches).shuffled(using: &generator).enumerated() {
      _ = try await warehouse.commit(batch, app: app)
      _ = try await warehouse.commit(batch, app: other)
      guard number.isMultiple(of: 40) else { continue }
      try await warehouse.close()
      warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    }
    let calendar = try #require(ZoneCalendar("Europe/Berlin"))
    var expected = SessionDurations()
    for row in rows.values {
      let first = row.map(\.time).min() ?? 0
      guard Self.days.contains(Day(number: calendar.day(of: first))) else { continue }
      let event = row.filter(\.isEvent).map(\.time).min()
      if let event, event - first <= 300_000 {
        let times = row.map(\.time).sorted()
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        expected.add(milliseconds: SaturatingInt64(steps.filter { $0 < 1_800_000 }.reduce(0, +)))
      } else {
        expected.unknown += 1
      }
    }
    #expect(try await warehouse.reader.sessionDurations(app: app, days: Self.days) == expected, "seed \(seed)")
    try await warehouse.flush()
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  /// Returns a directory with one app's events of five sessions, in spans of four rows.
  private func filled() async throws -> (TemporaryDirectory, Catalog, AppID, SessionDurations) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    var configuration = WarehouseConfiguration()
    configuration.spanRows = 4
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    for number in 0..<5 {
      var batch = batch(Array(repeating: "e", count: 3 + number), install: "i\(number)")
      for index in batch.events.indices { batch.events[index].session = Int64(number + 1) }
      _ = try await warehouse.commit(batch, app: app)
    }
    let durations = try await warehouse.reader.sessionDurations(app: app, days: Self.days)
    try await warehouse.close()
    return (directory, catalog, app, durations)
  }

  private func change(_ directory: TemporaryDirectory, _ sql: String) throws {
    let pool = try WarehouseFile.open(DataDirectory(path: directory.path), configuration: WarehouseConfiguration())
    try withConnection(pool) { try $0.execute(sql) }
  }

  @Test(arguments: [1, 3, 8_192])
  func `pauses of half an hour or more are no part of a session, in whatever order its events arrive`(spanRows: Int)
    async throws
  {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    var configuration = WarehouseConfiguration()
    configuration.spanRows = spanRows
    var warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    // A minute, half an hour later another minute, and an event an hour for ten hours; the second session has no pause.
    let minutes = [0, 1, 31, 32] + (1...10).map { 32 + $0 * 60 }
    let steady = (0...10).map { $0 * 29 }
    var events = minutes.map { ($0, Int64(1)) } + steady.map { ($0, Int64(2)) }
    var generator = FastGenerator(seed: UInt64(spanRows))
    events.shuffle(using: &generator)
    for (minute, session) in events {
      let time = timestamp("2026-05-04T00:00:00Z") + .seconds(minute * 60)
      var batch = batch(["e"], at: time.utcText(withMilliseconds: false), install: "i")
      batch.events[0].session = session
      batch.events[0].duplicateKey = key(Int64(minute) * 10 + session, at: time)
      batch.received = timestamp("2026-05-05T00:00:00Z")
      _ = try await warehouse.commit(batch, app: app)
    }
    let expected = SessionDurations(buckets: [0, 0, 1, 0, 1], milliseconds: SaturatingInt64(2 * 60_000 + 290 * 60_000))
    #expect(try await warehouse.reader.sessionDurations(app: app, days: Self.days) == expected)
    try await warehouse.flush()
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    // As an earlier version stored them: as one stretch.
    try change(directory, "UPDATE span_session SET sessions = x'01'; INSERT INTO state VALUES ('renew_sessions', 1)")
    warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
    #expect(try await warehouse.reader.sessionDurations(app: app, days: Self.days) == expected)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `complete spans are not read again, and their sessions can be verified and rebuilt`() async throws {
    let (directory, catalog, app, durations) = try await filled()
    #expect(durations == SessionDurations(buckets: [5, 0, 0, 0, 0], milliseconds: 20_000))
    for plant in [
      "DELETE FROM span_session", "UPDATE span_session SET sessions = x'01'",
      "UPDATE span_session SET sessions = (SELECT sessions FROM span_session ORDER BY first_id LIMIT 1)",
    ] {
      let copy = try directory.copy()
      try change(copy, plant)
      let reader = try SQLiteWarehouse.openForReading(directory: copy.path, catalog: catalog)
      #expect((try? await reader.sessionDurations(app: app, days: Self.days)) != durations, "\(plant)")
      #expect(try await !reader.verify().isClean, "\(plant)")
      try reader.close()
      try SQLiteWarehouse.rebuild(directory: copy.path, catalog: catalog)
      let rebuilt = try SQLiteWarehouse.openForReading(directory: copy.path, catalog: catalog)
      #expect(try await rebuilt.sessionDurations(app: app, days: Self.days) == durations)
      #expect(try await rebuilt.verify().isClean)
      try rebuilt.close()
    }
  }

  @Test func `stored sessions round-trip, and damage is reported`() {
    let times: [Int64] = [0, -1, 1, TimeBounds.clamp(.min), TimeBounds.clamp(.max)]
    var spans: [SessionSpan] = []
    for first in times {
      for last in times where last >= first {
        for firstEvent in [first, last, .max] {
          for session in [1, -1, Int64.min, .max] {
            let owner = SessionSpan.owner(app: 7, slot: [0, 127, 128, .max][spans.count % 4])
            spans.append(
              SessionSpan(owner: owner, session: session, first: first, last: last, firstEvent: firstEvent))
          }
        }
      }
    }
    var coding = SessionCoding()
    for span in spans { coding.append(span) }
    var read: [SessionSpan] = []
    let isWhole = coding.bytes.withUnsafeBytes { SessionCoding.forEach($0, app: 7) { read.append($0) } }
    #expect(isWhole && read == spans)
    for count in 1..<8 {
      let isWhole = coding.bytes.dropLast(count).withUnsafeBytes { SessionCoding.forEach($0, app: 7) { _ in } }
      #expect(!isWhole)
    }
  }

  @Test func `a duration equal to a bound belongs to the bucket above it`() {
    for (milliseconds, bucket) in [
      (0, 0), (29_999, 0), (30_000, 1), (60_000, 2), (1_799_999, 2), (1_800_000, 3), (3_600_000, 4), (99_999_999, 4),
    ] as [(Int64, Int)] {
      var durations = SessionDurations()
      durations.add(milliseconds: SaturatingInt64(milliseconds))
      #expect(durations.buckets.firstIndex(of: 1) == bucket)
      #expect(durations.average == milliseconds)
    }
    #expect(SessionDurations().average == nil)
  }

  /// Prints the time that counting takes: `TERN_SESSION_ROWS=1000000 swift test -c release --filter SessionDuration`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TERN_SESSION_ROWS"] != nil))
  func `benchmark of counting a month's sessions`() async throws {
    let rows = ProcessInfo.processInfo.environment["TERN_SESSION_ROWS"].flatMap { Int($0) } ?? 0
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "Player").id
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    for number in 0..<rows / 50 {
      var batch = batch(Array(repeating: "Play", count: 50), install: "i\(number % 20_000)")
      let start = milliseconds("2026-05-01T00:00:00Z") + Int64(number) * 30 * 86_400_000 / Int64(max(1, rows / 50))
      batch.received = Timestamp(millisecondsSince1970: start + 600_000)
      for index in batch.events.indices {
        batch.events[index].session = Int64(number / 2 + 1)
        batch.events[index].time = Timestamp(millisecondsSince1970: start + Int64(index) * 1_000)
      }
      _ = try await warehouse.commit(batch, app: app)
    }
    for _ in 0..<3 {
      let before = ContinuousClock.now
      let durations = try await warehouse.reader.sessionDurations(app: app, days: day("2026-05-01")...day("2026-05-31"))
      print("sessions of \(rows) rows: \(ContinuousClock.now - before), \(durations.buckets)")
    }
    try await warehouse.close()
  }
}
