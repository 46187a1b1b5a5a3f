import TernBase
package import TernCrash
import TernEvents
import TernLog
package import TernValues

extension TernClient {
  /// The known facts about an earlier process of the app that crashed.
  package struct PreviousProcess: Sendable, Hashable {
    /// The identifier of the crash event, so that the collector deduplicates a crash recorded twice.
    package var id: UniqueID
    /// The time of the crash, by the device's wall clock.
    package var time: Timestamp
    /// The time when the process started.
    package var launched: Timestamp?
    /// The session at the time of the crash, if any.
    package var session: UniqueID?
    /// The user at the time of the crash.
    package var user: String?
    /// The device and app version at the time of the crash; `nil` means the current ones.
    package var device: Device?

    /// The last steps of the app, oldest first.
    package var steps: [CaughtCrash.Step]

    package init(
      id: UniqueID, time: Timestamp, launched: Timestamp? = nil, session: UniqueID? = nil, user: String? = nil,
      device: Device? = nil, steps: [CaughtCrash.Step] = []
    ) {
      self.id = id
      self.time = time
      self.launched = launched
      self.session = session
      self.user = user
      self.device = device
      self.steps = steps
    }
  }
}

extension Engine {
  /// Records an error with the facts of its own time: a crash as a critical event, others as normal ones.
  func recordEarlier(
    _ kind: EventKind, _ exception: ExceptionFacts, _ launch: TernClient.PreviousProcess,
    _ attachments: [TernClient.Attachment]
  ) -> Receipt {
    let room = recorder.withLock { $0.room(besides: kind, exception.type, [:]) }
    let steps = launch.encodedSteps(atMost: room / 4)
    var details = exception.encodedMember(atMost: min(max(room - steps.count, 1 << 10), 48 << 10)) + steps
    if let launched = launch.launched { details += Array(",\"launched\":\(launched.millisecondsSince1970)".utf8) }
    let (result, entry) = recorder.withLock { recorder -> (Recorder.Result, Receipt.Entry) in
      let result = recorder.recordEarlier(
        kind, exception.type, details: details, launch, into: log, clock: environment.clock)
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

extension Engine {
  /// Records that a launch was terminated, as an ordinary event of its own time.
  func recordTermination(_ cause: String, _ launch: TernClient.PreviousProcess) -> Receipt {
    let (result, entry) = recorder.withLock { recorder -> (Recorder.Result, Receipt.Entry) in
      let result = recorder.recordEarlier(
        .event, "Termination", ["cause": cause], launch, into: log, clock: environment.clock)
      return (result, recorder.entry(for: result))
    }
    perform(result)
    return Receipt(entry: entry, engine: self)
  }
}

extension TernClient.PreviousProcess {
  /// The member `"steps":[…]` after a comma; nothing without steps, or if they don't fit.
  fileprivate func encodedSteps(atMost limit: Int) -> [UInt8] {
    if steps.isEmpty { return [] }
    var json = JSONWriter(capacity: 4 << 10)
    json.raw(",\"steps\":[")
    for (index, step) in steps.enumerated() {
      if index > 0 { json.raw(",") }
      json.raw("{\"time\":")
      json.integer(step.time.millisecondsSince1970)
      json.raw(",\"text\":")
      json.string(step.text)
      json.raw("}")
    }
    json.raw("]")
    return json.bytes.count <= limit ? json.bytes : []
  }
}

extension Recorder {
  /// Records an event of an earlier process. It does not count as activity in the current session.
  fileprivate mutating func recordEarlier(
    _ kind: EventKind, _ name: String, _ properties: Properties = [:], details: [UInt8] = [],
    _ launch: TernClient.PreviousProcess, into log: EventLog, clock: any TernClock
  ) -> Result {
    if let refusal = refusal(of: kind, log) { return refusal }
    let event = Event(
      id: launch.id, kind: kind, name: name.truncated(toBytes: NativeProtocol.maximumNameBytes), time: launch.time,
      install: install, session: launch.session,
      user: launch.user?.truncated(toBytes: NativeProtocol.maximumNameBytes), properties: properties, details: details)
    // Queued now: its age in the queue counts from here, not from the crash.
    return append(
      EventRecord(event: event, device: launch.device?.encodedMembers() ?? device),
      kind == .crash ? .critical : .normal, time: clock.wallTime,
      uptimeMilliseconds: clock.uptime.wholeMilliseconds, into: log)
  }
}
