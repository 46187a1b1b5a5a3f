/// The last known facts about a launch, by which a later one decides whether its end was a termination.
struct LaunchState: Sendable, Hashable, Codable {
  /// The known causes of terminations.
  enum Cause: String, Sendable, CaseIterable {
    /// The system was restarted since: it was shut down, or lost power.
    case restart
    /// For example the lack of memory, a watchdog, or a signal that can't be caught.
    case unknown
  }

  var isInForeground: Bool
  var isDebugged: Bool
  /// The system's boot; `nil` if unknown.
  var boot: String?
  /// The context that a crash report has (`CrashContext`); empty if crashes or events were not recorded.
  var context: String

  /// Returns the cause if the launch, which did not end on its own accord, was terminated.
  ///
  /// - Parameters:
  ///   - hasReport: True if the launch crashed.
  ///   - current: The boot of the launch that looks at it.
  func termination(hasReport: Bool, boot current: String?) -> Cause? {
    // Systems end apps in the background as a matter of course, and developers those that they debug.
    guard !hasReport, isInForeground, !isDebugged, !context.isEmpty else { return nil }
    guard let boot, let current else { return .unknown }
    return boot == current ? .unknown : .restart
  }
}
