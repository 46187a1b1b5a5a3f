import TernDelivery
import TernEvents
import TernLog

/// What stamps and encodes events, on the thread that records them.
///
/// It lives in one lock together with the append, so that events lie in the log in the order of their identifiers and
/// none slips in after the client was disabled.
struct Recorder: Sendable {
  /// Drawn for the time being while the disk does not say which it is.
  var install: UniqueID
  let boot: String?
  /// How many waiting events the machine wants to hear about.
  let flushAt: Int
  /// Told of each event and what became of it.
  let observer: (@Sendable (Event, Lane, AppendOutcome) -> Void)?
  var generator: FastGenerator
  var sessions: SessionTracker
  var user: String?
  var epoch: UInt32
  var isEnabled: Bool
  /// The parts that are not recorded.
  var off: Set<TernClient.Part>
  var isClosed = false
  /// Someone watches the status.
  var isObserved = false
  /// What ``Device/encodedMembers()`` returned.
  var device: [UInt8]
  /// The identifier of the last event that was to be stored.
  private(set) var lastID: UniqueID?
  /// How many events had been dropped when the last one was stored.
  var droppedBefore = 0
  /// How many of those that are counted now had been dropped by earlier processes: unknown until the log is open.
  var earlierDrops = 0
  /// What waits for the disk to take it; `nil` while all is on disk at once.
  var outage: StorageOutage?
  /// Kept from event to event, so that recording one allocates nothing.
  private var writer = JSONWriter(capacity: 1 << 10)

  init(
    install: UniqueID, boot: String?, flushAt: Int, generator: FastGenerator, sessions: SessionTracker,
    settings: PersistedSettings, device: Device, observer: (@Sendable (Event, Lane, AppendOutcome) -> Void)? = nil
  ) {
    self.install = install
    self.boot = boot
    self.flushAt = flushAt
    self.observer = observer
    self.generator = generator
    self.sessions = sessions
    self.device = device.encodedMembers()
    user = settings.user
    epoch = settings.epoch
    isEnabled = settings.isEnabled
    off = settings.off ?? []
    outage = StorageOutage(isUnopened: true, eventIsReasonFrom: .zero)
  }

  /// What the caller has to do after unlocking.
  enum Result {
    case nothing
    case post(Message)
    /// The event was not stored, for the reason that the log has counted.
    case dropped(DropReason)
  }

  mutating func record(
    _ kind: EventKind, _ name: String, _ properties: Properties, _ priority: Priority, details: [UInt8] = [],
    into log: EventLog, clock: any TernClock
  ) -> Result {
    if let refusal = refusal(of: kind, log) { return refusal }
    let time = clock.wallTime
    let uptime = clock.uptime
    if kind != .sessionStart, kind != .drops { sessions.recordedEvent(at: uptime) }
    let event = Event(
      id: UniqueID.timeOrdered(at: time, using: &generator), kind: kind,
      name: name.cut(toBytes: NativeProtocol.maximumNameBytes), time: time,
      uptimeMilliseconds: uptime.wholeMilliseconds, boot: boot, install: install, session: sessions.current, user: user,
      properties: properties.limited(), details: details)
    return append(event, priority, device: device, time: time, uptime: uptime, into: log)
  }

  /// How many bytes are left for the details of an event before it is too large for any collector.
  mutating func room(besides kind: EventKind, _ name: String, _ properties: Properties) -> Int {
    let event = Event(
      id: install, kind: kind, name: name.cut(toBytes: NativeProtocol.maximumNameBytes),
      time: Timestamp(millisecondsSince1970: .min), uptimeMilliseconds: .max, boot: boot, install: install,
      session: install, user: user, properties: properties.limited())
    writer.bytes.removeAll(keepingCapacity: true)
    writer.event(event, device: device)
    // The comma before the details, and some for a fact of the device that changes meanwhile.
    return NativeProtocol.maximumEventBytes - writer.bytes.count - 64
  }

  /// What becomes of an event that is not wanted; `nil` when it is.
  func refusal(of kind: EventKind, _ log: EventLog) -> Result? {
    if isClosed { return .nothing }
    guard isEnabled, kind.part.map({ !off.contains($0) }) ?? true else {
      log.count(.disabled, 1)
      return .dropped(.disabled)
    }
    return nil
  }

  /// Encodes an event and stores it.
  mutating func append(
    _ event: Event, _ priority: Priority, device: [UInt8], time: Timestamp, uptime: Duration, into log: EventLog
  ) -> Result {
    lastID = event.id
    encode(event, device: device)
    let lane: Lane = priority == .critical ? .critical : .normal
    // What is held is older, so it goes first.
    if outage != nil { return hold(event, lane, device: device, time: time, uptime: uptime, log) }
    let outcome = store(event, lane, time: time, uptime: uptime, epoch: epoch, into: log)
    if outcome == .dropped(.storageFailed) {
      return hold(event, lane, device: device, time: time, uptime: uptime, log)
    }
    observer?(event, lane, outcome)
    switch outcome {
    case .dropped(let reason): return .dropped(reason)
    case .stored(let waiting, let waitingCritical, let dropped):
      let hasEvicted = dropped != droppedBefore
      droppedBefore = dropped
      if priority == .critical { return .post(.appended(isCritical: true)) }
      // Waking the run loop costs more than recording: only when it can have something to do.
      // The first normal event has a time of its own where critical ones are sent apart.
      if waiting - waitingCritical == 1 || waiting == flushAt { return .post(.appended(isCritical: false)) }
      // Counts of drops are written down: a queue may be full for long without a batch that would do it.
      return isObserved || hasEvicted ? .post(.refresh) : .nothing
    }
  }

  mutating func encode(_ event: Event, device: [UInt8]) {
    writer.bytes.removeAll(keepingCapacity: true)
    writer.event(event, device: device)
  }

  /// The size of what was encoded last.
  var bytesOfWriter: Int { writer.bytes.count }

  /// Gives what was encoded last to the log; what the disk refuses is counted by whoever gives it up.
  func store(
    _ event: Event, _ lane: Lane, time: Timestamp, uptime: Duration, epoch: UInt32, into log: EventLog
  ) -> AppendOutcome {
    log.append(
      writer.bytes, id: event.id, time: time, uptime: uptime,
      epoch: RecordEpoch.of(identity: epoch, isError: event.kind.part == .errors), lane: lane, isKept: true)
  }

  /// What the last call of ``record(_:_:_:_:into:clock:)`` is to be remembered as.
  func entry(for result: Result) -> Receipt.Entry {
    if case .dropped(let reason) = result { return .dropped(reason) }
    guard !isClosed, let lastID else { return .closed }
    return outage == nil ? .stored(lastID, dropped: droppedBefore) : .held(lastID, dropped: droppedBefore)
  }

  /// Begins a session and records it.
  mutating func beginSession(device: Device, into log: EventLog, clock: any TernClock) -> Result {
    guard isEnabled, !isClosed, !off.contains(.usage) else { return .nothing }
    self.device = device.encodedMembers()
    sessions.begin(UniqueID.timeOrdered(at: clock.wallTime, using: &generator))
    return record(.sessionStart, "", [:], .normal, into: log, clock: clock)
  }
}
