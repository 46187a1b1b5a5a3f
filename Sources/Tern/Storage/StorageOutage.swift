import TernEvents
import TernLog

/// A record that the disk refused.
struct BufferedRecord: Sendable {
  var record: any QueueRecord
  var time: Timestamp
  var uptimeMilliseconds: Int64
  var epoch: UInt32
}

/// The state of a recorder while the disk refuses events.
struct StorageOutage: Sendable {
  var buffer = MemoryBuffer<BufferedRecord>()
  /// True if the log has never been opened, so that the install and the events on disk are unknown.
  var isUnopened: Bool
  /// The uptime from which a recorded event triggers another attempt to use the disk.
  var eventIsReasonFrom: Duration
  /// True if all events on disk must be erased once the log can be opened.
  var erasesDisk = false
}

extension Recorder {
  var bufferedEvents: Int { outage?.buffer.count ?? 0 }

  /// Buffers the last encoded record in memory because the log refused it or is not open.
  mutating func buffer<Record: QueueRecord>(
    _ record: Record, _ lane: Lane, time: Timestamp, uptimeMilliseconds: Int64, _ log: EventLog
  ) -> Result {
    if encodedBytes > format.maximumRecordBytes {
      log.count(.tooLarge, 1)
      observe(record, lane, .dropped(.tooLarge))
      return .dropped(.tooLarge)
    }
    var outage = outage ?? StorageOutage(isUnopened: false, eventIsReasonFrom: .zero)
    let buffered = BufferedRecord(record: record, time: time, uptimeMilliseconds: uptimeMilliseconds, epoch: epoch)
    let evicted = outage.buffer.add(buffered, bytes: encodedBytes + Record.memoryOverhead, lane)
    for buffered in evicted {
      log.count(.storageFailed, 1)
      observe(buffered.record, lane, .dropped(.storageFailed))
    }
    let uptime = Duration.milliseconds(uptimeMilliseconds)
    let isReason = uptime >= outage.eventIsReasonFrom
    // Post only once: the loop tries the disk and sets the next time.
    if isReason { outage.eventIsReasonFrom = uptime + StorageBackoff.afterEvent }
    self.outage = outage
    droppedBefore = log.droppedTotal
    if evicted.contains(where: { $0.record.id == record.id }) { return .dropped(.storageFailed) }
    let isFirstDrop = !evicted.isEmpty && !hasNewDrops
    if isFirstDrop { hasNewDrops = true }
    if isReason { return .post(.appended(isCritical: false)) }
    return isObserved || isFirstDrop ? .post(.refresh) : .nothing
  }

  /// Erases the buffered records that match.
  mutating func eraseBuffered(_ log: EventLog, where matches: (BufferedRecord) -> Bool) {
    guard let erased = outage?.buffer.removeAll(where: matches), !erased.isEmpty else { return }
    log.count(.erased, erased.count)
    for buffered in erased { observe(buffered.record, .normal, .dropped(.erased)) }
  }

  /// Sets the user of records buffered while the settings could not be read.
  mutating func resolveBuffered(unknown epoch: UInt32?, user: String?, _ known: UInt32) {
    guard let epoch else { return }
    outage?.buffer.update { buffered in
      guard buffered.epoch == epoch else { return }
      buffered.epoch = known
      buffered.record.resolveUser(user)
    }
  }

  /// Adopts the install identifier on disk, including for buffered records.
  mutating func adoptInstall(_ install: UniqueID) {
    let provisional = self.install
    guard install != provisional else { return }
    self.install = install
    outage?.buffer.update { $0.record.replaceInstall(provisional, with: install) }
  }

  /// Writes buffered records in order until the disk refuses one; returns true if none are left.
  mutating func writeBuffered(_ log: EventLog) -> Bool {
    while let next = outage?.buffer.first {
      let outcome = write(next.element.record, next.element, next.lane, log)
      if outcome == .dropped(.storageFailed) { return false }
      outage?.buffer.removeFirst()
    }
    return true
  }

  private mutating func write<Record: QueueRecord>(
    _ record: Record, _ buffered: BufferedRecord, _ lane: Lane, _ log: EventLog
  ) -> AppendOutcome {
    encode(record)
    let outcome = store(
      record, lane, time: buffered.time, uptimeMilliseconds: buffered.uptimeMilliseconds, epoch: buffered.epoch,
      into: log)
    if case .stored = outcome { storedRecords += 1 }
    if outcome != .dropped(.storageFailed) { observe(record, lane, outcome) }
    return outcome
  }
}
