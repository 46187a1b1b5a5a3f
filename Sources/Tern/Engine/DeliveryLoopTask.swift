import TernDelivery
import TernEvents
import TernLog

/// Runs a client's run loop with the client's clock and transport, in the one task that the client owns.
struct DeliveryLoopTask {
  private var loop: DeliveryLoop<TaskEffects>
  private let engine: Engine

  init(_ engine: Engine) {
    self.engine = engine
    loop = DeliveryLoop(engine, TaskEffects(engine))
  }

  /// Runs until the mailbox is closed; nothing is left behind when this returns, and the log is closed.
  mutating func run() async {
    loop.begin()
    while let messages = await engine.mailbox.next() { loop.take(messages) }
    await loop.effects.stop()
    loop.end()
  }
}

/// Does with tasks what a run loop asks for: one for each request under way, one for the timer.
struct TaskEffects: DeliveryEffects {
  /// An answer takes less than this, usually; a request that has been under way for longer when the network changes
  /// is more likely to hang on the one that is gone.
  static let patience: Duration = .seconds(1)

  private let engine: Engine
  private var requests: [DeliveryMachine.BatchID: (task: Task<Void, Never>, since: Duration)] = [:]
  private var timer: Task<Void, Never>?

  init(_ engine: Engine) {
    self.engine = engine
  }

  mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) {
    let engine = engine
    let task = Task {
      var result = TransportResult.failure(TransportFailure(.offline, "There is no collector."))
      if let request = engine.request(for: records) { result = await engine.environment.transport.send(request) }
      engine.mailbox.post(.answered(id, result))
    }
    requests[id] = (task, engine.environment.clock.uptime)
  }

  mutating func cancel(_ id: DeliveryMachine.BatchID) {
    requests[id]?.task.cancel()
  }

  mutating func finished(_ id: DeliveryMachine.BatchID) {
    requests[id] = nil
  }

  mutating func networkChanged() {
    engine.environment.transport.networkChanged()
    let now = engine.environment.clock.uptime
    for request in requests.values where now - request.since >= Self.patience { request.task.cancel() }
  }

  mutating func setTimer(_ deadline: Duration?) {
    timer?.cancel()
    timer = nil
    guard let deadline else { return }
    let clock = engine.environment.clock
    let mailbox = engine.mailbox
    timer = Task {
      await clock.sleep(until: deadline)
      if !Task.isCancelled { mailbox.post(.input(.timerFired)) }
    }
  }

  /// Ends everything that is under way, and waits for it.
  mutating func stop() async {
    timer?.cancel()
    for request in requests.values { request.task.cancel() }
    await timer?.value
    for request in requests.values { await request.task.value }
    timer = nil
    requests = [:]
  }
}
