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

/// Tests the most extreme numbers in every place of every protocol and on every page. A trap ends the run.
@Suite struct ExtremeValueTests {
  private static let numbers = [
    "-9223372036854775808", "-9223372036854775807", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "-9007199254740992", "9007199254740992", "9007199254740993", "-4611686018427387904",
    "4611686018427387904", "-1", "0", "-0", "-0.0", "1", "0.5", "1e308", "-1e308", "1e999", "-1e999", "5e-324",
    "1e-999",
    "253402300800000", "-62135596800001", "1\(String(repeating: "0", count: 400))",
  ]
  private static let texts = ["NaN", "-nan", "Infinity", "1e308", "-0.0", "9223372036854775808", "0x7fffffffffffffff"]
  private static let times = [
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999999999999999+18:00", "0000-01-01 00:00:00-18:00",
  ]

  /// Every number in every JSON form of a property.
  private static var members: [String] {
    let values =
      numbers + (numbers + texts + times).map { "\"\($0)\"" } + numbers.map { "{\"date\":\($0)}" }
      + numbers.map { "[\($0)]" }
    return values.enumerated().map { "\"p\($0.offset)\":\($0.element)" }
  }

  private static func native(now: Int64, seed: UInt64) -> [String] {
    var generator = FastGenerator(seed: seed)
    func id() -> String { UniqueID.random(using: &generator).description }
    let install = id()
    func event(_ rest: String, type: String = "event", time: String? = nil) -> String {
      "{\"id\":\"\(id())\",\"type\":\"\(type)\",\"name\":\"E\",\"time\":\(time ?? String(now)),\"install\":\"\(install)\"\(rest)}"
    }
    var lines = numbers.map { event(",\"properties\":{\"d\":{\"date\":\($0)},\"n\":\($0)}") }
    lines += numbers.map { event(",\"uptime\":\($0),\"device\":{\"osName\":\"L\",\"timeZoneOffset\":\($0)}") }
    lines += numbers.map { event(",\"properties\":{\"queue_full\":\($0),\"expired\":\($0)}", type: "drops") }
    lines += (numbers + texts.map { "\"\($0)\"" }).map { event("", time: $0) }
    lines += numbers.map {
      event(
        ",\"exception\":{\"type\":\"T\",\"frames\":[{\"lineNumber\":\($0)}]},\"properties\":{\"n\":\($0)}",
        type: "crash")
    }
    lines += members.map { event(",\"properties\":{\($0)}") }
    return lines.shuffled(using: &generator)
  }

  private static func appCenter(stamp: String) -> String {
    let types = ["string", "long", "double", "boolean", "dateTime"]
    let quoted = (numbers + texts + times).map { "\"\($0)\"" }
    var typed: [String] = []
    for type in types {
      for (number, value) in (numbers + quoted).enumerated() {
        typed.append("{\"type\":\"\(type)\",\"name\":\"\(type) \(number)\",\"value\":\(value)}")
      }
    }
    // A log has at most a hundred properties.
    let values = stride(from: 0, to: typed.count, by: 50).map {
      typed[$0..<min($0 + 50, typed.count)].joined(separator: ",")
    }
    var logs = values.map {
      "{\"type\":\"event\",\"timestamp\":\"\(stamp)\",\"name\":\"E\",\"typedProperties\":[\($0)]}"
    }
    logs += numbers.map {
      "{\"type\":\"event\",\"timestamp\":\"\(stamp)\",\"name\":\"E\",\"device\":{\"timeZoneOffset\":\($0),\"appBuild\":\($0)}}"
    }
    logs += (numbers + (texts + times).map { "\"\($0)\"" }).map {
      "{\"type\":\"event\",\"timestamp\":\($0),\"name\":\"E\"}"
    }
    return "{\"logs\":[\(logs.joined(separator: ","))]}"
  }

  private static func hits(_ trackingID: String) -> [String] {
    let base = "v=1&tid=\(trackingID)&cid=c&t=event&ec=C&ea=E"
    return (numbers + texts).flatMap { text in
      [
        "\(base)&qt=\(text)", "\(base)&ev=\(text)", "\(base)&z=1&ht=\(text)",
        "\(base)&z=1&ht=\(text)&qt=\(text)&sc=start",
      ]
    }
  }

  private func request(
    _ path: String, _ headers: HTTPFields, _ body: String, _ client: TestClient
  ) async throws {
    let answer = try await client.execute(
      uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
    #expect(answer.status == .ok, "\(path): \(String(buffer: answer.body))")
  }

  private func shown(
    _ app: App, _ headers: HTTPFields, _ cookie: HTTPFields, _ client: TestClient
  ) async throws {
    for name in ReportRegistry.standard.app.map(\.name) {
      let range =
        name == "event" ? "?event=E&limit=10000" : name == "error" ? "?group=1&limit=10000" : "?limit=10000"
      for format in ReportFormat.allCases {
        let report = try await client.execute(
          uri: "/api/v1/apps/\(app.id)/reports/\(name)\(range)&format=\(format.rawValue)", method: .get,
          headers: headers)
        #expect(report.status == .ok, "\(name) \(format): \(String(buffer: report.body))")
      }
      let page = try await client.execute(
        uri: "/apps/\(app.id)/\(name)\(range)", method: .get, headers: cookie)
      #expect(page.status == .ok, "\(name)")
    }
    for path in ["/", "/apps/\(app.id)", "/apps/\(app.id)/settings"] {
      #expect(try await client.execute(uri: path, method: .get, headers: cookie).status == .ok, "\(path)")
    }
  }

  @Test(arguments: ["UTC", "Asia/Kathmandu"] as [String])
  func `every extreme value of every protocol is stored or rejected, and every page can show it`(
    zone: String
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-extreme-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let dependencies = CollectorDependencies(of: warehouse, catalog)
    let app = try catalog.createApp(name: "Player", timeZone: zone)
    let token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    let cookie: HTTPFields = [.cookie: "tern_session=\(try catalog.ownerSession())"]
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    try await TestClient(collector, logger: dependencies.logger).use { client in
      let now = WallClock.system()
      let stamp = Date(timeIntervalSince1970: Double(now.millisecondsSince1970) / 1_000).formatted(.iso8601)
      for line in Self.native(now: now.millisecondsSince1970, seed: 1) {
        try await request("/v1/events", [.ternKey: app.key], line, client)
      }
      try await request(
        "/logs", [.appSecret: app.appSecret, .installID: "install"], Self.appCenter(stamp: stamp), client)
      for hit in Self.hits(app.trackingID) { try await request("/collect", [:], hit, client) }
      try await warehouse.flush()
      try await shown(app, [.authorization: "Bearer \(token)"], cookie, client)
    }
    #expect(try await warehouse.reader.recent(app: app.id, limit: 10_000).count > 250)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try SQLiteWarehouse.rebuild(directory: directory, catalog: catalog)
    try catalog.close()
  }
}
