import TernBase
package import TernEvents
import TernLog

/// The limits of a queue that its protocol sets.
package struct QueueFormat: Sendable {
  /// The largest record.
  var maximumRecordBytes: Int
  /// The most events that wait; beyond that the oldest are dropped.
  var maximumEvents: Int

  package init(maximumRecordBytes: Int, maximumEvents: Int = .max) {
    self.maximumRecordBytes = maximumRecordBytes
    self.maximumEvents = maximumEvents
  }

  static let native = QueueFormat(maximumRecordBytes: NativeProtocol.maximumEventBytes)
}

/// A record of the queue before it is encoded.
///
/// A failing disk keeps it in memory; it is encoded again when it is written, because only then the install is known for
/// sure.
package protocol QueueRecord: Sendable {
  var id: UniqueID { get }
  /// True if the record belongs to the part `errors`.
  var isError: Bool { get }
  /// The memory that the record takes beside its encoded bytes, roughly.
  static var memoryOverhead: Int { get }
  /// Encodes the record; `number` counts the records of the install.
  func encode(to writer: inout JSONWriter, number: Int)
  /// Replaces a provisional install.
  mutating func replaceInstall(_ provisional: UniqueID, with known: UniqueID)
  /// Sets the user, once the disk says who it was at the time of the record.
  mutating func resolveUser(_ user: String?)
}

/// An event with the device facts that it was recorded with.
struct EventRecord: QueueRecord {
  var event: Event
  var device: [UInt8]

  var id: UniqueID { event.id }
  var isError: Bool { event.kind.part == .errors }
  static var memoryOverhead: Int { 192 }

  func encode(to writer: inout JSONWriter, number: Int) { writer.event(event, device: device) }

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
  /// - Parameter make: Called under the recorder's lock with the generator of identifiers.
  /// - Returns: The encoded bytes and where they are now.
  package func append<Record: QueueRecord>(
    time: (Record) -> (wall: Timestamp, uptime: Duration), _ make: (inout FastGenerator) -> Record
  ) -> AppendedRecord {
    let (result, appended) = recorder.withLock { recorder -> (Recorder.Result, AppendedRecord) in
      guard recorder.isEnabled, !recorder.isClosed else { return (.nothing, .refused(.disabled)) }
      let record = make(&recorder.generator)
      let time = time(record)
      let result = recorder.append(record, .normal, time: time.wall, uptime: time.uptime, into: log)
      if case .dropped(let reason) = result { return (result, .refused(reason)) }
      if recorder.outage == nil { return (result, .stored(recorder.encoded)) }
      return (result, .buffered(recorder.encoded))
    }
    perform(result)
    return appended
  }

  /// Drops the oldest events beyond the format's limit.
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
