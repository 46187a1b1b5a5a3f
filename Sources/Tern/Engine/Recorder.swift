import TernBase
import TernDelivery
import TernEvents
import TernLog

/// Stamps and encodes events on the caller's thread.
///
/// One lock covers recording and appending, so that events are in the log in the order of their identifiers and none is
/// appended after the client was disabled.
struct Recorder: Sendable {
  /// The install's identifier; provisional while the one on disk is not readable.
  var install: UniqueID
  let boot: String?
  /// The number of waiting events that wakes the loop.
  let flushAt: Int
  let format: QueueFormat
  /// Observes each event and its outcome.
  let observer: (@Sendable (Event, Lane, AppendOutcome) -> Void)?
  var generator: FastGenerator
  var sessions: SessionTracker
  var user: String?
  var epoch: UInt32
  var isEnabled: Bool
  /// The disabled parts.
  var off: Set<TernClient.Part>
  var isClosed = false
  /// True while `statusUpdates` has readers.
  var isObserved = false
  /// The result of ``Device/encodedMembers()``.
  var device: [UInt8]
  /// The identifier of the last event passed to the log.
  private(set) var lastID: UniqueID?
  /// The total number of dropped events when the last one was stored.
  var droppedBefore = 0
  /// True if events were dropped and the loop has not handled that yet.
  var hasNewDrops = false
  /// The number of events stored in the log since the install's first launch, as far as known.
  var storedRecords = 0
  /// The number of events dropped by earlier processes; unknown until the log is open.
  var earlierDrops = 0
  /// The events waiting for the disk; `nil` while the disk works.
  var outage: StorageOutage?
  private var moments = EventMoments()
  /// Reused, so that recording an event allocates nothing.
  private var writer = JSONWriter(capacity: 1 << 10)
  /// The contexts of the last records, by part.
  private var contexts = [CachedContext?](repeating: nil, count: LogContext.Part.allCases.count)

  /// A class, because comparing a structure copies each of its members.
  private final class CachedContext: Sendable {
    let context: EventContext?
    let encoded: LogContext

    init(context: EventContext?, encoded: LogContext) {
      self.context = context
      self.encoded = encoded
    }
  }

