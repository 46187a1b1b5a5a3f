public import Foundation
import TernBase
import TernDelivery
public import TernEvents
import TernLog

/// Settings that can change while a client runs.
extension TernClient {
  /// The collector's address; `nil` while there is none, and everything is kept on the device.
  public var collector: URL? {
    engine.endpoint.withLock { $0 }.map { endpoint in
      var text = endpoint.absoluteString
      text.removeLast(NativeProtocol.path.count)
      return URL(string: text) ?? endpoint
    }
  }

  /// Changes the collector's address; `nil`: nothing is sent until there is one again. Not kept over launches.
  ///
  /// Requests under way end where they were sent to.
  ///
  /// - Throws: `TernError` when the address cannot be used; the one before stays.
  public func setCollector(_ collector: URL?) throws(TernError) {
    var endpoint: URL?
    if let collector { endpoint = try Configuration.endpoint(of: collector) }
    engine.endpoint.withLock { $0 = endpoint }
    engine.setPaused(endpoint == nil, for: .noCollector)
  }

  /// A Boolean value that allows requests; kept over launches, true at first.
  ///
  /// While it is false events are recorded as before and nothing is sent, as after ``pause()``.
  public var allowsRequests: Bool {
    get { engine.clientState.withLock { !$0.pauses.contains(.notAllowed) } }
    set { engine.setAllowsRequests(newValue) }
  }

  /// The most the queue may take on disk, in bytes, from now on and over launches; the least is 24 KiB.
  ///
  /// A lower limit than what the queue takes drops its oldest events of the lowest priority at once.
  public func setMaximumQueueBytes(_ bytes: Int) {
    let bytes = max(bytes, 24 << 10)
    engine.log.setMaximumBytes(bytes)
    engine.files.withLock { files in
      files.unsaved.queueBytes = bytes
      files.save()
    }
    engine.noteDrops()
  }

  /// The bytes that the queue takes on disk.
  public var queueBytes: Int { engine.log.counts.bytes }

  /// Sets the ISO 3166 code of the country for the events from now on; `nil` means what the device says.
  ///
  /// Not kept over launches.
  public func setCountryCode(_ code: String?) {
    engine.changeDevice { $0.country = code }
  }

  /// Adds facts about the device to the events from now on, by the names of the App Center protocol; `nil` removes one.
  ///
  /// Not kept over launches. Names that a `Device` has members for must not be among them.
  public func setDeviceFacts(_ facts: [String: String?]) {
    engine.changeDevice { changes in
      for (name, value) in facts { changes.others[name] = value }
    }
  }

  /// Reads the facts about the device again, for the events from now on: its language or time zone changed.
  ///
  /// Called by itself on Apple's systems, and at the start of each session everywhere.
  public func refreshDevice() {
    engine.changeDevice { _ in }
  }

  /// Changes how sessions begin from now on; a session that is open goes on.
  ///
  /// In the foreground a change to `.automatic()` begins one, if none is open.
  public func setSessions(_ sessions: Configuration.Sessions) {
    engine.beginSession { tracker in
      if case .automatic(let timeout) = sessions {
        tracker.timeout = max(timeout, .zero)
      } else {
        tracker.timeout = nil
      }
      return tracker.current == nil && tracker.enabled()
    }
  }

  /// Changes how long after the first unsent event a delivery starts; not kept over launches.
  public func setFlushInterval(_ interval: Duration) {
    engine.mailbox.post(.input(.flushInterval(min(max(interval, .zero), .longest))))
  }

  /// The session that events belong to now; `nil` while none is open.
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
  }
}

extension PersistedSettings {
  /// Why a client on these switches sends nothing at first.
  func pauses(_ configuration: TernClient.Configuration) -> Set<PauseReason> {
    var pauses: Set<PauseReason> = []
    if configuration.startsPaused { pauses.insert(.app) }
    if configuration.collector == nil { pauses.insert(.noCollector) }
    if allowsRequests == false { pauses.insert(.notAllowed) }
    return pauses
  }
}
