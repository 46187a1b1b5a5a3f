package import TernDelivery
import TernEvents
package import TernLog

/// What a run loop has done for it; beside the log's files these are all of its effects.
package protocol DeliveryEffects {
  /// Sends a batch, which may be empty; the answer comes back as a message, once.
  mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord])
  /// Nobody needs the batch to arrive any more; its answer may come at once, as a failure.
  mutating func cancel(_ id: DeliveryMachine.BatchID)
  /// The answer of a batch was taken in.
  mutating func finished(_ id: DeliveryMachine.BatchID)
  /// Sends `timerFired` when the uptime has reached the deadline; replaces the timer before. `nil` forgets it.
  mutating func setTimer(_ deadline: Duration?)
  /// The network came back or changed: what hangs on the one before may end now, as failures.
  mutating func networkChanged()
}

extension DeliveryEffects {
  /// Does nothing: requests end in their own time.
  package mutating func networkChanged() {}
}

/// Carries out what the delivery machine decides, on the log; one for each client.
///
/// Nothing here waits: messages go in, the effects are asked for the rest. So the same code runs in the task that a
/// client owns (``DeliveryLoopTask``) and in a simulator that lives through months in a second.
package struct DeliveryLoop<Effects: DeliveryEffects> {
  package let engine: Engine
  package var effects: Effects
  var machine: DeliveryMachine
  /// Batches under way.
  var claims: [DeliveryMachine.BatchID: LogClaim] = [:]
  var drops = DropReporter()
  /// Events that somebody asks about and that were in the log when it was last looked through.
  var knownReceipts: Set<UniqueID> = []
  /// Those of which nobody knows whether they were, since part of the log could not be read.
  var doubtfulReceipts: Set<UniqueID> = []
  /// Until when that part is left alone.
  var doubtfulUntil: Duration?
  /// The drops when it was.
  var droppedWhenLooked: [DropReason: Int] = [:]
  /// When what dead processes left was last looked for, by uptime.
  var lookedForOrphans: Duration
  /// How often something was found, there or in memory: what is due at once.
  package internal(set) var adoptions = 0
  /// Whether somebody asked then.
  var wasAsked = false
  /// When the disk is tried again, while it takes nothing.
  var storageBackoff: StorageBackoff?
  /// When the switches are looked for again, while they cannot be read.
  var settingsBackoff: StorageBackoff?
  /// When the machine wants to be woken.
  var machineDeadline: Duration?
  /// What the effects were told last.
  var timer: Duration?
  /// The machine has asked for its time, or what was set is over.
  var isTimerDue = false

  package init(_ engine: Engine, _ effects: Effects) {
    self.engine = engine
    self.effects = effects
    // Opening the log was a look.
    lookedForOrphans = engine.environment.clock.uptime
    machine = DeliveryMachine(
      policy: engine.configuration.policy, generator: FastGenerator(seed: engine.machineSeed),
      memory: engine.deliveryMemory())
  }

  /// Takes in the state that the client was created in.
  package mutating func begin() {
    // Another process may have been told otherwise since the log was opened; what is asked next says it.
    _ = engine.followSettings()
    // Asked for before anything is started: the app may have paused or disabled the client right after creating it.
    if engine.clientState.withLock({ $0.isPaused }) { feed(.paused) }
    if engine.recorder.withLock({ !$0.isEnabled }) { feed(.disabled) }
    lookForSettings()
    tryStorage(.time)
    feed(engine.clientState.withLock { $0.hadBacklog } ? .launched : .appended)
    setTimer()
  }

  /// Takes in what happened.
  package mutating func take(_ messages: [Message]) {
    // Everything that is sent is sent because of a message.
    for switched in engine.followSettings() { take(.input(switched)) }
    lookForSettings()
    loadUnreadSegments()
    tryStorage(messages.map(\.trigger).max() ?? .time)
    for message in messages { take(message) }
    mirrorSettings()
    if engine.environment.clock.uptime - lookedForOrphans >= .seconds(3600), engine.waiting.total == 0 {
      adoptOrphans()
    }
    lookForReceipts()
    engine.saveSettings()
    engine.clientState.publish(engine.status)
    setTimer()
  }

  /// Gives back what is under way and lets go of the directory; requests must have ended before.
  package mutating func end() {
    for (_, claim) in claims.inOrder { engine.log.settle(claim.id, .returned) }
    claims = [:]
    // What the user does not want sent must not be left to the next launch, which may be told otherwise.
    _ = engine.followSettings()
    engine.saveSettings()
    if engine.isBuffering, !engine.openStorage() { engine.discardBuffered() }
    engine.files.withLock { $0.forgetSeen() }
    engine.log.close()
    engine.clientState.close()
  }

  /// What holds counts, whatever messages said last: one may be older than what was seen in the files since, and of a
  /// change that was seen there no other one comes.
  private mutating func mirrorSettings() {
    let isEnabled = engine.recorder.withLock { $0.isEnabled }
    if machine.isEnabled != isEnabled { take(.input(isEnabled ? .enabled : .disabled)) }
    let isPaused = engine.clientState.withLock { $0.isPaused }
    if machine.isPaused != isPaused { take(.input(isPaused ? .paused : .resumed)) }
  }

  private mutating func take(_ message: Message) {
    switch message {
    case .appended(let isCritical):
      if isCritical, engine.configuration.durability != .never { engine.log.synchronize() }
      feed(.appended)
    case .refresh: engine.log.saveCounts()
    case .filesAvailable: engine.log.retryUnreadable()
    case .answered(let id, let result): answered(id, result)
    // Paused again since; that message is on its way.
    case .input(.resumed) where engine.clientState.withLock({ $0.isPaused }): break
    case .input(let input):
      if input == .timerFired { wake(at: nil) }
      if input == .disabled {
        for (id, _) in claims.inOrder { effects.cancel(id) }
      }
      if input == .enteredBackground, engine.configuration.durability != .never { engine.log.synchronize() }
      // Whoever asks for all of it wants to know whether it can be had.
      if case .flushRequested = input {
        engine.log.retryUnreadable()
        loadUnreadSegments()
      }
      if input.looksForOrphans { adoptOrphans() }
      if input == .networkAvailable { effects.networkChanged() }
      feed(input)
    }
  }

  /// Takes in what could not be read when the log was opened, once it can be: it has waited long enough.
  private mutating func loadUnreadSegments() {
    guard engine.log.loadUnreadSegments() else { return }
    adoptions += 1
    if !engine.recorder.withLock({ $0.isEnabled }) { return engine.log.erase() }
    for part in engine.recorder.withLock({ $0.off }) { engine.log.erase(epoch: part.erasure) }
    feed(.launched)
  }

  /// Takes in what other processes left that died since, or it would wait for the next launch.
  private mutating func adoptOrphans() {
    guard engine.recorder.withLock({ $0.isEnabled }) else { return }
    lookedForOrphans = engine.environment.clock.uptime
    guard engine.log.adoptOrphans() else { return }
    for part in engine.recorder.withLock({ $0.off }) { engine.log.erase(epoch: part.erasure) }
    adoptions += 1
    // As with a backlog at a launch: they have waited long enough.
    feed(.launched)
  }

  /// Tells the machine and does what it says, until it has nothing more to say.
  mutating func feed(_ input: DeliveryMachine.Input) {
    var inputs = [input]
    // Asked for now, not when its message comes: what is recorded after a pause must not go with a message before it.
    if !machine.isPaused, engine.clientState.withLock({ $0.isPaused }) { inputs.append(.paused) }
    while let input = inputs.popLast() {
      let actions = machine.handle(input, waiting: engine.waiting, now: engine.environment.clock.uptime)
      for action in actions {
        switch action {
        case .startBatch(let id, let events, let bytes): inputs.append(start(id, events, bytes))
        case .ask(let id): effects.send(id, [])
        case .resend(let id): resend(id)
        case .release(let id): release(id)
        case .remember(let memory): engine.remember(memory)
        case .setTimer(let deadline): wake(at: deadline)
        case .cancelTimer: wake(at: nil)
        case .finishFlush(let id, let result): engine.finishFlush(id, FlushOutcome(result))
        }
      }
    }
  }
}

extension DeliveryMachine.Input {
  /// Whether it is a time to look what dead processes left: somebody wants all of it sent, or the app comes and goes.
  fileprivate var looksForOrphans: Bool {
    switch self {
    case .flushRequested, .enteredForeground, .enteredBackground: true
    default: false
    }
  }
}

extension [DeliveryMachine.BatchID: LogClaim] {
  /// In the order in which they were claimed: a dictionary's own differs from process to process, and a simulation that
  /// found a fault must be able to repeat it.
  fileprivate var inOrder: [(key: DeliveryMachine.BatchID, value: LogClaim)] {
    sorted { $0.key.number < $1.key.number }
  }
}