  init(
    install: UniqueID, boot: String?, flushAt: Int, format: QueueFormat, generator: FastGenerator,
    sessions: SessionTracker, settings: PersistedSettings, device: Device,
    observer: (@Sendable (Event, Lane, AppendOutcome) -> Void)? = nil
  ) {
    self.install = install
    self.boot = boot
    self.flushAt = flushAt
    self.format = format
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

  /// The caller's next step after unlocking.
  enum Result {
    case nothing
    case post(Message)
    /// The event was not stored; the log has counted it under this reason.
    case dropped(DropReason)
  }

  mutating func record(
    _ kind: EventKind, _ name: String, _ properties: Properties, _ priority: Priority, details: [UInt8] = [],
    into log: EventLog, clock: any TernClock
  ) -> Result {
    if let refusal = refusal(of: kind, log) { return refusal }
    let moment = moments.next(clock)
    // The event is built in the record, so that it is not copied into it.
    let record = EventRecord(
      event: Event(
        id: UniqueID.event(at: moment, using: &generator), kind: kind,
        name: name.truncated(toBytes: NativeProtocol.maximumNameBytes), time: moment.time,
        uptimeMilliseconds: moment.uptimeMilliseconds, boot: boot, install: install, session: sessions.current,
        user: user, properties: properties.limited(), details: details), device: device)
    return append(record, priority, time: moment.time, uptimeMilliseconds: moment.uptimeMilliseconds, into: log)
  }

  /// The bytes left for the details of an event within the protocol's limit.
  mutating func room(besides kind: EventKind, _ name: String, _ properties: Properties) -> Int {
    let event = Event(
      id: install, kind: kind, name: name.truncated(toBytes: NativeProtocol.maximumNameBytes),
      time: Timestamp(millisecondsSince1970: .min), uptimeMilliseconds: .max, boot: boot, install: install,
      session: install, user: user, properties: properties.limited())
    writer.bytes.removeAll(keepingCapacity: true)
    writer.members(of: event)
    // Leave room for the comma before the details.
    return format.maximumRecordBytes - writer.bytes.count - 64
  }

  /// The result for an event that must not be recorded; `nil` if it may.
  func refusal(of kind: EventKind, _ log: EventLog) -> Result? {
    if isClosed { return .nothing }
    guard isEnabled, kind.part.map({ !off.contains($0) }) ?? true else {
      log.count(.disabled, 1)
      return .dropped(.disabled)
    }
    return nil
  }

  /// Encodes a record and stores it; not inlined, because the compiler would copy the record for each of its uses.
  @inline(never)
  mutating func append<Record: QueueRecord>(
    _ record: Record, _ priority: Priority, time: Timestamp, uptimeMilliseconds: Int64, into log: EventLog
  ) -> Result {
    lastID = record.id
    encode(record)
    let lane: Lane = priority == .critical ? .critical : .normal
    // Buffered events are older and must be written first.
    if outage != nil { return buffer(record, lane, time: time, uptimeMilliseconds: uptimeMilliseconds, log) }
    let outcome = store(record, lane, time: time, uptimeMilliseconds: uptimeMilliseconds, epoch: epoch, into: log)
    if outcome == .dropped(.storageFailed) {
      return buffer(record, lane, time: time, uptimeMilliseconds: uptimeMilliseconds, log)
    }
    if observer != nil { observe(record, lane, outcome) }
    switch outcome {
    case .dropped(let reason): return .dropped(reason)
    case .stored(let waiting, let waitingCritical, let dropped):
      storedRecords += 1
      // Wake the loop for the first drop only: a full queue drops an event with almost every call.
      let isFirstDrop = dropped != droppedBefore && !hasNewDrops
      if isFirstDrop { hasNewDrops = true }
      droppedBefore = dropped
      if priority == .critical { return .post(.appended(isCritical: true)) }
      // Waking the loop costs more than recording an event, so do it only when it may have something to do. The first
      // normal event counts on its own because critical ones may be sent separately.
      if waiting - waitingCritical == 1 || waiting == flushAt { return .post(.appended(isCritical: false)) }
      return isObserved || isFirstDrop || waiting > format.maximumEvents ? .post(.refresh) : .nothing
    }
  }

  func observe(_ record: any QueueRecord, _ lane: Lane, _ outcome: AppendOutcome) {
    guard let observer, let event = (record as? EventRecord)?.event else { return }
    observer(event, lane, outcome)
  }

  mutating func encode<Record: QueueRecord>(_ record: Record) {
    writer.bytes.removeAll(keepingCapacity: true)
    record.encode(to: &writer, number: storedRecords + 1)
  }

  /// The size of the last encoded record.
  var encodedBytes: Int { writer.bytes.count }

  /// The last encoded record.
  var encoded: [UInt8] { writer.bytes }

  /// Appends the last encoded record to the log; the caller handles one that the disk refuses.
  mutating func store<Record: QueueRecord>(
    _ record: Record, _ lane: Lane, time: Timestamp, uptimeMilliseconds: Int64, epoch: UInt32, into log: EventLog
  ) -> AppendOutcome {
    log.append(
      writer.bytes, id: record.id, time: time, uptimeMilliseconds: uptimeMilliseconds, lane: lane,
      context: context(of: record, identity: epoch), isKept: true)
  }

  /// The context under which the log stores a record; encoded only if it is another one than that of the last record.
  private mutating func context<Record: QueueRecord>(of record: Record, identity: UInt32) -> LogContext {
    let index = Int(record.part.rawValue)
    if let last = contexts[index], last.encoded.identity == identity, record.belongs(to: last.context) {
      return last.encoded
    }
    let context = record.context
    let encoded = LogContext(identity: identity, part: record.part, facts: context?.encodedMembers() ?? [])
    contexts[index] = CachedContext(context: context, encoded: encoded)
    return encoded
  }

  /// The context of an error that is recorded now.
  mutating func errorContext() -> LogContext {
    let event = Event(
      id: install, kind: .handledError, name: "", time: Timestamp(millisecondsSince1970: 0), boot: boot,
      install: install, session: sessions.current, user: user)
    return context(of: EventRecord(event: event, device: device), identity: epoch)
  }

  /// The receipt's entry for the last recorded event.
  func entry(for result: Result) -> Receipt.Entry {
    if case .dropped(let reason) = result { return .dropped(reason) }
    guard !isClosed, let lastID else { return .closed }
    return outage == nil ? .stored(lastID, dropped: droppedBefore) : .held(lastID, dropped: droppedBefore)
  }

  /// Begins a session and records it.
  mutating func beginSession(device: Device, into log: EventLog, clock: any TernClock) -> Result {
    guard isEnabled, !isClosed, !off.contains(.usage) else { return .nothing }
    self.device = device.encodedMembers()
    return beginSession(into: log, clock: clock)
  }

  /// Begins a session if the one before has ended when an event is about to be recorded; `nil` if it goes on.
  mutating func beginSession(before kind: EventKind, into log: EventLog, clock: any TernClock) -> Result? {
    guard isEnabled, !isClosed, kind != .sessionStart, kind != .drops, !(kind.part.map { off.contains($0) } ?? false),
      sessions.willRecord(at: clock.uptime), !off.contains(.usage)
    else { return nil }
    return beginSession(into: log, clock: clock)
  }

  private mutating func beginSession(into log: EventLog, clock: any TernClock) -> Result {
    sessions.begin(UniqueID.timeOrdered(at: clock.wallTime, using: &generator), at: clock.uptime)
    return record(.sessionStart, "", [:], .normal, into: log, clock: clock)
  }
}
