import TernDelivery
import TernEvents
import TernLog

/// Runs a client's run loop with the client's clock and transport, in the one task that the client owns.
struct RunLoopTask {
  private var loop: RunLoop<TaskEffects>
  private let engine: Engine

  init(_ engine: Engine) {
    self.engine = engine
    loop = RunLoop(engine, TaskEffects(engine))
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
struct TaskEffects: RunLoopEffects {
  private let engine: Engine
  private var requests: [DeliveryMachine.BatchID: Task<Void, Never>] = [:]
  private var timer: Task<Void, Never>?

  init(_ engine: Engine) {
    self.engine = engine
  }

  mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) {
    let engine = engine
    requests[id] = Task {
      let result = await engine.environment.transport.send(engine.request(for: records))
      engine.mailbox.post(.answered(id, result))
    }
  }

  mutating func cancel(_ id: DeliveryMachine.BatchID) {
    requests[id]?.cancel()
  }

  mutating func finished(_ id: DeliveryMachine.BatchID) {
    requests[id] = nil
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
    for request in requests.values { request.cancel() }
    await timer?.value
    for request in requests.values { await request.value }
    timer = nil
    requests = [:]
  }
}
