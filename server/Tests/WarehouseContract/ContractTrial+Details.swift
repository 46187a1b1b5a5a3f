import Ingest
import ServerBase
import TernBase
import TernEvents
import Warehouse

extension ContractTrial {
  private static let days = (Day("2026-05-01") ?? Day(number: 0))...(Day("2026-05-30") ?? Day(number: 0))

  private static func time(_ seconds: Int) -> Timestamp { start(of: "2026-05-10") + .seconds(seconds) }

  // MARK: Errors

  private static func error(
    _ id: String, kind: StoredKind = .crash, fingerprint: Int64 = 7, at seconds: Int, install: String = "i",
    session: Int64 = 0, version: String = "1"
  ) -> IncomingBatch {
    var batch = batch(["error"], kind: kind, at: time(seconds), install: install)
    batch.devices[0].appVersion = version
    batch.events[0].session = session
    batch.events[0].user = "user"
    batch.errors = [
      IncomingError(
        event: 0, id: id, type: "Oops \(fingerprint)", message: "message of \(id)", place: "a.b",
        stack: "stack of \(id)",
        fingerprint: fingerprint, raw: Array("raw \(id)".utf8))
    ]
    return batch
  }

  private static func piece(
    _ part: Int, of parts: Int, _ data: [UInt8], error: String, id: String = "file", at seconds: Int
  ) -> IncomingBatch {
    var batch = batch(["attachment"], kind: part == 0 ? .attachment : .attachmentPart, at: time(seconds))
    batch.attachments = [
      IncomingAttachment(
        event: 0, eventID: "event", error: error, id: id, name: "a.txt", contentType: "text/plain", part: part,
        parts: parts, data: data)
    ]
    return batch
  }

  /// Checks error groups, texts, sessions before errors, and attachments in any order.
  func errors() async throws {
    var session = Self.batch((0..<120).map { "step \($0)" }, at: Self.time(0), install: "i")
    for index in session.events.indices {
      session.events[index].session = 5
      session.events[index].time = Self.time(index / 2)
    }
    let batches = [
      session, Self.error("a", at: 60, session: 5), Self.error("b", at: 70, install: "j", version: "2"),
      Self.error("c", kind: .handledError, at: 80), Self.error("d", fingerprint: 8, at: 86_400),
      Self.error("early", at: -20 * 86_400), Self.error("", fingerprint: 9, at: 90),
      // Pieces in any order, before and after their error.
      Self.piece(1, of: 2, [2], error: "a", at: 100), Self.piece(0, of: 2, [1], error: "a", at: 101),
      Self.piece(0, of: 1, [3], error: "later", at: 102), Self.error("later", at: 103),
      // The same piece again, another one in its place, another number of pieces, and an incomplete attachment.
      Self.piece(0, of: 2, [1], error: "a", at: 104), Self.piece(0, of: 2, [9], error: "a", at: 105),
      Self.piece(0, of: 3, [1], error: "a", at: 106), Self.piece(0, of: 2, [1], error: "a", id: "half", at: 107),
      // A second error with an ID that is known, and an attachment whose error never comes.
      Self.error("a", at: 110), Self.piece(0, of: 1, [7], error: "a", id: "second", at: 111),
      Self.piece(0, of: 1, [4], error: "never", at: 112),
    ]
    for (index, batch) in batches.enumerated() {
      try await commit(batch, AppID(1), "receipt of batch \(index)")
      try await compareErrors(AppID(1), Self.days, "after batch \(index),")
    }
    // A day later, the attachment without an error makes room and counts as dropped.
    try await commit(Self.error("next day", at: 2 * 86_400))
    try await backend.settle()
    try await compare(AppID(1), Self.days)
    try await compare(AppID(2), Self.days)
    let dropped = try await backend.store.totals(
      app: AppID(1), dimension: .dropped, keys: ["rejected:attachment_unclaimed", "rejected:attachment_conflict"],
      days: Self.days)
    try expect(dropped.map(\.count), [1, 1], "attachments without an error, and conflicts")
    let first = try await backend.store.errorGroups(app: AppID(1), group: nil, days: Self.days, limit: 1).first
    try expect(
      try await backend.store.errorGroupNumbers(app: AppID(2), [first?.id ?? 0]), [:], "a group of another app")
  }

  // MARK: Ledgers

