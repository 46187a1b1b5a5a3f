import Alerts
import AppCatalog
import Outgoing
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import TernCommand
@testable import TernServer

/// `tern notify test` while a server runs, which sends the message with its own settings.
@Suite struct NotifyCommandTests {
  private let now = WallClock.system()

  private func message() -> OutgoingMessage {
    var generator = SystemRandomNumberGenerator()
    return OutgoingMessage(
      id: UniqueID.timeOrdered(at: now, using: &generator), time: now, event: "notify.test", title: "Test",
      text: "Test.")
  }

  private let destinations: [Destination]

  init() throws {
    destinations = try ["mail:a@example.org", "mail:b@example.org", "mail:c@example.org"].map { try Destination($0) }
  }

  @Test func `the server's answers are printed, and a message that failed isn't sent again`() async throws {
    let fixture = try Fixture()
    let (first, second) = (destinations[0], destinations[1])
    let delivery = AlertDelivery(catalog: fixture.catalog) { _, destination throws(OutgoingError) in
      if destination == first { return "250 OK" }
      throw OutgoingError(destination == second ? .connection : .refusedAddress, "No answer.")
    }
    let outcomes = try await NotifyCommand.Test.send(message(), to: destinations, byServerOf: fixture.catalog) { _ in
      try await delivery.deliverDue(now: WallClock.system)
    }
    #expect(outcomes.map(\.destination) == destinations.map(\.shown))
    #expect(outcomes.map(\.isAccepted) == [true, false, false])
    #expect(outcomes.map(\.answer) == ["250 OK", "No answer.", "No answer."])
    #expect(try fixture.catalog.waitingDeliveries().isEmpty)
  }

  @Test func `a test whose command was killed is tried once, and holds up nothing later`() async throws {
    let fixture = try Fixture()
    try fixture.catalog.addTest(message(), to: [destinations[0]])
    let sent = Locked(0)
    let delivery = AlertDelivery(catalog: fixture.catalog) { _, _ throws(OutgoingError) in
      sent.withLock { $0 += 1 }
      throw OutgoingError(.connection, "No answer.")
    }
    for day in 0..<3 { try await delivery.deliverDue(now: { [now] in now + .seconds(day * 86_400) }) }
    #expect(sent.withLock { $0 } == 1)
    #expect(try fixture.catalog.waitingDeliveries().isEmpty)
  }

  @Test func `a server that doesn't send in time is said to have failed, and doesn't send later`() async throws {
    let fixture = try Fixture()
    let waited = Locked(Duration.zero)
    let outcomes = try await NotifyCommand.Test.send(
      message(), to: [destinations[0]], byServerOf: fixture.catalog
    ) { pause in waited.withLock { $0 += pause } }
    #expect(outcomes.map(\.isAccepted) == [false])
    #expect(outcomes.first?.answer.contains("hasn't sent it within 120 seconds") == true)
    #expect(waited.withLock { $0 } == .seconds(120))
    #expect(try fixture.catalog.waitingDeliveries().isEmpty)
  }

  @Test func `a server that ends before it sends is told at once`() async throws {
    let fixture = try Fixture()
    let pauses = Locked(0)
    let outcomes = try await NotifyCommand.Test.send(
      message(), to: [destinations[0]], byServerOf: fixture.catalog, sleep: { _ in pauses.withLock { $0 += 1 } },
      isServed: { pauses.withLock { $0 } < 3 })
    #expect(outcomes.map(\.isAccepted) == [false])
    #expect(outcomes.first?.answer.hasPrefix("The server ended before it sent it.") == true)
    #expect(pauses.withLock { $0 } == 3)
    #expect(try fixture.catalog.waitingDeliveries().isEmpty)
  }

  @Test func `a test that was interrupted an hour ago is removed by the next one`() async throws {
    let fixture = try Fixture()
    var old = message()
    old.time = now - .seconds(3_601)
    try fixture.catalog.addTest(old, to: destinations)
    #expect(try fixture.catalog.waitingDeliveries() == ["mail": 3])
    try fixture.catalog.addTest(message(), to: [destinations[0]])
    #expect(try fixture.catalog.waitingDeliveries() == ["mail": 1])
  }
}
