import TernDelivery
import TernEvents
import Testing

@Suite struct `Scheduling` {
  @Test func `the timer starts at the first unsent event, not the last`() {
    var world = World()
    world.append()
    let first = world.now
    for _ in 0..<5 {
      world.advance(by: .seconds(1))
      world.append()
    }
    #expect(world.started.isEmpty)
    world.advance(by: .seconds(5))
    #expect(world.started == [first + .seconds(6)])
    #expect(world.batchSizes == [6])
  }

  @Test func `fifty waiting events are sent immediately`() {
    var world = World()
    world.append(49)
    #expect(world.started.isEmpty)
    world.append()
    #expect(world.batchSizes == [50])
    #expect(world.timer == nil)
  }

  @Test func `a critical event is sent immediately along with the others`() {
    var world = World()
    world.append(3)
    world.append(critical: true)
    #expect(world.requests.first?.entries.map(\.number) == [3, 0, 1, 2])
  }

  @Test func `a critical event waits for the delay of a policy that has one`() {
    var world = World(Policy(criticalFlushInterval: .seconds(3)))
    world.append()
    world.advance(by: .seconds(1))
    world.append(critical: true)
    #expect(world.started.isEmpty)
    let critical = world.now
    world.advance(by: .seconds(4))
    #expect(world.started == [critical + .seconds(3)])
  }

  @Test func `a policy without an interval and a threshold sends only on request`() {
    var world = World(Policy(flushAt: .max, flushInterval: nil))
    world.append(1000)
    #expect(world.timer == nil && world.started.isEmpty)
    world.flush()
    #expect(!world.started.isEmpty)
  }

  @Test func `events of an earlier process are sent at launch`() {
    var world = World()
    world.log = [.init(number: 0, isCritical: false)]
    world.feed(.launched)
    #expect(world.batchSizes == [1])
  }

  @Test func `a backlog is sent three batches at a time`() {
    var world = World(Policy(batchEvents: 10))
    world.append(49)
    world.append()
    #expect(world.batchSizes == [10, 10, 10])
    world.settle(.delivered, at: 1)
    world.settle(.delivered)
    #expect(world.batchSizes == [10, 10, 10, 10, 10])
    world.run { _ in .delivered }
    #expect(world.delivered.sorted() == Array(0..<50))
  }

  @Test func `a pause holds everything, and a resume sends it`() {
    var world = World()
    world.feed(.paused)
    world.append(60)
    world.append(critical: true)
    world.advance(by: .seconds(3600))
    #expect(world.started.isEmpty && world.timer == nil)
    world.feed(.resumed)
    #expect(world.batchSizes == [61])
  }

  @Test func `going to the background sends waiting events`() {
    var world = World()
    world.append()
    world.feed(.enteredBackground)
    #expect(world.batchSizes == [1])
  }

  @Test func `an idle client has no timer`() {
    var world = World()
    world.feed(.launched)
    #expect(world.timer == nil)
    world.append()
    world.run { _ in .delivered }
    #expect(world.timer == nil && world.delivered == [0])
  }
}

@Suite struct `After a failure` {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `backoffs stay within their bounds and grow to the maximum`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let retry = Policy.Retry.unlimited(first: .seconds(2), ceiling: .seconds(1800))
    for failures in [1, 2, 5, 11, 20, 1000, Int.max] {
      let delay = retry.delay(afterFailures: failures, using: &generator)
      let bound = min(Duration.seconds(1800), .seconds(2) * (1 << min(failures - 1, 20)))
      #expect(delay.map { $0 >= .zero && $0 <= bound } == true, "seed \(seed), failure \(failures)")
    }
  }

  @Test func `the client never gives up, and sends little while the server is down`() {
    var world = World()
    world.append(2000)
    var tries = 0
    while tries < 200 {
      while !world.requests.isEmpty {
        world.settle(.unavailable)
        tries += 1
      }
      #expect(world.requests.isEmpty || world.requests.count == 1)
      world.advance(by: .seconds(1800))
    }
    #expect(world.batchSizes.prefix(4).last.map { $0 <= 50 } == true, "a failing server gets a single batch")
    let single = world.batchSizes.dropFirst(4)
    #expect(
      single.allSatisfy { $0 == 1 } && single.count == 16, "then health probes, with an occasional event")
    #expect(world.healthProbes.count - world.requests.count == tries - 20)
    world.run { _ in .delivered }
    #expect(world.delivered.sorted() == Array(0..<2000))
  }

  @Test func `three batches that fail together count as one failure`() {
    var world = World(
      Policy(batchEvents: 10, retry: .limited([.seconds(10) ... .seconds(10)]), circuitBreakerThreshold: nil))
    world.append(50)
    #expect(world.requests.count == 3)
    for _ in 0..<3 { world.settle(.unavailable) }
    #expect(world.timer == world.now + .seconds(10))
  }

  @Test func `after the last retry sending stops until the network returns`() {
    let ranges = [
      Duration.seconds(5) ... .seconds(10), .seconds(150) ... .seconds(300), .seconds(600) ... .seconds(1200),
    ]
    var world = World(Policy(batchEvents: 50, retry: .limited(ranges), circuitBreakerThreshold: nil))
    world.append(50)
    for range in ranges {
      world.settle(.unavailable)
      let wait = (world.timer ?? .zero) - world.now
      #expect(range.contains(wait))
      world.advance(by: wait)
    }
    world.settle(.unavailable)
    #expect(world.timer == nil, "rests")
    world.append(100)
    world.advance(by: .seconds(86_400))
    #expect(world.started.count == 4)
    world.feed(.networkAvailable)
    #expect(world.started.count == 7, "all three batches may be in flight again")
  }

  @Test func `Retry-After applies to every lane and to a flush`() {
    var world = World()
    world.append(50)
    world.settle(.unavailable(for: .seconds(600)))
    world.append(critical: true)
    world.feed(.networkAvailable)
    world.feed(.enteredForeground)
    let flush = world.flush()
    #expect(world.started.count == 1)
    guard case .failed(let failure)? = world.result(flush) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.code == .waiting)
    world.advance(by: .seconds(599))
    #expect(world.started.count == 1 && world.healthProbes.isEmpty)
    world.advance(by: .seconds(1))
    #expect(world.requests.count == 1)
  }

  @Test func `Retry-After is bounded`() {
    var world = World()
    world.append(50)
    world.settle(.unavailable(for: .seconds(1_000_000_000)))
    #expect(world.timer.map { $0 - world.now <= .seconds(86_400) } == true)
  }

  @Test func `the network's return ends the client's backoff immediately`() {
    var world = World(Policy(retry: .limited([.seconds(100) ... .seconds(100)])))
    world.append(50)
    world.settle(.failed(DeliveryError(.offline, "no route")))
    world.feed(.networkAvailable)
    #expect(world.started.count == 2)
  }

  @Test func `a wrong key keeps every event`() {
    var world = World()
    world.append(50)
    for _ in 0..<100 {
      while !world.requests.isEmpty { world.settle(.failed(DeliveryError(.unauthorized, "401", status: 401))) }
      world.advance(by: .seconds(1800))
    }
    while !world.requests.isEmpty { world.settle(.unavailable) }
    #expect(world.log.count == 50 && world.rejected.isEmpty)
  }
}

