import TernDelivery
import TernEvents
import Testing

/// A machine with a log, a clock and requests in memory, which checks its invariants at every step.
struct World {
  struct Entry: Equatable {
    var number: Int
    var isCritical: Bool
  }

  struct Request {
    var id: DeliveryMachine.BatchID
    var entries: [Entry]
    var startedAt: Duration
  }

  var machine: DeliveryMachine
  var now: Duration = .seconds(1000)
  /// The events that wait. Its critical events are counted as it changes: most steps need the number, and counting thousands
  /// of events at each step took most of the time of these tests.
  private var queue: [Entry] = []
  private var criticalCount = 0
  var requests: [Request] = []
  /// The failed batches that keep their events.
  var sleeping: [DeliveryMachine.BatchID: Request] = [:]
  var resent: [Duration] = []
  var timer: Duration?
  var flushes: [DeliveryMachine.FlushID: [DeliveryMachine.FlushResult]] = [:]
  var delivered: [Int] = []
  var rejected: [Int] = []
  var started: [Duration] = []
  var batchSizes: [Int] = []
  var healthProbes: [Duration] = []
  var remembered: [DeliveryMemory] = []
  var appended = 0
  var isPaused = false
  var isEnabled = true
  /// The size of every event in bytes.
  var eventBytes = 100

  init(_ policy: Policy = Policy(), seed: UInt64 = 1, memory: DeliveryMemory = DeliveryMemory()) {
    machine = DeliveryMachine(policy: policy, generator: FastGenerator(seed: seed), memory: memory)
  }

  /// Returns true if the request at this index is a health probe.
  func isHealthProbe(_ index: Int = 0) -> Bool { requests[index].entries.isEmpty }

  var log: [Entry] {
    get { queue }
    set {
      queue = newValue
      criticalCount = newValue.count { $0.isCritical }
    }
  }

  var waiting: DeliveryMachine.Waiting { .init(normal: queue.count - criticalCount, critical: criticalCount) }

  mutating func feed(_ input: DeliveryMachine.Input) {
    switch input {
    case .paused: isPaused = true
    case .resumed: isPaused = false
    case .enabled: isEnabled = true
    case .disabled:
      isEnabled = false
      log = []
    default: break
    }
    var inputs = [input]
    while !inputs.isEmpty {
      let input = inputs.removeFirst()
      for action in machine.handle(input, waiting: waiting, now: now) { perform(action, &inputs) }
    }
  }

  private mutating func perform(_ action: DeliveryMachine.Action, _ inputs: inout [DeliveryMachine.Input]) {
    switch action {
    case .setTimer(let deadline):
      #expect(deadline >= now)
      timer = deadline
    case .cancelTimer: timer = nil
    case .finishFlush(let id, let result): flushes[id, default: []].append(result)
    case .sendHealthProbe(let id):
      #expect(!isPaused && isEnabled, "no probe is sent while paused or disabled")
      requests.append(Request(id: id, entries: [], startedAt: now))
      healthProbes.append(now)
      #expect(requests.count == 1, "a probe is the only request")
    case .resend(let id):
      #expect(!isPaused && isEnabled, "nothing is resent while paused or disabled")
      let request = sleeping.removeValue(forKey: id)
      #expect(request != nil, "only pending retries are resent")
      requests.append(Request(id: id, entries: request?.entries ?? [], startedAt: now))
      resent.append(now)
      #expect(requests.count <= machine.policy.maximumInFlight, "the number of batches in flight is within the limit")
    case .settle(let id, let disposition):
      settle(id, disposition)
      inputs.append(.batchSettled)
    case .release(let id):
      let entries = sleeping.removeValue(forKey: id)?.entries ?? []
      if isEnabled, !entries.isEmpty { log = (entries + queue).sorted { $0.number < $1.number } }
    case .remember(let memory): remembered.append(memory)
    case .startBatch(let id, let events, let bytes):
      #expect(!isPaused && isEnabled, "nothing starts while paused or disabled")
      let entries = claim(max(1, min(events, bytes / eventBytes)))
      guard !entries.isEmpty else { return inputs.append(.nothingToClaim(id)) }
      requests.append(Request(id: id, entries: entries, startedAt: now))
      started.append(now)
      batchSizes.append(entries.count)
      #expect(requests.count <= machine.policy.maximumInFlight, "the number of batches in flight is within the limit")
      let critical = entries.count { $0.isCritical }
      let claimed = DeliveryMachine.Waiting(normal: entries.count - critical, critical: critical)
      inputs.append(.batchStarted(id, events: claimed, bytes: entries.count * eventBytes))
    }
  }

