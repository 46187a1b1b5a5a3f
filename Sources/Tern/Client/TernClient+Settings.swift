public import Foundation
import TernBase
import TernDelivery
import TernEvents
import TernLog
public import TernValues

/// Settings that can change while a client runs.
extension TernClient {
  /// The collector's URL; while it is `nil`, events stay on the device.
  public var collector: URL? {
    engine.endpoint.withLock { $0 }.map { endpoint in
      var text = endpoint.absoluteString
      text.removeLast(NativeProtocol.path.count)
      return URL(string: text) ?? endpoint
    }
  }

  /// Changes the collector's URL; with `nil`, nothing is sent until another one is set. Not saved across launches.
  ///
  /// Requests in flight are not redirected.
  ///
  /// - Throws: `TernError` if the URL is not usable; the previous one stays in place.
  public func setCollector(_ collector: URL?) throws(TernError) {
    var endpoint: URL?
    if let collector { endpoint = try Configuration.endpoint(of: collector) }
    engine.endpoint.withLock { $0 = endpoint }
    engine.setPaused(endpoint == nil, for: .noCollector)
  }

  /// A Boolean value that allows requests; saved across launches. The default is true.
  ///
  /// While it is false, events are recorded but not sent, as after ``pause()``.
  public var allowsRequests: Bool {
    get { engine.clientState.withLock { !$0.pauses.contains(.notAllowed) } }
    set { engine.setAllowsRequests(newValue) }
  }

  /// Sets the maximum size of the queue on disk, in bytes, at least 24 KiB; saved across launches.
  ///
  /// If the queue is larger, its oldest events of the lowest priority are dropped immediately.
  public func setMaximumQueueBytes(_ bytes: Int) {
    let bytes = max(bytes, 24 << 10)
    engine.log.setMaximumBytes(bytes)
    engine.files.withLock { files in
      files.unsaved.queueBytes = bytes
      files.save()
    }
    engine.noteDrops()
  }

  /// The size of the queue on disk, in bytes.
  public var queueBytes: Int { engine.log.counts.bytes }

  /// Sets the ISO 3166 country code of later events; `nil` restores the configured or detected one.
  ///
  /// Not saved across launches.
  public func setCountryCode(_ code: String?) {
    engine.changeDevice { $0.country = code }
  }

  /// Adds device facts to later events, by their App Center names; a `nil` value removes one.
  ///
  /// Not saved across launches. Do not use names that correspond to a property of `Device`.
  public func setDeviceFacts(_ facts: [String: String?]) {
    engine.changeDevice { changes in
      for (name, value) in facts { changes.others[name] = value }
    }
  }

  /// Rereads the facts about the device for later events, for example after a change of language or time zone.
  ///
  /// Called automatically on Apple platforms, and at the start of each session everywhere.
  public func refreshDevice() {
    engine.changeDevice { _ in }
  }

  /// Changes the rule for starting sessions; the current session continues.
  ///
  /// In the foreground, a change to `.automatic()` starts a session if there is none.
  public func setSessions(_ sessions: Configuration.Sessions) {
    engine.beginSession { tracker in
      tracker.follow(sessions)
      return tracker.current == nil && tracker.enabled()
    }
  }

  /// Changes ``Configuration/flushInterval``; not saved across launches.
  public func setFlushInterval(_ interval: Duration) {
    engine.mailbox.post(.input(.flushInterval(min(max(interval, .zero), .longest))))
  }

  /// The current session; `nil` if there is none.
  public var sessionID: UniqueID? { engine.recorder.withLock { $0.sessions.current } }
}

/// An app's changes to the device facts.
struct DeviceChanges: Sendable {
  var country: String?
  var others: [String: String] = [:]

  func applied(to device: Device) -> Device {
    var device = device
    if let country { device.country = country.isEmpty ? nil : country.uppercased() }
    device.others.merge(others) { _, new in new }
    return device
  }
}

extension Engine {
  /// The device facts, with the app's changes.
  var currentDevice: Device {
    let device = environment.device().completed(by: configuration)
    return deviceChanges.withLock { $0 }.applied(to: device)
  }

  func changeDevice(_ change: (inout DeviceChanges) -> Void) {
    deviceChanges.withLock { change(&$0) }
    let members = currentDevice.encodedMembers()
    recorder.withLock { $0.device = members }
    refreshCrashContext()
  }
}

extension PersistedSettings {
  /// The reasons why a client with these settings starts paused.
  func pauses(_ configuration: TernClient.Configuration) -> Set<PauseReason> {
    var pauses: Set<PauseReason> = []
    if configuration.startsPaused { pauses.insert(.app) }
    if configuration.collector == nil { pauses.insert(.noCollector) }
    if allowsRequests == false { pauses.insert(.notAllowed) }
    return pauses
  }
}
