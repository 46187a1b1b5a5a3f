import TernEvents
import TernLog

/// An event as it was recorded; encoded again when it is written, since only then the install is known for sure.
struct BufferedEvent: Sendable {
  var event: Event
  var device: [UInt8]
  var time: Timestamp
  var uptime: Duration
  var epoch: UInt32
}

/// What a recorder does while the disk takes nothing.
struct StorageOutage: Sendable {
  var buffer = MemoryBuffer<BufferedEvent>()
  /// The log was never opened, so the install and what is on disk are not known.
  var isUnopened: Bool
  /// From when on an event is a reason to try the disk again, by uptime.
  var eventIsReasonFrom: Duration
  /// All that is on disk is to be erased when it can be reached.
  var erasesDisk = false
}

extension Recorder {
  var bufferedEvents: Int { outage?.buffer.count ?? 0 }

  /// Keeps the event that is in the writer in memory; the log has refused it, or is not open.
  mutating func hold(
    _ event: Event, _ lane: Lane, device: [UInt8], time: Timestamp, uptime: Duration, _ log: EventLog
  ) -> Result {
    if bytesOfWriter > NativeProtocol.maximumEventBytes {
      log.count(.tooLarge, 1)
      observer?(event, lane, .dropped(.tooLarge))
      return .dropped(.tooLarge)
    }
    var waits = outage ?? StorageOutage(isUnopened: false, eventIsReasonFrom: .zero)
    let held = BufferedEvent(event: event, device: device, time: time, uptime: uptime, epoch: epoch)
    let gone = waits.buffer.add(held, bytes: bytesOfWriter + Self.bufferedOverhead, lane)
    for held in gone {
      log.count(.storageFailed, 1)
      observer?(held.event, lane, .dropped(.storageFailed))
    }
    let isReason = uptime >= waits.eventIsReasonFrom
    // Said once: the run loop looks, and sets the time of the next.
    if isReason { waits.eventIsReasonFrom = uptime + StorageBackoff.afterEvent }
    outage = waits
    droppedBefore = log.droppedTotal
    if gone.contains(where: { $0.event.id == event.id }) { return .dropped(.storageFailed) }
    if isReason { return .post(.appended(isCritical: false)) }
    return isObserved || !gone.isEmpty ? .post(.refresh) : .nothing
  }

  /// What an event takes in memory beside its text, roughly.
  private static let bufferedOverhead = 192

  /// Drops what matches of what is held, as an erasure does.
  mutating func eraseBuffered(_ log: EventLog, where matches: (BufferedEvent) -> Bool) {
    guard let gone = outage?.buffer.removeAll(where: matches), !gone.isEmpty else { return }
    log.count(.erased, gone.count)
    for held in gone { observer?(held.event, .normal, .dropped(.erased)) }
  }

  /// The user of what was recorded while nobody could read who it is.
  mutating func resolveBuffered(unknown epoch: UInt32?, user: String?, _ known: UInt32) {
    guard let epoch else { return }
    outage?.buffer.update { held in
      guard held.epoch == epoch else { return }
      held.epoch = known
      // That of a crash is its own.
      if held.event.kind != .crash { held.event.user = user }
    }
  }

  /// Takes the install that the disk knows, or has come to know.
  mutating func become(_ install: UniqueID) {
    let drawn = self.install
    guard install != drawn else { return }
    self.install = install
    outage?.buffer.update { held in
      if held.event.install == drawn { held.event.install = install }
    }
  }

  /// Writes what is held, in order, until the disk refuses; true when nothing is held any more.
  mutating func writeBuffered(_ log: EventLog) -> Bool {
    while let next = outage?.buffer.first {
      let held = next.element
      encode(held.event, device: held.device)
      let outcome = store(held.event, next.lane, time: held.time, uptime: held.uptime, epoch: held.epoch, into: log)
      if outcome == .dropped(.storageFailed) { return false }
      observer?(held.event, next.lane, outcome)
      outage?.buffer.removeFirst()
    }
    return true
  }
}
