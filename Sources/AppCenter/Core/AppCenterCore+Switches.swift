import Tern
import TernEvents

/// What can be switched on and off.
extension AppCenterCore {
  package var isConfigured: Bool { state.withLock { $0.configured == .application } }

  private static let notConfigured = Note(
    .error, .core, "The SDK has not been configured; call AppCenter.start(withAppSecret:services:) first.")

  /// Whether anything is recorded; kept over launches.
  package var isEnabled: Bool {
    get {
      decide { state, notes in
        if state.configured == .nobody {
          notes.append(Self.notConfigured)
          return false
        }
        return state.isCoreEnabled
      }
    }
    set {
      let (mayChange, client) = decide { state, notes -> (Bool, TernClient?) in
        guard state.configured != .nobody else {
          notes.append(Self.notConfigured)
          return (false, nil)
        }
        state.isEnabledWithoutClient = newValue
        return (true, state.client)
      }
      guard mayChange else { return }
      client?.isEnabled = newValue
      logBook.write(.info, .core, "The SDK is \(newValue ? "enabled" : "disabled").")
    }
  }

  /// Whether a service records; false before it was started.
  package func isEnabled(_ traits: ServiceTraits) -> Bool {
    decide { state, notes in
      guard let service = state.services[traits.name] else {
        notes.append(state.notStarted(traits))
        return false
      }
      guard state.isCoreEnabled else { return false }
      guard service.hasSecret, let client = state.client else { return service.isEnabled }
      return client.isRecording(traits.part)
    }
  }

  /// Switches a service; kept over launches. Whoever is switched on sends again, too.
  package func setEnabled(_ isEnabled: Bool, _ traits: ServiceTraits) {
    let (client, isNew) = decide { state, notes -> (TernClient?, Bool) in
      guard let service = state.services[traits.name] else {
        notes.append(state.notStarted(traits))
        return (nil, false)
      }
      guard state.isCoreEnabled else {
        notes.append(Note(.error, traits.tag, "The SDK is disabled; enable AppCenter first."))
        return (nil, false)
      }
      state.services[traits.name]?.isEnabled = isEnabled
      notes.append(Note(.info, traits.tag, "\(traits.name) is \(isEnabled ? "enabled" : "disabled")."))
      guard service.hasSecret, let client = state.client else { return (nil, false) }
      return (client, client.isRecording(traits.part) != isEnabled)
    }
    client?.setRecording(isEnabled, of: traits.part)
    // Only a change: an app that says again what holds already has not asked for its pause to end.
    if isEnabled, isNew, traits.part == .usage { client?.resume() }
  }

  /// Whether requests may be made; can be set at any time and is kept over launches.
  package var allowsRequests: Bool {
    get { state.withLock { $0.client }?.allowsRequests ?? store.allowsRequests }
    set {
      if let client = state.withLock({ $0.client }) {
        client.allowsRequests = newValue
      } else {
        store.allowsRequests = newValue
      }
      logBook.write(.info, .core, "Requests are \(newValue ? "allowed" : "forbidden").")
    }
  }

  /// Pauses or resumes the sending of everything.
  package func setPaused(_ isPaused: Bool, _ traits: ServiceTraits) {
    guard let client = decide({ $0.client(of: traits, &$1) }) else { return }
    if isPaused { client.pause() } else { client.resume() }
  }
}
