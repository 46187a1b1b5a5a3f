package import Ingest
package import TernEvents
package import Warehouse

/// A source for tests that answers nothing but what the conforming type implements.
package protocol StubStore: MetricsStore {}

extension StubStore {
  package func dailyCounts(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>
  ) async throws -> [DailyCount] { [] }
  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int { 0 }
  package func totals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?
  ) async throws -> [KeyTotals] { [] }
  package func total(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> KeyTotals { KeyTotals(key: key, count: 0, users: 0) }
  package func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> [DailyTotals] { [] }
  package func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity] { [] }
  package func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) async throws -> [PropertyTotals] { [] }
  package func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals { LedgerTotals() }

  package func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, limit: Int
  ) async throws -> [ErrorGroup] { [] }
  package func hasErrorGroup(app: AppID, id: Int64) async throws -> Bool { false }
  package func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, limit: Int
  ) async throws -> [ErrorOccurrence] { [] }
  package func error(app: AppID, id: Int64) async throws -> ErrorDetail? { nil }
  package func attachment(app: AppID, id: Int64) async throws -> (facts: AttachmentFacts, data: [UInt8])? { nil }

  package func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations {
    SessionDurations()
  }
  package func activeInstalls(
    app: AppID, days: ClosedRange<Day>, window: Int
  ) async throws -> [DailyCount] { [] }
  package func versions(app: AppID, days: ClosedRange<Day>) async throws -> [KeyTotals] { [] }
  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] { [] }

  package func viewMetrics(
    _ view: View, days: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) async throws -> ViewMetrics { ViewMetrics() }
  package func lateHits(_ view: View, days: ClosedRange<Day>) async throws -> [LateHits] { [] }
  package func inspectedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [InspectedHit] { [] }
  package func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime { ViewRealtime() }
  package func refusedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [RefusedHit] { [] }
}
