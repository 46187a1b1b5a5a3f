import Tern
import TernBase
import TernEvents
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Dispatch with a completion handler` {
  let world = MeasurementWorld()

  @Test func `the handler receives .good once if hits are waiting and the server is healthy`() async {
    let client = world.client()
    client.sendEvents(1...45)
    #expect(await client.dispatchOnce() == .good)
    #expect(world.transport.requests.count == 1)
    #expect(client.stored == 25)
    await client.shutdown()
  }

  @Test(arguments: [
    (MeasurementTransport.Answer.accept, DispatchMachine.Result.good), (.status(500), .error),
    (.failure(.timedOut), .error), (.failure(.connection), .error), (.failure(.offline), .noData),
    (.status(400), .error),
  ])
  func `the handler is called exactly once, whatever happens`(
    answer: MeasurementTransport.Answer, result: DispatchMachine.Result
  ) async {
    let client = world.client()
    world.transport.answer { _ in answer }
    client.sendEvent("1")
    let results = Locked<[DispatchMachine.Result]>([])
    for _ in 0..<3 { client.dispatch { result in results.withLock { $0.append(result) } } }
    _ = await client.dispatchOnce()
    await client.shutdown()
    #expect(results.withLock { $0.count } == 3)
    #expect(results.withLock { $0.first } == result)
  }

  @Test func `the handler is called exactly once for an empty queue and at shutdown`() async {
    let client = world.client()
    #expect(await client.dispatchOnce() == .noData)
    world.transport.answer { _ in .hold }
    client.sendEvent("1")
    let count = Locked(0)
    client.dispatch { _ in count.withLock { $0 += 1 } }
    let (told, isTold) = AsyncStream.makeStream(of: Void.self)
    client.dispatch { _ in isTold.finish() }
    await world.transport.request(number: 1)
    await client.shutdown()
    for await _ in told {}
    #expect(count.withLock { $0 } == 1)
  }

  @Test func `a call with a handler stops periodic dispatch`() async {
    let client = world.client()
    client.sendEvent("1")
    #expect(await client.dispatchOnce() == .good)
    #expect(!client.isDispatchingPeriodically)
    #expect(client.dispatchInterval == 120)
    client.sendEvent("2")
    await world.clock.passQuietly(.seconds(600), client)
    #expect(world.transport.requests.count == 1)
    await client.shutdown()
  }

  @Test func `assigning the interval of 120 again turns periodic dispatch back on`() async {
    let client = world.client()
    client.sendEvents(1...21)
    #expect(await client.dispatchOnce() == .good)
    world.clock.advance(by: .seconds(7))
    client.dispatchInterval = 120
    await world.clock.sleeping(until: .seconds(1127))
    world.clock.advance(by: .seconds(120))
    #expect(await world.transport.request(number: 2).hits.labels == ["21"])
    await client.shutdown()
  }

  @Test func `a thousand calls from within the handler do not grow the stack`() async {
    let client = world.client()
    let deepest = Locked((first: UInt(0), most: UInt(0)))
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      @Sendable func turn(_ rest: Int) {
        client.dispatch { _ in
          let address = withUnsafePointer(to: rest) { UInt(bitPattern: $0) }
          deepest.withLock { depth in
            if depth.first == 0 { depth.first = address }
            // Each turn may run on another thread; only addresses near the first one are comparable.
            let distance = address > depth.first ? address - depth.first : depth.first - address
            if distance < 8 << 20 { depth.most = max(depth.most, distance) }
          }
          if rest == 0 { continuation.resume() } else { turn(rest - 1) }
        }
      }
      turn(1000)
    }
    #expect(deepest.withLock { $0.most } < 64 << 10)
    await client.shutdown()
  }

  @Test func `the handler never runs while the caller waits for the call to return`() async {
    let client = world.client()
    let held = Locked(0)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      held.withLock { _ in
        client.dispatch { _ in
          // Would deadlock if the handler ran on the stack of the caller, which holds the lock.
          held.withLock { $0 += 1 }
          continuation.resume()
        }
      }
    }
    #expect(held.withLock { $0 } == 1)
    await client.shutdown()
  }

  @Test func `a hit recorded just before the call is in the request`() async {
    let client = world.client()
    for number in 1...50 {
      client.sendEvent("\(number)")
      #expect(await client.dispatchOnce() == .good)
      #expect(world.transport.received.labels.last == "\(number)")
    }
    await client.shutdown()
  }

  @Test func `a call during a request waits, then makes its own request`() async {
    let client = world.client()
    world.transport.answer { _ in .hold }
    client.sendEvent("1")
    client.dispatch()
    await world.transport.request(number: 1)
    client.sendEvent("2")
    async let result = client.dispatchOnce()
    await client.caughtUp()
    #expect(world.transport.requests.count == 1)
    world.transport.answer { _ in .accept }
    world.transport.release()
    #expect(await result == .good)
    #expect(world.transport.labels == [["1"], ["2"]])
    await client.shutdown()
  }
}
