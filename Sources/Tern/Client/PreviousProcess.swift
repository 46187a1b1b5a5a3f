package import TernEvents
import TernLog

extension TernClient {
  /// A process of the app that ended by an error, as far as is known: where the event of its end belongs.
  package struct PreviousProcess: Sendable, Hashable {
    /// The event's identifier: recorded twice, it is still one event.
    package var id: UniqueID
    /// When the process ended, by the device's wall clock.
    package var time: Timestamp
    /// When the process began.
    package var launched: Timestamp?
    /// The session that was open then; without one the event belongs to none.
    package var session: UniqueID?
    /// The user of then.
    package var user: String?
    /// The device and the version of the app of then; `nil`: those of now.
    package var device: Device?

    package init(
      id: UniqueID, time: Timestamp, launched: Timestamp? = nil, session: UniqueID? = nil, user: String? = nil,
      device: Device? = nil
    ) {
      self.id = id
      self.time = time
      self.launched = launched
      self.session = session
      self.user = user
      self.device = device
    }
  }
}

extension Engine {
  func recordCrash(
    _ exception: ExceptionFacts, _ launch: TernClient.PreviousProcess, _ attachments: [TernClient.Attachment]
  ) -> Receipt {
    let room = recorder.withLock { $0.room(besides: .crash, exception.type, [:]) }
    var details = exception.encodedMember(atMost: min(max(room, 1 << 10), 48 << 10))
    if let launched = launch.launched { details += Array(",\"launched\":\(launched.millisecondsSince1970)".utf8) }
    let (result, entry) = recorder.withLock { recorder -> (Recorder.Result, Receipt.Entry) in
      let result = recorder.recordCrash(exception.type, details, launch, into: log, clock: environment.clock)
      return (result, recorder.entry(for: result))
    }
    perform(result)
    var receipt = Receipt(entry: entry, engine: self)
    if let error = receipt.id {
      receipt.refusedAttachments = record(
        attachments, of: error, besides: NativeProtocol.maximumEventBytes - room + details.count)
    }
    return receipt
  }
}

extension Recorder {
  /// Records the end of an earlier process: nothing of the present one is in it, and its session does not go on by it.
  fileprivate mutating func recordCrash(
    _ name: String, _ details: [UInt8], _ launch: TernClient.PreviousProcess, into log: EventLog, clock: any TernClock
  ) -> Result {
    if let refusal = refusal(of: .crash, log) { return refusal }
    let event = Event(
      id: launch.id, kind: .crash, name: name.cut(toBytes: NativeProtocol.maximumNameBytes), time: launch.time,
      install: install, session: launch.session,
      user: launch.user?.cut(toBytes: NativeProtocol.maximumNameBytes), details: details)
    // Its age in the queue counts from now: it has waited for nobody's network yet.
    return append(
      event, .critical, device: launch.device?.encodedMembers() ?? device, time: clock.wallTime, uptime: clock.uptime,
      into: log)
  }
}
