import Foundation
import Tern
import TernEvents
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Manual dispatch` {
  let world = MeasurementWorld()

  @Test func `dispatch() sends immediately with periodic dispatch off, and leaves it off`() async {
    let client = world.client()
    client.dispatchInterval = 0
    client.sendEvent("1")
    client.dispatch()
    await world.transport.request(number: 1)
    #expect(!client.isDispatchingPeriodically)
    #expect(await client.dispatchAll() == .noData)
    client.sendEvent("2")
    await world.clock.passQuietly(.seconds(600), client)
    #expect(world.transport.requests.count == 1)
    await client.shutdown()
  }

  @Test func `dispatch() with periodic dispatch on neither moves nor stops the timer`() async {
    let client = world.client()
    client.sendEvent("1")
    await world.clock.sleeping(until: .seconds(1120))
    world.clock.advance(by: .seconds(50))
    client.dispatch()
    await world.transport.request(number: 1)
    #expect(await client.dispatchAll() == .noData)
    client.sendEvent("2")
    await world.clock.sleeping(until: .seconds(1120))
    #expect(client.isDispatchingPeriodically)
    await client.shutdown()
  }

  @Test func `dispatch() with 45 hits makes three requests, oldest first`() async {
    let client = world.client()
    client.sendEvents(1...45)
    client.dispatch()
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.labels == [1...20, 21...40, 41...45].map { $0.map(String.init) })
    #expect(world.transport.mostActive == 1)
    await client.shutdown()
  }

  @Test func `dispatch() on an empty queue makes no request`() async {
    let client = world.client()
    client.dispatch()
    await world.clock.passQuietly(.seconds(600), client)
    #expect(world.transport.requests.isEmpty)
    await client.shutdown()
  }

  @Test func `nothing leaves the queue before a 2xx`() async {
    let client = world.client()
    client.sendEvents(1...3)
    let failures: [MeasurementTransport.Answer] = [
      .failure(.connection), .failure(.timedOut), .failure(.offline), .status(302), .status(401), .status(404),
      .status(429), .status(500), .status(503), .acceptAndLoseAnswer,
      .status(200, headers: ["Content-Type": "text/html"], body: "<html>Sign in</html>"),
    ]
    for answer in failures {
      world.transport.answer { _ in answer }
      #expect(await client.dispatchAll() != .good)
      #expect(client.waiting == 3, "\(answer)")
    }
    world.transport.answer { _ in .hold }
    client.dispatch()
    await world.transport.request(number: failures.count + 1)
    #expect(client.stored == 3)
    world.transport.answer { _ in .accept }
    world.transport.release()
    #expect(await client.dispatchAll() == .noData)
    #expect(client.stored == 0)
    await client.shutdown()
  }

  @Test(arguments: [200, 204, 299]) func `any 2xx is an acknowledgement`(status: Int) async {
    let client = world.client()
    world.transport.answer { _ in .status(status) }
    client.sendEvent("1")
    #expect(await client.dispatchOnce() == .good)
    #expect(client.stored == 0)
    await client.shutdown()
  }

  @Test func `a hit that the server refuses does not block later ones forever`() async {
    let client = world.client()
    world.transport.answer { request in request.hits.labels.contains("7") ? .status(400) : .accept }
    client.sendEvents(1...25)
    // Halves until the hit is alone, keeps it once more, then drops it.
    #expect(await client.dispatchAll() == .error)
    #expect(client.dropped(.rejected) == 0)
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.received.labels.sorted() == (1...25).filter { $0 != 7 }.map(String.init).sorted())
    #expect(client.dropped(.rejected) == 1)
    await client.shutdown()
  }

  @Test func `a server that refuses everything causes a backoff for each dropped hit`() async {
    let client = world.client()
    client.dispatchInterval = 10
    world.transport.answer { _ in .status(400) }
    client.sendEvents(1...3)
    for _ in 0..<3 { #expect(await client.dispatchAll() == .error) }
    #expect(client.dropped(.rejected) == 2)
    await world.clock.sleeping(until: .seconds(1240))
    await client.shutdown()
  }

  @Test func `an invalid address at launch is reported, and hits are kept`() async {
    let client = world.client(collector: "collector.test:80")
    client.sendEvents(1...2)
    #expect(await client.dispatchAll() == .noData)
    #expect(client.waiting == 2)
    #expect(world.lines(1).count == 1 && world.lines(1).first?.contains("\"collector.test:80\"") == true)
    await client.shutdown()
  }

  @Test func `hits without a collector are kept, and one warning explains how to set it`() async throws {
    let client = world.client(collector: nil)
    client.sendEvents(1...2)
    #expect(await client.dispatchOnce() == .noData)
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.requests.isEmpty && client.waiting == 2)
    #expect(world.lines(2).count == 1)
    #expect(try #require(world.lines(2).first).contains("TERN_COLLECTOR"))
    client.collector = URL(string: "http://collector.test/prefix/")
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.requests.map(\.path) == ["/prefix/batch"])
    await client.shutdown()
  }
}
