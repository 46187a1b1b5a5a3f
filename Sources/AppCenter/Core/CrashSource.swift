package import Tern
package import TernEvents

/// What an earlier process left when it crashed.
package struct CrashReport: Sendable, Hashable {
  /// What happened.
  package var exception: ExceptionFacts
  /// Where it belongs: when the process began and crashed, its session, its user, its device.
  package var origin: TernClient.PreviousProcess
  /// The signal that ended the process, for example `SIGSEGV`.
  package var signal: String?
  /// The system's number of the process; 0 when unknown.
  package var processIdentifier: UInt
  /// Whether it was the process right before this one, and not one of which a report was left undecided.
  package var isOfLastLaunch: Bool

  /// Names the report, and the event that it becomes.
  package var id: UniqueID { origin.id }

  package init(
    exception: ExceptionFacts, origin: TernClient.PreviousProcess, signal: String? = nil, processIdentifier: UInt = 0,
    isOfLastLaunch: Bool = true
  ) {
    self.exception = exception
    self.origin = origin
    self.signal = signal
    self.processIdentifier = processIdentifier
    self.isOfLastLaunch = isOfLastLaunch
  }
}

/// Whoever catches crashes leaves their reports here; nobody does yet.
package protocol CrashSource: Sendable {
  /// The reports of earlier processes, the oldest first; each stays until it is removed.
  func reports() -> [CrashReport]
  /// Forgets reports: they are in the storage, or nobody wants them.
  func remove(_ ids: [UniqueID])
}

/// Catches nothing.
package struct NoCrashes: CrashSource {
  package init() {}
  package func reports() -> [CrashReport] { [] }
  package func remove(_ ids: [UniqueID]) {}
}