@Suite struct `A poison event` {
  @Test(arguments: [0, 1, 7, 249, 250, 499]) func `is eventually isolated, and is the only one dropped`(poison: Int) {
    var world = World()
    world.feed(.paused)
    world.append(500)
    world.feed(.resumed)
    world.run { $0.entries.contains { $0.number == poison } ? .refusal : .delivered }
    #expect(world.rejected == [poison])
    #expect(world.delivered.sorted() == Array(0..<500).filter { $0 != poison })
    #expect(world.started.count <= 25, "found by bisection, not one by one")
  }

  @Test(arguments: 0..<50 as Range<UInt64>) func `is found among several others`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let poison = Set((0..<6).map { _ in Int.random(in: 0..<700, using: &generator) })
    var world = World(seed: seed)
    world.append(700, critical: false)
    world.run { $0.entries.contains { poison.contains($0.number) } ? .refusal : .delivered }
    #expect(world.rejected.sorted() == poison.sorted(), "seed \(seed)")
    #expect(world.delivered.count == 700 - poison.count)
  }

  @Test func `is dropped without a search if the server names it`() {
    var world = World()
    world.append(50)
    world.settle(.refused(at: [7], DeliveryError(.refused, "400")))
    #expect(world.rejected == [7])
    world.run { _ in .delivered }
    #expect(world.started.count == 2 && world.delivered.count == 49)
  }

  @Test func `does not make the client drop its queue quickly when the server refuses everything`() {
    var world = World()
    world.append(200)
    let start = world.now
    while world.now - start < .seconds(3600) {
      while !world.requests.isEmpty { world.settle(.refusal) }
      world.advance(by: .seconds(10))
    }
    #expect(world.rejected.count < 40)
  }

  @Test func `a batch that is too large is halved, and the size is remembered`() {
    var world = World(Policy(maximumInFlight: 1))
    world.append(50)
    world.run { $0.entries.count * 100 > 1300 ? .large : .delivered }
    #expect(world.delivered.count == 50 && world.rejected.isEmpty)
    world.batchSizes = []
    world.append(50)
    world.run { $0.entries.count * 100 > 1300 ? .large : .delivered }
    #expect(world.batchSizes.allSatisfy { $0 <= 13 })
    #expect(world.delivered.count == 100)
  }

  @Test func `a size limit is halved once, however many batches of that size are in flight`() {
    var world = World(Policy(batchBytes: 8000))
    world.log = (0..<500).map { World.Entry(number: $0, isCritical: false) }
    world.feed(.launched)
    #expect(world.requests.count == 3)
    for _ in 0..<3 { world.settle(.large) }
    #expect(world.remembered.last?.bytesLimit == 4000)
  }

  @Test func `a lowered size limit is lifted after a week, even within one process`() {
    var world = World(Policy(batchBytes: 8000))
    world.append(80)
    world.settle(.large)
    world.run { _ in .delivered }
    world.advance(by: .seconds(6 * 86_400))
    world.append(80)
    #expect(world.batchSizes.last == 25)
    world.run { _ in .delivered }
    world.advance(by: .seconds(2 * 86_400))
    world.append(80)
    #expect(world.batchSizes.last == 50)
    world.run { _ in .delivered }
    #expect(world.remembered.last == DeliveryMemory())
  }

  @Test func `a split ends when its suspects have left the log unsent`() {
    var world = World()
    world.append(60)
    world.settle(.refusal)
    // The first half is in flight when everything else expires.
    world.log = []
    world.settle(.delivered)
    world.append(60)
    #expect(world.batchSizes == [50, 25, 50])
  }
}
