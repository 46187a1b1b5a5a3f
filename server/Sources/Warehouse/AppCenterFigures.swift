public import Ingest

/// The additional reads for App Center's reports. Days are civil days in the app's time zone.
public protocol AppCenterFigures: Sendable {
  /// Returns the durations of the sessions that began in the range, measured from first to last event.
  func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations
  /// Returns, for each day of the range, the distinct installs in the `window` days ending on it.
  func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) async throws -> [DailyCount]
  /// Returns the app versions, without build numbers: events, and distinct installs across all builds. Most installs
  /// first.
  func versions(app: AppID, days: ClosedRange<Day>) async throws -> [KeyFigures]
  /// Returns the most recently stored rows of some kinds, newest first.
  func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent]
}
