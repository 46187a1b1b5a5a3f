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
  package let install: UniqueID
  package let log: EventLog
  /// One at a time: of two threads that switch, one is first in every respect.
  let files: Locked<StateFiles>
  let recorder: Locked<Recorder>
  let board: StatusBoard
  package let mailbox = Mailbox()
  /// Events of earlier processes: they need not wait for the timer.
  let hadBacklog: Bool
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
    let switches = files.firstSwitches()
    var opened = configuration
    // What the app set while it ran holds, or a launch would drop what was kept before it could say so again.
    if let bytes = switches.queueBytes { opened.maximumQueueBytes = bytes }
    (install, log) = try Self.open(files, opened, environment, &generator)
    // The switch is written before the log is erased: a process that died in between left events that nobody may send.
    if !switches.isEnabled, log.counts.waiting > 0 { log.erase() }
    self.files = Locked(files)
    for part in switches.off ?? [] where log.counts.waiting > 0 { log.erase(epoch: part.erasure) }
    let unknown: Set<PauseReason> = files.areSwitchesUnknown ? [.unknownSwitches] : []
    board = StatusBoard(pauses: switches.pauses(configuration).union(unknown))
    hadBacklog = log.counts.waiting > 0
    let timeout: Duration? =
      if case .automatic(let timeout) = configuration.sessions { max(timeout, .zero) } else { nil }
    recorder = Locked(
      Recorder(
        install: install, boot: environment.boot, sendAtWaiting: configuration.sendAtWaiting, generator: generator,
        sessions: SessionTracker(timeout: timeout), switches: switches,
        device: environment.device().completed(by: configuration), observer: environment.observesAppends))
    deviceChanges = Locked(DeviceChanges(country: configuration.countryCode))
  }

  private static func open(
    _ files: StateFiles, _ configuration: TernClient.Configuration, _ environment: TernClient.Environment,
    _ generator: inout FastGenerator
  ) throws(TernError) -> (UniqueID, EventLog) {
    let help = "Give a queueDirectory that this process may create and write."
    let install: UniqueID
    do throws(FileError) {
      install = try files.installID(using: &generator)
    } catch {
      throw TernError(
        code: .unusableDirectory, message: "The directory \(files.directory) cannot be used. \(help)", cause: error)
    }
    do throws(LogError) {
      let log = try EventLog(
        EventLog.Configuration(
          directory: files.directory, maximumBytes: configuration.maximumQueueBytes,
          maximumAge: configuration.maximumEventAge,
          // A new file costs fifty times what an append does: larger segments keep that out of the 99th percentile.
          segmentBytes: 256 << 10, maximumRecordBytes: NativeProtocol.maximumEventBytes,
          durability: configuration.logDurability,
          bootID: environment.boot.flatMap { UniqueID($0) } ?? UniqueID(high: 0, low: 0)),
        fileSystem: environment.fileSystem, clock: environment.clock)
      return (install, log)
    } catch {
      throw TernError(code: .unusableDirectory, message: "\(error.message) \(help)", cause: error)
    }
  }

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

  var waiting: DeliveryMachine.Waiting {
    let counts = log.counts
    let critical = counts.waitingCritical - counts.unreadableCritical
    return .init(
      normal: counts.waiting - counts.unreadable - critical, critical: critical, blocked: counts.unreadable,
      blockedUntil: counts.unreadableUntil)
  }

  package var status: TernClient.Status {
    let counts = log.counts
    let isEnabled = recorder.withLock { $0.isEnabled }
    return board.state.withLock { state in
      TernClient.Status(
        queued: counts.waiting, inFlight: counts.claimed, delivered: counts.deliveredHere,
        droppedByReason: counts.dropped.filter { !$0.key.isReport },
        lastError: state.lastError, isPaused: state.isPaused, isEnabled: isEnabled)
    }
  }
}
