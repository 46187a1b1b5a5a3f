import TernEvents
import TernMeasurement
import Testing

/// A queue, a server and a clock that are numbers only, around a machine.
struct MachineWorld {
  private(set) var machine: DispatchMachine
  private(set) var now: Duration = .seconds(5000)
  /// The queue, oldest first; a hit is its number.
  private(set) var queue: [Int] = []
  private(set) var claimed: [Int] = []
  private(set) var delivered: [Int] = []
  private(set) var rejected: [Int] = []
  private(set) var erased = 0
  private(set) var request: DispatchMachine.RequestID?
  private(set) var isDry = false
  private(set) var isCancelled = false
  private(set) var timer: Duration?
  private(set) var results: [Int: [DispatchMachine.Result]] = [:]
  private(set) var requests = 0
  private(set) var warnings = 0
  private(set) var calls = 0
  /// Requests that began without a call of the app's, by when.
  private(set) var automatic: [Duration] = []
  private var nextHit = 0
  private var isOptedOut = false

  init(seed: UInt64 = 1) {
    machine = DispatchMachine(generator: FastGenerator(seed: seed))
    feed(.launched)
  }

  mutating func feed(_ input: DispatchMachine.Input) {
    for action in machine.handle(input, waiting: queue.count, now: now) { perform(action, because: input) }
  }

  private mutating func perform(_ action: DispatchMachine.Action, because input: DispatchMachine.Input) {
    switch action {
    case .startRequest(let id, let maximum, let isDry):
      #expect(request == nil, "one request at a time")
      #expect(!queue.isEmpty && !isOptedOut && (1...20).contains(maximum))
      request = id
      self.isDry = isDry
      isCancelled = false
      requests += 1
      if input == .timerFired { automatic.append(now) }
      claimed = Array(queue.prefix(maximum))
      queue.removeFirst(claimed.count)
    case .settle(let id, let fate):
      #expect(id == request)
      request = nil
      switch fate {
      case .delivered: delivered += claimed
      case .rejected: rejected += claimed
      case .returned: queue = claimed + queue
      }
      claimed = []
    case .cancelRequest(let id):
      #expect(id == request)
      isCancelled = true
    case .call(let call, let result): results[call.number, default: []].append(result)
    case .setTimer(let deadline):
      #expect(deadline >= now)
      timer = deadline
    case .cancelTimer: timer = nil
    case .warnOfMissingDestination: warnings += 1
    }
  }

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
    feed(.dispatchOnce(.init(number: calls)))
  }

  mutating func dispatchAll() {
    calls += 1
    feed(.dispatchAll(.init(number: calls)))
  }

  /// Ends the request under way, if there is one.
  mutating func answer(_ outcome: (Int) -> DispatchMachine.Outcome) {
    guard let request else { return }
    let first = claimed.first ?? 0
    feed(.answered(request, hits: claimed.count, isDry ? .delivered : outcome(first)))
  }

  mutating func deliver() { answer { _ in .delivered } }
  mutating func fail(_ retryAfter: Duration? = nil) { answer { _ in .failed(retryAfter: retryAfter) } }
  mutating func refuse() { answer { .refused(first: UniqueID(high: 0, low: UInt64($0))) } }

  mutating func optOut(_ isOptedOut: Bool) {
    self.isOptedOut = isOptedOut
    if isOptedOut {
      erased += queue.count + claimed.count
      queue = []
      claimed = []
    }
    feed(.optOutSet(isOptedOut))
  }

  /// The queue was full, and its head went.
  mutating func evictOldest() {
    queue.removeFirst()
    erased += 1
  }

  /// Lets time pass; the timer fires on the way, requests stay open.
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
