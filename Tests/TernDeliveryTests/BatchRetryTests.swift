import TernDelivery
import TernEvents
import Testing

/// App Center's documented policy: three retries, separate for each request.
@Suite struct `Retries of each batch` {
  static let ranges: [ClosedRange<Duration>] = [
    .seconds(5) ... .seconds(10), .seconds(150) ... .seconds(300), .seconds(600) ... .seconds(1200),
  ]

  private func world(seed: UInt64 = 1, memory: DeliveryMemory = DeliveryMemory()) -> World {
    World(
      Policy(
        batchEvents: 50, criticalFlushInterval: .seconds(3), retry: .limited(Self.ranges), circuitBreakerThreshold: nil,
        opensCircuitAtLaunch: true, sendsCriticalAlone: true, retriesEachBatch: true), seed: seed, memory: memory)
  }

  @Test(arguments: [false, true])
  func `short launches do not resend the whole queue to a server that hangs or fails`(answers: Bool) {
    var memory = DeliveryMemory()
    var sent = 0
    for launch in 0..<12 {
      var world = world(memory: memory)
      world.log = (0..<300).map { World.Entry(number: $0, isCritical: false) }
      world.feed(.launched)
      // A server that answers health probes with an error gets a single event after some of them, as always.
      if launch > 0 { #expect(world.requests.count == 1 && (world.isHealthProbe() || world.batchSizes == [1])) }
      sent += world.batchSizes.reduce(0, +)
      if answers { while !world.requests.isEmpty { world.settle(.unavailable) } }
      if let last = world.remembered.last { memory = last }
    }
    #expect(answers ? (151...153).contains(sent) : sent == 150, "the first three batches: \(sent)")
    var world = world(memory: memory)
    world.append(300)
    world.run { _ in .delivered }
    #expect(world.delivered.count == 300 && world.remembered.last == DeliveryMemory())
    if !answers {
      #expect(world.batchSizes.prefix(3) == [50, 50, 50] && world.healthProbes.count == 1, "then normal sending")
    }
  }

  @Test func `a failed health probe is retried like a batch, and then sending stops`() throws {
    let silence = ResponseOutcome.failed(DeliveryError(.timedOut, "no answer"))
    var world = world(memory: DeliveryMemory(isCircuitOpen: true))
    world.append(50)
    for range in Self.ranges {
      let failedAt = world.now
      world.settle(silence)
      #expect(world.requests.isEmpty)
      world.advance(by: range.upperBound)
      #expect(range.contains(try #require(world.healthProbes.last) - failedAt) && world.isHealthProbe())
    }
    world.settle(silence)
    world.advance(by: .seconds(100_000))
    #expect(world.requests.isEmpty && world.timer == nil && world.log.count == 50 && world.batchSizes.isEmpty)
    world.feed(.networkAvailable)
    world.settle(.delivered)
    world.settle(.delivered)
    #expect(world.delivered.count == 50)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a batch is retried three times, each time within its range`(seed: UInt64) throws {
    var world = world(seed: seed)
    world.append(50)
    for range in Self.ranges {
      let failedAt = world.now
      world.settle(.unavailable)
      #expect(world.log.isEmpty && world.requests.isEmpty)
      world.advance(by: range.upperBound)
      let again = try #require(world.resent.last)
      #expect(range.contains(again - failedAt))
      #expect(world.requests.first?.entries.count == 50)
    }
    world.settle(.unavailable)
    #expect(world.log.count == 50 && world.requests.isEmpty && world.timer == nil)
    world.append(100)
    world.advance(by: .seconds(100_000))
    #expect(world.requests.isEmpty && world.resent.count == 3)
  }

  @Test func `each batch has its own retry time`() {
    var world = world()
    world.append(50)
    world.settle(.unavailable)
    world.advance(by: .seconds(4))
    world.append(50)
    #expect(world.requests.map(\.entries.first?.number) == [50])
    world.settle(.delivered)
    world.advance(by: .seconds(6))
    #expect(world.requests.map(\.entries.first?.number) == [0])
    world.settle(.delivered)
    #expect(world.delivered.count == 100 && world.log.isEmpty && world.timer == nil)
  }

  @Test func `the network's return resets the retries and sends immediately`() {
    var world = world()
    world.append(50)
    for _ in 0..<2 {
      world.settle(.unavailable)
      world.advance(by: .seconds(300))
    }
    world.settle(.unavailable)
    let now = world.now
    world.feed(.networkAvailable)
    #expect(world.resent.last == now)
    world.settle(.unavailable)
    world.advance(by: .seconds(10))
    #expect(world.resent.count == 4, "the first range applies again")
  }

  @Test func `the network's return resumes sending once all retries are exhausted`() {
    var world = world()
    world.append(50)
    for _ in 0..<3 {
      world.settle(.unavailable)
      world.advance(by: .seconds(1200))
    }
    world.settle(.unavailable)
    #expect(world.requests.isEmpty)
    world.feed(.networkAvailable)
    world.run { _ in .delivered }
    #expect(world.delivered.count == 50)
  }

  @Test func `a request that lost its network is retried immediately, with all its retries`() {
    var world = world()
    world.append(50)
    world.feed(.networkAvailable)
    let now = world.now
    world.settle(.unavailable)
    #expect(world.resent == [now])
  }

  @Test func `a retry that fails on the new network ends a flush`() {
    var world = world()
    world.append(50)
    world.settle(.unavailable(for: .seconds(60)))
    let flush = world.flush()
    world.feed(.networkAvailable)
    world.advance(by: .seconds(60))
    #expect(world.resent == [world.now] && world.result(flush) == nil)
    world.settle(.unavailable)
    #expect(world.result(flush) == .failed(DeliveryError(.server, "503", status: 503)))
  }

  @Test func `when one batch exhausts its retries, pending ones are returned and sending stops`() {
    var world = world()
    world.append(150)
    #expect(world.requests.count == 3)
    for _ in 0..<3 {
      world.settle(.unavailable, at: 2)
      world.advance(by: .seconds(1200))
    }
    world.settle(.unavailable)
    #expect(world.sleeping.count == 1)
    world.settle(.unavailable, at: 1)
    #expect(world.sleeping.isEmpty && world.log.count == 100 && world.requests.count == 1)
    world.settle(.unavailable)
    world.advance(by: .seconds(10_000))
    #expect(world.log.count == 150 && world.sleeping.isEmpty && world.requests.isEmpty)
  }

  @Test func `the success of a request in flight does not resume sending`() {
    var world = world()
    world.append(100)
    for _ in 0..<3 {
      world.settle(.unavailable, at: world.requests.count - 1)
      world.advance(by: .seconds(1200))
    }
    world.settle(.unavailable, at: world.requests.count - 1)
    world.settle(.delivered)
    world.append(50)
    world.advance(by: .seconds(10_000))
    #expect(world.requests.isEmpty && world.log.count == 100)
  }

  @Test func `a pause keeps pending retries, and a resume sends them immediately`() {
    var world = world()
    world.append(50)
    world.settle(.unavailable)
    world.feed(.paused)
    #expect(world.timer == nil)
    world.advance(by: .seconds(10_000))
    world.feed(.resumed)
    #expect(world.resent == [world.now])
  }

  @Test func `disabling releases pending retries`() {
    var world = world()
    world.append(50)
    world.settle(.unavailable)
    world.feed(.disabled)
    #expect(world.sleeping.isEmpty && world.timer == nil)
    world.feed(.enabled)
    world.append(50)
    world.settle(.delivered)
    #expect(world.delivered.count == 50)
  }

  @Test func `a failed batch with erased events is claimed again`() {
    var world = world()
    world.append(50)
    world.feed(.erased)
    world.settle(.unavailable)
    #expect(world.sleeping.isEmpty && world.resent.isEmpty && world.batchSizes == [50, 50])
  }

  @Test func `a Retry-After holds back every batch`() {
    var world = world()
    world.append(50)
    world.settle(.unavailable(for: .seconds(60)))
    let until = world.now + .seconds(60)
    world.append(50)
    #expect(world.requests.isEmpty)
    world.advance(by: .seconds(60))
    #expect(world.requests.count == 2 && world.resent == [until])
  }

  @Test func `pending retries of normal events do not hold back critical ones`() {
    var world = world()
    world.append(150)
    for _ in 0..<3 { world.settle(.unavailable) }
    world.append(200)
    #expect(world.requests.isEmpty, "three batches of the lane are open")
    world.append(critical: true)
    world.advance(by: .seconds(3))
    #expect(world.requests.map(\.entries.count) == [1])
  }
}

@Suite struct `Critical events sent alone` {
  private func world(interval: Duration = .seconds(3600)) -> World {
    World(
      Policy(
        batchEvents: 50, flushInterval: interval, criticalFlushInterval: .seconds(3), retry: .limited([]),
        circuitBreakerThreshold: nil,
        sendsCriticalAlone: true, retriesEachBatch: true))
  }

  @Test func `critical events are sent after three seconds, and normal ones wait for their interval`() {
    var world = world()
    world.append(5)
    let normal = world.now
    world.advance(by: .seconds(10))
    world.append(2, critical: true)
    let critical = world.now
    world.advance(by: .seconds(3))
    #expect(world.requests.map { $0.entries.map(\.number) } == [[5, 6]])
    #expect(world.started == [critical + .seconds(3)])
    world.settle(.delivered)
    world.advance(by: .seconds(3600))
    #expect(world.started.last == normal + .seconds(3600))
    #expect(world.requests.map { $0.entries.count } == [5])
  }

  @Test func `the interval starts at the first normal event, even after critical ones`() {
    var world = world(interval: .seconds(6))
    world.append(critical: true)
    world.advance(by: .seconds(2))
    world.append()
    let normal = world.now
    world.advance(by: .seconds(2))
    world.settle(.delivered)
    world.advance(by: .seconds(10))
    #expect(world.started.last == normal + .seconds(6))
  }

  @Test func `fifty waiting events are sent immediately, whatever the interval`() {
    var world = world()
    world.append(49)
    #expect(world.started.isEmpty)
    world.append()
    #expect(world.batchSizes == [50])
  }
}
