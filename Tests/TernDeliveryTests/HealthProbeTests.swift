import TernDelivery
import TernEvents
import Testing

@Suite struct `A failing server` {
  /// A world whose server has failed for long enough to open the circuit.
  private func failing(_ events: Int = 500, seed: UInt64 = 1) -> World {
    var world = World(seed: seed)
    world.append(events)
    for _ in 0..<10 {
      while !world.requests.isEmpty { world.settle(.unavailable) }
      world.advance(by: .seconds(1800))
    }
    return world
  }

  @Test func `gets a health probe, and one batch once it has answered`() {
    var world = failing()
    let sent = world.batchSizes.count
    #expect(world.isHealthProbe() && world.requests.count == 1)
    world.settle(.delivered)
    #expect(world.requests.count == 1 && !world.isHealthProbe(), "one batch, to test if the server accepts events")
    #expect(world.batchSizes.count == sent + 1 && world.batchSizes.last == 1, "and a small one")
    world.settle(.delivered)
    #expect(world.requests.count > 1 || world.requests.first?.entries.count ?? 0 > 50, "then all of them")
    world.run { _ in .delivered }
    #expect(world.delivered.count == 500)
  }

  @Test func `does not get the whole queue from every short launch while it hangs`() {
    var memory = DeliveryMemory()
    var sent = 0
    for launch in 0..<12 {
      var world = World(memory: memory)
      world.log = (0..<3000).map { World.Entry(number: $0, isCritical: false) }
      world.feed(.launched)
      if launch > 0 { #expect(world.isHealthProbe() && world.requests.count == 1) }
      sent += world.batchSizes.reduce(0, +)
      // The process ends with all batches in flight.
      if let last = world.remembered.last { memory = last }
    }
    #expect(sent == 1500, "the first batches, and no more")
    var world = World(memory: memory)
    world.append(3000)
    world.run { _ in .delivered }
    #expect(world.delivered.count == 3000 && world.remembered.last == DeliveryMemory())
  }

  @Test func `is recorded once at launch, and not again while all is well`() {
    var world = World()
    for _ in 0..<50 {
      world.append(50)
      world.run { _ in .delivered }
    }
    #expect(world.remembered.count == 2, "at the first batch, and when it was delivered")
  }

  @Test(arguments: [ResponseOutcome.refusal, .large]) func `gets events if it does not know health probes`(
    answer: ResponseOutcome
  ) {
    var world = failing()
    world.settle(answer)
    #expect(world.requests.count == 1 && !world.isHealthProbe())
    #expect(world.rejected.isEmpty)
  }

  @Test func `gets few events if it answers probes but accepts no events`() {
    var world = failing()
    let before = world.batchSizes.reduce(0, +)
    for _ in 0..<100 {
      while !world.requests.isEmpty { world.settle(world.isHealthProbe() ? .delivered : .unavailable) }
      world.advance(by: .seconds(1800))
    }
    #expect(world.batchSizes.reduce(0, +) - before <= 100, "one event at a time")
  }

  @Test(arguments: [503, 404, 401]) func `gets its events behind a gateway that blocks health probes`(status: Int) {
    let answer = ResponseOutcome.failed(DeliveryError(.server, "\(status)", status: status))
    var world = failing()
    var attempts = 0
    while world.delivered.isEmpty, attempts < 10 {
      while !world.requests.isEmpty {
        attempts += 1
        world.settle(world.isHealthProbe() ? answer : .delivered)
      }
      world.advance(by: .seconds(1800))
    }
    #expect(attempts < 10)
    world.run { $0.entries.isEmpty ? answer : .delivered }
    #expect(world.delivered.count == 500)
  }

  @Test func `gets one event after three probes, then after six, then after every twelve`() {
    var world = World()
    world.append(500)
    var kinds = ""
    while kinds.count < 40 {
      while !world.requests.isEmpty {
        if world.isHealthProbe() || !kinds.isEmpty {
          kinds += world.isHealthProbe() ? "?" : "\(world.requests[0].entries.count)"
        }
        world.settle(.unavailable)
      }
      world.advance(by: .seconds(1800))
    }
    #expect(kinds.hasPrefix("???1??????1????????????1????????????1"), "\(kinds)")
  }

  @Test func `gets an event from a later process after the probes of earlier ones failed`() {
    var world = failing()
    var attempts = 0
    while world.isHealthProbe(), attempts < 13 {
      world.settle(.unavailable)
      attempts += 1
      var next = World(seed: 5, memory: world.remembered.last ?? DeliveryMemory())
      next.feed(.paused)
      next.append(1000)
      next.feed(.launched)
      next.feed(.resumed)
      next.remembered = next.remembered.isEmpty ? world.remembered : next.remembered
      world = next
    }
    #expect(attempts < 13 && world.batchSizes.last == 1)
  }

  @Test func `gets no events while it is silent or sends Retry-After`() {
    for answer in [ResponseOutcome.failed(DeliveryError(.timedOut, "no answer")), .unavailable(for: .seconds(60))] {
      var world = failing()
      let sent = world.batchSizes.count
      for _ in 0..<50 {
        while !world.requests.isEmpty { world.settle(answer) }
        world.advance(by: .seconds(1800))
      }
      #expect(world.batchSizes.count <= sent + 1)
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `costs less than twice the waiting bytes, whatever else happens`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let events = Int.random(in: 1...3000, using: &generator)
    var world = World(seed: seed)
    world.append(events, critical: Bool.random(using: &generator))
    for number in 0..<200 {
      while !world.requests.isEmpty { world.settle(.unavailable) }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: world.feed(.networkAvailable)
      case 1: world.feed(.enteredForeground)
      case 2: world.flush(number)
      case 3: world.feed(.enteredBackground)
      default: world.advance(by: .seconds(Int.random(in: 0...3600, using: &generator)))
      }
    }
    #expect(world.batchSizes.reduce(0, +) <= 2 * events + 50, "seed \(seed): \(events) events")
  }

  @Test func `gets a probe before a flush sends events, and the flush fails with the probe`() {
    var world = failing()
    while !world.requests.isEmpty { world.settle(.unavailable) }
    let flush = world.flush()
    #expect(world.isHealthProbe())
    world.settle(.unavailable)
    #expect(world.result(flush) == .failed(DeliveryError(.server, "503", status: 503)))
  }

  @Test func `gets no probe after a network failure`() {
    var world = World()
    world.append(50)
    for _ in 0..<10 {
      while !world.requests.isEmpty { world.settle(.failed(DeliveryError(.offline, "no route"))) }
      world.advance(by: .seconds(1800))
    }
    world.feed(.networkAvailable)
    #expect(world.healthProbes.isEmpty)
    world.run { _ in .delivered }
    #expect(world.delivered.count == 50)
  }

  @Test func `gets no probe from a policy whose protocol has no empty batch`() {
    var world = World(Policy(circuitBreakerThreshold: nil))
    world.append(50)
    for _ in 0..<100 {
      while !world.requests.isEmpty { world.settle(.unavailable) }
      world.advance(by: .seconds(1800))
    }
    #expect(world.healthProbes.isEmpty)
  }
}

@Suite struct `A relaunch` {
  private func relaunched(_ world: World) -> World {
    var next = World(seed: 2, memory: world.remembered.last ?? DeliveryMemory())
    next.now = world.now
    next.log = world.log + world.requests.flatMap(\.entries)
    next.feed(.launched)
    return next
  }

