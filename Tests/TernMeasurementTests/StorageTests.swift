import Foundation
import Tern
import TernEvents
import TernLog
import TernMeasurement
import TernTestSupport
import Testing

@Suite struct `Hits that cannot be stored` {
  private let world = MeasurementWorld()

  private func refuse() {
    world.files.setScript { [.open, .makeDirectory].contains($0.kind) ? .fail(errno: EPERM) : nil }
  }

  /// Advances the clock until the buffer is empty.
  private func passUntilStored(_ client: MeasurementClient, _ count: Int) async {
    while client.waiting < count {
      world.clock.advance(by: .seconds(1))
      await Task.yield()
    }
  }

  @Test func `are kept in memory and written when the disk recovers, under the client's own identifier`() async throws {
    let first = world.client()
    let client = first.composer.automatic["cid"]
    await first.shutdown()
    refuse()
    let second = world.client()
    second.sendEvents(0..<5)
    #expect(second.waiting == 0 && second.engine.log.counts.droppedTotal == 0)
    #expect(world.lines(1).count { $0.contains("Cannot write to") } == 1)
    world.files.setScript(nil)
    await passUntilStored(second, 5)
    await second.shutdown()
    let third = world.client()
    await third.dispatchAll()
    #expect(world.transport.received.labels == (0..<5).map(String.init))
    #expect(Set(world.transport.received.map { $0["cid"] }) == [client])
    #expect(world.transport.received.map { $0["_s"] } == (1...5).map(String.init))
    await third.shutdown()
  }

  @Test func `are sent by a call once the disk has recovered`() async throws {
    refuse()
    let client = world.client()
    client.sendEvents(0..<3)
    world.files.setScript(nil)
    #expect(await client.dispatchAll() == .noData)
    #expect(world.transport.received.labels == ["0", "1", "2"])
    #expect(world.lines(3).contains { $0.contains("Storage has recovered") })
    await client.shutdown()
  }

  @Test func `are erased by an opt-out, along with the hits of earlier processes`() async throws {
    let first = world.client()
    first.sendEvent("Old")
    await first.shutdown()
    refuse()
    let client = world.client()
    client.sendEvent("Held")
    client.optOut = true
    client.optOut = false
    client.sendEvent("New")
    world.files.setScript(nil)
    await passUntilStored(client, 1)
    await client.dispatchAll()
    #expect(world.transport.received.labels == ["New"] && client.dropped(.erased) == 2)
    await client.shutdown()
  }

  @Test func `do not survive an earlier opt-out that could not be read`() async throws {
    let first = world.client()
    first.optOut = true
    await first.shutdown()
    refuse()
    let client = world.client()
    client.sendEvent("Unwanted")
    world.files.setScript(nil)
    world.clock.advance(by: .seconds(2))
    #expect(await client.dispatchAll() == .noData)
    #expect(client.optOut && world.transport.received.isEmpty && client.waiting == 0)
    await client.shutdown()
  }

  @Test func `are bounded, and counted when they do not fit or the client shuts down`() async throws {
    refuse()
    let client = world.client()
    client.sendItems(0..<1_200)
    let dropped = client.dropped(.storageFailed)
    #expect(dropped > 200)
    await client.shutdown()
    #expect(client.dropped(.storageFailed) == 1_200)
  }

  @Test func `are also kept when the disk fills up later`() async throws {
    let client = world.client()
    client.sendEvent("A")
    world.files.setCapacity(world.files.totalBytes)
    client.sendEvents(1...3)
    #expect(client.waiting == 1 && client.engine.log.counts.droppedTotal == 0)
    world.files.setCapacity(nil)
    await passUntilStored(client, 4)
    await client.dispatchAll()
    #expect(world.transport.received.labels == ["A", "1", "2", "3"])
    await client.shutdown()
  }
}
