import Tern
import TernEvents

/// What can be switched on and off.
extension AppCenterCore {
  package var isConfigured: Bool { state.withLock { $0.configured == .application } }

  private static let notConfigured = Note(
    .error, .core, "The SDK has not been configured; call AppCenter.start(withAppSecret:services:) first.")

  /// Whether anything is recorded; kept over launches, and false while there is nowhere to keep it.
  package var isEnabled: Bool {
    get {
      decide { state, notes in
        if state.configured == .nobody { notes.append(Self.notConfigured) }
        return state.isRecording
      }
    }
    set {
      let (mayChange, client) = decide { state, notes -> (Bool, TernClient?) in
        guard state.configured != .nobody else {
          notes.append(Self.notConfigured)
          return (false, nil)
        }
        if newValue, state.client == nil {
          notes.append(
            Note(.error, .core, "The SDK is enabled and yet records nothing: \(state.obstacle ?? CoreState.noSecret)"))
        } else {
          notes.append(Note(.info, .core, "The SDK is \(newValue ? "enabled" : "disabled")."))
          if newValue { state.missStorage(&notes) }
        }
        return (true, state.client)
      }
      guard mayChange else { return }
      guard let client else { return keep { $0.setEnabled(newValue) } }
      let isNew = client.isEnabled != newValue
      client.isEnabled = newValue
      checkSaved(client)
      // Enabling the core enables the services, and that ends a pause.
      if newValue, isNew { client.resume() }
    }
  }

  /// Whether a service records; false before it was started, and while there is nowhere to keep what it is given.
  package func isEnabled(_ traits: ServiceTraits) -> Bool {
    decide { state, notes in
      guard let service = state.services[traits.name] else {
        notes.append(state.notStarted(traits))
        return false
      }
      return state.isRecording(service)
    }
  }

  /// Switches a service; kept over launches. Whoever is switched on sends again, too.
  package func setEnabled(_ isEnabled: Bool, _ traits: ServiceTraits) {
    let (maySwitch, client) = decide { state, notes in
      (state.maySwitch(traits, isEnabled, &notes), state.client)
    }
    guard maySwitch else { return }
    if !isEnabled, traits.part == .errors { forgetCrashes() }
    guard let client else { return keep { $0.setRecording(isEnabled, of: traits.part) } }
    let isNew = client.isRecording(traits.part) != isEnabled
    client.setRecording(isEnabled, of: traits.part)
    checkSaved(client)
    // Only a change: an app that says again what holds already has not asked for its pause to end.
    if isEnabled, isNew, traits.part == .usage { client.resume() }
  }

  /// What a crash left is erased as everything else that waits, whether somebody was asked about it or not.
  private func forgetCrashes() {
    state.withLock { $0.crashes.undecided = [] }
    world.crashes.remove(world.crashes.reports().map(\.id))
  }

  /// Writes down for the next launch what this one, which has no client, was told: it is the user's will.
  private func keep(_ change: (ClientStore) -> Bool) {
    if !change(store) {
      logBook.write(.error, .core, "That could not be written down, and is forgotten at the next launch.")
    }
  }

  /// Says so when what was switched holds in this process only, for the time being.
  private func checkSaved(_ client: TernClient) {
    if !client.areSettingsSaved {
      logBook.write(.error, .core, "That could not be written down yet. It holds in this process, and is tried again.")
    }
  }

  /// Whether requests may be made; can be set at any time and is kept over launches.
  package var allowsRequests: Bool {
    get { state.withLock { $0.client }?.allowsRequests ?? store.allowsRequests }
    set {
      let client = state.withLock { state in
        state.allowsRequests = newValue
        return state.client
      }
      logBook.write(.info, .core, "Requests are \(newValue ? "allowed" : "forbidden").")
      guard let client else { return keep { $0.setAllowsRequests(newValue) } }
      client.allowsRequests = newValue
      checkSaved(client)
    }
  }

  /// Pauses or resumes the sending of everything.
  package func setPaused(_ isPaused: Bool, _ traits: ServiceTraits) {
    guard let client = decide({ $0.client(of: traits, &$1) }) else { return }
    if isPaused { client.pause() } else { client.resume() }
  }
}
