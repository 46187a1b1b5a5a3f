import TernDelivery
import TernEvents
import Testing

@Suite struct `A flush` {
  @Test func `of an empty queue finishes immediately`() {
    var world = World()
    let flush = world.flush()
    #expect(world.result(flush) == .nothingToSend)
  }

  @Test func `returns the number of delivered events`() {
    var world = World(Policy(batchEvents: 20))
    world.append(45)
    let flush = world.flush()
    #expect(world.result(flush) == nil)
    world.run { _ in .delivered }
    #expect(world.result(flush) == .sent(45))
  }

  @Test func `waits for batches already in flight`() {
    var world = World()
    world.append(50)
    let flush = world.flush()
    #expect(world.result(flush) == nil)
    world.settle(.delivered)
    #expect(world.result(flush) == .sent(50))
  }

  @Test func `does not wait for later events`() {
    var world = World(Policy(batchEvents: 10, maximumInFlight: 1))
    world.append(10)
    let flush = world.flush()
    world.append(100)
    world.settle(.delivered)
    #expect(world.result(flush) == .sent(10))
  }

  @Test func `is not confused by critical events that overtake it`() {
    var world = World(Policy(batchEvents: 10, maximumInFlight: 1))
    world.append(30)
    let flush = world.flush()
    world.append(25, critical: true)
    world.run { _ in .delivered }
    guard case .sent(let count)? = world.result(flush) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(count >= 30)
  }

  @Test func `fails with the first failure, and sends despite a backoff`() {
    var world = World()
    world.append(50)
    world.settle(.unavailable)
    let tries = world.started.count
    let flush = world.flush()
    #expect(world.started.count == tries + 1)
    world.settle(.unavailable)
    #expect(world.result(flush) == .failed(DeliveryError(.server, "503", status: 503)))
  }

  @Test func `keeps waiting when its request is cancelled because of a network change`() {
    for wasAsked in [false, true] {
      var world = World(Policy(batchEvents: 30))
      world.append(50)
      var flush = world.flush()
      if wasAsked { world.feed(.flushAbandoned(flush)) }
      world.feed(.networkAvailable)
      // The flush may also arrive between the hint and the end of the request that it cancels.
      if wasAsked { flush = world.flush(1) }
      let calledBack = world.requests.map(\.id)
      for id in calledBack {
        guard let index = world.requests.firstIndex(where: { $0.id == id }) else { continue }
        world.settle(.failed(DeliveryError(.connection, "cancelled")), at: index)
      }
      #expect(world.result(flush) == nil, "its batch is sent again immediately")
      #expect(!world.requests.isEmpty)
      world.run { _ in .delivered }
      #expect(world.result(flush) == .sent(50))
    }
  }

  @Test func `fails when a cancelled batch may not be resent immediately, or fails again`() {
    let cut = ResponseOutcome.failed(DeliveryError(.connection, "cancelled"))
    var held = World()
    held.append(50)
    let first = held.flush()
    held.feed(.networkAvailable)
    held.settle(.unavailable(for: .seconds(60)))
    guard case .failed? = held.result(first) else {
      Issue.record("the server asked to wait")
      return
    }

    var paused = World()
    paused.append(50)
    let second = paused.flush()
    paused.feed(.networkAvailable)
    paused.feed(.paused)
    paused.settle(cut)
    guard case .failed? = paused.result(second) else {
      Issue.record("paused")
      return
    }

    var broken = World()
    broken.append(50)
    let third = broken.flush()
    broken.feed(.networkAvailable)
    broken.settle(cut)
    #expect(broken.result(third) == nil)
    broken.settle(cut)
    guard case .failed? = broken.result(third) else {
      Issue.record("it failed on the new network, too")
      return
    }
  }

  @Test func `reports that the client is paused or disabled`() {
    var world = World()
    world.append()
    world.feed(.paused)
    let first = world.flush()
    guard case .failed(let failure)? = world.result(first) else {
      Issue.record("It ended otherwise.")
      return
    }
    #expect(failure.code == .stopped)
    world.feed(.disabled)
    let second = world.flush(1)
    guard case .failed? = world.result(second) else {
      Issue.record("It ended otherwise.")
      return
    }
  }

  @Test func `ends when the client is disabled or paused in the meantime`() {
    var world = World(Policy(batchEvents: 10, maximumInFlight: 1))
    world.append(50)
    let first = world.flush()
    world.feed(.paused)
    #expect(world.result(first) == nil, "its batch is still in flight")
    world.settle(.delivered)
    guard case .failed? = world.result(first) else {
      Issue.record("It ended otherwise.")
      return
    }
    world.feed(.resumed)
    let second = world.flush(1)
    world.feed(.disabled)
    guard case .failed? = world.result(second) else {
      Issue.record("It ended otherwise.")
      return
    }
  }

  @Test func `of one rejected event fails with the rejection`() {
    var world = World()
    world.append()
    let flush = world.flush()
    world.settle(.refusal)
    #expect(world.result(flush) == .failed(DeliveryError(.refused, "400", status: 400)))
  }

  @Test func `gets no result once it is abandoned`() {
    var world = World()
    world.append(50)
    let flush = world.flush()
    world.feed(.flushAbandoned(flush))
    world.run { _ in .delivered }
    #expect(world.flushes.isEmpty)
  }
}
