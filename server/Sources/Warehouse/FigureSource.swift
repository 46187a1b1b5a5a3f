public import TernEvents

/// The read side of a warehouse, as reports use it. Days are civil days in the app's time zone.
public protocol FigureSource: ErrorSource, AppCenterFigures, ViewSource {
  /// Returns the counts per day and key, ordered by day, then key. Days and keys without events are omitted.
  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount]
  /// Returns the count of all keys over the range, saturating at the largest integer.
  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int
  /// Returns the counts and distinct installs per key over the range, ordered by count, then key.
  ///
  /// - Parameter limit: The number of keys to return, largest first; `nil` for all. Users are counted for these keys
  ///   only.
  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyFigures]
  /// Returns the count and distinct installs of one key over the range; zeros if it never occurred.
  func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> KeyFigures
  /// Returns the count and distinct installs of one key per day. Days without events are omitted.
  func series(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> [DailyFigures]
  /// Returns the distinct installs active on each day of the range, and in the 7 and 30 days ending on it.
  func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity]
  /// Returns the property values of one event over the range, at most `limit` per property, most frequent first.
  func properties(app: AppID, event: String, days: ClosedRange<Day>, limit: Int) async throws -> [PropertyFigures]
  /// Returns the sum of the latest ledgers of all installs that have sent one since `since`.
  func ledger(app: AppID, since: Timestamp) async throws -> LedgerFigures
  /// Returns the most recently stored rows, newest first.
  func recent(app: AppID, limit: Int) async throws -> [StoredEvent]
}