  @Test func `obeys an earlier Retry-After`() {
    var world = World()
    world.append(50)
    world.settle(.unavailable(for: .seconds(600)))
    world.advance(by: .seconds(100))
    var next = relaunched(world)
    next.append(critical: true)
    #expect(next.requests.isEmpty && next.timer == next.now + .seconds(500))
    next.advance(by: .seconds(500))
    #expect(next.requests.count == 1)
    next.run { _ in .delivered }
    #expect(next.delivered.count == 51)
    #expect(next.remembered.last == DeliveryMemory(), "a wait that is over is forgotten")
  }

  @Test func `remembers the batch size that the server accepts`() {
    var world = World(Policy(maximumInFlight: 1))
    world.append(50)
    world.settle(.large)
    let limit = world.remembered.last?.bytesLimit
    #expect(limit == 50 * 100 / 2)
    world.settle(.unavailable)
    var next = relaunched(world)
    #expect(next.batchSizes.allSatisfy { $0 <= 25 })
    next.run { _ in .delivered }
    #expect(next.delivered.count == 50)
  }

  @Test func `starts with a health probe during an outage`() {
    var world = World()
    world.append(50)
    for _ in 0..<3 {
      while !world.requests.isEmpty { world.settle(.unavailable) }
      world.advance(by: .seconds(60))
    }
    let next = relaunched(world)
    #expect(next.isHealthProbe() && next.batchSizes.isEmpty)
  }

  @Test func `remembers nothing if everything was delivered`() {
    var world = World()
    world.append(500)
    world.run { _ in .delivered }
    #expect(world.remembered.last == DeliveryMemory())
  }
}
