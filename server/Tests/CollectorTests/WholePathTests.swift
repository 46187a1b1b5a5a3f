import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Portal
import Reports
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer
@testable import WarehouseUpkeep

/// Tests the whole path from a request to a report, with the real warehouse.
@Suite struct WholePathTests {
  private func withWarehouse(
    _ body: @escaping @Sendable (TestClient, App, HTTPFields, SQLiteWarehouse) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-whole-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let secret = try catalog.duplicateSecret()
    let dependencies = CollectorDependencies(of: warehouse, catalog, duplicateKey: DuplicateHashKey(secret.0, secret.1))
    let app = try catalog.createApp(name: "Player")
    let token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    try await TestClient(collector, logger: dependencies.logger).use { client in
      try await body(client, app, [.authorization: "Bearer \(token)"], warehouse)
    }
    try await warehouse.close()
    try catalog.close()
  }

  private func report(
    _ name: String, _ client: TestClient, _ headers: HTTPFields
  ) async throws -> [String: Any] {
    try object(try await client.execute(uri: "/api/v1/apps/1/reports/\(name)", method: .get, headers: headers))
  }

  @Test func `events of all three protocols appear once in the reports, however often they are sent`() async throws {
    try await withWarehouse { client, app, headers, warehouse in
      let now = WallClock.system()
      let stamp = Date(timeIntervalSince1970: Double(now.millisecondsSince1970) / 1_000).formatted(.iso8601)
      let native = ByteBuffer(
        string: [line("Play", id: 1, at: now), line("Play", id: 2, at: now)].joined(separator: "\n"))
      let logs = ByteBuffer(
        string: """
          {"logs":[{"type":"event","timestamp":"\(stamp)","id":"2E4F0D0A-41B1-4F2B-8C39-5D2C7B1C61A7","name":"Play",\
          "device":{"osName":"iOS","osVersion":"17","locale":"pt_BR","appVersion":"1","appBuild":"1"}}]}
          """)
      let hit = "v=1&tid=\(app.trackingID)&cid=c1&t=event&ec=Video&ea=Stop&z=7&ht=\(now.millisecondsSince1970)"
      for _ in 0..<3 {
        let answers = [
          try await client.execute(uri: "/v1/events", method: .post, headers: [.ternKey: app.key], body: native),
          try await client.execute(
            uri: "/logs?api-version=1.0.0", method: .post, headers: [.appSecret: app.appSecret, .installID: "i2"],
            body: logs),
          try await client.execute(uri: "/collect", method: .post, body: ByteBuffer(string: hit)),
        ]
        #expect(answers.allSatisfy { $0.status == .ok })
      }
      try await warehouse.flush()
      let rows = try #require(try await report("events", client, headers)["events"] as? [[String: Any]])
      #expect(rows.map { $0["name"] as? String } == ["Play", "Stop"])
      #expect(rows.map { $0["count"] as? Int } == [3, 1])
      #expect(rows.map { $0["users"] as? Int } == [2, 1])
      let totals = try await report("overview", client, headers)["totals"] as? [String: Int]
      #expect(totals?["events"] == 4)
      #expect(totals?["users"] == 3)
      #expect(try await warehouse.reader.verify().isClean)
    }
  }

