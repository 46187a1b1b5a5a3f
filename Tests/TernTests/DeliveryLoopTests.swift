import Foundation
import TernDelivery
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

/// A client whose delivery loop is driven by the test, which chooses when each message arrives.
@Suite struct `A run loop` {
  private struct Effects: DeliveryEffects {
    var sent: [(id: DeliveryMachine.BatchID, records: [LogRecord])] = []

    mutating func send(_ id: DeliveryMachine.BatchID, _ records: [LogRecord]) { sent.append((id, records)) }
    mutating func cancel(_ id: DeliveryMachine.BatchID) {}
    mutating func finished(_ id: DeliveryMachine.BatchID) {}
    mutating func networkChanged() {}
    mutating func setTimer(_ deadline: Duration?) {}
  }

  private let harness: TestHarness
  private let client: TernClient
  private var loop: NativeDeliveryLoop<Effects>

  init() throws {
    harness = try TestHarness()
    var configuration = TernClient.Configuration(
      key: "test-key", collector: try #require(URL(string: "http://collector.test")))
    configuration.queueDirectory = harness.directory
    configuration.sessions = .manual
    let engine = try Engine(configuration, harness.environment())
    client = TernClient(engine)
    loop = DeliveryLoop(engine, Effects())
    loop.begin()
  }

  /// A response that accepts the last batch except for the events at the given indexes.
  private func answer(rejecting places: [Int] = []) throws -> Message {
    let batch = try #require(loop.effects.sent.last)
    let rejected = places.map { "{\"index\":\($0),\"reason\":\"name_missing\"}" }.joined(separator: ",")
    let body = "{\"accepted\":\(batch.records.count - places.count),\"duplicates\":[],\"rejected\":[\(rejected)]}"
    return .answered(batch.id, .response(TransportResponse(status: 200, body: Array(body.utf8))))
  }

  @Test mutating func `sends nothing if another process opted out before it started`() async throws {
    let other = try harness.client { $0.sessions = .manual }
    client.track("A")
    client.willTerminate()
    loop.end()
    var configuration = loop.engine.configuration
    configuration.queueDirectory = harness.directory
    let engine = try Engine(configuration, harness.environment())
    #expect(engine.status.queued == 1)
    other.isEnabled = false
    var next = DeliveryLoop(engine, Effects())
    next.begin()
    #expect(next.effects.sent.isEmpty)
    #expect(engine.status.queued == 0 && !engine.status.isEnabled)
    next.end()
    await other.shutdown()
  }

  @Test(arguments: [true, false])
  mutating func `follows the current settings, not an older message`(
    isAboutRequests: Bool
  ) async throws {
    let switched = isAboutRequests ? \TernClient.allowsRequests : \.isEnabled
    client[keyPath: switched] = false
    let older = loop.engine.mailbox.takeAll()
    let other = try harness.client { $0.sessions = .manual }
    other[keyPath: switched] = true
    loop.take(older)
    client.track("A", priority: .critical)
    loop.take(loop.engine.mailbox.takeAll())
    #expect(loop.effects.sent.map(\.records.count) == [1])
    await other.shutdown()
  }

  @Test mutating func `reports no drops once the client is disabled`() throws {
    client.isEnabled = false
    client.track("Dropped")
    client.isEnabled = true
    client.track("Kept", priority: .critical)
    loop.take(loop.engine.mailbox.takeAll())
    #expect(loop.effects.sent.map(\.records.count) == [2], "the event and the drop report")
    client.isEnabled = false
    loop.take(loop.engine.mailbox.takeAll() + [try answer()])
    #expect(client.status.droppedByReason == [.disabled: 1, .erased: 2])
  }
  @Test mutating func `does not count a dead process's deliveries as its own`() throws {
    var configuration = client.engine.configuration
    configuration.sessions = .manual
    let other = TernClient(try Engine(configuration, harness.environment()))
    other.track("Delivered", priority: .critical)
    var otherLoop = DeliveryLoop(other.engine, Effects())
    otherLoop.begin()
    otherLoop.take(other.engine.mailbox.takeAll())
    let batch = try #require(otherLoop.effects.sent.last)
    let body = Array("{\"accepted\":1,\"duplicates\":[],\"rejected\":[]}".utf8)
    otherLoop.take([.answered(batch.id, .response(TransportResponse(status: 200, body: body)))])
    #expect(other.status.delivered == 1)
    otherLoop.end()
    // Erasing adopts the other process's log, including its counts.
    client.isEnabled = false
    #expect(client.status.delivered == 0)
    #expect(client.ledger.delivered == 1 && client.ledger.balances)
  }

  @Test(arguments: [[], [0]])
  mutating func `counts events that are erased in flight once, whatever the response`(rejected: [Int]) throws {
    client.track("Erased", priority: .critical)
    loop.take(loop.engine.mailbox.takeAll())
    client.isEnabled = false
    loop.take(loop.engine.mailbox.takeAll() + [try answer(rejecting: rejected)])
    #expect(client.status.delivered == 0)
    #expect(client.status.droppedByReason == [.erased: 1])
  }
}
