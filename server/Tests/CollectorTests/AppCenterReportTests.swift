import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Portal
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer

/// Tests `/v0.1/apps/{owner}/{app}/analytics/…` as scripts written for App Center use it.
@Suite struct AppCenterReportTests {
  /// 2026-05-10T12:00:00Z.
  private static let now = Timestamp(millisecondsSince1970: 1_778_414_400_000)
  private static let range = "start=2026-05-09T10:11:12Z&end=2026-05-10T00:00:00Z"

  private func withStore(
    _ body:
      @escaping @Sendable (@escaping @Sendable (String) async throws -> Any, TestClient, App, String)
      async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-rest-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    // Failed logins are counted by the minute.
    let dependencies = CollectorDependencies(of: warehouse, catalog, wallTime: { Self.now }, uptime: { .seconds(1) })
    let app = try catalog.createApp(name: "My Notes")
    let token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    for batch in Self.traffic { _ = try await warehouse.commit(batch, app: app.id) }
    try await warehouse.flush()
    try await TestClient(collector, logger: dependencies.logger).use { client in
      let get: @Sendable (String) async throws -> Any = { path in
        let response = try await client.execute(
          uri: "/v0.1/apps/me/My-Notes/analytics/\(path)", method: .get, headers: [.xAPIToken: token])
        #expect(response.status == .ok, "\(path): \(String(buffer: response.body))")
        return try JSONSerialization.jsonObject(with: Data(buffer: response.body))
      }
      try await body(get, client, app, token)
    }
    try await warehouse.close()
    try catalog.close()
  }

  /// Two installs with sessions of 20 s, 10 min and unknown duration on 9 and 10 May, and one before.
  private static var traffic: [IncomingBatch] {
    [
      session("a", 1, "2026-05-09T08:00:00Z", [("Play", 5), ("Play", 20)], version: "1.0", build: "1"),
      session("a", 2, "2026-05-10T08:00:00Z", [("Play", 60), ("Stop", 600)], version: "1.0", build: "2"),
      session("b", 3, "2026-05-10T09:00:00Z", [("Stop", 400)], version: "1.1", build: "3"),
      session("b", 4, "2026-05-08T09:00:00Z", [("Play", 120)], version: "1.0", build: "1"),
    ]
  }

  private static func session(
    _ install: String, _ number: Int64, _ start: String, _ events: [(String, Int)], version: String, build: String
  ) -> IncomingBatch {
    let date = (try? Date(start, strategy: .iso8601)) ?? .now
    let start = Timestamp(millisecondsSince1970: Int64(date.timeIntervalSince1970) * 1_000)
    let device = IncomingDevice(
      osName: "iOS", osVersion: "17", model: "iPhone15,2", locale: "pt_BR", country: "BR", appVersion: version,
      appBuild: build, sdkName: "appcenter.ios", sdkVersion: "5.0.7")
    var batch = IncomingBatch(
      source: .appCenter, received: start + .seconds(700), installs: [install], devices: [device],
      events: [
        IncomingEvent(
          index: 0, kind: .sessionStart, duplicateKey: nil, time: start, session: number, startsSession: true,
          name: "startSession")
      ])
    for (index, (name, seconds)) in events.enumerated() {
      batch.events.append(
        IncomingEvent(
          index: index + 1, duplicateKey: nil, time: start + .seconds(seconds), session: number, name: name,
          properties: [.init(name: "My Key", value: .integer(Int64(seconds)))]))
    }
    return batch
  }

