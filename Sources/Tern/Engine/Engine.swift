import Foundation
import TernDelivery
package import TernEvents
package import TernLog

/// Everything a client consists of; the run loop holds it, and so outlives the client only until it has closed the log.
package final class Engine: Sendable {
  package let configuration: TernClient.Configuration
  package let environment: TernClient.Environment
  /// `nil`: there is no collector, and nothing is sent.
  let endpoint: Locked<URL?>
  /// What the app says of the device, beside what the device says itself.
  let deviceChanges: Locked<DeviceChanges>
  package let log: EventLog
  /// One at a time: of two threads that switch, one is first in every respect.
  let files: Locked<StateFiles>
  let recorder: Locked<Recorder>
  let clientState: ClientState
  package let mailbox = Mailbox()
  let machineSeed: UInt64

  package init(_ configuration: TernClient.Configuration, _ environment: TernClient.Environment) throws(TernError) {
    endpoint = Locked(try configuration.endpoint())
    try configuration.checkKey()
    self.configuration = configuration
    self.environment = environment
    var generator = FastGenerator(seed: environment.seed)
    machineSeed = generator.next()
    var files = StateFiles(
      directory: configuration.queueDirectory.path, fileSystem: environment.fileSystem,
      isDurable: configuration.durability != .never, seed: generator.next())
    let settings = files.firstSettings()
    self.files = Locked(files)
    var opened = configuration
    // What the app set while it ran holds, or a launch would drop what was kept before it could say so again.
    if let bytes = settings.queueBytes { opened.maximumQueueBytes = bytes }
    log = Self.log(opened, environment)
    let unknown: Set<PauseReason> = files.areSettingsUnknown ? [.unknownSettings] : []
    clientState = ClientState(pauses: settings.pauses(configuration).union(unknown))
    let timeout: Duration? =
      if case .automatic(let timeout) = configuration.sessions { max(timeout, .zero) } else { nil }
    recorder = Locked(
      Recorder(
        install: .random(using: &generator), boot: environment.boot, flushAt: configuration.flushAt,
        generator: generator, sessions: SessionTracker(timeout: timeout), settings: settings,
        device: environment.device().completed(by: configuration), observer: environment.observesAppends))
    deviceChanges = Locked(DeviceChanges(country: configuration.countryCode))
    openStorage()
  }

  private static func log(_ configuration: TernClient.Configuration, _ environment: TernClient.Environment) -> EventLog
  {
    EventLog(
      unopened: EventLog.Configuration(
        directory: configuration.queueDirectory.path, maximumBytes: configuration.maximumQueueBytes,
        maximumAge: configuration.maximumEventAge,
        // A new file costs fifty times what an append does: larger segments keep that out of the 99th percentile.
        segmentBytes: 256 << 10, maximumRecordBytes: NativeProtocol.maximumEventBytes,
        durability: configuration.logDurability,
        bootID: environment.boot.flatMap { UniqueID($0) } ?? UniqueID(high: 0, low: 0)),
      fileSystem: environment.fileSystem, clock: environment.clock)
  }

  /// Drawn for the time being while the disk does not say which it is.
  package var install: UniqueID { recorder.withLock { $0.install } }

  // MARK: Recording

  @discardableResult
  func record(
    _ kind: EventKind, _ name: String, _ properties: Properties, _ priority: Priority, details: [UInt8] = []
  ) -> Receipt {
    let (result, entry) = recorder.withLock { recorder -> (Recorder.Result, Receipt.Entry) in
      let result = recorder.record(
        kind, name, properties, priority, details: details, into: log, clock: environment.clock)
      return (result, recorder.entry(for: result))
    }
    perform(result)
    return Receipt(entry: entry, engine: self)
  }

  func perform(_ result: Recorder.Result) {
    switch result {
    case .nothing: break
    case .post(let message): mailbox.post(message)
    case .dropped: mailbox.post(.refresh)
    }
  }

  /// Begins a session if `decide` says so.
  func beginSession(if decide: (inout SessionTracker) -> Bool) {
    // Asked before locking: reading the device's facts takes longer than an event should wait.
    let device = currentDevice
    let result = recorder.withLock { recorder -> Recorder.Result in
      guard decide(&recorder.sessions) else { return .nothing }
      return recorder.beginSession(device: device, into: log, clock: environment.clock)
    }
    perform(result)
  }

  // MARK: Looking

  /// What the log holds, and what waits for it: of one moment, since an event goes from one to the other under the
  /// recorder's lock.
  private var counts: (log: LogCounts, held: Int, isEnabled: Bool, hasStorage: Bool) {
    recorder.withLock { (log.counts, $0.bufferedEvents, $0.isEnabled, $0.outage == nil) }
  }

  var waiting: DeliveryMachine.Waiting {
    let (counts, held, _, _) = counts
    let critical = counts.waitingCritical - counts.unreadableCritical
    return .init(
      normal: counts.waiting - counts.unreadable - critical, critical: critical,
      blocked: counts.unreadable + counts.unreadSegments + held,
      blockedUntil: counts.unreadableUntil, isClaimLimitReached: counts.isClaimLimitReached)
  }

  package var status: TernClient.Status {
    let (counts, held, isEnabled, hasStorage) = counts
    return clientState.withLock { state in
      TernClient.Status(
        queued: counts.waiting + held, inFlight: counts.claimed, delivered: counts.deliveredHere,
        droppedByReason: counts.dropped.filter { !$0.key.isReport },
        lastError: state.lastError, isPaused: state.isPaused, isEnabled: isEnabled,
        hasStorage: hasStorage)
    }
  }

  var ledger: TernClient.Ledger {
    let (counts, held, _, _) = counts
    return TernClient.Ledger(
      tracked: counts.tracked.addingSaturated(held), delivered: counts.delivered, queued: counts.waiting + held,
      inFlight: counts.claimed, droppedByReason: counts.dropped.filter { !$0.key.isReport })
  }
}