  /// Checks that the latest ledger of each install counts, in whichever order ledgers arrive.
  func ledgers() async throws {
    let since = Self.start(of: "2026-05-01")
    func report(
      _ tracked: SaturatingInt64, waiting: SaturatingInt64 = 0, at seconds: Int, install: String = "i", _ app: Int64 = 1
    ) async throws {
      var batch = Self.batch(["e"], at: Self.time(seconds), install: install)
      batch.ledger = DeviceLedger(tracked: tracked, delivered: 1, waiting: waiting, inFlight: 2, dropped: 3)
      try await commit(batch, AppID(app))
      for app in [AppID(1), AppID(2)] {
        try await compareLedger(app, since: since)
        try await compareLedger(app, since: Self.time(seconds))
      }
    }
    try await compareLedger(AppID(1), since: since)
    try await report(10, at: 0)
    try await report(20, at: 1)
    try await report(10, at: 2)
    try await report(20, waiting: 7, at: 3)
    try await report(20, waiting: 9, at: 2)
    try await report(5, at: 0, install: "j")
    try await report(100, at: 4, install: "i", 2)
    // A ledger that begins again counts once the old one has expired.
    try await report(1, at: 25 * 86_400)
    try await report(2, at: 25 * 86_400 + 4)
    let found = try await backend.store.ledger(app: AppID(1), since: since)
    try expect([found.installs, found.tracked], [2, 7], "installs and tracked events")
    var refused = Self.piece(0, of: 1, [1], error: "e", at: 26 * 86_400)
    refused.ledger = DeviceLedger(tracked: 10, delivered: 5, waiting: 0, inFlight: 0, dropped: 0)
    try await commit(refused, AppID(2))
    refused.attachments[0].data = [2]
    refused.ledger?.tracked = 11
    try await commit(refused, AppID(2))
    try await compareLedger(AppID(2), since: since)
    var empty = Self.batch([], at: Self.time(5))
    empty.ledger = refused.ledger
    try await commit(empty)
    try await compareLedger(AppID(1), since: since)
  }

  // MARK: Failures

  /// Checks that a commit that fails stores nothing, that the next one works, and that others aren't affected.
  mutating func failures() async throws {
    let good = Self.error("good", at: 1)
    var keyed = Self.batch(["keyed", "keyed too"], at: Self.time(2))
    for index in keyed.events.indices {
      keyed.events[index].duplicateKey = DuplicateKey(milliseconds: 1, hash: Int64(index))
    }
    keyed.ledger = DeviceLedger(tracked: 1, delivered: 1, waiting: 0, inFlight: 0, dropped: 0)
    var invalid: [IncomingBatch] = []
    for change in [
      { (batch: inout IncomingBatch) in batch.events[1].install = 1 }, { $0.events[1].device = -1 },
      { $0.errors = [IncomingError(event: 2, type: "t", fingerprint: 1)] },
      { $0.hits = [IncomingHit(event: -1, parameters: [])] },
    ] as [(inout IncomingBatch) -> Void] {
      invalid.append(keyed)
      change(&invalid[invalid.count - 1])
    }
    try await commit(good)
    for (index, batch) in invalid.enumerated() {
      try await expectError(.invalid, "invalid batch \(index)") {
        _ = try await backend.sink.commit(batch, app: AppID(1))
      }
    }
    try await expectError(.unknownApp, "unknown app") { _ = try await backend.sink.commit(good, app: AppID(99)) }
    // Batches that fail among others that don't.
    let (sink, bad) = (backend.sink, invalid[0])
    let outcomes = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
      for index in 0..<40 {
        let batch = index % 4 == 0 ? bad : Self.batch(["beside \(index)"], at: Self.time(index))
        group.addTask { (try? await sink.commit(batch, app: AppID(1))) != nil }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    try expect(outcomes.count(where: \.self), 30, "commits among failures")
    for index in 0..<40 where index % 4 != 0 {
      try naive.store(Self.batch(["beside \(index)"], at: Self.time(index)), app: AppID(1))
    }
    backend.fail(WarehouseError(.full, "The disk is full."))
    for batch in [keyed, good] {
      try await expectError(.full, "full disk") { _ = try await backend.sink.commit(batch, app: AppID(1)) }
    }
    backend.fail(nil)
    try await backend.settle()
    try await compareCounts()
    try await backend.sink.probeWrite()
    // A failed event can be stored later: it is not a duplicate.
    try await commit(keyed)
    try await commit(keyed)
    try await closeAndReopen()
    try await commit(keyed)
    try await backend.settle()
    try await compareCounts()
  }

  private func compareCounts() async throws {
    for dimension in [Dimension.total, .event, .dropped, .kind] {
      try expect(
        await backend.store.totals(app: AppID(1), dimension: dimension, days: Self.days, limit: nil),
        await naive.totals(app: AppID(1), dimension: dimension, days: Self.days, limit: nil), "\(dimension)")
    }
    try await compareErrors(AppID(1), Self.days)
    try await compareLedger(AppID(1), since: Self.start(of: "2026-05-01"))
  }

  /// Checks that a closed warehouse throws instead of reporting nothing.
  func expectClosed() async throws {
    let (store, app) = (backend.store, AppID(1))
    let view = View(
      id: ViewID(1), app: app, name: "V",
      zones: [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))])
    try await expectError(.unavailable, "commit after closing") {
      _ = try await backend.sink.commit(Self.error("closed", at: 1), app: app)
    }
    try await expectError(.unavailable, "count after closing") {
      _ = try await store.count(app: app, dimension: .total, days: Self.days)
    }
    try await expectError(.unavailable, "errors after closing") {
      _ = try await store.errorGroups(app: app, group: nil, days: Self.days, limit: 1)
    }
    try await expectError(.unavailable, "events after closing") { _ = try await store.recent(app: app, limit: 1) }
    try await expectError(.unavailable, "view after closing") {
      _ = try await store.viewMetrics(view, days: Self.days, tables: [], now: 0)
    }
  }
}