  @Test func `the report of dropped events includes events rejected by the server`() async throws {
    try await withWarehouse { client, app, headers, warehouse in
      let body = ByteBuffer(string: [line("", id: 1), line("Play", id: 2)].joined(separator: "\n"))
      _ = try await client.execute(uri: "/v1/events", method: .post, headers: [.ternKey: app.key], body: body)
      _ = try await client.execute(
        uri: "/logs", method: .post, headers: [.appSecret: app.appSecret], body: ByteBuffer(string: "{"))
      try await warehouse.flush()
      let reasons = try #require(try await report("dropped", client, headers)["reasons"] as? [[String: Any]])
      #expect(
        Set(reasons.compactMap { $0["name"] as? String }) == ["rejected:name_missing", "rejected:unreadable_malformed"])
    }
  }

  @Test func `events of a device whose clock is years off count once, at their real time`() async throws {
    try await withWarehouse { client, app, headers, warehouse in
      let now = WallClock.system()
      for offset in [-30 * 365, 5 * 365] {
        let shown = now + .seconds(offset * 86_400)
        let body = ByteBuffer(string: line("Play", id: UInt64(abs(offset)), at: shown - .seconds(60)))
        var native: HTTPFields = [.ternKey: app.key]
        // Without `Tern-Sent` the device's clock is trusted, and the event is rejected.
        let refused = try object(
          try await client.execute(uri: "/v1/events", method: .post, headers: native, body: body))
        #expect((refused["rejected"] as? [Any])?.count == 1)
        for attempt in 0..<3 {
          // Later requests have other stamps; the last is from a clock that has been corrected in the meantime.
          let sent = attempt < 2 ? shown + .milliseconds(attempt * 137) : WallClock.system()
          native[.ternSent] = "time=\(sent.millisecondsSince1970); uptime=\(attempt); boot=x"
          let answer = try object(
            try await client.execute(uri: "/v1/events", method: .post, headers: native, body: body))
          #expect(answer["accepted"] as? Int == (attempt == 0 ? 1 : 0), "\(offset) \(attempt) \(answer)")
          #expect(answer["duplicates"] as? [Int] == (attempt == 0 ? [] : [0]))
        }
      }
      try await warehouse.flush()
      let rows = try await warehouse.reader.recent(app: app.id, limit: 10)
      #expect(rows.count == 2)
      for row in rows { #expect((-500...61).contains(now.since(row.time) / .seconds(1)), "\(row.time)") }
      let live = try #require(try await report("live", client, headers)["events"] as? [[String: Any]])
      #expect(live.map { ($0["time"] as? String)?.prefix(4) } == rows.map { $0.time.isoText.prefix(4) })
      #expect(try await warehouse.reader.verify().isClean)
    }
  }

  @Test func `the report of dropped events includes events waiting on devices`() async throws {
    try await withWarehouse { client, app, headers, _ in
      var native: HTTPFields = [.ternKey: app.key]
      native[.ternLedger] = "tracked=9; delivered=4; waiting=3; in-flight=2; dropped=0"
      _ = try await client.execute(
        uri: "/v1/events", method: .post, headers: native, body: ByteBuffer(string: line("Play")))
      let ledger = try #require(try await report("dropped", client, headers)["ledger"] as? [String: Any])
      #expect(ledger["installs"] as? Int == 1 && ledger["waiting"] as? Int == 3 && ledger["inFlight"] as? Int == 1)
      #expect((ledger["updated"] as? String)?.hasSuffix("Z") == true)
    }
  }

  @Test func `an app created while the server runs is known immediately`() async throws {
    try await withWarehouse { client, _, headers, warehouse in
      let created = try object(
        try await client.execute(
          uri: "/api/v1/apps", method: .post, headers: headers, body: ByteBuffer(string: #"{"name":"Second"}"#)))
      let key = try #require(created["key"] as? String)
      let answer = try await client.execute(
        uri: "/v1/events", method: .post, headers: [.ternKey: key], body: ByteBuffer(string: line("Play")))
      #expect(answer.status == .ok)
      #expect(try await warehouse.reader.recent(app: AppID(2), limit: 5).map(\.name) == ["Play"])
    }
  }

  @Test func `a closed warehouse gives a 503, not a success`() async throws {
    try await withWarehouse { client, app, _, warehouse in
      try await warehouse.close()
      for body in [line("Play"), ""] {
        let answer = try await client.execute(
          uri: "/v1/events", method: .post, headers: [.ternKey: app.key], body: ByteBuffer(string: body))
        #expect(answer.status == .serviceUnavailable)
      }
    }
  }

  @Test func `a question after the answer to a batch counts its events, and leads to the person`() async throws {
    try await withWarehouse { client, app, headers, _ in
      let now = WallClock.system()
      func ask(_ kind: String, _ json: String) async throws -> [String: Any] {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/\(kind)", method: .post, headers: headers, body: ByteBuffer(string: json))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
        return try object(response)
      }
      for number in 1...3 {
        let body = ByteBuffer(string: line("Play", id: UInt64(number), at: now + .milliseconds(number)))
        let sent = try await client.execute(
          uri: "/v1/events", method: .post, headers: [.ternKey: app.key], body: body)
        #expect(sent.status == .ok)
        let query = #"{"metrics": ["events", "sum:property:Length"], "filters": [["is", "property:HD", ["true"]]]}"#
        let rows = try #require(try await ask("query", query)["results"] as? [[String: Any]])
        #expect(rows.first?["metrics"] as? [Double] == [Double(number), 12.5 * Double(number)])
      }
      let funnel = #"{"steps": [{"event": "Play"}, {"event": "Play"}], "date_range": "7d"}"#
      let steps = try #require(
        (try await ask("funnel", funnel)["results"] as? [[String: Any]])?.first?["steps"] as? [[String: Any]])
      #expect(steps.map { $0["persons"] as? Int } == [1, 1])
      let persons = try #require(try await ask("persons", "{}")["results"] as? [[String: Any]])
      let install = try #require(persons.first?["install"] as? String)
      #expect(persons.count == 1)
      let trail = try await client.execute(
        uri: "/api/v1/apps/1/installs/\(install)/events", method: .get, headers: headers)
      let rows = try #require(try object(trail)["results"] as? [[String: Any]])
      #expect(rows.map { $0["name"] as? String } == ["Play", "Play", "Play"])
    }
  }
}
