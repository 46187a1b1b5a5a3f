package import Tern
package import TernValues

/// The report of an earlier process's crash.
package struct CrashReport: Sendable, Hashable {
  /// The exception.
  package var exception: ExceptionFacts
  /// The process that crashed: its start and end, session, user and device.
  package var origin: TernClient.PreviousProcess
  /// The signal that ended the process, for example `SIGSEGV`.
  package var signal: String?
  /// The process identifier; 0 when unknown.
  package var processIdentifier: UInt
  /// True for the process right before this one; false for older reports without a decision.
  package var isOfLastLaunch: Bool

  /// The identifier of the report and of its event.
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

/// A source of crash reports.
package protocol CrashSource: Sendable {
  /// Returns the reports of earlier processes, oldest first; each stays until it is removed.
  func reports() -> [CrashReport]
  /// Removes reports that are stored or unwanted.
  func remove(_ ids: [UniqueID])
  /// Returns true, once, if the system warned the previous process of low memory.
  func takeMemoryWarning() -> Bool
  /// Begins to catch crashes for the client. The reports so far belong to earlier launches, for all later ones, too.
  ///
  /// - Parameter onReport: Called with each report that the system delivers later; it stays until it is removed, too.
  func start(_ client: TernClient, onReport: @escaping @Sendable (CrashReport) -> Void)
}

/// A source without reports.
package struct NoCrashes: CrashSource {
  package init() {}
  package func reports() -> [CrashReport] { [] }
  package func remove(_ ids: [UniqueID]) {}
  package func takeMemoryWarning() -> Bool { false }
  package func start(_ client: TernClient, onReport: @escaping @Sendable (CrashReport) -> Void) {}
}
