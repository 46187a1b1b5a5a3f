import GRDB
import HTTP
import Outgoing
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Alerts
@testable import AppCatalog
@testable import TernServer

/// Sending messages, and noting that they were sent.
@Suite struct AlertDeliveryTests {
  private let now = time("2026-11-27T10:00:00Z")

  private func message() -> OutgoingMessage {
    var generator = FastGenerator(seed: 1)
    return OutgoingMessage(
      id: UniqueID.timeOrdered(at: now, using: &generator), time: now, event: "server.problem", title: "Disk",
      text: "The disk is full.")
  }

  @Test func `a message that arrived isn't sent again while that can't be noted`() async throws {
    let directory = TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let alert = try catalog.createAlert(
      Alert(
        app: nil, name: "Server", condition: .serverProblem, destinations: [try Destination("mail:a@example.org")]))
    let stored = try #require(try catalog.alerts().first)
    #expect(try catalog.store(stored.state, of: stored, messages: [message()]))
    let sent = Box(0)
    let delivery = AlertDelivery(catalog: catalog) { _, _ throws(OutgoingError) in
      sent.change { $0 += 1 }
      return "ok"
    }
    try catalog.writing {
      try $0.execute(sql: "CREATE TRIGGER full BEFORE UPDATE ON delivery BEGIN SELECT RAISE(ABORT, 'full'); END")
    }
    for _ in 0..<3 { await #expect(throws: (any Error).self) { try await delivery.deliverDue(now: { now }) } }
    try catalog.writing { try $0.execute(sql: "DROP TRIGGER full") }
    try await delivery.deliverDue(now: { now })
    #expect(sent.value == 1)
    #expect(delivery.status.withLock { $0.attempts("mail", .delivered) } == 1)
    #expect(try catalog.notifications(of: alert.id, limit: 1).first?.deliveries.map(\.status) == [.delivered])
    #expect(try catalog.dueDeliveries(now: now, limit: 10).isEmpty)
    try catalog.close()
  }

  @Test func `messages that wait and attempts to deliver them are counted by destination`() async throws {
    let directory = TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let destinations = try ["mail:a@example.org", "mail:b@example.org", "chat:https://c.example/secret"].map {
      try Destination($0)
    }
    _ = try catalog.createAlert(
      Alert(app: nil, name: "Server", condition: .serverProblem, destinations: destinations))
    let stored = try #require(try catalog.alerts().first)
    #expect(try catalog.waitingDeliveries().isEmpty)
    #expect(try catalog.store(stored.state, of: stored, messages: [message()]))
    #expect(try catalog.waitingDeliveries() == ["mail": 2, "chat": 1])
    let delivery = AlertDelivery(catalog: catalog) { _, destination throws(OutgoingError) in
      if destination == destinations[0] { return "ok" }
      throw OutgoingError(destination == destinations[1] ? .connection : .refusedAddress, "no")
    }
    try await delivery.deliverDue(now: { now })
    let status = delivery.status.withLock { $0 }
    #expect(status.attempts("mail", .delivered) == 1 && status.attempts("mail", .failed) == 1)
    #expect(status.attempts("chat", .givenUp) == 1 && status.attempts("chat", .failed) == 0)
    #expect(try catalog.waitingDeliveries() == ["mail": 1])
    try catalog.close()
  }

  @Test func `what was observed before an alert changed isn't stored`() throws {
    let directory = TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.createApp(name: "App").id
    let question = AlertQuestion(page: "explore", query: "metric=users", period: .hour)
    var alert = try catalog.createAlert(
      Alert(app: app, name: "Users", condition: .above(10, question), destinations: [try Destination("mail:a@b.c")]))
    // The numbers of hours are higher than those of days: stored for days, one would silence the alert for good.
    func observe(_ stored: StoredAlert) throws -> Bool {
      var state = stored.state
      state.period = (state.period ?? 490_000) + 1
      return try catalog.store(state, of: stored, messages: [])
    }
    let changes: [(inout Alert) throws -> Void] = [
      { $0.condition = .above(20, question) },
      { $0.condition = .above(20, AlertQuestion(page: "explore", query: "metric=users", period: .day)) },
      { $0.destinations = [try Destination("mail:d@e.f")] },
    ]
    for change in changes {
      let stored = try #require(try catalog.alerts().first)
      try change(&alert)
      #expect(try catalog.changeAlert(alert) != nil)
      #expect(try !observe(stored))
      #expect(try catalog.alerts().first?.alert.condition == alert.condition)
      #expect(try observe(try #require(try catalog.alerts().first)))
    }
    alert.name = "People"
    _ = try catalog.changeAlert(alert)
    #expect(try catalog.alerts().first?.state.period == 490_002, "only another condition begins anew")
    alert.app = nil
    #expect(try catalog.changeAlert(alert) == nil, "it is of an app")
    try catalog.close()
  }

  @Test func `a message that waits for a removed destination is not sent`() throws {
    let directory = TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let destinations = try ["mail:a@example.org", "chat:https://b.example/secret"].map { try Destination($0) }
    var alert = try catalog.createAlert(
      Alert(app: nil, name: "Server", condition: .serverProblem, destinations: destinations))
    let stored = try #require(try catalog.alerts().first)
    #expect(try catalog.store(stored.state, of: stored, messages: [message()]))
    alert.destinations = [destinations[1], try Destination("mail:c@example.org")]
    _ = try catalog.changeAlert(alert)
    #expect(try catalog.dueDeliveries(now: now, limit: 10).map(\.destination) == [destinations[1]])
    let deliveries = try #require(try catalog.notifications(of: alert.id, limit: 1).first?.deliveries)
    #expect(deliveries.map(\.status) == [.failed, .waiting])
    #expect(deliveries.map(\.answer) == ["This destination was removed.", ""])
    try catalog.close()
  }

  @Test func `a destination as it is shown keeps a current one, if it is clear which`() throws {
    let secrets = try ["a.example/1", "b.example/2", "b.example/3"].map { try Destination("chat:https://\($0)") }
    let mail = try Destination("mail:a@example.org")
    func parse(_ texts: String...) throws -> [Destination] {
      try Destination.parse(texts, keeping: secrets + [mail])
    }
    let (first, alike) = ("chat:https://a.example/…", "chat:https://b.example/…")
    #expect(try parse("mail:a@example.org", first) == [mail, secrets[0]])
    #expect(
      try parse(alike, "chat:https://a.example/new", alike) == [
        secrets[1], try Destination("chat:https://a.example/new"), secrets[2],
      ])
    #expect(try parse("chat:https://b.example/3") == [secrets[2]])
    for texts in [[alike], [first, first], ["webhook:https://a.example/…"], ["chat:https://c.example/…"]] {
      #expect(throws: OutgoingError.self, "\(texts)") { try Destination.parse(texts, keeping: secrets) }
    }
  }

