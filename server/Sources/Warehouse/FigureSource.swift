public import TernEvents

/// The reading side of a warehouse, as reports use it. Days are civil days in the app's time zone.
public protocol FigureSource: ErrorSource, AppCenterFigures, ViewSource {
  /// Per day and key: how often.  Days and keys without any are left out. Ordered by day, then key.
  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount]
  /// The count of all keys over the whole range, at most the largest number there is.
  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int
  /// Per key over the whole range: how often, and by how many distinct installs. Ordered by count, then key.
  ///
  /// - Parameter limit: the number of keys to return, largest first; `nil` for all. Users are counted for these keys
  ///   only.
  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyFigures]
  /// The same for one key only; zeros when it never occurred.
  func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> KeyFigures
  /// Per day for one key: how often, and by how many distinct installs. Days without any are left out.
  func series(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> [DailyFigures]
  /// For each day of the range: distinct installs active on that day, in the 7 and in the 30 days that end with it.
  func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity]
  /// The property values seen on one event over the range, per property largest first, at most `limit` values each.
  func properties(app: AppID, event: String, days: ClosedRange<Day>, limit: Int) async throws -> [PropertyFigures]
  /// The newest ledgers of the installs that have sent one since a point in time, added up.
  func ledger(app: AppID, since: Timestamp) async throws -> LedgerFigures
  /// The most recently stored rows, newest first.
  func recent(app: AppID, limit: Int) async throws -> [StoredEvent]
}
