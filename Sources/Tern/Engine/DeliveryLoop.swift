import TernBase
package import TernDelivery
import TernEvents
package import TernLog

/// The side effects of a delivery loop, other than on the log's files.
package protocol DeliveryEffects {
  /// Sends a batch, which may be empty; its result arrives as one message.
  mutating func send(_ id: BatchID, _ records: [LogRecord])
  /// Cancels a request whose result no longer matters; it may fail immediately.
  mutating func cancel(_ id: BatchID)
  /// Forgets a request whose result has been handled.
  mutating func finished(_ id: BatchID)
  /// Schedules `timerFired` for this uptime, replacing the previous timer; `nil` cancels it.
  mutating func setTimer(_ deadline: Duration?)
  /// Cancels requests that probably hang on the previous network.
  mutating func networkChanged()
}

/// The delivery loop for Tern's own machine and protocol.
package typealias NativeDeliveryLoop<Effects: DeliveryEffects> = DeliveryLoop<DeliveryMachine, NativeCodec, Effects>

/// Carries out the decisions of a sending machine on the log. Each client has one.
///
/// It never waits: messages go in, and effects do the rest. The same code runs in a client's task (``DeliveryTask``)
/// and in a simulator that covers months in a second.
package struct DeliveryLoop<Machine: SendingMachine, Codec: WireCodec, Effects: DeliveryEffects> {
  package let engine: Engine
  package var effects: Effects
  var machine: Machine
  let codec: Codec
  /// Batches in flight.
  var claims: [BatchID: LogClaim] = [:]
  var drops = DropReporter()
  /// Awaited events that were in the log at the last search.
  var knownReceipts: Set<UniqueID> = []
  /// Awaited events that may be in an unreadable part of the log.
  var doubtfulReceipts: Set<UniqueID> = []
  /// The uptime of the next attempt to read that part.
  var doubtfulUntil: Duration?
  /// The drop counts at the last search.
  var droppedWhenLooked: [DropReason: Int] = [:]
  /// The uptime of the last search for orphaned events.
  var lookedForOrphans: Duration
  /// The number of times that events were adopted or recovered, which are sent immediately.
  package internal(set) var adoptions = 0
  /// The retry schedule while the disk refuses events.
  var storageBackoff: StorageBackoff?
  /// The retry schedule while the settings cannot be read or confirmed.
  var settingsBackoff: StorageBackoff?
  /// The earliest uptime for saving the drop counts again.
  var nextCountSave: Duration = .zero
  /// True if drop counts have changed since they were saved; they are saved within a second.
  package internal(set) var hasUnsavedDrops = false
  /// The deadline of the machine's timer.
  var machineDeadline: Duration?
  /// The deadline last given to the effects.
  var timer: Duration?
  /// True if the effects' timer must be set again, even to the same deadline.
  var isTimerDue = false

  package init(_ engine: Engine, _ machine: Machine, _ codec: Codec, _ effects: Effects) {
    self.engine = engine
    self.machine = machine
    self.codec = codec
    self.effects = effects
    // Opening the log included a search.
    lookedForOrphans = engine.environment.clock.uptime
  }

  /// Handles the initial state of the client.
  package mutating func begin() {
    // Another process may have changed the settings since the log was opened.
    _ = engine.followSettings()
    // Check before anything starts: the app may have paused or disabled the client right after creating it.
    if engine.clientState.withLock({ $0.isPaused }) { feed(.paused) }
    if engine.recorder.withLock({ !$0.isEnabled }) { feed(.disabled) }
    lookForSettings()
    tryStorage(.timer)
    feed(engine.clientState.withLock { $0.hadBacklog } ? .launched : .appended)
    setTimer()
  }

  /// Handles messages.
  package mutating func take(_ messages: [Message]) {
    // Sending always starts with a message, so checking here applies other processes' opt-outs before any request.
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

  /// Requeues the claimed events and closes the log and settings. All requests must have ended.
  package mutating func end() {
    for (_, claim) in claims.inOrder { engine.log.settle(claim.id, .returned) }
    claims = [:]
    // Apply a last-minute opt-out now: the next launch may find other settings and send the events.
    _ = engine.followSettings()
    engine.saveSettings()
    if engine.isBuffering, !engine.openStorage() { engine.discardBuffered() }
    engine.files.withLock { $0.forgetSeen() }
    // Drops of the last second may be unsaved.
    engine.log.saveCounts()
    engine.log.close()
    engine.clientState.close()
  }

  /// Aligns the machine with the current settings: a message may predate the last check of the file, and a change found
  /// there sends no message of its own.
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
    // Paused again in the meantime; that message follows.
    case .input(.resumed) where engine.clientState.withLock({ $0.isPaused }): break
    case .input(let input):
      switch input {
      case .timerFired: wake(at: nil)
      case .disabled: for (id, _) in claims.inOrder { effects.cancel(id) }
      case .enteredBackground where engine.configuration.durability != .never: engine.log.synchronize()
      case .flushRequested, .batchRequested:
        // A flush reports unreadable events: try them now.
        engine.log.retryUnreadable()
        loadUnreadSegments()
      case .networkAvailable: effects.networkChanged()
      default: break
      }
      if input.looksForOrphans { adoptOrphans() }
      feed(input)
    }
  }

  /// Loads segments that were unreadable when the log was opened. Their events are sent immediately.
  private mutating func loadUnreadSegments() {
    guard engine.log.loadUnreadSegments() else { return }
    adoptions += 1
    if !engine.recorder.withLock({ $0.isEnabled }) { return engine.log.erase() }
    for part in engine.recorder.withLock({ $0.off }) { engine.log.erase(part.erasure) }
    feed(.launched)
  }

  /// Adopts the events of processes that have ended; otherwise these would wait for the next launch.
  private mutating func adoptOrphans() {
    guard engine.recorder.withLock({ $0.isEnabled }) else { return }
    lookedForOrphans = engine.environment.clock.uptime
    guard engine.log.adoptOrphans() else { return }
    for part in engine.recorder.withLock({ $0.off }) { engine.log.erase(part.erasure) }
    adoptions += 1
    // Send adopted events immediately, like a backlog at launch.
    feed(.launched)
  }

  /// Feeds the machine and performs its actions until there is no further input.
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
        case .settle(let id, let disposition):
          settle(id, disposition)
          inputs.append(.batchSettled)
        case .resend(let id): resend(id)
        case .release(let id):
          release(id)
          // The events that were not erased are waiting again, which the machine must learn.
          inputs.append(.batchSettled)
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
  /// True if the input triggers a search for orphaned events: flushes, and transitions to foreground or background.
  fileprivate var looksForOrphans: Bool {
    switch self {
    case .flushRequested, .batchRequested, .enteredForeground, .enteredBackground: true
    default: false
    }
  }
}

extension [BatchID: LogClaim] {
  /// The claims in order, because a dictionary's order differs between processes and a simulation must be repeatable.
  fileprivate var inOrder: [(key: BatchID, value: LogClaim)] { sorted { $0.key.number < $1.key.number } }
}
