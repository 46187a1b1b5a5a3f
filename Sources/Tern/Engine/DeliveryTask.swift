package import TernDelivery
import TernEvents
import TernLog

/// Runs a delivery loop with the client's clock and transport, in the client's only task.
package struct DeliveryTask<Machine: SendingMachine, Codec: WireCodec> {
  private var loop: DeliveryLoop<Machine, Codec, TaskEffects<Codec>>

  package init(_ engine: Engine, _ machine: Machine, _ codec: Codec) {
    loop = DeliveryLoop(engine, machine, codec, TaskEffects(engine, codec))
  }

  /// Runs until the mailbox is closed; on return, all requests have ended and the log is closed.
  package mutating func run() async {
    loop.begin()
    while let messages = await loop.engine.mailbox.next() { loop.take(messages) }
    await loop.effects.stop()
    loop.end()
  }
}

/// Performs the effects of a delivery loop with one task per request and one for the timer.
struct TaskEffects<Codec: WireCodec>: DeliveryEffects {
  /// Most responses take less time than this. A request in flight for longer when the network changes probably hangs on
  /// the previous one.
  private static var staleAfter: Duration { .seconds(1) }

  private let engine: Engine
  private let codec: Codec
  private var requests: [BatchID: (task: Task<Void, Never>, since: Duration)] = [:]
  private var timer: Task<Void, Never>?

  init(_ engine: Engine, _ codec: Codec) {
    self.engine = engine
    self.codec = codec
  }

  mutating func send(_ id: BatchID, _ records: [LogRecord]) {
    let (engine, codec) = (engine, codec)
    let task = Task {
      var result = TransportResult.failure(TransportFailure(.offline, "There is no collector."))
      if let request = codec.request(for: records) { result = await engine.environment.transport.send(request) }
      engine.mailbox.post(.answered(id, result))
    }
    requests[id] = (task, engine.environment.clock.uptime)
  }

  mutating func cancel(_ id: BatchID) { requests[id]?.task.cancel() }

  mutating func finished(_ id: BatchID) { requests[id] = nil }

  mutating func networkChanged() {
    engine.environment.transport.networkChanged()
    let now = engine.environment.clock.uptime
    for request in requests.values where now - request.since >= Self.staleAfter { request.task.cancel() }
  }

  mutating func setTimer(_ deadline: Duration?) {
    timer?.cancel()
    timer = nil
    guard let deadline else { return }
    let (clock, mailbox) = (engine.environment.clock, engine.mailbox)
    timer = Task {
      await clock.sleep(until: deadline)
      if !Task.isCancelled { mailbox.post(.input(.timerFired)) }
    }
  }

  /// Cancels everything in flight and waits for it to end.
  mutating func stop() async {
    timer?.cancel()
    for request in requests.values { request.task.cancel() }
    await timer?.value
    for request in requests.values { await request.task.value }
    timer = nil
    requests = [:]
  }
}
