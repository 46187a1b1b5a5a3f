import TernDelivery
import TernEvents
import Testing

/// One step in the life of a world.
private enum Step: CaseIterable {
  case append, appendFifty, critical, flush, deliver, fail, hold, refuse, pause, resume, disable, enable, network,
    second, minute, background, erase

  func apply(to world: inout World, flushNumber: inout Int) {
    switch self {
    case .append: world.append()
    case .appendFifty: world.append(50)
    case .critical: world.append(critical: true)
    case .flush:
      world.flush(flushNumber)
      flushNumber += 1
    case .deliver: if !world.requests.isEmpty { world.settle(.delivered) }
    case .fail: if !world.requests.isEmpty { world.settle(.unavailable) }
    case .hold: if !world.requests.isEmpty { world.settle(.unavailable(for: .seconds(30))) }
    case .refuse: if !world.requests.isEmpty { world.settle(.refusal) }
    case .pause: world.feed(.paused)
    case .resume: world.feed(.resumed)
    case .disable: world.feed(.disabled)
    case .enable: world.feed(.enabled)
    case .network: world.feed(.networkAvailable)
    case .second: world.advance(by: .seconds(1))
    case .minute: world.advance(by: .seconds(60))
    case .background: world.feed(.enteredBackground)
    case .erase: world.feed(.erased)
    }
  }
}

@Suite struct `Delivery under any sequence of steps` {
  /// Checks that everything is delivered once the network has recovered, the client is enabled and time has passed.
  ///
  /// - Parameter what: The sequence. Only a failure needs it, and writing it takes longer than the check.
  private func finish(_ world: inout World, flushes: Int, _ what: @autoclosure () -> String) {
    world.feed(.enabled)
    world.feed(.resumed)
    // With limited retries, sending stops until then.
    world.feed(.networkAvailable)
    world.run { _ in .delivered }
    #expect(
      world.log.isEmpty && world.requests.isEmpty && world.sleeping.isEmpty && world.timer == nil,
      "\(what()): everything is sent in the end")
    #expect(Set(world.delivered).count == world.delivered.count, "\(what()): nothing is delivered twice")
    for number in 0..<flushes {
      let results = world.flushes[.init(number: number)] ?? []
      #expect(results.count == 1, "\(what()): flush \(number) finished \(results.count) times")
    }
  }

  @Test func `every sequence of four steps keeps the promises`() {
    // An erasure matters only where batches keep their events; the random sequences below cover it.
    let steps = Step.allCases.filter { $0 != .erase }
    for code in 0..<(steps.count * steps.count * steps.count * steps.count) {
      var world = World(Policy(batchEvents: 20, maximumInFlight: 2), seed: UInt64(code))
      world.append(2)
      var flushes = 0
      var rest = code
      var names: [Step] = []
      for _ in 0..<4 {
        names.append(steps[rest % steps.count])
        names[names.count - 1].apply(to: &world, flushNumber: &flushes)
        rest /= steps.count
      }
      finish(&world, flushes: flushes, "\(names)")
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>) func `random sequences keep the promises`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    var world = World(
      Policy(
        batchEvents: Int.random(in: 1...60, using: &generator),
        maximumInFlight: Int.random(in: 1...4, using: &generator)), seed: seed)
    var flushes = 0
    for _ in 0..<200 {
      Step.allCases.randomElement(using: &generator)?.apply(to: &world, flushNumber: &flushes)
    }
    finish(&world, flushes: flushes, "seed \(seed)")
  }

  @Test(arguments: 0..<300 as Range<UInt64>) func `random sequences with retries of each batch keep the promises`(
    seed: UInt64
  ) {
    var generator = FastGenerator(seed: seed)
    var world = World(
      Policy(
        batchEvents: Int.random(in: 1...60, using: &generator), criticalFlushInterval: .seconds(3),
        maximumInFlight: Int.random(in: 1...4, using: &generator), retry: .limited(`Retries of each batch`.ranges),
        circuitBreakerThreshold: nil, sendsCriticalAlone: seed.isMultiple(of: 2), retriesEachBatch: true), seed: seed)
    var flushes = 0
    for _ in 0..<200 {
      Step.allCases.randomElement(using: &generator)?.apply(to: &world, flushNumber: &flushes)
    }
    finish(&world, flushes: flushes, "seed \(seed)")
  }

  @Test func `the same seed produces the same sequence`() {
    func life(_ seed: UInt64) -> [Duration] {
      var world = World(seed: seed)
      world.append(500)
      for _ in 0..<50 {
        while !world.requests.isEmpty { world.settle(.unavailable) }
        world.advance(by: .seconds(600))
      }
      return world.started
    }
    #expect(life(7) == life(7))
    #expect(life(7) != life(8))
  }
}
