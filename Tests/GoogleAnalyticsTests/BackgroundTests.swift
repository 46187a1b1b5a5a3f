import Foundation
import GoogleAnalytics
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `sendHitsInBackground` {
  private func launch(_ world: MeasurementWorld, hits: Int) -> GAI {
    let gai = world.launch()
    let tracker = gai.tracker(withTrackingId: "UA-1-1")
    for _ in 0..<hits { tracker?.send(["&t": "event", "&ec": "c", "&ea": "a"]) }
    return gai
  }

  private func send(_ gai: GAI) async -> GAIDispatchResult {
    await withCheckedContinuation { continuation in
      gai.sendHitsInBackground { continuation.resume(returning: $0) }
    }
  }

  @Test func `sends everything, returns the background time and leaves the interval alone`() async {
    let world = MeasurementWorld()
    let gai = launch(world, hits: 45)
    gai.dispatchInterval = 30
    #expect(await send(gai) == .noData)
    #expect(world.transport.received.count == 45)
    #expect(world.backgroundActivity.ended == [1])
    #expect(gai.dispatchInterval == 30 && gai.isDispatchingPeriodically)
    await world.clock.noTaskSleeping()
    await gai.quit()
  }

  @Test func `ends with the first failure`() async {
    let world = MeasurementWorld(transport: MeasurementTransport { _ in .status(500) })
    let gai = launch(world, hits: 45)
    #expect(await send(gai) == .error)
    #expect(world.transport.requests.count == 1 && world.backgroundActivity.ended == [1])
    await gai.quit()
  }

  @Test func `a request that hangs does not keep the background time`() async {
    let world = MeasurementWorld(transport: MeasurementTransport { _ in .hold })
    let gai = launch(world, hits: 1)
    async let result = send(gai)
    await world.transport.request(number: 1)
    world.backgroundActivity.expire()
    #expect(await result == .error)
    #expect(world.backgroundActivity.ended == [1])
    async let second = send(gai)
    await world.clock.sleeping(until: .seconds(1025))
    world.clock.advance(by: .seconds(25))
    #expect(await second == .error)
    #expect(world.backgroundActivity.ended == [1, 2])
    await gai.quit()
  }

  @Test func `ends when no background time is granted, but hits are still sent while the process runs`() async {
    let world = MeasurementWorld(backgroundActivity: ScriptedBackgroundActivity(isGranting: false))
    let gai = launch(world, hits: 1)
    #expect(await send(gai) == .error)
    #expect(world.backgroundActivity.ended == [1])
    await world.transport.request(number: 1)
    await gai.quit()
  }
}
