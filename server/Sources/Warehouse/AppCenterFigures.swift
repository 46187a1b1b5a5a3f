public import Ingest

/// What App Center's reports show beyond the others. Days are civil days in the app's time zone.
public protocol AppCenterFigures: Sendable {
  /// How long the sessions lasted that began in the range: from their first to their last event.
  func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations
  /// For each day of the range: distinct installs in the `window` days that end with it.
  func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) async throws -> [DailyCount]
  /// App versions without their builds: events, and distinct installs over all builds; most installs first.
  func versions(app: AppID, days: ClosedRange<Day>) async throws -> [KeyFigures]
  /// The most recently stored rows of some kinds, newest first.
  func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent]
}
