import AppCatalog
import Foundation
import Ingest
import Outgoing
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import Alerts
@testable import TernServer

/// Alerts on crash-free users over a real warehouse, while crashes arrive late.
@Suite struct LateCrashAlertTests {
  /// A warehouse, and alerts that are looked at by hand.
  private struct Server {
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: App
    let evaluator: AlertEvaluator

    init(_ directory: String) throws {
      let catalog = try Catalog(directory: directory, passwordCost: PasswordCost(exponent: 4))
      let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
      let observer = AlertObserver(
        catalog: catalog, reader: warehouse.reader, receivingSince: Timestamp(millisecondsSince1970: 0),
        problems: { _ in [] })
      (self.catalog, self.warehouse) = (catalog, warehouse)
      app = try catalog.createApp(name: "Radio", timeZone: "Europe/Berlin")
      evaluator = AlertEvaluator(
        catalog: catalog, observe: { try await observer.observe($0, $1, now: $2) },
        newID: { time in
          var generator = SystemRandomNumberGenerator()
          return UniqueID.timeOrdered(at: time, using: &generator)
        }, portal: { "https://tern.example.org" },
        crashes: { try await observer.crashes($0, behind: $1, now: $2) },
        context: { try await observer.context($0, of: $1, now: $2) },
        // A busy machine takes as long as it needs.
        sleep: { _ in try await Task.sleep(for: .seconds(86_400)) })
    }

    func add(_ name: String, _ condition: AlertCondition) throws {
      let destinations = [try Destination("mail:a@example.org")]
      _ = try catalog.createAlert(
        Alert(app: app.id, name: name, condition: condition, minimumUsers: 30, destinations: destinations))
    }

    /// Stores an event of each install, or a crash of a group.
    func store(_ installs: Range<Int>, at time: Timestamp, crash: Int? = nil, version: String = "1.0") async throws {
      var batch = IncomingBatch(
        source: .native, received: time, installs: installs.map { "install\($0)" },
        devices: [IncomingDevice(appVersion: version)],
        events: installs.indices.map { index in
          IncomingEvent(
            index: index - installs.lowerBound, kind: crash == nil ? .event : .crash, duplicateKey: nil, time: time,
            install: index - installs.lowerBound, name: crash == nil ? "Play" : "Crash")
        })
      if let crash {
        batch.errors = batch.events.indices.map { index in
          IncomingError(event: index, type: "Crash<\(crash)>", place: "Player.play", fingerprint: Int64(crash))
        }
      }
      _ = try await warehouse.commit(batch, app: app.id)
      try await warehouse.flush()
    }

    /// Looks at all alerts until nothing is left to ask at this time, and returns the new messages.
    func look(_ now: Timestamp) async throws -> [String: [OutgoingMessage]] {
      var found: [String: [OutgoingMessage]] = [:]
      for _ in 0..<4 {
        for stored in try catalog.alerts() {
          let count = try await evaluator.evaluate(stored, now: now)
          let new = try catalog.notifications(of: stored.alert.id, limit: count).map(\.message)
          if !new.isEmpty { found[stored.alert.name, default: []] += new }
        }
      }
      return found
    }
  }

  /// Returns a time on a day of November 2026, in Berlin.
  private func november(_ day: Int, _ hour: Int, _ minute: Int = 0) throws -> Timestamp {
    let date = try Date("2026-11-\(day)T00:00:00Z", strategy: .iso8601)
    let seconds = Int64(date.timeIntervalSince1970) + Int64((hour - 1) * 3_600 + minute * 60)
    return Timestamp(millisecondsSince1970: seconds * 1_000)
  }

  @Test func `a breach says what is usual, and which release began before it`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-usual-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try Server(directory)
    for day in 10...27 {
      try await server.store(0..<40, at: try november(day, 12), version: day < 26 ? "1.0" : "2.0")
    }
    try await server.store(0..<10, at: try november(27, 13), crash: 1, version: "2.0")
    try server.add("Stability", .crashFreeUsersBelow(percent: 90, .day))
    let found = try await server.look(try november(28, 10))
    let message = try #require(found["Stability"]?.first)
    let facts = Dictionary(message.facts.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
    #expect(message.event == "alert.breached" && facts["value"] == "75 %")
    #expect(facts["usual"] == "100 % to 100 %")
    #expect(facts["release"] == "2.0, which began on 26 November")
    #expect(facts["crash1"] == "Crash<1> in Player.play, 10 users")
  }

  @Test func `late crashes raise an alert once, with their names, and late users take it back`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-late-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try Server(directory)
    let question = AlertQuestion(page: "explore", query: "metric=crash_free_users", period: .day)
    let old = AlertQuestion(page: "explore", query: "metric=crash_free_users&f1=version+is+1.0", period: .day)
    try server.add("Stable", .crashFreeUsersBelow(percent: 99, .day))
    try server.add("Explore", .below(90, question))
    try server.add("Old", .below(99, old))
    try await server.store(0..<100, at: november(27, 12))
    // Another day and another version have crashes of their own.
    try await server.store(0..<50, at: november(26, 12), crash: 9)
    #expect(try await server.look(november(28, 0, 10)).isEmpty, "100 % is not below 90 %")
    #expect(try await server.look(november(28, 0, 40)).isEmpty)

    // The crashes of the 27th arrive with the launches of the 28th.
    try await server.store(0..<1, at: november(27, 13), crash: 1)
    try await server.store(1..<4, at: november(27, 13), crash: 2)
    try await server.store(2..<4, at: november(27, 14), crash: 3)
    try await server.store(5..<6, at: november(27, 14), crash: 4, version: "2.0")
    #expect(try await server.look(november(28, 1)).isEmpty, "it isn't an hour yet")
    let breaches = try await server.look(november(28, 1, 30))
    #expect(breaches.mapValues(\.count) == ["Stable": 1, "Old": 1])
    let stable = try #require(breaches["Stable"]?.first)
    #expect(stable.event == "alert.breached")
    #expect(stable.title == "Radio: Stable – late data: 95 % on 27 November")
    #expect(
      stable.text
        == "Data that arrived late has changed this figure. Crash-free users: 95 % on 27 November, below the limit of 99 %."
    )
    #expect(
      stable.link
        == "https://tern.example.org/apps/1/explore?metric=crash_free_users&from=2026-11-27&to=2026-11-27")
    func crashes(_ message: OutgoingMessage) -> [String] {
      message.facts.filter { $0.name.hasPrefix("crash") }.map(\.text)
    }
    #expect(crashes(stable).prefix(2) == ["Crash<2> in Player.play, 3 users", "Crash<3> in Player.play, 2 users"])
    #expect(crashes(stable).count == 3)
    let filtered = try #require(breaches["Old"]?.first)
    #expect(
      crashes(filtered)
        == ["Crash<2> in Player.play, 3 users", "Crash<3> in Player.play, 2 users", "Crash<1> in Player.play, 1 user"])
    #expect(try await server.look(november(28, 3)).isEmpty, "it is reported once")

    // Users who were offline on the 27th.
    try await server.store(100..<600, at: november(27, 15))
    let ends = try await server.look(november(30, 12))
    #expect(ends["Stable"]?.map(\.event) == ["alert.taken_back"])
    #expect(ends["Stable"]?.first?.facts.first { $0.name == "status" }?.text == "quiet")
    // Three days after the 27th its figure is final.
    try await server.store(10..<100, at: november(27, 16), crash: 5)
    #expect(try await server.look(november(30, 24, 10)).isEmpty)
    try await server.warehouse.close()
    try server.catalog.close()
  }
}
