import TernBase
package import TernEvents
package import TernLog

/// The limits that a protocol sets for its queue.
package struct QueueFormat: Sendable {
  /// The maximum size of a record.
  var maximumRecordBytes: Int
  /// The maximum number of waiting events; beyond it, the oldest are dropped.
  var maximumEvents: Int

  package init(maximumRecordBytes: Int, maximumEvents: Int = .max) {
    self.maximumRecordBytes = maximumRecordBytes
    self.maximumEvents = maximumEvents
  }

  static let native = QueueFormat(
    maximumRecordBytes: NativeProtocol.maximumEventBytes - NativeProtocol.lineOverheadBytes)
}

/// A record of the queue before encoding.
///
/// While the disk fails, records are buffered in this form. They are encoded again when written, because only then is
/// the install identifier final.
package protocol QueueRecord: Sendable {
  var id: UniqueID { get }
  /// The part that the record belongs to.
  var part: LogContext.Part { get }
  /// The facts that it shares with other records; `nil` if there are none.
  var context: EventContext? { get }
  /// Returns true if this is its ``context``, without creating one.
  func belongs(to context: EventContext?) -> Bool
  /// The approximate memory that a record takes in addition to its encoded bytes.
  static var memoryOverhead: Int { get }
  /// Encodes the record; `number` is its number within the install.
  func encode(to writer: inout JSONWriter, number: Int)
  /// Replaces a provisional install identifier.
  mutating func replaceInstall(_ provisional: UniqueID, with known: UniqueID)
  /// Sets the user at the time of recording, once the settings are readable.
  mutating func resolveUser(_ user: String?)
}

/// An event with the device facts at the time of recording.
struct EventRecord: QueueRecord {
  var event: Event
  var device: [UInt8]

  var id: UniqueID { event.id }
  var part: LogContext.Part { event.kind.part == .errors ? .errors : .usage }
  var context: EventContext? { EventContext(of: event, device: device) }
  func belongs(to context: EventContext?) -> Bool { context?.includes(event, device: device) ?? false }
  static var memoryOverhead: Int { 192 }

  func encode(to writer: inout JSONWriter, number: Int) { writer.members(of: event) }

  mutating func replaceInstall(_ provisional: UniqueID, with known: UniqueID) {
    if event.install == provisional { event.install = known }
  }

  mutating func resolveUser(_ user: String?) {
    // A crash carries its own user.
    if event.kind != .crash { event.user = user }
  }
}

extension Engine {
  /// Records what `make` returns, unless recording is off.
  ///
  /// - Parameter make: Called under the recorder's lock with the generator for identifiers.
  /// - Returns: The encoded bytes and where they are stored.
  package func append<Record: QueueRecord>(
    time: (Record) -> (wall: Timestamp, uptimeMilliseconds: Int64), _ make: (inout FastGenerator) -> Record
  ) -> AppendedRecord {
    let (result, appended) = recorder.withLock { recorder -> (Recorder.Result, AppendedRecord) in
      guard recorder.isEnabled, !recorder.isClosed else { return (.nothing, .refused(.disabled)) }
      let record = make(&recorder.generator)
      let time = time(record)
      let result = recorder.append(
        record, .normal, time: time.wall, uptimeMilliseconds: time.uptimeMilliseconds, into: log)
      if case .dropped(let reason) = result { return (result, .refused(reason)) }
      if recorder.outage == nil { return (result, .stored(recorder.encoded)) }
      return (result, .buffered(recorder.encoded))
    }
    perform(result)
    return appended
  }

  /// Drops the oldest events in excess of the format's limit.
  func trim() {
    let most = recorder.withLock { $0.format.maximumEvents }
    while case let excess = log.counts.waiting - most, excess > 0 {
      guard let claim = log.claim(maximumEvents: excess, maximumBytes: configuration.maximumQueueBytes) else { return }
      let dropped = Dictionary(claim.records.map { ($0.id, DropReason.queueFull) }) { first, _ in first }
      log.settle(claim.id, .partly(delivered: [], dropped: dropped))
    }
  }
}

/// The result of recording.
package enum AppendedRecord: Sendable {
  /// In the log, as these bytes.
  case stored([UInt8])
  /// In memory, as these bytes.
  case buffered([UInt8])
  case refused(DropReason)
}
