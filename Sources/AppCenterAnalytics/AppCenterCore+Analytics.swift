import AppCenter
import Tern
import TernBase
import TernEvents

extension AppCenterCore {
  private static let range: ClosedRange<UInt> = 6...86_400

  private var isStarted: Bool { state.withLock { $0.isStarted(Analytics.traits) } }

  /// Applies the settings of Analytics to the client.
  func analyticsStarted(_ client: TernClient?) {
    guard let client else { return }
    let (interval, isManual) = state.withLock { ($0.interval, $0.isManual) }
    client.setFlushInterval(interval)
    if !isManual { client.setSessions(.automatic(idleTimeout: nil)) }
  }

  var interval: UInt { UInt(state.withLock { $0.interval }.components.seconds) }

  func setInterval(_ seconds: UInt) {
    decide { state, messages in
      if state.isStarted(Analytics.traits) {
        messages.add(.error, .analytics, "Set the transmission interval before Analytics is started.")
      } else if !Self.range.contains(seconds) {
        messages.add(
          .error, .analytics,
          "The transmission interval is given in seconds, from 6 to 86400; \(seconds) is ignored.")
      } else {
        state.interval = .seconds(Int64(seconds))
        messages.add(.debug, .analytics, "The transmission interval is \(seconds) s.")
        if seconds >= 6000, seconds.isMultiple(of: 1000) { messages.append(Self.looksLikeMilliseconds(seconds)) }
      }
    }
  }

  /// Explains the unit: App Center's documentation had a sample that set 10000 for ten seconds.
  private static func looksLikeMilliseconds(_ seconds: UInt) -> LogMessage {
    LogMessage(
      .warning, .analytics,
      """
      The transmission interval is given in seconds: \(seconds) is \(seconds / 3600) h \(seconds % 3600 / 60) min \
      \(seconds % 60) s. For \(seconds / 1000) s set it to \(seconds / 1000); the sample with 10000 in App Center's \
      documentation has the wrong unit.
      """)
  }

  func enableManualSessions() {
    decide { state, messages in
      if state.isStarted(Analytics.traits) {
        messages.add(
          .info, .analytics, "Call enableManualSessionTracker() before Analytics starts; this call is ignored.")
      } else {
        state.isManual = true
      }
    }
  }

  func startSession() {
    let client = decide { state, messages -> TernClient? in
      guard state.isManual else {
        messages.add(
          .info, .analytics,
          "Sessions are automatic; to begin them yourself, call enableManualSessionTracker() before the start.")
        return nil
      }
      return state.client(of: Analytics.traits, &messages)
    }
    guard let client else { return }
    client.startSession()
    logger.write(.info, .analytics, "A session began: \(client.sessionID?.description ?? "none").")
  }
}
