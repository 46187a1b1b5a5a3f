import TernDelivery
import TernEvents
import Testing

@testable import Tern
@testable import TernMeasurement

/// A machine with a queue, a server and a clock that consist of numbers.
struct MachineWorld {
  private(set) var machine: DispatchMachine
  private(set) var now: Duration = .seconds(5000)
  /// The numbers of the queued hits, oldest first.
  private(set) var queue: [Int] = []
  private(set) var claimed: [Int] = []
  private(set) var delivered: [Int] = []
  private(set) var rejected: [Int] = []
  private(set) var erased = 0
  private(set) var request: BatchID?
  private(set) var timer: Duration?
  private(set) var results: [Int: [DispatchMachine.Result]] = [:]
  private(set) var requests = 0
  private(set) var calls = 0
  /// The times of requests that started without a call of the app.
  private(set) var automatic: [Duration] = []
  private var nextHit = 0
  private var isOptedOut = false

  init(seed: UInt64 = 1) {
    machine = DispatchMachine(generator: FastGenerator(seed: seed))
    feed(.launched)
  }

  mutating func feed(_ input: MachineInput) {
    var inputs = [input]
    while let next = inputs.popLast() {
      for action in machine.handle(next, waiting: WaitingEvents(normal: queue.count), now: now) {
        perform(action, because: input, &inputs)
      }
    }
  }

  private mutating func perform(
    _ action: MachineAction, because input: MachineInput, _ inputs: inout [MachineInput]
  ) {
    switch action {
    case .startBatch(let id, let maximum, _):
      #expect(request == nil, "one request at a time")
      #expect(!queue.isEmpty && !isOptedOut && (1...20).contains(maximum))
      request = id
      requests += 1
      if input == .timerFired { automatic.append(now) }
      claimed = Array(queue.prefix(maximum))
      queue.removeFirst(claimed.count)
      inputs.append(
        .batchStarted(id, events: WaitingEvents(normal: claimed.count), bytes: 0, first: Self.id(claimed[0])))
    case .finishFlush(let call, let result):
      results[call.number, default: []].append(DispatchMachine.Result(FlushOutcome(result)))
    case .setTimer(let deadline):
      #expect(deadline >= now)
      timer = deadline
    case .cancelTimer: timer = nil
    case .settle(let id, let disposition):
      settle(id, disposition)
      inputs.append(.batchSettled)
    case .resend, .release, .sendHealthProbe, .remember: Issue.record("\(action) is none of this machine's actions")
    }
  }

  private static func id(_ hit: Int) -> UniqueID { UniqueID(high: 0, low: UInt64(hit)) }

  mutating func append(_ count: Int = 1) {
    guard !isOptedOut else { return }
    for _ in 0..<count {
      queue.append(nextHit)
      nextHit += 1
      feed(.appended)
    }
  }

  mutating func dispatchOnce() {
    calls += 1
    feed(.batchRequested(FlushID(number: calls)))
  }

  mutating func dispatchAll() {
    calls += 1
    feed(.flushRequested(FlushID(number: calls)))
  }

  /// Completes the request in flight, if any.
  mutating func answer(_ outcome: ResponseOutcome) {
    if let request { feed(.requestEnded(request, outcome)) }
  }

  private mutating func settle(_ id: BatchID, _ disposition: EventDisposition) {
    #expect(request == id)
    switch disposition {
    case .remove(let rejecting): if rejecting.isEmpty { delivered += claimed } else { rejected += claimed }
    case .requeue: queue = claimed + queue
    case .keep: Issue.record("this machine keeps nothing")
    }
    claimed = []
    request = nil
  }

  /// Reports that the log had nothing to claim.
  mutating func findNothing() {
    guard let request else { return }
    queue = claimed + queue
    claimed = []
    self.request = nil
    feed(.nothingToClaim(request))
  }

  mutating func deliver() { answer(.acknowledged(rejected: [])) }
  mutating func fail(_ retryAfter: Duration? = nil) {
    answer(.failed(DeliveryError(.server, "scripted", status: 503, retryAfter: retryAfter)))
  }
  mutating func loseNetwork() { answer(.failed(DeliveryError(.offline, "scripted"))) }
  mutating func refuse() { answer(.refused(at: [], DeliveryError(.refused, "scripted", status: 400))) }

  mutating func optOut(_ isOptedOut: Bool) {
    self.isOptedOut = isOptedOut
    if isOptedOut {
      erased += queue.count + claimed.count
      queue = []
      claimed = []
    }
    feed(isOptedOut ? .disabled : .enabled)
  }

  /// Drops the head of the full queue.
  mutating func evictOldest() {
    queue.removeFirst()
    erased += 1
  }

  /// Advances the clock and fires the timer; requests stay open.
  mutating func advance(by time: Duration) {
    let end = now + time
    while let timer, timer <= end {
      now = max(now, timer)
      self.timer = nil
      feed(.timerFired)
    }
    now = end
  }

  var hits: Int { nextHit }
}
