import Tern
import TernBase
import TernDelivery
import TernEvents
import TernLog

/// One process of the app: the real client, the real run loop, the real log.
final class SimulatedProcess {
  /// The outcome of recording an event.
  struct Appended: Sendable {
    let event: Event
    let lane: Lane
    let outcome: AppendOutcome
  }

  let number: Int
  /// 0 is the app, 1 the companion.
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
  /// The app asked for it; the loop learns it with its next messages.
  var wantsPaused = false
  var isPaused = false
  /// Requests that were not answered, by number.
  var open: [Int] = []
  /// Answers that came while the process was suspended.
  var heldAnswers: [Int] = []
  /// It asked whether the collector is back, and no batch was answered since.
  var isAsking = false
  /// The collector answered something since the launch.
  var isAnswered = false
  /// The number of events that the client knows to be delivered.
  var delivered = 0
  /// The number of the latest timer.
  var timer = 0
  var isTimerSet = false
  var wasTimerMissed = false
  var wasNetworkMissed = false
  var isDrainPlanned = false
  /// The highest place in the book that was claimed for the first time, by lane and recording process.
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

/// Collects the run loop's effects; the device applies them after the loop has returned.
struct SimulatedEffects: DeliveryEffects {
  var sent: [(id: DeliveryMachine.BatchID, records: [LogRecord])] = []
  var cancelled: [DeliveryMachine.BatchID] = []
  /// The last request for a timer: `nil` none, `.some(nil)` no timer.
  var timer: Duration??
  var isNetworkNew = false

  mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) { sent.append((id, records)) }
  mutating func cancel(_ id: DeliveryMachine.BatchID) { cancelled.append(id) }
  mutating func finished(_ id: DeliveryMachine.BatchID) {}
  mutating func networkChanged() { isNetworkNew = true }
  mutating func setTimer(_ deadline: Duration?) { timer = .some(deadline) }
}

/// Never used: requests are simulation events.
struct NoTransport: Transport {
  func send(_ request: TransportRequest) async -> TransportResult {
    .failure(TransportFailure(.offline, "A simulation sends nothing."))
  }
}
