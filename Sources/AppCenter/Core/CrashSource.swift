package import TernEvents

/// What an earlier process left when it crashed.
package struct CrashReport: Sendable, Hashable {
  /// Names the report, also for the events that it becomes.
  package var id: String
  /// What happened.
  package var exception: ExceptionFacts
  /// When the process began, and when it crashed.
  package var launched: Timestamp
  package var crashed: Timestamp
  package var signal: String?

  package init(
    id: String, exception: ExceptionFacts, launched: Timestamp, crashed: Timestamp, signal: String? = nil
  ) {
    self.id = id
    self.exception = exception
    self.launched = launched
    self.crashed = crashed
    self.signal = signal
  }
}

/// Whoever catches crashes leaves their reports here; nobody does yet.
package protocol CrashSource: Sendable {
  /// The reports of earlier processes, the oldest first; each is returned once.
  func takeReports() -> [CrashReport]
}

/// Catches nothing.
package struct NoCrashes: CrashSource {
  package init() {}
  package func takeReports() -> [CrashReport] { [] }
}
