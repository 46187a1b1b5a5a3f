import TernDelivery
import TernEvents
import TernMeasurement
import Testing

/// One step of a sequence.
private enum Step: CaseIterable {
  case append, appendMany, dispatchAll, dispatchOnce, deliver, fail, wait, refuse, offline, nothing, on, off,
    network, second, hour, optOut, optIn, pause, resume

  func apply(to world: inout MachineWorld) {
    switch self {
    case .append: world.append()
    case .appendMany: world.append(45)
    case .dispatchAll: world.dispatchAll()
    case .dispatchOnce: world.dispatchOnce()
    case .deliver: world.deliver()
    case .fail: world.fail()
    case .wait: world.fail(.seconds(90))
    case .refuse: world.refuse()
    case .offline: world.loseNetwork()
    case .nothing: world.findNothing()
    case .on: world.feed(.flushInterval(.seconds(10)))
    case .off: world.feed(.flushInterval(nil))
    case .network: world.feed(.networkAvailable)
    case .second: world.advance(by: .seconds(1))
    case .hour: world.advance(by: .seconds(3600))
    case .optOut: world.optOut(true)
    case .optIn: world.optOut(false)
    case .pause: world.feed(.paused)
    case .resume: world.feed(.resumed)
    }
  }
}

@Suite struct `The dispatch machine` {
  private func check(_ world: MachineWorld, _ what: String) {
    let accounted =
      world.queue.count + world.claimed.count + world.delivered.count + world.rejected.count + world.erased
    #expect(accounted == world.hits, "\(what): every hit is accounted for")
    #expect(world.queue == world.queue.sorted(), "\(what): the queue keeps its order")
    if world.timer != nil { #expect(world.machine.isArmed, "\(what): a timer means that periodic dispatch is on") }
    #expect(world.results.values.allSatisfy { $0.count == 1 }, "\(what): no call completes twice")
  }

  /// Checks that everything is sent once all is well and time has passed.
  private func finish(_ world: inout MachineWorld, _ what: String) {
    check(world, what)
    world.optOut(false)
    world.feed(.resumed)
    world.feed(.flushInterval(.seconds(120)))
    for _ in 0..<400 where world.request != nil || !world.queue.isEmpty {
      world.deliver()
      if world.request == nil { world.advance(by: .seconds(3600)) }
    }
    #expect(world.queue.isEmpty && world.request == nil && world.timer == nil, "\(what): everything is sent")
    #expect(Set(world.delivered).count == world.delivered.count, "\(what): nothing is delivered twice")
    #expect(Array(world.results.keys.sorted()) == Array(1..<world.calls + 1), "\(what): every call gets its result")
    check(world, what)
  }

  @Test func `keeps the rules under every sequence of three steps, from several starts`() {
    let steps = Step.allCases
    for start in [[], [Step.appendMany, .dispatchAll, .dispatchAll]] {
      for code in 0..<(steps.count * steps.count * steps.count) {
        var world = MachineWorld(seed: UInt64(code))
        for step in start { step.apply(to: &world) }
        var names: [Step] = []
        var rest = code
        for _ in 0..<3 {
          names.append(steps[rest % steps.count])
          names[names.count - 1].apply(to: &world)
          rest /= steps.count
        }
        finish(&world, "\(start) \(names)")
      }
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func `keeps the rules under random sequences`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    var world = MachineWorld(seed: seed)
    for _ in 0..<200 {
      guard let step = Step.allCases.randomElement(using: &generator) else { continue }
      let isArmedBefore = world.machine.isArmed
      let before = world.automatic.count
      step.apply(to: &world)
      if world.automatic.count > before {
        #expect(isArmedBefore, "seed \(seed): no tick while periodic dispatch is off")
      }
      check(world, "seed \(seed)")
    }
    finish(&world, "seed \(seed)")
  }

  @Test func `backs off for 1, 2, 4, 8, 16 and then 30 minutes`() {
    var world = MachineWorld()
    world.feed(.flushInterval(.seconds(1)))
    world.append()
    for _ in 0..<7 {
      while world.request == nil { world.advance(by: .seconds(1)) }
      world.fail()
    }
    let gaps = zip(world.automatic, world.automatic.dropFirst()).map { $1 - $0 }
    #expect(gaps == [60, 120, 240, 480, 960, 1800].map { .seconds($0) })
    world.dispatchOnce()
    #expect(world.request != nil, "a call does not wait")
    world.deliver()
    world.feed(.flushInterval(.seconds(1)))
    world.append()
    world.advance(by: .seconds(1))
    #expect(world.request != nil, "success ends the backoff")
  }

  @Test func `ends its backoff when the network returns, but not a Retry-After`() {
    var world = MachineWorld()
    world.append()
    world.advance(by: .seconds(120))
    world.fail()
    world.feed(.networkAvailable)
    world.advance(by: .seconds(1))
    #expect(world.requests == 2)
    world.fail(.seconds(1000))
    world.feed(.networkAvailable)
    world.advance(by: .seconds(999))
    #expect(world.requests == 2)
    world.advance(by: .seconds(120))
    #expect(world.requests == 3)
  }

  @Test func `drains the queue at a tick, until a call with a handler takes over`() {
    var world = MachineWorld()
    world.append(60)
    world.advance(by: .seconds(120))
    world.deliver()
    #expect(world.requests == 2)
    world.dispatchOnce()
    world.deliver()
    #expect(world.requests == 3, "the handler's own")
    world.deliver()
    #expect(world.requests == 3 && world.results == [1: [.good]])
  }

  @Test func `keeps a hit refused once when another one replaces it at the head`() {
    var world = MachineWorld()
    world.append()
    world.dispatchAll()
    world.refuse()
    world.append()
    world.evictOldest()
    world.dispatchAll()
    world.refuse()
    #expect(world.rejected.isEmpty && world.queue == [1])
    world.dispatchAll()
    world.refuse()
    #expect(world.rejected == [1])
  }
}
