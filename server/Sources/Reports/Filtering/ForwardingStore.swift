package import Ingest
package import TernEvents
package import Warehouse

/// A store that answers as another one does, but for what the conforming type implements.
package protocol ForwardingStore: MetricsStore {
  /// The other store.
  var base: any MetricsStore { get }
}

extension ForwardingStore {
  package func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    try await base.dailyCounts(app: app, dimension: dimension, days: days)
  }
  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int {
    try await base.count(app: app, dimension: dimension, days: days)
  }
  package func totals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?
  ) async throws -> [KeyTotals] {
    try await base.totals(app: app, dimension: dimension, days: days, limit: limit)
  }
  package func totals(
    app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>
  ) async throws -> [KeyTotals] {
    try await base.totals(app: app, dimension: dimension, keys: keys, days: days)
  }
  package func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> [DailyTotals] {
    try await base.series(app: app, dimension: dimension, key: key, days: days)
  }
  package func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity] {
    try await base.activity(app: app, days: days)
  }
  package func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) async throws -> [PropertyTotals] {
    try await base.properties(app: app, event: event, days: days, limit: limit)
  }
  package func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals {
    try await base.ledger(app: app, since: since)
  }
  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    try await base.recent(app: app, kinds: kinds, limit: limit)
  }

  package func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations {
    try await base.sessionDurations(app: app, days: days)
  }
  package func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) async throws -> [DailyCount] {
    try await base.activeInstalls(app: app, days: days, window: window)
  }
  package func versions(app: AppID, names: [String]?, days: ClosedRange<Day>) async throws -> [KeyTotals] {
    try await base.versions(app: app, names: names, days: days)
  }

  package func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorGroup] {
    try await base.errorGroups(app: app, group: group, days: days, among: chosen, limit: limit)
  }
  package func errorSignature(app: AppID, error: Int64) async throws -> Int64? {
    try await base.errorSignature(app: app, error: error)
  }

  package func errorGroupMembers(app: AppID, _ group: Int64) async throws -> [Int64] {
    try await base.errorGroupMembers(app: app, group)
  }

  package func errorGroupNumbers(app: AppID, _ ids: Set<Int64>) async throws -> [Int64: Int64] {
    try await base.errorGroupNumbers(app: app, ids)
  }
  package func errorVersions(app: AppID, since: [Int64: Timestamp]) async throws -> [Int64: Set<String>] {
    try await base.errorVersions(app: app, since: since)
  }
  package func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorOccurrence] {
    try await base.errors(app: app, group: group, days: days, among: chosen, limit: limit)
  }
  package func error(app: AppID, id: Int64) async throws -> ErrorDetail? { try await base.error(app: app, id: id) }
  package func attachment(app: AppID, id: Int64) async throws -> (facts: AttachmentFacts, data: [UInt8])? {
    try await base.attachment(app: app, id: id)
  }

  package func viewMetrics(
    _ view: View, days: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) async throws -> ViewMetrics {
    try await base.viewMetrics(view, days: days, tables: tables, now: now)
  }
  package func lateHits(_ view: View, days: ClosedRange<Day>) async throws -> [LateHits] {
    try await base.lateHits(view, days: days)
  }
  package func inspectedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [InspectedHit] {
    try await base.inspectedHits(view, days: days, limit: limit)
  }
  package func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime {
    try await base.viewRealtime(view, now: now)
  }
  package func refusedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [RefusedHit] {
    try await base.refusedHits(view, days: days, limit: limit)
  }
}
