import TernBase
package import TernDelivery
import TernEvents
package import TernLog

/// The effects that a delivery loop has beside the log's files.
package protocol DeliveryEffects {
  /// Sends a batch, which may be empty; the answer comes back as one message.
  mutating func send(_ id: BatchID, _ records: [LogRecord])
  /// Cancels a request whose result no longer matters; its answer may come at once, as a failure.
  mutating func cancel(_ id: BatchID)
  /// Forgets a request whose answer has been handled.
  mutating func finished(_ id: BatchID)
  /// Sends `timerFired` at this uptime; replaces the previous timer. `nil` cancels it.
  mutating func setTimer(_ deadline: Duration?)
  /// Lets requests that hang on the previous network fail.
  mutating func networkChanged()
}

/// A delivery loop with Tern's own machine and protocol.
package typealias NativeDeliveryLoop<Effects: DeliveryEffects> = DeliveryLoop<DeliveryMachine, NativeCodec, Effects>

/// Performs the decisions of a sending machine on the log; each client has one.
///
/// Nothing here waits: messages go in, and the effects do the rest. The same code runs in the task of a client
/// (``DeliveryTask``) and in a simulator that covers months in a second.
package struct DeliveryLoop<Machine: SendingMachine, Codec: WireCodec, Effects: DeliveryEffects> {
  package let engine: Engine
  package var effects: Effects
  var machine: Machine
  let codec: Codec
  /// Batches in flight.
  var claims: [BatchID: LogClaim] = [:]
  var drops = DropReporter()
  /// Awaited events that were in the log at the last look.
  var knownReceipts: Set<UniqueID> = []
  /// Awaited events that may have been in the log: part of it could not be read.
  var doubtfulReceipts: Set<UniqueID> = []
  /// The uptime of the next attempt to read that part.
  var doubtfulUntil: Duration?
  /// The drops at the last look.
  var droppedWhenLooked: [DropReason: Int] = [:]
  /// The uptime of the last search for events of dead processes.
  var lookedForOrphans: Duration
  /// The number of times that events were found there or in memory: they are due at once.
  package internal(set) var adoptions = 0
  /// The schedule of the disk's retries while it refuses events.
  var storageBackoff: StorageBackoff?
  /// The schedule of attempts to read or confirm the settings.
  var settingsBackoff: StorageBackoff?
  /// The uptime from which the counts of drops may be saved again.
  var nextCountSave: Duration = .zero
  /// True if drops were counted since the counts were saved; they are saved within a second.
  package internal(set) var hasUnsavedDrops = false
  /// The deadline of the machine's timer.
  var machineDeadline: Duration?
  /// The deadline last given to the effects.
  var timer: Duration?
  /// True if the effects' timer has to be set even to the same deadline.
  var isTimerDue = false

  package init(_ engine: Engine, _ machine: Machine, _ codec: Codec, _ effects: Effects) {
    self.engine = engine
    self.machine = machine
    self.codec = codec
    self.effects = effects
    // Opening the log was a look.
    lookedForOrphans = engine.environment.clock.uptime
  }

  /// Handles the state that the client was created in.
  package mutating func begin() {
    // Another process may have changed the settings since the log was opened.
    _ = engine.followSettings()
    // Checked before anything starts: the app may have paused or disabled the client right after creating it.
    if engine.clientState.withLock({ $0.isPaused }) { feed(.paused) }
    if engine.recorder.withLock({ !$0.isEnabled }) { feed(.disabled) }
    lookForSettings()
    tryStorage(.timer)
    feed(engine.clientState.withLock { $0.hadBacklog } ? .launched : .appended)
    setTimer()
  }

  /// Handles messages.
  package mutating func take(_ messages: [Message]) {
    // Everything that is sent is sent because of a message.
    for input in engine.followSettings() { take(.input(input)) }
    lookForSettings()
    loadUnreadSegments()
    tryStorage(messages.map(\.trigger).max() ?? .timer)
    for message in messages { take(message) }
    mirrorSettings()
    if engine.environment.clock.uptime - lookedForOrphans >= .seconds(3600), engine.waiting.total == 0 {
      adoptOrphans()
    }
    lookForReceipts()
    engine.saveSettings()
    engine.trim()
    saveDrops()
    engine.clientState.publish(engine.status)
    setTimer()
    for case .barrier(let reached) in messages { reached() }
  }

  /// Requeues the batches in flight and closes the directory; requests must have ended before.
  package mutating func end() {
    for (_, claim) in claims.inOrder { engine.log.settle(claim.id, .returned) }
    claims = [:]
    // Events that the user does not want sent must not be left to the next launch, which may have other settings.
    _ = engine.followSettings()
    engine.saveSettings()
    if engine.isBuffering, !engine.openStorage() { engine.discardBuffered() }
    engine.files.withLock { $0.forgetSeen() }
    // Drops of the last second are not saved yet.
    engine.log.saveCounts()
    engine.log.close()
    engine.clientState.close()
  }

  /// Makes the machine follow the present settings: a message may be older than the last look at the files, and no
  /// other message follows a change seen there.
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
    case .refresh: break
    case .barrier: break
    case .filesAvailable: engine.log.retryUnreadable()
    case .answered(let id, let result): finishRequest(id, result)
    // Paused again since; that message follows.
    case .input(.resumed) where engine.clientState.withLock({ $0.isPaused }): break
    case .input(let input):
      switch input {
      case .timerFired: wake(at: nil)
      case .disabled: for (id, _) in claims.inOrder { effects.cancel(id) }
      case .enteredBackground where engine.configuration.durability != .never: engine.log.synchronize()
      case .flushRequested, .batchRequested:
        // The caller wants to know whether everything can be sent.
        engine.log.retryUnreadable()
        loadUnreadSegments()
      case .networkAvailable: effects.networkChanged()
      default: break
      }
      if input.looksForOrphans { adoptOrphans() }
      feed(input)
    }
  }

  /// Loads segments that could not be read when the log was opened, once they can be: they have waited long enough.
  private mutating func loadUnreadSegments() {
    guard engine.log.loadUnreadSegments() else { return }
    adoptions += 1
    if !engine.recorder.withLock({ $0.isEnabled }) { return engine.log.erase() }
    for part in engine.recorder.withLock({ $0.off }) { engine.log.erase(epoch: part.erasure) }
    feed(.launched)
  }

  /// Adopts the events of processes that have died since; otherwise they would wait for the next launch.
  private mutating func adoptOrphans() {
    guard engine.recorder.withLock({ $0.isEnabled }) else { return }
    lookedForOrphans = engine.environment.clock.uptime
    guard engine.log.adoptOrphans() else { return }
    for part in engine.recorder.withLock({ $0.off }) { engine.log.erase(epoch: part.erasure) }
    adoptions += 1
    // As with a backlog at launch: they have waited long enough.
    feed(.launched)
  }

  /// Feeds the machine and performs its actions, until there is no further input.
  mutating func feed(_ input: MachineInput) {
    var inputs = [input]
    // Check the pause flag now: events recorded after `pause()` must not be sent by an earlier message.
    if !machine.isPaused, engine.clientState.withLock({ $0.isPaused }) { inputs.append(.paused) }
    while let input = inputs.popLast() {
      let actions = machine.handle(input, waiting: engine.waiting, now: engine.environment.clock.uptime)
      for action in actions {
        switch action {
        case .startBatch(let id, let events, let bytes): inputs += start(id, events, bytes)
        case .sendHealthProbe(let id): effects.send(id, [])
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

extension DeliveryLoop where Machine == DeliveryMachine, Codec == NativeCodec {
  package init(_ engine: Engine, _ effects: Effects) {
    let machine = DeliveryMachine(
      policy: engine.configuration.policy, generator: FastGenerator(seed: engine.machineSeed),
      memory: engine.deliveryMemory())
    self.init(engine, machine, NativeCodec(engine), effects)
  }
}

extension MachineInput {
  /// True if it is time to look for events of dead processes: everything is to be sent, or the app comes or goes.
  fileprivate var looksForOrphans: Bool {
    switch self {
    case .flushRequested, .batchRequested, .enteredForeground, .enteredBackground: true
    default: false
    }
  }
}

extension [BatchID: LogClaim] {
  /// In the order of claiming: a dictionary's own order differs between processes, and a simulation must be repeatable.
  fileprivate var inOrder: [(key: BatchID, value: LogClaim)] { sorted { $0.key.number < $1.key.number } }
}
