package import Ingest
package import TernEvents

/// The read side of a warehouse, as reports use it. Days are civil days in the app's time zone, or the view's.
package protocol MetricsStore: Sendable {
  // MARK: Events

  /// Returns the counts per day and key, ordered by day, then key. Days and keys without events are omitted.
  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount]
  /// Returns the count of all keys over the range, saturating at the largest integer.
  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int
  /// Returns the counts and distinct installs per key over the range, ordered by count, then key.
  ///
  /// - Parameter limit: The number of keys to return, largest first; `nil` for all. Users are counted for these keys
  ///   only.
  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyTotals]
  /// Returns the counts and distinct installs of some keys over the range, in their order; zeros for a key that never
  /// occurred.
  func totals(app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>) async throws -> [KeyTotals]
  /// Returns the count and distinct installs of one key per day. Days without events are omitted.
  func series(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> [DailyTotals]
  /// Returns the distinct installs active on each day of the range, and in the 7 and 30 days ending on it.
  func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity]
  /// Returns events, sessions and users per day, and the users over all days.
  ///
  /// By default it is put together from other reads; a store to which one question is cheaper answers itself.
  func dailyOverview(app: AppID, days: ClosedRange<Day>) async throws -> DailyOverview
  /// Returns the largest keys, and the count of all. Like ``dailyOverview(app:days:)``, it has a default.
  func largest(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int
  ) async throws -> (rows: [KeyTotals], count: Int)
  /// Returns the property values of one event over the range, at most `limit` per property, most frequent first.
  func properties(app: AppID, event: String, days: ClosedRange<Day>, limit: Int) async throws -> [PropertyTotals]
  /// Returns the sum of the latest ledgers of all installs that have sent one since `since`.
  func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals
  /// Returns the most recently stored rows of some kinds, newest first.
  func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent]

  // MARK: App Center's reports

  /// Returns the durations of the sessions that began in the range, measured from first to last event.
  func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations
  /// Returns, for each day of the range, the distinct installs in the `window` days ending on it.
  func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) async throws -> [DailyCount]
  /// Returns the app versions, without build numbers: events, and distinct installs across all builds. Most installs
  /// first.
  ///
  /// - Parameter names: The versions to return; `nil` for all. Users of others are not counted.
  func versions(app: AppID, names: [String]?, days: ClosedRange<Day>) async throws -> [KeyTotals]

  // MARK: Errors

  /// Returns the groups with errors in the range, most errors first.
  ///
  /// - Parameters:
  ///   - group: The number of a single group to return; `nil` for all.
  ///   - chosen: The numbers of the errors that count; `nil` for all.
  ///   - limit: The maximum number of groups of each kind.
  func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorGroup]
  /// Returns the current numbers of groups by those that they have, or had before groups became one. Those that the app never
  /// had are omitted.
  func errorGroupNumbers(app: AppID, _ ids: Set<Int64>) async throws -> [Int64: Int64]
  /// Returns the number of an error's signature, which is one of the numbers of its group, or `nil` if it has none, as those in
  /// "(other)", or the app has no such error.
  func errorSignature(app: AppID, error: Int64) async throws -> Int64?
  /// Returns all numbers of a group, named by one of them, in order.
  func errorGroupMembers(app: AppID, _ group: Int64) async throws -> [Int64]
  /// Returns the versions of the errors that were received since a time, by group. Groups without such errors are omitted.
  ///
  /// - Parameter since: The time for each group.
  func errorVersions(app: AppID, since: [Int64: Timestamp]) async throws -> [Int64: Set<String>]
  /// Returns the errors of a group in the range, newest first.
  ///
  /// - Parameter chosen: The numbers of the errors that count; `nil` for all.
  func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, among chosen: Set<Int64>?, limit: Int
  ) async throws -> [ErrorOccurrence]
  /// Returns one error in full, or `nil` if the app has none with this number.
  func error(app: AppID, id: Int64) async throws -> ErrorDetail?
  /// Returns an attachment, or `nil` if the app has none with this number or it hasn't arrived completely.
  func attachment(app: AppID, id: Int64) async throws -> (facts: AttachmentFacts, data: [UInt8])?

  // MARK: Views

  /// Returns the metrics of a view, with the given breakdowns. The time `now` decides which days are final.
  func viewMetrics(
    _ view: View, days: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) async throws -> ViewMetrics
  /// Returns the hits of some days that were received after the cutoff.
  func lateHits(_ view: View, days: ClosedRange<Day>) async throws -> [LateHits]
  /// Returns the newest hits of the view's app on some days, newest first.
  func inspectedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [InspectedHit]
  /// Returns the current users and the activity of the last half hour.
  func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime
  /// Returns the first rejected hits of each day and reason of the view's app, by the day of receipt, newest first.
  func refusedHits(_ view: View, days: ClosedRange<Day>, limit: Int) async throws -> [RefusedHit]
}

extension MetricsStore {
  /// Returns the count and distinct installs of one key over the range; zeros if it never occurred.
  package func total(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> KeyTotals {
    try await totals(app: app, dimension: dimension, keys: [key], days: days).first
      ?? KeyTotals(key: key, count: 0, users: 0)
  }

  /// Returns the groups with errors in the range, most errors first.
  package func errorGroups(
    app: AppID, group: Int64?, days: ClosedRange<Day>, limit: Int
  ) async throws -> [ErrorGroup] {
    try await errorGroups(app: app, group: group, days: days, among: nil, limit: limit)
  }

  /// Returns the errors of a group in the range, newest first.
  package func errors(
    app: AppID, group: Int64, days: ClosedRange<Day>, limit: Int
  ) async throws -> [ErrorOccurrence] {
    try await errors(app: app, group: group, days: days, among: nil, limit: limit)
  }

  /// Returns the most recently stored rows of all kinds except pieces of attachments, newest first.
  package func recent(app: AppID, limit: Int) async throws -> [StoredEvent] {
    try await recent(app: app, kinds: Set(StoredKind.allCases).subtracting([.attachmentPart]), limit: limit)
  }
}
