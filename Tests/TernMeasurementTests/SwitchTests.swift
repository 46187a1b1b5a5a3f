import Foundation
import TernEvents
import TernLog
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Limits and switches` {
  let world = MeasurementWorld()

  @Test func `hits from eight threads are all stored, each with its own number`() async {
    let client = world.client()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask { client.sendItems(thread * 1000..<(thread + 1) * 1000) }
      }
    }
    #expect(client.stored == 8000)
    #expect(await client.dispatchAll() == .noData)
    let hits = world.transport.received
    #expect(hits.count == 8000 && Set(hits.labels).count == 8000)
    #expect(Set(hits.map { $0["z"] }).count == 8000 && Set(hits.map { $0["_s"] }).count == 8000)
    await client.shutdown()
  }

  @Test func `a dry run uses no network, and a dispatch loop still ends`() async {
    let client = world.client(collector: nil)
    client.dryRun = true
    client.sendEvents(1...25)
    #expect(await client.dispatchOnce() == .good)
    #expect(await client.dispatchOnce() == .good)
    #expect(await client.dispatchOnce() == .noData)
    #expect(world.transport.requests.isEmpty)
    #expect(client.dropped(.dryRun) == 25)
    await client.shutdown()
  }

  @Test func `opting out erases the queue, drops later hits and persists; opting in resumes`() async {
    let first = world.client()
    first.sendEvents(1...3)
    first.optOut = true
    #expect(first.stored == 0)
    first.sendEvent("4")
    #expect(first.stored == 0)
    await first.shutdown()
    let second = world.client()
    #expect(second.optOut)
    second.sendEvent("5")
    #expect(await second.dispatchAll() == .noData)
    #expect(world.transport.requests.isEmpty)
    second.optOut = false
    second.sendEvent("6")
    #expect(await second.dispatchAll() == .noData)
    #expect(world.transport.received.labels == ["6"])
    #expect(first.composer.automatic["cid"] == second.composer.automatic["cid"])
    await second.shutdown()
    let third = world.client()
    #expect(!third.optOut)
    await third.shutdown()
  }

  @Test func `an opt-out reaches the app's other processes before each hit and each request`() async {
    let (first, second) = (world.client(), world.client())
    second.sendEvent("1")
    first.optOut = true
    #expect(second.stored == 1)
    #expect(await second.dispatchOnce() == .noData)
    #expect(world.transport.requests.isEmpty && second.stored == 0 && second.optOut)
    first.optOut = false
    #expect(!second.optOut)
    first.optOut = true
    second.sendEvent("2")
    #expect(second.stored == 0)
    for client in [first, second] { await client.shutdown() }
  }

  @Test(arguments: [true, false])
  func `an opt-out that cannot be saved still holds, and is saved as soon as possible`(
    isSetAgain: Bool
  ) async {
    let client = world.client()
    client.sendEvent("1")
    world.files.setScript { $0.path.contains("settings") && $0.kind != .read ? .fail(errno: ENOSPC) : nil }
    client.optOut = true
    #expect(client.optOut && client.stored == 0 && world.lines(1).last?.contains("Couldn't save the opt-out") == true)
    world.clock.advance(by: .seconds(1))
    client.sendEvent("2")
    #expect(client.optOut && client.stored == 0)
    world.files.setScript(nil)
    if isSetAgain {
      client.optOut = true
    } else {
      world.clock.advance(by: .seconds(1))
      client.sendEvent("3")
    }
    let second = world.client()
    #expect(second.optOut && second.stored == 0)
    for client in [client, second] { await client.shutdown() }
  }

  @Test func `an opt-out on a full disk uses the space of the erased hits`() async {
    let client = world.client()
    world.files.setCapacity(8_000)
    client.sendItems(0..<100)
    client.optOut = true
    await client.shutdown()
    let second = world.client()
    #expect(second.optOut)
    await second.shutdown()
  }

  @Test func `opting out cancels the request in flight and completes waiting calls`() async {
    let client = world.client()
    world.transport.answer { _ in .hold }
    client.sendEvent("1")
    async let result = client.dispatchOnce()
    await world.transport.request(number: 1)
    client.optOut = true
    #expect(await result == .noData)
    await client.shutdown()
    #expect(world.transport.received.isEmpty)
  }

  @Test func `an opt-out interrupted by a crash erases at the next launch`() async throws {
    let first = world.client()
    first.sendEvent("1")
    await first.shutdown()
    let file = try world.files.open("/queue/settings.json", .create)
    _ = try Array(#"{"epoch":0,"isEnabled":false}"#.utf8).withUnsafeBytes { try world.files.write($0, to: file, at: 0) }
    world.files.close(file)
    let second = world.client()
    #expect(second.optOut && second.stored == 0)
    await second.shutdown()
  }

  @Test func `the 61st hit of a burst is dropped and counted, and after 20 s ten more pass`() async {
    let client = world.client()
    client.sendEvents(1...62)
    #expect(client.stored == 60 && client.dropped(.rateLimited) == 2)
    world.clock.advance(by: .milliseconds(1_999))
    client.sendEvents(100...100)
    #expect(client.stored == 60 && client.dropped(.rateLimited) == 3, "two seconds for each, and not less")
    world.clock.advance(by: .milliseconds(18_001))
    client.sendEvents(101...120)
    #expect(client.stored == 70 && client.dropped(.rateLimited) == 13)
    #expect(world.lines(2).count == 2, "one warning for each burst")
    client.sendEvent("other", tracker: HitComposer.Tracker(trackingID: "UA-1-2"))
    #expect(client.stored == 71, "each property has its own rate limit")
    await client.shutdown()
  }

  @Test func `a bucket never exceeds its capacity`() {
    var bucket = TokenBucket(now: .zero)
    let taken = (0..<100).filter { _ in bucket.take(at: .seconds(86_400)) }.count
    #expect(taken == 60)
  }

  @Test func `transactions and items are exempt from the rate limit`() async {
    let client = world.client()
    client.sendEvents(1...60)
    client.send(MeasurementClient.tracker, ["&t": .text("transaction"), "&ti": .text("1")])
    client.sendItems(1...20)
    #expect(client.stored == 81)
    await client.shutdown()
  }

  @Test func `hit 10 001 evicts the oldest`() async {
    let client = world.client()
    client.dispatchInterval = 0
    client.sendItems(1...10_001)
    await client.caughtUp()
    #expect(client.stored == 10_000)
    #expect(client.dropped(.queueFull) == 1)
    _ = await client.dispatchOnce()
    #expect(world.transport.received.labels.first == "2")
    await client.shutdown()
  }

  @Test func `sampling includes or excludes all hits of a client`() async {
    let tracker = HitComposer.Tracker(trackingID: "UA-1-1", fields: ["&sf": "50.0"])
    var generator = FastGenerator(seed: 7)
    let clients = (0..<10_000).map { _ in UniqueID.random(using: &generator).description }
    let included = clients.filter { Sampling.includes(client: $0, rate: "50") }
    #expect((4800...5200).contains(included.count))
    #expect(clients.allSatisfy { Sampling.includes(client: $0, rate: "100") })
    #expect(!clients.contains { Sampling.includes(client: $0, rate: "0") })
    let client = world.client()
    for cid in clients.prefix(40) {
      client.send(tracker, ["&t": .text("item"), "&ti": .text("t"), "&in": .text("i"), "&cid": .text(cid)])
    }
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.received.allSatisfy { $0["sf"] == "50.0" })
    #expect(world.transport.received.compactMap { $0["cid"] } == clients.prefix(40).filter(Set(included).contains))
    #expect(client.dropped(DropReason("sampled_out")) == 40 - world.transport.received.count)
    await client.shutdown()
  }
}
