import TernDelivery
import TernEvents
import TernLog

/// Performs what the delivery machine decides; one for each client, in the one task that the client owns.
struct RunLoop {
  let engine: Engine
  var machine: DeliveryMachine
  /// Batches under way, and what answers for each.
  var requests: [DeliveryMachine.BatchID: Request] = [:]
  var timer: Task<Void, Never>?
  var drops = DropReporter()

  struct Request {
    var claim: LogClaim
    var task: Task<Void, Never>
  }

  init(_ engine: Engine) {
    self.engine = engine
    machine = DeliveryMachine(
      policy: engine.configuration.policy, generator: FastGenerator(seed: engine.machineSeed))
  }

  /// Runs until the mailbox is closed; nothing is left behind when this returns, and the log is closed.
  mutating func run() async {
    // Asked for before anything is started: the app may have paused or disabled the client right after creating it.
    if engine.board.state.withLock({ $0.isPaused }) { feed(.paused) }
    if engine.recorder.withLock({ !$0.isEnabled }) { feed(.disabled) }
    feed(engine.hadBacklog ? .launched : .appended)
    while let messages = await engine.mailbox.next() {
      for message in messages { take(message) }
      engine.saveSwitches()
      engine.board.publish(engine.status)
    }
    await stop()
  }

  private mutating func take(_ message: Message) {
    switch message {
    case .appended(let isCritical):
      if isCritical, engine.configuration.durability != .never { engine.log.synchronize() }
      feed(.appended)
    case .refresh: break
    case .answered(let id, let result): answered(id, result)
    case .input(let input):
      if input == .disabled {
        for request in requests.values { request.task.cancel() }
      }
      if input == .enteredBackground, engine.configuration.durability != .never { engine.log.synchronize() }
      feed(input)
    }
  }

  /// Tells the machine and does what it says, until it has nothing more to say.
  mutating func feed(_ input: DeliveryMachine.Input) {
    var inputs = [input]
    while let input = inputs.popLast() {
      let actions = machine.handle(input, waiting: engine.waiting, now: engine.environment.clock.uptime)
      for action in actions {
        switch action {
        case .startBatch(let id, let events, let bytes): inputs.append(start(id, events, bytes))
        case .setTimer(let deadline): setTimer(deadline)
        case .cancelTimer:
          timer?.cancel()
          timer = nil
        case .finishFlush(let id, let result): engine.finishFlush(id, FlushOutcome(result))
        }
      }
    }
  }

  private mutating func setTimer(_ deadline: Duration) {
    timer?.cancel()
    let clock = engine.environment.clock
    let mailbox = engine.mailbox
    timer = Task {
      await clock.sleep(until: deadline)
      if !Task.isCancelled { mailbox.post(.input(.timerFired)) }
    }
  }

  private mutating func stop() async {
    timer?.cancel()
    for request in requests.values { request.task.cancel() }
    await timer?.value
    for request in requests.values {
      await request.task.value
      engine.log.settle(request.claim.id, .returned)
    }
    engine.saveSwitches()
    engine.log.close()
    engine.board.close()
  }
}
