import Tern
import TernBase
import TernDelivery
import TernEvents
import TernLog

/// One process of the app, with the real client, delivery loop and log.
final class SimulatedProcess {
  /// The outcome of recording an event.
  struct Appended: Sendable {
    let event: Event
    let lane: Lane
    let outcome: AppendOutcome
  }

  let number: Int
  /// 0 for the app, 1 for its companion.
  let slot: Int
  let setup: AppTraits
  let files: ProcessFiles
  let engine: Engine
  let client: TernClient
  var loop: NativeDeliveryLoop<SimulatedEffects>
  let appended: Locked<[Appended]>
  var timing: TimingOracle
  var receipts = ReceiptOracle()

  var isInForeground: Bool
  var isSuspended = false
  /// True if the app has paused; the loop is notified with its next messages.
  var wantsPaused = false
  var isPaused = false
  /// The unanswered requests, by number.
  var open: [Int] = []
  /// Responses that arrived while the process was suspended.
  var heldAnswers: [Int] = []
  /// True if it has sent a health probe and no batch has been answered since.
  var hasProbed = false
  /// True if the collector has answered anything since the launch.
  var isAnswered = false
  /// The number of events delivered, according to the client.
  var delivered = 0
  /// The number of the latest timer.
  var timer = 0
  var isTimerSet = false
  var wasTimerMissed = false
  var wasNetworkMissed = false
  var isDrainPlanned = false
  /// The highest place claimed for the first time, by lane and recording process.
  var lastClaimed: [Int: Int] = [:]

  init(
    number: Int, slot: Int, setup: AppTraits, files: ProcessFiles, engine: Engine, appended: Locked<[Appended]>,
    isInForeground: Bool,
    timing: TimingOracle
  ) {
    self.number = number
    self.slot = slot
    self.setup = setup
    self.files = files
    self.engine = engine
    self.appended = appended
    self.isInForeground = isInForeground
    self.timing = timing
    client = TernClient(engine)
    loop = DeliveryLoop(engine, SimulatedEffects())
  }
}

/// Collects the delivery loop's effects; the device applies them after the loop has returned.
struct SimulatedEffects: DeliveryEffects {
  var sent: [(id: DeliveryMachine.BatchID, records: [LogRecord])] = []
  var cancelled: [DeliveryMachine.BatchID] = []
  /// The last requested timer: `nil` for no request, `.some(nil)` for no timer.
  var timer: Duration??
  var isNetworkNew = false

  mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) { sent.append((id, records)) }
  mutating func cancel(_ id: DeliveryMachine.BatchID) { cancelled.append(id) }
  mutating func finished(_ id: DeliveryMachine.BatchID) {}
  mutating func networkChanged() { isNetworkNew = true }
  mutating func setTimer(_ deadline: Duration?) { timer = .some(deadline) }
}

/// Never used, because requests are simulation events.
struct NoTransport: Transport {
  func send(_ request: TransportRequest) async -> TransportResult {
    .failure(TransportFailure(.offline, "A simulation sends nothing."))
  }
}
