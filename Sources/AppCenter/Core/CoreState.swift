import Foundation
package import Tern
import TernEvents

/// The state of all modules. It decides, ``AppCenterCore`` acts.
package struct CoreState {
  /// The configuration of the SDK, by the app or only by a library.
  enum Configured { case no, byLibrary, byApp }

  /// A running service.
  struct Started {
    var traits: ServiceTraits
    var isFromApplication: Bool
    /// True if it may use the client.
    var hasSecret: Bool
  }

  /// The size requested by the app, until there is a client.
  struct PendingSize {
    var bytes: Int
    var handler: (@Sendable (Bool) -> Void)?
  }

  var configured = Configured.no
  var hasSecret = false
  package var client: TernClient?
  /// The reason, for the log, that the app's start created no client.
  var obstacle: String?
  var services: [String: Started] = [:]
  var pendingSize: PendingSize?
  /// The size to apply when there is a client.
  package var pendingBytes: Int? { pendingSize?.bytes }
  var wasSizeSet = false
  var logUrl: String?
  var countryCode: String?
  var dataResidencyRegion: String?
  var userID: String?
  /// The app's setting in this process; it applies even if it could not be saved.
  var allowsRequests: Bool?
  package var interval = Duration.seconds(6)
  package var isManual = false
  var wasCollectorMissed = false
  /// The number of threads that are starting the SDK or waiting to.
  var startsUnderWay = 0
  /// Callbacks to run after the last start.
  var afterStart: [@Sendable () -> Void] = []
  /// The state of `AppCenterCrashes`, kept here so that replacing the core in a test replaces it, too.
  package var crashes = CrashesState()
  var wrapper: [String: String?] = [:]

  /// The smallest allowed size of the storage.
  static let minimumBytes = 24 << 10
}

extension CoreState {
  /// The client of a started service.
  package func client(of traits: ServiceTraits, _ messages: inout [LogMessage]) -> TernClient? {
    guard let service = services[traits.name] else {
      messages.append(notStarted(traits))
      return nil
    }
    guard service.hasSecret, let client else {
      // The start has logged it once, at a higher level.
      messages.add(.debug, .core, "\(traits.name) records nothing: \(reasonForNotRecording(service))")
      return nil
    }
    return client
  }

  /// Returns the reason that a service records nothing.
  private func reasonForNotRecording(_ service: Started) -> String {
    obstacle ?? (service.isFromApplication ? Self.noSecret : "the application has not started it with an app secret.")
  }

  static let noSecret = "there is no app secret; pass one to AppCenter.start(withAppSecret:services:)."

  func notStarted(_ traits: ServiceTraits) -> LogMessage {
    LogMessage(
      .error, .core, "\(traits.name) has not been started; call AppCenter.start(withAppSecret:services:) first.")
  }

  package func isStarted(_ traits: ServiceTraits) -> Bool { services[traits.name] != nil }

  /// True if a service is on and its events can be stored.
  func isRecording(_ service: Started) -> Bool {
    guard service.hasSecret, isRecording, let client else { return false }
    return client.isRecording(service.traits.part)
  }

  /// True if recorded events survive the process.
  var isRecording: Bool { client.map { $0.isEnabled && $0.hasStorage } ?? false }

  /// Logs the reason if a service that was just enabled doesn't appear to be.
  func warnAboutMissingStorage(_ messages: inout [LogMessage]) {
    guard let client, !client.hasStorage else { return }
    messages.add(.warning, .core, "The storage is unavailable; events stay in memory until it is available.")
  }

  /// Returns true if a service may be enabled or disabled; logs the outcome.
  func maySwitch(_ traits: ServiceTraits, _ isOn: Bool, _ messages: inout [LogMessage]) -> Bool {
    guard let service = services[traits.name] else {
      messages.append(notStarted(traits))
      return false
    }
    if let client, !client.isEnabled {
      messages.add(.error, traits.tag, "The SDK is disabled; enable AppCenter first.")
      return false
    }
    if isOn, client == nil || !service.hasSecret {
      messages.add(
        .error, traits.tag, "\(traits.name) is enabled but records nothing: \(reasonForNotRecording(service))")
    } else {
      messages.add(.info, traits.tag, "\(traits.name) is \(isOn ? "enabled" : "disabled").")
      if isOn { warnAboutMissingStorage(&messages) }
    }
    return true
  }

  /// Records a configuration by the app or a library; returns false if it is ignored.
  mutating func configure(fromApplication: Bool, _ messages: inout [LogMessage]) -> Bool {
    switch (configured, fromApplication) {
    case (.byApp, true):
      messages.add(.assert, .core, "The SDK has already been configured.")
      messages.add(.assert, .core, "This attempt to configure it was ignored, and so were its services.")
      return false
    case (_, true): configured = .byApp
    case (.no, false): configured = .byLibrary
    case (_, false): break
    }
    return true
  }

  /// Records the start of a service; returns false if it is ignored.
  mutating func start(
    _ traits: ServiceTraits, fromApplication: Bool, disabled: Set<String>, _ messages: inout [LogMessage]
  ) -> Bool {
    if disabled.contains("all") || disabled.contains(traits.name.lowercased()) {
      messages.add(.debug, .core, "\(traits.name) is not started: APP_CENTER_DISABLE names it.")
      return false
    }
    let secret = fromApplication && hasSecret
    if let running = services[traits.name] {
      // The app takes over services that a library started.
      guard fromApplication, !running.isFromApplication else { return false }
      services[traits.name]?.isFromApplication = true
      services[traits.name]?.hasSecret = secret
      return true
    }
    if traits.isSecretRequired, !secret {
      messages.add(.error, .core, "\(traits.name) needs an app secret and is not started.")
      return false
    }
    if fromApplication, !secret {
      messages.add(.warning, .core, "\(traits.name) records nothing: \(Self.noSecret)")
    }
    services[traits.name] = Started(traits: traits, isFromApplication: fromApplication, hasSecret: secret)
    return true
  }

  /// Records the requested size of the storage; returns the answer, or `nil` if it has to wait for the client.
  mutating func setMaximumSize(
    _ bytes: Int, _ handler: (@Sendable (Bool) -> Void)?, _ messages: inout [LogMessage]
  ) -> Bool? {
    guard bytes >= Self.minimumBytes else {
      messages.add(
        .warning, .core, "The storage size must be at least \(Self.minimumBytes) bytes; \(bytes) is ignored.")
      return false
    }
    guard !wasSizeSet else {
      messages.add(.warning, .core, "The size of the storage can be set only once; this call is ignored.")
      return false
    }
    wasSizeSet = true
    guard configured != .byApp else {
      messages.add(.warning, .core, "The size of the storage must be set before AppCenter.start; this call is ignored.")
      return false
    }
    pendingSize = PendingSize(bytes: bytes, handler: handler)
    return nil
  }
}
