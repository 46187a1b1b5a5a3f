import Ingest
import TernEvents
import Warehouse

extension ContractTrial {
  /// Compares all reads of an app's events and errors over some days.
  func compare(_ app: AppID, _ days: ClosedRange<Day>, _ what: String = "") async throws {
    let store = backend.store
    for dimension in Dimension.allCases where dimension != .property {
      let what = "\(what) app \(app), \(dimension)"
      let totals = try await naive.totals(app: app, dimension: dimension, days: days, limit: nil)
      try expect(
        await store.totals(app: app, dimension: dimension, days: days, limit: nil), totals, "\(what): totals")
      try expect(
        await store.totals(app: app, dimension: dimension, days: days, limit: 3), Array(totals.prefix(3)),
        "\(what): largest totals")
      try expect(
        await store.count(app: app, dimension: dimension, days: days),
        await naive.count(app: app, dimension: dimension, days: days), "\(what): count")
      try expect(
        await store.dailyCounts(app: app, dimension: dimension, days: days),
        await naive.dailyCounts(app: app, dimension: dimension, days: days), "\(what): daily counts")
      let keys = totals.suffix(4).map(\.key) + ["never seen"]
      try expect(
        await store.totals(app: app, dimension: dimension, keys: keys, days: days),
        await naive.totals(app: app, dimension: dimension, keys: keys, days: days), "\(what): totals of keys")
      for key in keys {
        try expect(
          await store.series(app: app, dimension: dimension, key: key, days: days),
          await naive.series(app: app, dimension: dimension, key: key, days: days), "\(what): series of \(key)")
      }
    }
    try expect(
      await store.activity(app: app, days: days), await naive.activity(app: app, days: days), "\(what) activity")
    for window in [1, 3, 28] {
      try expect(
        await store.activeInstalls(app: app, days: days, window: window),
        await naive.activeInstalls(app: app, days: days, window: window), "\(what) active installs of \(window) days")
    }
    for names in [nil, ["1.0", "never seen"]] {
      try expect(
        await store.versions(app: app, names: names, days: days),
        await naive.versions(app: app, names: names, days: days), "\(what) versions \(names ?? [])")
    }
    try expect(
      await store.sessionDurations(app: app, days: days), await naive.sessionDurations(app: app, days: days),
      "\(what) durations")
    for event in ["name 0", "name 7", "never seen"] {
      try expect(
        await store.properties(app: app, event: event, days: days, limit: 4),
        await naive.properties(app: app, event: event, days: days, limit: 4), "\(what) properties of \(event)")
    }
    try await compareRecent(app, limit: 50)
    try await compareErrors(app, days, what)
  }

  func compareRecent(_ app: AppID, limit: Int) async throws {
    for kinds in [Set(StoredKind.allCases), [.event], [.crash, .handledError], []] {
      try expect(
        Self.normalized(try await backend.store.recent(app: app, kinds: kinds, limit: limit)),
        Self.normalized(try await naive.recent(app: app, kinds: kinds, limit: limit)), "recent")
    }
  }

  func compareLedger(_ app: AppID, since: Timestamp) async throws {
    try expect(
      await backend.store.ledger(app: app, since: since), await naive.ledger(app: app, since: since), "ledger")
  }

  // MARK: Errors

