import Tern
import TernBase
import TernEvents

/// The settings that can be switched: the core, its services, requests and sending.
extension AppCenterCore {
  package var isConfigured: Bool { state.withLock { $0.configured == .byApp } }

  private static let notConfigured = LogMessage(
    .error, .core, "The SDK has not been configured; call AppCenter.start(withAppSecret:services:) first.")

  /// True while events are recorded; kept across launches, and false while nothing can be stored.
  package var isEnabled: Bool {
    get {
      decide { state, messages in
        if state.configured == .no { messages.append(Self.notConfigured) }
        return state.isRecording
      }
    }
    set {
      let (mayChange, client) = decide { state, messages -> (Bool, TernClient?) in
        guard state.configured != .no else {
          messages.append(Self.notConfigured)
          return (false, nil)
        }
        if newValue, state.client == nil {
          messages.add(.error, .core, "The SDK is enabled but records nothing: \(state.obstacle ?? CoreState.noSecret)")
        } else {
          messages.add(.info, .core, "The SDK is \(newValue ? "enabled" : "disabled").")
          if newValue { state.warnAboutMissingStorage(&messages) }
        }
        return (true, state.client)
      }
      guard mayChange else { return }
      if !newValue { forgetCrashes() }
      guard let client else { return keep { $0.setEnabled(newValue) } }
      let isNew = client.isEnabled != newValue
      client.isEnabled = newValue
      checkSaved(client)
      // Enabling the core enables the services, and that ends a pause.
      if newValue, isNew { client.resume() }
    }
  }

  /// True while a service records; false before its start and while nothing can be stored.
  package func isEnabled(_ traits: ServiceTraits) -> Bool {
    decide { state, messages in
      guard let service = state.services[traits.name] else {
        messages.append(state.notStarted(traits))
        return false
      }
      return state.isRecording(service)
    }
  }

  /// Enables or disables a service, across launches. Enabling it also resumes sending.
  package func setEnabled(_ isEnabled: Bool, _ traits: ServiceTraits) {
    let (maySwitch, client) = decide { state, messages in
      (state.maySwitch(traits, isEnabled, &messages), state.client)
    }
    guard maySwitch else { return }
    if !isEnabled, traits.part == .errors { forgetCrashes() }
    guard let client else { return keep { $0.setRecording(isEnabled, of: traits.part) } }
    let isNew = client.isRecording(traits.part) != isEnabled
    client.setRecording(isEnabled, of: traits.part)
    checkSaved(client)
    // Only on a change: setting the same value again must not end a pause.
    if isEnabled, isNew, traits.part == .usage { client.resume() }
  }

  /// Erases crash reports along with all other waiting events, including those that still need the user's consent.
  private func forgetCrashes() {
    state.withLock { $0.crashes.undecided = [] }
    environment.crashes.remove(environment.crashes.reports().map(\.id))
  }

  /// Saves a setting for the next launch: this one has no client to apply it.
  private func keep(_ change: (ClientStore) -> Bool) {
    if !change(store) {
      logger.write(.error, .core, "Couldn't save this setting; it will be lost at the next launch.")
    }
  }

  /// Logs an error while a changed setting is not saved yet.
  private func checkSaved(_ client: TernClient) {
    if !client.areSettingsSaved {
      logger.write(.error, .core, "Couldn't save this setting yet. It applies to this process, and saving is retried.")
    }
  }

  /// Allows requests when true; can be set at any time and is kept across launches.
  package var allowsRequests: Bool {
    get { state.withLock { $0.client }?.allowsRequests ?? store.allowsRequests }
    set {
      let client = state.withLock { state in
        state.allowsRequests = newValue
        return state.client
      }
      logger.write(.info, .core, "Requests are \(newValue ? "allowed" : "forbidden").")
      guard let client else { return keep { $0.setAllowsRequests(newValue) } }
      client.allowsRequests = newValue
      checkSaved(client)
    }
  }

  /// Pauses or resumes all sending.
  package func setPaused(_ isPaused: Bool, _ traits: ServiceTraits) {
    guard let client = decide({ $0.client(of: traits, &$1) }) else { return }
    if isPaused { client.pause() } else { client.resume() }
  }
}
