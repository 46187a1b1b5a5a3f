import Tern
import TernEvents
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Periodic dispatch` {
  let world = MeasurementWorld()

  @Test func `the interval is 120 s and periodic dispatch is on at first`() async {
    let client = world.client()
    #expect(client.dispatchInterval == 120)
    #expect(client.isDispatchingPeriodically)
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1120))
    world.clock.advance(by: .seconds(120))
    await world.transport.request(number: 1)
    await client.shutdown()
  }

  @Test func `a hit is sent 10 s later with an interval of 10 s`() async {
    let client = world.client()
    client.dispatchInterval = 10
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1010))
    world.clock.advance(by: .seconds(10) - .milliseconds(1))
    await client.caughtUp()
    #expect(world.transport.requests.isEmpty)
    world.clock.advance(by: .milliseconds(1))
    #expect(await world.transport.request(number: 1).hits.labels == ["1"])
    await client.shutdown()
  }

  @Test(arguments: [-1, 0, 0.5, -.infinity, .infinity, .nan])
  func `an interval below 1 s or NaN turns periodic dispatch off`(interval: Double) async {
    let client = world.client()
    client.dispatchInterval = interval
    client.sendEvent("1")
    #expect(!client.isDispatchingPeriodically)
    await world.clock.passQuietly(.seconds(600), client)
    #expect(world.transport.requests.isEmpty)
    #expect(client.waiting == 1)
    await client.shutdown()
  }

  @Test func `after a change from -1 to 5 the next request starts 5 s later`() async {
    let client = world.client()
    client.dispatchInterval = -1
    client.sendEvent("1")
    await world.clock.passQuietly(.seconds(33), client)
    client.dispatchInterval = 5
    await world.clock.sleeping(until: .seconds(1038))
    world.clock.advance(by: .seconds(5))
    await world.transport.request(number: 1)
    await client.shutdown()
  }

  @Test func `a change from 120 to 10 after a minute sends after 70 s`() async {
    let client = world.client()
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1120))
    world.clock.advance(by: .seconds(60))
    client.dispatchInterval = 10
    await world.clock.sleeping(until: .seconds(1070))
    world.clock.advance(by: .seconds(10))
    await world.transport.request(number: 1)
    await client.shutdown()
  }

  @Test func `ticks keep their rhythm while nothing waits`() async {
    let client = world.client()
    client.dispatchInterval = 10
    await world.clock.passQuietly(.seconds(25), client)
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1030))
    await client.shutdown()
  }

  @Test func `all hits are sent once after three intervals offline`() async {
    let client = world.client()
    world.transport.answer { _ in .failure(.offline) }
    client.dispatchInterval = 10
    client.sendEvents(1...3)
    for tick in 1...3 {
      await world.clock.sleeping(until: .seconds(1000 + 10 * tick))
      world.clock.advance(by: .seconds(10))
      await world.transport.request(number: tick)
    }
    world.transport.answer { _ in .accept }
    await world.clock.sleeping(until: .seconds(1040))
    world.clock.advance(by: .seconds(10))
    await world.transport.request(number: 4)
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.received.labels == ["1", "2", "3"])
    #expect(client.stored == 0)
    await client.shutdown()
  }

  @Test func `the network's return brings the next tick forward`() async {
    let client = world.client()
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1120))
    world.reachability.change()
    // The hint arrives slightly later, with some jitter, so that not all apps in one place send at once.
    await world.clock.sleeping(until: .milliseconds(1_000_100))
    world.clock.advance(by: .milliseconds(100))
    while await world.clock.sleeping() > .milliseconds(1_001_100) { await Task.yield() }
    world.clock.advance(by: .seconds(1))
    await world.transport.request(number: 1)
    await client.shutdown()
  }

  @Test func `nothing is sent after a restart before the first tick or a call`() async {
    let first = world.client()
    first.sendEvents(1...2)
    await first.shutdown()
    let second = world.client()
    await world.clock.sleeping(until: .seconds(1120))
    #expect(world.transport.requests.isEmpty)
    world.clock.advance(by: .seconds(120))
    #expect(await world.transport.request(number: 1).hits.labels == ["1", "2"])
    await second.shutdown()
  }

  @Test func `a 503 with Retry-After delays the next automatic attempt, but not a call`() async {
    let client = world.client()
    client.dispatchInterval = 10
    // Longer than the first backoff, which is 60 s.
    world.transport.answer { _ in .status(503, headers: ["Retry-After": "90"]) }
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1010))
    world.clock.advance(by: .seconds(10))
    await world.transport.request(number: 1)
    await world.clock.sleeping(until: .seconds(1100))
    world.transport.answer { _ in .accept }
    client.dispatch()
    await world.transport.request(number: 2)
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.received.labels == ["1"])
    await client.shutdown()
  }
}