  func compareErrors(_ app: AppID, _ days: ClosedRange<Day>, _ what: String = "") async throws {
    let found = try await backend.store.errorGroups(app: app, group: nil, days: days, limit: 1_000)
    let expected = try await naive.errorGroups(app: app, group: nil, days: days, limit: 1_000)
    try expect(found.map(Self.withoutID), expected.map(Self.withoutID), "\(what) error group")
    try expect(
      await backend.store.errorGroups(app: app, group: nil, days: days, limit: 2).map(Self.withoutID),
      await naive.errorGroups(app: app, group: nil, days: days, limit: 2).map(Self.withoutID),
      "\(what) largest error group")
    try expect(try await backend.store.errorGroupNumbers(app: app, [.max]), [:], "an unknown group")
    try expect(try await backend.store.error(app: app, id: .max) == nil, true, "an unknown error")
    let zero = Timestamp(millisecondsSince1970: 0)
    let all = try await backend.store.errorVersions(
      app: app, since: Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.last) } + [(.max, zero)]))
    for (found, expected) in zip(found, expected) {
      let versions = try await naive.errorVersions(app: app, since: [expected.id: expected.last])[expected.id]
      try expect(all[found.id], versions, "\(what) versions of later errors")
      try expect(
        try await backend.store.errorGroupNumbers(app: app, [found.id]), [found.id: found.id], "\(what) group")
      try expect(
        await backend.store.errorGroups(app: app, group: found.id, days: days, limit: 1).map(Self.withoutID),
        await naive.errorGroups(app: app, group: expected.id, days: days, limit: 1).map(Self.withoutID),
        "\(what) group by days")
      let own = try await backend.store.errors(app: app, group: found.id, days: days, limit: 20)
      let others = try await naive.errors(app: app, group: expected.id, days: days, limit: 20)
      try expect(Self.normalized(own), Self.normalized(others), "\(what) error of \(found.type)")
      for (own, other) in zip(own, others).prefix(6) { try await compareError(app, own.id, other.id) }
    }
  }

  private func compareError(_ app: AppID, _ found: Int64, _ expected: Int64) async throws {
    let what = "error \(expected)"
    guard let own = try await backend.store.error(app: app, id: found),
      let other = try await naive.error(app: app, id: expected)
    else { throw ContractViolation(description: "\(label), \(what): missing") }
    try expect(try await backend.store.error(app: AppID(.max), id: found) == nil, true, "\(what) in another app")
    try expect(
      [own.type, own.message, own.stack, own.raw], [other.type, other.message, other.stack, other.raw], "\(what): text")
    try expect(own.kind, other.kind, "\(what): kind")
    try expect(own.isTextKept, other.isTextKept, "\(what): state of the text")
    try expect(own.properties, other.properties, "\(what): property")
    try expect(Self.normalized(own.before), Self.normalized(other.before), "\(what): event before it")
    try expect(own.attachments.count, other.attachments.count, "\(what): attachments")
    for (own, other) in zip(own.attachments, other.attachments) {
      try expect([own.name, own.contentType, "\(own.bytes)"], [other.name, other.contentType, "\(other.bytes)"], what)
      let data = try await backend.store.attachment(app: app, id: own.id)?.data
      try expect(data, try await naive.attachment(app: app, id: other.id)?.data, "\(what): attachment")
      let isVisible = try await backend.store.attachment(app: AppID(.max), id: own.id) != nil
      try expect(isVisible, false, "\(what): attachment in another app")
    }
  }

  // MARK: Views

  /// Compares all reads of a view over some days.
  func compare(_ view: View, _ days: ClosedRange<Day>, now: Timestamp, _ what: String = "") async throws {
    let (store, now, what) = (backend.store, now.millisecondsSince1970, "\(what) view \(view.id)")
    let tables = Set(ViewTable.allCases)
    let found = try await store.viewMetrics(view, days: days, tables: tables, now: now)
    let expected = try await naive.viewMetrics(view, days: days, tables: tables, now: now)
    try expect(found.days, expected.days, "\(what): day")
    for table in ViewTable.allCases { try expect(found.tables[table], expected.tables[table], "\(what): \(table)") }
    try expect(found, expected, what)
    let last = days.upperBound...days.upperBound
    try expect(
      await store.viewMetrics(view, days: last, tables: [.screens], now: now),
      await naive.viewMetrics(view, days: last, tables: [.screens], now: now), "\(what): last day")
    try expect(await store.lateHits(view, days: days), await naive.lateHits(view, days: days), "\(what): late")
    try expect(
      Self.normalized(try await store.inspectedHits(view, days: days, limit: 60), of: view),
      Self.normalized(try await naive.inspectedHits(view, days: days, limit: 60), of: view), "\(what): hit")
    try expect(
      await store.viewRealtime(view, now: now), await naive.viewRealtime(view, now: now), "\(what): real time")
    try expect(
      await store.refusedHits(view, days: days, limit: 1_000).sorted(by: Self.isBefore),
      await naive.refusedHits(view, days: days, limit: 1_000).sorted(by: Self.isBefore), "\(what): refused hit")
  }

  // MARK: Numbers that a backend chooses

  /// Numbers installs in the order in which a list names them.
  private static func numbers(_ installs: [Int]) -> [Int] {
    var known: [Int: Int] = [:]
    return installs.map { install in
      let number = known[install] ?? known.count
      known[install] = number
      return number
    }
  }

  private static func normalized(_ events: [StoredEvent]) -> [StoredEvent] {
    zip(events, numbers(events.map(\.install))).map { event, install in
      var event = event
      (event.id, event.install) = (0, install)
      return event
    }
  }

  private static func normalized(_ errors: [ErrorOccurrence]) -> [ErrorOccurrence] {
    zip(errors, numbers(errors.map(\.install))).map { error, install in
      var error = error
      (error.id, error.group, error.install) = (0, 0, install)
      return error
    }
  }

  private static func normalized(_ hits: [InspectedHit], of view: View) -> [InspectedHit] {
    // Where users are `uid`s, numbers of installs and of users stand side by side and may be the same.
    let installs = view.countsUserIDs ? hits.map { _ in 0 } : numbers(hits.map(\.install))
    return zip(hits, installs).map { hit, install in
      var hit = hit
      (hit.id, hit.install) = (0, install)
      return hit
    }
  }

  private static func withoutID(_ group: ErrorGroup) -> ErrorGroup {
    var group = group
    group.id = 0
    return group
  }

  /// Hits of one request may be refused for several reasons at one position.
  private static func isBefore(_ left: RefusedHit, _ right: RefusedHit) -> Bool {
    (left.received, left.position, left.reason) < (right.received, right.position, right.reason)
  }
}
