package import Foundation
import TernBase
import TernCrash
import TernDelivery
import TernEvents
package import TernLog
package import TernValues

/// The parts of a client that it shares with its delivery loop.
///
/// The loop keeps it alive after the client is gone, until the log is closed.
package final class Engine: Sendable {
  package let configuration: TernClient.Configuration
  package let environment: TernClient.Environment
  /// `nil` while there is no collector.
  let endpoint: Locked<URL?>
  /// The app's changes to the device facts.
  let deviceChanges: Locked<DeviceChanges>
  package let log: EventLog
  /// Locked for a whole change of settings, so that concurrent changes do not interleave.
  let files: Locked<StateFiles>
  let recorder: Locked<Recorder>
  let clientState: ClientState
  /// Catches the crashes of this process; `nil` while it doesn't. Locked before `recorder`.
  let catcher = Locked<CrashCatcher?>(nil)
  /// True while `catcher` is set. Its own lock is never held for long, so that a step doesn't wait.
  let keepsSteps = Locked(false)
  /// Keeps the contexts of launches; `nil` where the process itself writes its crash reports.
  let journal = Locked<LaunchJournal?>(nil)
  /// The file of this launch while it may be terminated; `nil` if that is not reported. Locked before `recorder`.
  let launch = Locked<LaunchFile?>(nil)
  /// Watches the main thread; `nil` while nothing does.
  let hangs = Locked<HangWatchdog?>(nil)
  package let mailbox = Mailbox()
  package let machineSeed: UInt64

  package convenience init(
    _ configuration: TernClient.Configuration, _ environment: TernClient.Environment
  ) throws(TernError) {
    let endpoint = try configuration.endpoint()
    try configuration.checkKey()
    self.init(queue: configuration, environment, endpoint: endpoint, format: .native)
  }

  /// Creates an engine. The configuration's key and collector are ignored.
  package init(
    queue configuration: TernClient.Configuration, _ environment: TernClient.Environment, endpoint: URL? = nil,
    format: QueueFormat
  ) {
    self.endpoint = Locked(endpoint)
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
    // Apply a limit set at run time from the start: a lower one in the configuration would drop events.
    if let bytes = settings.queueBytes { opened.maximumQueueBytes = bytes }
    log = Self.log(opened, environment, format)
    let unknown: Set<PauseReason> = files.areSettingsUnknown ? [.unknownSettings] : []
    clientState = ClientState(pauses: settings.pauses(configuration).union(unknown))
    recorder = Locked(
      Recorder(
        install: .random(using: &generator), boot: environment.boot, flushAt: configuration.flushAt, format: format,
        generator: generator, sessions: SessionTracker(configuration.sessions), settings: settings,
        device: environment.device().completed(by: configuration), observer: environment.observesAppends))
    deviceChanges = Locked(DeviceChanges(country: configuration.countryCode))
    openStorage()
  }

  private static func log(
    _ configuration: TernClient.Configuration, _ environment: TernClient.Environment, _ format: QueueFormat
  ) -> EventLog {
    EventLog(
      unopened: EventLog.Configuration(
        directory: configuration.queueDirectory.path, maximumBytes: configuration.maximumQueueBytes,
        maximumAge: configuration.maximumEventAge,
        // Batches consist of whole segments.
        segmentBytes: min(64 << 10, configuration.maximumBatchBytes), segmentEvents: configuration.maximumBatchEvents,
        maximumRecordBytes: format.maximumRecordBytes,
        durability: configuration.logDurability,
        bootID: environment.boot.flatMap { UniqueID($0) } ?? UniqueID(high: 0, low: 0)),
      fileSystem: environment.fileSystem, clock: environment.clock)
  }

  /// The install's identifier; provisional while the one on disk is not readable.
  package var install: UniqueID { recorder.withLock { $0.install } }

  // MARK: Recording

  @discardableResult
  func record(
    _ kind: EventKind, _ name: String, _ properties: Properties, _ priority: Priority, details: [UInt8] = []
  ) -> Receipt {
    let (began, result, entry) = recorder.withLock { recorder -> (Recorder.Result?, Recorder.Result, Receipt.Entry) in
      let began = recorder.beginSession(before: kind, into: log, clock: environment.clock)
      let result = recorder.record(
        kind, name, properties, priority, details: details, into: log, clock: environment.clock)
      return (began, result, recorder.entry(for: result))
    }
    if let began {
      perform(began)
      refreshCrashContext()
    }
    perform(result)
    return Receipt(entry: entry, engine: self)
  }

  func perform(_ result: Recorder.Result) {
    switch result {
    case .nothing: break
    case .post(let message): mailbox.post(message)
    case .dropped: noteDrops()
    }
  }

  /// Counts an event dropped before it was recorded.
  package func countDrop(_ reason: DropReason) {
    log.count(reason, 1)
    noteDrops()
  }

  /// Has the loop save the drop counts; wakes it only for the first of several drops.
  func noteDrops() {
    let isNews = recorder.withLock { recorder in
      defer { recorder.hasNewDrops = true }
      return !recorder.hasNewDrops || recorder.isObserved
    }
    if isNews { mailbox.post(.refresh) }
  }

  /// Begins a session if `decide` returns true.
  func beginSession(if decide: (inout SessionTracker) -> Bool) {
    // Read the device facts before locking: they take longer than recording an event should wait.
    let device = currentDevice
    let result = recorder.withLock { recorder -> Recorder.Result in
      guard decide(&recorder.sessions) else { return .nothing }
      return recorder.beginSession(device: device, into: log, clock: environment.clock)
    }
    perform(result)
    refreshCrashContext()
  }

  // MARK: Status

  /// A consistent snapshot of the counts: events move from the buffer to the log under the recorder's lock.
  private var counts: (log: LogCounts, buffered: Int, isEnabled: Bool, hasStorage: Bool) {
    recorder.withLock { (log.counts, $0.bufferedEvents, $0.isEnabled, $0.outage == nil) }
  }

  var waiting: DeliveryMachine.Waiting {
    let (counts, buffered, _, _) = counts
    let critical = counts.waitingCritical - counts.unreadableCritical
    return .init(
      normal: counts.waiting - counts.unreadable - critical, critical: critical,
      blocked: counts.unreadable + counts.unreadSegments + buffered,
      blockedUntil: counts.unreadableUntil, isClaimLimitReached: counts.isClaimLimitReached)
  }

  package var status: TernClient.Status {
    let (counts, buffered, isEnabled, hasStorage) = counts
    return clientState.withLock { state in
      TernClient.Status(
        queued: counts.waiting + buffered, inFlight: counts.claimed, delivered: counts.deliveredHere,
        droppedByReason: counts.dropped,
        lastError: state.lastError, isPaused: state.isPaused, isEnabled: isEnabled,
        hasStorage: hasStorage)
    }
  }

  var ledger: TernClient.Ledger {
    let (counts, buffered, _, _) = counts
    return TernClient.Ledger(
      tracked: counts.tracked.addingSaturated(buffered), delivered: counts.delivered, queued: counts.waiting + buffered,
      inFlight: counts.claimed, droppedByReason: counts.dropped)
  }
}