  private func text(_ value: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]),
      as: UTF8.self)
  }

  @Test func `each endpoint responds with App Center's members`() async throws {
    try await withStore { get, _, _, _ in
      for (path, expected) in [
        (
          "active_device_counts?\(Self.range)",
          #"{"daily":[{"count":1,"datetime":"2026-05-09T00:00:00Z"},{"count":2,"datetime":"2026-05-10T00:00:00Z"}],"#
            + #""monthly":[{"count":2,"datetime":"2026-05-09T00:00:00Z"},{"count":2,"datetime":"2026-05-10T00:00:00Z"}],"#
            + #""weekly":[{"count":2,"datetime":"2026-05-09T00:00:00Z"},{"count":2,"datetime":"2026-05-10T00:00:00Z"}]}"#
        ),
        (
          "session_counts?\(Self.range)&interval=P1D",
          #"[{"count":1,"datetime":"2026-05-09T00:00:00Z"},{"count":2,"datetime":"2026-05-10T00:00:00Z"}]"#
        ),
        ("session_counts?\(Self.range)&interval=P1W", #"[{"count":3,"datetime":"2026-05-09T00:00:00Z"}]"#),
        (
          "sessions_per_device/?\(Self.range)&interval=P30D",
          #"{"average_sessions_per_user":1.5,"previous_average_sessions_per_user":1,"previous_total_count":1,"#
            + #""sessions_per_user":[{"count":1.5,"datetime":"2026-05-09T00:00:00Z"}],"total_count":3}"#
        ),
        (
          "session_durations_distribution?\(Self.range)",
          #"{"average_duration":"00:05:10","distribution":[{"bucket":"0-30s","count":1,"previous_count":0},"#
            + #"{"bucket":"30s-1min","count":0,"previous_count":0},{"bucket":"1-30min","count":1,"previous_count":1},"#
            + #"{"bucket":"30min-1h","count":0,"previous_count":0},{"bucket":">1h","count":0,"previous_count":0}],"#
            + #""previous_average_duration":"00:02:00"}"#
        ),
        (
          "versions?\(Self.range)",
          #"{"total":2,"versions":[{"count":1,"previous_count":1,"version":"1.0"},"#
            + #"{"count":1,"previous_count":0,"version":"1.1"}]}"#
        ),
        (
          "versions?\(Self.range)&versions=1.1%7C2.0",
          #"{"total":2,"versions":[{"count":1,"previous_count":0,"version":"1.1"}]}"#
        ),
        (
          "models?\(Self.range)&$top=1",
          #"{"models":[{"count":2,"model_name":"iPhone15,2","previous_count":1}],"total":2}"#
        ),
        ("oses?\(Self.range)", #"{"oses":[{"count":2,"os_name":"iOS 17","previous_count":1}],"total":2}"#),
        (
          "languages?\(Self.range)",
          #"{"languages":[{"count":2,"language_name":"pt","previous_count":1}],"total":2}"#
        ),
        ("places?\(Self.range)", #"{"places":[{"code":"BR","count":2,"previous_count":1}],"total":2}"#),
        (
          "events?\(Self.range)&$top=1&$orderby=count%20desc&$inlinecount=allpages",
          #"{"events":[{"count":3,"count_per_device":3,"count_per_session":1,"device_count":1,"id":"Play","name":"Play","#
            + #""previous_count":1,"previous_device_count":1}],"total":2,"total_devices":2}"#
        ),
        (
          "events?\(Self.range)&event_name=Stop&$orderby=name",
          #"{"events":[{"count":2,"count_per_device":1,"count_per_session":0.667,"device_count":2,"id":"Stop","name":"Stop","#
            + #""previous_count":0,"previous_device_count":0}],"total":1,"total_devices":2}"#
        ),
        (
          "events/Play/event_count?\(Self.range)",
          #"{"count":[{"count":2,"datetime":"2026-05-09T00:00:00Z"},{"count":1,"datetime":"2026-05-10T00:00:00Z"}],"#
            + #""previous_total_count":1,"total_count":3}"#
        ),
        (
          "events/Play/device_count?\(Self.range)",
          #"{"devices_count":[{"count":1,"datetime":"2026-05-09T00:00:00Z"},{"count":1,"datetime":"2026-05-10T00:00:00Z"}],"#
            + #""previous_total_devices_with_event":1,"total_devices":2,"total_devices_with_event":1}"#
        ),
        (
          "events/Play/count_per_session?\(Self.range)",
          #"{"avg_count_per_session":1,"count_per_session":[{"count":2,"datetime":"2026-05-09T00:00:00Z"},"#
            + #"{"count":0.5,"datetime":"2026-05-10T00:00:00Z"}],"previous_avg_count_per_session":1}"#
        ),
        (
          "events/Play/count_per_device?\(Self.range)",
          #"{"avg_count_per_device":3,"count_per_device":[{"count":2,"datetime":"2026-05-09T00:00:00Z"},"#
            + #"{"count":1,"datetime":"2026-05-10T00:00:00Z"}],"previous_avg_count_per_device":1}"#
        ),
        ("events/Play/properties", #"{"event_properties":["My Key"]}"#),
        (
          "events/Play/properties/My%20Key/counts?\(Self.range)&$top=1",
          #"{"total":3,"values":[{"count":1,"name":"20","previous_count":0}]}"#
        ),
        (
          "crash_counts?\(Self.range)",
          #"{"count":0,"crashes":[{"count":0,"datetime":"2026-05-09T00:00:00Z"},{"count":0,"datetime":"2026-05-10T00:00:00Z"}]}"#
        ),
      ] {
        let answer = try text(try await get(path))
        #expect(answer == expected, "\(path)")
      }
    }
  }

  @Test func `the log flow shows the logs received today, or since a given time`() async throws {
    try await withStore { get, _, _, _ in
      let today = try #require(try await get("log_flow") as? [String: Any])
      let logs = try #require(today["logs"] as? [[String: Any]])
      #expect(logs.count == 5 && today["exceeded_max_limit"] as? Bool == false)
      #expect(logs.map { $0["type"] as? String } == ["start_session", "event", "event", "start_session", "event"])
      #expect(today["last_received_log_timestamp"] as? String == "2026-05-10T09:11:40.000Z")
      #expect((logs[1]["properties"] as? [String: String]) == ["My Key": "60"])
      #expect((logs[1]["device"] as? [String: Any])?["os_name"] as? String == "iOS")
      let next = try #require(
        try await get("generic_log_flow?start=2026-05-10T08:11:40.000Z") as? [String: Any])
      #expect((next["logs"] as? [[String: Any]])?.count == 2)
      for (start, count) in [
        ("2026-05-10", 5), ("2026-05-10T08:11Z", 5), ("2026-05-10T08:11:40Z", 2), ("2026-05-10T08:11:39.9999999Z", 5),
        ("2026-05-10T10:11:40%2B02:00", 2), ("2026-05-10T10:11:40+0200", 2), ("2026-05-10T03:11:40-05:00", 2),
        ("2026-05-11", 0),
      ] {
        let flow = try #require(try await get("log_flow?start=\(start)") as? [String: Any])
        #expect((flow["logs"] as? [[String: Any]])?.count == count, "\(start)")
      }
    }
  }

  @Test func `an app whose name is a number is found by its name`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-rest-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let apps = try ["2", "First of all", "1984"].map { try catalog.createApp(name: $0) }
    let token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    // The number of crashes, equal to the app's number, identifies each app.
    for app in apps {
      for number in 0..<app.id.rawValue {
        let start = Self.now - .seconds(60 + number)
        let batch = IncomingBatch(
          source: .appCenter, received: Self.now, installs: ["i"], devices: [IncomingDevice()],
          events: [IncomingEvent(index: 0, kind: .crash, duplicateKey: nil, time: start, name: "Bad")])
        _ = try await warehouse.commit(batch, app: app.id)
      }
    }
    try await warehouse.flush()
    let dependencies = CollectorDependencies(of: warehouse, catalog, wallTime: { Self.now })
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    try await TestClient(collector, logger: dependencies.logger).use { client in
      for (name, number) in [
        ("2", 1), ("1", 1), ("3", 3), ("1984", 3), ("first-of-all", 2), (apps[1].appSecret, 2), (apps[0].appSecret, 1),
      ] {
        let response = try await client.execute(
          uri: "/v0.1/apps/me/\(name)/analytics/crash_counts?\(Self.range)", method: .get,
          headers: [.xAPIToken: token])
        #expect(try object(response)["count"] as? Int == number, "\(name)")
      }
    }
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `every error below the API's address has App Center's form`() async throws {
    try await withStore { _, client, _, token in
      let path = "apps/me/1/analytics/versions"
      for (method, path, status, code) in [
        (.post, path, .methodNotAllowed, "MethodNotAllowed"), (.put, path, .methodNotAllowed, "MethodNotAllowed"),
        (.options, path, .methodNotAllowed, "MethodNotAllowed"), (.get, "user", .notFound, "NotFound"),
        (.get, "apps/me/1", .notFound, "NotFound"), (.post, "apps", .notFound, "NotFound"),
        (.get, "apps/me/Other/analytics/versions?start=x", .notFound, "NotFound"),
      ] as [(HTTPRequest.Method, String, HTTPResponse.Status, String)] {
        // Browsers get the same form, because only programs use this address.
        let headers: HTTPFields = [.xAPIToken: token, .accept: "text/html"]
        let response = try await client.execute(uri: "/v0.1/\(path)", method: method, headers: headers)
        #expect(response.status == status, "\(method) \(path)")
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.allow] == (status == .methodNotAllowed ? "GET, HEAD, DELETE" : nil))
        try expectForm(response, code)
      }
      var last: TestResponse?
      for _ in 0...10 {
        last = try await client.execute(uri: "/v0.1/\(path)", method: .get, headers: [.xAPIToken: "wrong"])
      }
      let response = try #require(last)
      #expect(response.status == .tooManyRequests && response.headers[.retryAfter] != nil)
      try expectForm(response, "TooManyRequests")
    }
  }

  private func expectForm(_ response: TestResponse, _ code: String) throws {
    let answer = try object(response)
    #expect(Set(answer.keys) == ["code", "message", "error"])
    let message = try #require(answer["message"] as? String)
    #expect(answer["code"] as? String == code && !message.isEmpty)
    #expect(answer["error"] as? [String: String] == ["code": code, "message": message])
  }

  @Test func `the app is found by name, number or secret, and the token must be valid`() async throws {
    try await withStore { _, client, app, token in
      for name in ["My%20Notes", "my-notes", "1", app.appSecret.uppercased()] {
        let response = try await client.execute(
          uri: "/v0.1/apps/anybody/\(name)/analytics/versions?\(Self.range)", method: .get,
          headers: [.xAPIToken: token])
        #expect(response.status == .ok, "\(name)")
      }
      for (path, token, status, code) in [
        ("Other/analytics/versions?\(Self.range)", token, HTTPResponse.Status.notFound, "NotFound"),
        ("1/analytics/versions?\(Self.range)", "wrong", .unauthorized, "Unauthorized"),
        ("1/analytics/versions?\(Self.range)", nil, .unauthorized, "Unauthorized"),
        ("1/analytics/versions", token, .badRequest, "BadRequest"),
        ("1/analytics/versions?start=yesterday", token, .badRequest, "BadRequest"),
        ("1/analytics/log_flow?start=1", token, .badRequest, "BadRequest"),
        ("1/analytics/log_flow?start=2026-05-10T", token, .badRequest, "BadRequest"),
        ("1/analytics/log_flow?start=2026-05-10T24:00:00Z", token, .badRequest, "BadRequest"),
        ("1/analytics/log_flow?start=2026-05-10T9223372036854775807:00:00Z", token, .badRequest, "BadRequest"),
        ("1/analytics/generic_log_flow?start=2026-13-10T00:00:00Z", token, .badRequest, "BadRequest"),
        ("1/analytics/generic_log_flow?start=2026-05-10T08:00:00.Z", token, .badRequest, "BadRequest"),
        ("1/analytics/generic_log_flow?start=2026-05-10T08:00:00Zulu", token, .badRequest, "BadRequest"),
        ("1/analytics/session_counts?\(Self.range)&interval=PT1H", token, .badRequest, "BadRequest"),
        ("1/analytics/events?\(Self.range)&$orderby=colour", token, .badRequest, "BadRequest"),
        ("1/analytics/events?\(Self.range)&versions=1.0", token, .notImplemented, "NotImplemented"),
        ("1/analytics/audiences?\(Self.range)", token, .notImplemented, "NotImplemented"),
        ("1/analytics/crashfree_device_percentages?\(Self.range)&version=1", token, .notImplemented, "NotImplemented"),
        ("1/analytics/nonsense?\(Self.range)", token, .notFound, "NotFound"),
        ("1/analytics/events/Play/nonsense?\(Self.range)", token, .notFound, "NotFound"),
      ] as [(String, String?, HTTPResponse.Status, String)] {
        var headers: HTTPFields = [:]
        headers[.xAPIToken] = token
        let response = try await client.execute(uri: "/v0.1/apps/me/\(path)", method: .get, headers: headers)
        #expect(response.status == status, "\(path)")
        let answer = try object(response)
        #expect(answer["code"] as? String == code)
        #expect((answer["error"] as? [String: String])?["code"] == code)
        #expect((answer["message"] as? String)?.isEmpty == false)
      }
      let removal = try await client.execute(
        uri: "/v0.1/apps/me/1/analytics/events/Play", method: .delete, headers: [.xAPIToken: token])
      #expect(removal.status == .notImplemented)
    }
  }
}

extension HTTPField.Name {
  static let xAPIToken = HTTPField.Name("X-API-Token") ?? .accept
}