  /// Removes and returns the next events: critical ones first, each kind in its order.
  private mutating func claim(_ count: Int) -> [Entry] {
    if criticalCount == 0 {
      let entries = Array(queue.prefix(count))
      queue.removeFirst(entries.count)
      return entries
    }
    let sorted = queue.filter(\.isCritical) + queue.filter { !$0.isCritical }
    let entries = Array(sorted.prefix(count))
    let numbers = Set(entries.map(\.number))
    log = queue.filter { !numbers.contains($0.number) }
    return entries
  }

  mutating func append(_ count: Int = 1, critical: Bool = false) {
    for _ in 0..<count where isEnabled {
      queue.append(Entry(number: appended, isCritical: critical))
      if critical { criticalCount += 1 }
      appended += 1
      // Like the client, which sends a message only if it can change something.
      let isFirstOfNormal = !critical && queue.count - criticalCount == 1
      if critical || isFirstOfNormal || queue.count == 1 || queue.count == machine.policy.flushAt { feed(.appended) }
    }
  }

  mutating func settle(_ outcome: ResponseOutcome, at index: Int = 0) {
    feed(.requestEnded(requests[index].id, outcome))
  }

  private mutating func settle(_ id: DeliveryMachine.BatchID, _ disposition: EventDisposition) {
    guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
    let request = requests.remove(at: index)
    switch disposition {
    case .keep: if !request.entries.isEmpty { sleeping[request.id] = request }
    case .remove(let indexes):
      for (place, entry) in request.entries.enumerated() {
        if indexes.contains(place) { rejected.append(entry.number) } else { delivered.append(entry.number) }
      }
    case .requeue(let indexes):
      rejected += indexes.map { request.entries[$0].number }
      let returned = request.entries.enumerated().filter { !indexes.contains($0.offset) }.map(\.element)
      if isEnabled, !returned.isEmpty { log = (returned + queue).sorted { $0.number < $1.number } }
    }
  }

  /// Advances the clock; the timer fires when it is due.
  mutating func advance(by step: Duration) {
    let end = now + step
    while let deadline = timer, deadline <= end {
      now = max(now, deadline)
      timer = nil
      feed(.timerFired)
    }
    now = end
  }

  @discardableResult
  mutating func flush(_ number: Int = 0) -> DeliveryMachine.FlushID {
    let id = DeliveryMachine.FlushID(number: number)
    feed(.flushRequested(id))
    return id
  }

  func result(_ id: DeliveryMachine.FlushID) -> DeliveryMachine.FlushResult? { flushes[id]?.first }

  /// Runs until nothing is left to do, answering each request immediately by its content.
  mutating func run(rounds: Int = 10_000, answer: (Request) -> ResponseOutcome) {
    for _ in 0..<rounds {
      if let request = requests.first {
        settle(answer(request))
      } else if let deadline = timer {
        advance(by: deadline - now)
      } else {
        return
      }
    }
    Issue.record("still busy after \(rounds) rounds")
  }
}

extension ResponseOutcome {
  static let delivered = ResponseOutcome.acknowledged(rejected: [])
  static let unavailable = ResponseOutcome.failed(DeliveryError(.server, "503", status: 503))
  static let refusal = ResponseOutcome.refused(at: [], DeliveryError(.refused, "400", status: 400))
  static let large = ResponseOutcome.tooLarge(DeliveryError(.refused, "413", status: 413))
  static func unavailable(for wait: Duration) -> ResponseOutcome {
    .failed(DeliveryError(.server, "503", status: 503, retryAfter: wait))
  }
}
