import Foundation
package import Tern
import TernEvents

/// Everything that the modules remember, in one place; it decides, ``AppCenterCore`` acts.
package struct CoreState {
  /// Who configured the SDK.
  enum Configured { case nobody, library, application }

  /// A service that runs.
  struct Started {
    var traits: ServiceTraits
    var isFromApplication: Bool
    /// Whether it may use the client.
    var hasSecret: Bool
  }

  /// The size that the app asked for, until there is a storage to tell.
  struct PendingSize {
    var bytes: Int
    var handler: (@Sendable (Bool) -> Void)?
  }

  var configured = Configured.nobody
  var hasSecret = false
  package var client: TernClient?
  /// Why the application's start has brought no client, in words for the log.
  var obstacle: String?
  var services: [String: Started] = [:]
  var pendingSize: PendingSize?
  /// The size that is to be set when there is a storage.
  package var pendingBytes: Int? { pendingSize?.bytes }
  var wasSizeSet = false
  var logUrl: String?
  var countryCode: String?
  var dataResidencyRegion: String?
  var userID: String?
  /// What the app said of requests in this process: it holds even if the disk does not take it.
  var allowsRequests: Bool?
  package var interval = Duration.seconds(6)
  package var isManual = false
  var wasCollectorMissed = false
  /// How many threads are starting something, or wait for their turn.
  var startsUnderWay = 0
  /// What is to be done when the last of them is done.
  var afterStart: [@Sendable () -> Void] = []
  /// What the modules above keep here, so that a test that replaces the core replaces it too.
  package var crashes = CrashesState()
  var wrapper: [String: String?] = [:]

  /// The least storage that can be asked for.
  static let minimumBytes = 24 << 10
}

extension CoreState {
  /// A service may be used: it was started.
  package func client(of traits: ServiceTraits, _ notes: inout [Note]) -> TernClient? {
    guard let service = services[traits.name] else {
      notes.append(notStarted(traits))
      return nil
    }
    guard service.hasSecret, let client else {
      // The start has said it once, where everybody sees it.
      notes.append(Note(.debug, .core, "\(traits.name) records nothing: \(whyNothing(of: service))"))
      return nil
    }
    return client
  }

  /// Why nothing that a service is given is kept.
  private func whyNothing(of service: Started) -> String {
    obstacle ?? (service.isFromApplication ? Self.noSecret : "the application has not started it with an app secret.")
  }

  static let noSecret = "there is no app secret; give one to AppCenter.start(withAppSecret:services:)."

  func notStarted(_ traits: ServiceTraits) -> Note {
    Note(.error, .core, "\(traits.name) has not been started; call AppCenter.start(withAppSecret:services:) first.")
  }

  package func isStarted(_ traits: ServiceTraits) -> Bool { services[traits.name] != nil }

  /// Whether what a service is given is kept: it is on, and there is somewhere to keep it.
  func isRecording(_ service: Started) -> Bool {
    guard service.hasSecret, isRecording, let client else { return false }
    return client.isRecording(service.traits.part)
  }

  /// Whether what is recorded is kept over the end of the process.
  var isRecording: Bool { client.map { $0.isEnabled && $0.hasStorage } ?? false }

  /// Somebody switches on what then does not look enabled.
  func missStorage(_ notes: inout [Note]) {
    guard let client, !client.hasStorage else { return }
    notes.append(
      Note(.warning, .core, "The storage cannot be used now: what is recorded stays in memory until it can."))
  }

  /// A service shall be switched; whether it may be.
  func maySwitch(_ traits: ServiceTraits, _ isOn: Bool, _ notes: inout [Note]) -> Bool {
    guard let service = services[traits.name] else {
      notes.append(notStarted(traits))
      return false
    }
    if let client, !client.isEnabled {
      notes.append(Note(.error, traits.tag, "The SDK is disabled; enable AppCenter first."))
      return false
    }
    if isOn, client == nil || !service.hasSecret {
      notes.append(
        Note(.error, traits.tag, "\(traits.name) is enabled and yet records nothing: \(whyNothing(of: service))"))
    } else {
      notes.append(Note(.info, traits.tag, "\(traits.name) is \(isOn ? "enabled" : "disabled")."))
      if isOn { missStorage(&notes) }
    }
    return true
  }

  /// Takes in that the app or a library configures; says whether it may.
  mutating func configure(fromApplication: Bool, _ notes: inout [Note]) -> Bool {
    switch (configured, fromApplication) {
    case (.application, true):
      notes.append(Note(.assert, .core, "The SDK has already been configured."))
      notes.append(Note(.assert, .core, "This attempt to configure it was ignored, and so were its services."))
      return false
    case (_, true): configured = .application
    case (.nobody, false): configured = .library
    case (_, false): break
    }
    return true
  }

  /// Takes in that a service shall start; says whether it does.
  mutating func start(
    _ traits: ServiceTraits, fromApplication: Bool, disabled: Set<String>, _ notes: inout [Note]
  ) -> Bool {
    if disabled.contains("all") || disabled.contains(traits.name.lowercased()) {
      notes.append(Note(.debug, .core, "\(traits.name) is not started: APP_CENTER_DISABLE names it."))
      return false
    }
    let secret = fromApplication && hasSecret
    if let running = services[traits.name] {
      // The application takes over what a library started.
      guard fromApplication, !running.isFromApplication else { return false }
      services[traits.name]?.isFromApplication = true
      services[traits.name]?.hasSecret = secret
      return true
    }
    if traits.isSecretRequired, !secret {
      notes.append(Note(.error, .core, "\(traits.name) needs an app secret and is not started."))
      return false
    }
    if fromApplication, !secret {
      notes.append(Note(.warning, .core, "\(traits.name) records nothing: \(Self.noSecret)"))
    }
    services[traits.name] = Started(traits: traits, isFromApplication: fromApplication, hasSecret: secret)
    return true
  }

  /// Takes in the size of the storage; what to tell the handler now, or `nil` when that has to wait.
  mutating func setMaximumSize(
    _ bytes: Int, _ handler: (@Sendable (Bool) -> Void)?, _ notes: inout [Note]
  ) -> Bool? {
    guard bytes >= Self.minimumBytes else {
      notes.append(Note(.warning, .core, "The storage needs at least \(Self.minimumBytes) bytes; \(bytes) is ignored."))
      return false
    }
    guard !wasSizeSet else {
      notes.append(Note(.warning, .core, "The size of the storage can be set once; this is ignored."))
      return false
    }
    wasSizeSet = true
    guard configured != .application else {
      notes.append(
        Note(.warning, .core, "The size of the storage has to be set before AppCenter.start; it is ignored."))
      return false
    }
    pendingSize = PendingSize(bytes: bytes, handler: handler)
    return nil
  }
}