  @Test func `a receiver that doesn't answer holds up no others, and each message is sent once`() async throws {
    let directory = TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    var generator = FastGenerator(seed: 1)
    for number in 0..<12 {
      let host = number < 10 ? "slow.example" : "fast\(number).example"
      _ = try catalog.createAlert(
        Alert(
          app: nil, name: "Alert \(number)", condition: .serverProblem,
          destinations: [
            try Destination("webhook:https://\(host)/\(number)"), try Destination("mail:a\(number)@b.example"),
          ]))
    }
    for stored in try catalog.alerts() {
      let message = OutgoingMessage(
        id: UniqueID.timeOrdered(at: now, using: &generator), time: now, event: "server.problem", title: "Disk",
        text: "")
      #expect(try catalog.store(stored.state, of: stored, messages: [message]))
    }
    let sent = Box<[String]>([])
    let delivery = AlertDelivery(catalog: catalog) { _, destination throws(OutgoingError) in
      sent.change { $0.append(destination.text) }
      // Until the others have been sent.
      while destination.text.contains("slow"), sent.value.count < 15 { await Task.yield() }
      return "ok"
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<OutgoingClient.maximumConcurrent { group.addTask { try await delivery.deliverDue(now: { now }) } }
      try await group.waitForAll()
    }
    #expect(sent.value.count == 24 && Set(sent.value).count == 24)
    #expect(sent.value.prefix(15).count { $0.contains("slow") } == 1, "one at a time")
    try catalog.close()
  }
}
