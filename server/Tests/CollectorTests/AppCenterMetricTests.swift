import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import Portal
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer

/// Tests the metrics of the analytics API at the ends of ranges, with similar names and with rows of many kinds.
@Suite struct AppCenterMetricTests {
  /// 2026-05-31T12:00:00Z.
  private static let now = Timestamp(millisecondsSince1970: 1_780_228_800_000)

  /// The events of one install at one time, noon of a day in May by default.
  private struct Visit {
    var install = "a"
    var day = 1
    var kinds: [StoredKind] = [.sessionStart]
    var names: [String] = []
    var device = IncomingDevice()
    var properties: [Properties.Element] = []

    var batch: IncomingBatch {
      let start = AppCenterMetricTests.now - .seconds(86_400 * (31 - day))
      let named = kinds.map { ($0, $0 == .sessionStart ? "startSession" : "log") } + names.map { (.event, $0) }
      return IncomingBatch(
        source: .appCenter, received: start, installs: [install], devices: [device],
        events: named.enumerated().map { index, log in
          IncomingEvent(
            index: index, kind: log.0, duplicateKey: nil, time: start + .seconds(index),
            startsSession: log.0 == .sessionStart, name: log.1, properties: log.0 == .event ? properties : [])
        })
    }
  }

  /// Queries an app with these visits and returns JSON values.
  private func answers(
    to paths: [String], of visits: [Visit], app name: String = "Player", as address: String = "Player"
  ) async throws -> [(status: HTTPResponse.Status, body: Any)] {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-rest-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let app = try catalog.createApp(name: name).id
    let token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    for visit in visits { _ = try await warehouse.commit(visit.batch, app: app) }
    try await warehouse.flush()
    let dependencies = CollectorDependencies(of: warehouse, catalog, wallTime: { Self.now })
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    var answers: [(HTTPResponse.Status, Data)] = []
    answers = try await TestClient(collector, logger: dependencies.logger).use {
      client in
      var answers: [(HTTPResponse.Status, Data)] = []
      for path in paths {
        let response = try await client.execute(
          uri: "/v0.1/apps/me/\(address)/analytics/\(path)", method: .get, headers: [.xAPIToken: token])
        answers.append((response.status, Data(buffer: response.body)))
      }
      return answers
    }
    try await warehouse.close()
    try catalog.close()
    return try answers.map { ($0, try JSONSerialization.jsonObject(with: $1)) }
  }

  private func object(_ path: String, of visits: [Visit]) async throws -> [String: Any] {
    let answer = try #require(try await answers(to: [path], of: visits).first)
    #expect(answer.status == .ok)
    return try #require(answer.body as? [String: Any])
  }

  @Test(arguments: [("P1D", [1, 0, 0, 0, 0, 0, 1, 2]), ("P1W", [1, 2]), ("P30D", [1.667])])
  func `sessions of a truncated step are divided among the users of its days`(
    interval: String, expected: [Double]
  ) async throws {
    var visits = [Visit(install: "a", day: 9), Visit(install: "b", day: 9), Visit(install: "c", day: 15)]
    visits += [Visit(install: "a", day: 16), Visit(install: "a", day: 16)]
    // Users of the days before the range do not count.
    visits += ["x", "y", "z"].map { Visit(install: $0, day: 8) }
    let answer = try await object(
      "sessions_per_device?start=2026-05-09&end=2026-05-16&interval=\(interval)", of: visits)
    let steps = try #require(answer["sessions_per_user"] as? [[String: Any]])
    #expect(steps.map { $0["count"] as? Double } == expected)
    #expect(answer["average_sessions_per_user"] as? Double == 1.667)
  }

  @Test func `a month has 28 days and a week 7`() async throws {
    let answer = try await object(
      "active_device_counts?start=2026-05-28&end=2026-05-31",
      of: [Visit(install: "a", day: 2), Visit(install: "b", day: 23), Visit(install: "c", day: 30)])
    for (member, expected) in [("daily", [0, 0, 1, 0]), ("weekly", [1, 1, 1, 1]), ("monthly", [2, 2, 2, 2])] {
      let series = answer[member] as? [[String: Any]]
      #expect(series?.map { $0["count"] as? Int } == expected, "\(member)")
    }
    let later = try await object(
      "active_device_counts?start=2026-05-29&end=2026-05-30", of: [Visit(install: "a", day: 2)])
    #expect((later["monthly"] as? [[String: Any]])?.map { $0["count"] as? Int } == [1, 0])
  }

  @Test func `a list has 30 rows by default, and up to 2,000 without a limit`() async throws {
    let visits = (0..<40).map { Visit(install: "i\($0)", device: IncomingDevice(model: "m\($0)")) }
    let range = "start=2026-05-01&end=2026-05-01"
    for (top, count) in [("", 30), ("&$top=0", 40), ("&$top=2", 2), ("&$top=99999", 40)] {
      let answer = try await object("models?\(range)\(top)", of: visits)
      #expect((answer["models"] as? [Any])?.count == count, "\(top)")
      #expect(answer["total"] as? Int == 40)
    }
  }

  @Test func `names that only look the same have separate metrics, also for the previous period`() async throws {
    let (one, two) = ("\u{E9}", "e\u{301}")
    let visits = [
      Visit(install: "a", day: 4, names: [one, one, one, two], device: IncomingDevice(model: one, appVersion: one)),
      Visit(
        install: "b", day: 4, names: [two, two, two], device: IncomingDevice(model: two, appVersion: two),
        properties: [.init(name: one, value: .string(one))]),
      Visit(install: "a", day: 5, names: [one], device: IncomingDevice(model: one, appVersion: one)),
      Visit(
        install: "b", day: 5, names: [two, two], device: IncomingDevice(model: two, appVersion: two),
        properties: [.init(name: two, value: .string(two))]),
    ]
    let range = "start=2026-05-05&end=2026-05-05"
    let events = try #require(try await object("events?\(range)", of: visits)["events"] as? [[String: Any]])
    let metrics = events.map { event in
      ["count", "previous_count", "device_count", "previous_device_count"].map { event[$0] as? Int }
    }
    #expect(events.map { ($0["name"] as? String)?.utf8.count } == [3, 2])
    #expect(metrics == [[2, 4, 1, 2], [1, 3, 1, 1]])
    for (path, member, name) in [("models", "models", "model_name"), ("versions", "versions", "version")] {
      let rows = try await object("\(path)?\(range)", of: visits)[member] as? [[String: Any]] ?? []
      #expect(rows.map { $0["count"] as? Int } == [1, 1], "\(path)")
      #expect(rows.map { $0["previous_count"] as? Int } == [1, 1], "\(path)")
      #expect(Set(rows.map { ($0[name] as? String)?.utf8.count }) == [2, 3], "\(path)")
    }
    let base = "events/e%CC%81/properties"
    for (property, total, before) in [("e%CC%81", 2, 0), ("%C3%A9", 0, 0)] {
      let answer = try await object("\(base)/\(property)/counts?\(range)", of: visits)
      #expect(answer["total"] as? Int == total, "\(property)")
      #expect((answer["values"] as? [[String: Any]])?.first?["previous_count"] as? Int ?? 0 == before)
    }
    let only = try await object("versions?\(range)&versions=e%CC%81", of: visits)
    #expect((only["versions"] as? [Any])?.count == 1)
  }

  @Test func `versions lose their builds, but not their own brackets`() async throws {
    let devices = [("2.0 (x)", "9"), ("2.0 (x)", "10"), ("2.0", "9"), ("3 (beta", "")]
    let visits = devices.enumerated().map { index, version in
      Visit(install: "i\(index)", device: IncomingDevice(appVersion: version.0, appBuild: version.1))
    }
    let answer = try await object("versions?start=2026-05-01&end=2026-05-01", of: visits)
    let rows = try #require(answer["versions"] as? [[String: Any]])
    #expect(rows.map { $0["version"] as? String } == ["2.0 (x)", "2.0", "3 (beta"])
    #expect(rows.map { $0["count"] as? Int } == [2, 1, 1])
  }

  @Test func `the log flow contains only logs that it can show`() async throws {
    var visits = [Visit(day: 31, names: ["Play", "Stop"])]
    visits += Array(repeating: Visit(day: 31, kinds: Array(repeating: .other, count: 150)), count: 2)
    visits.append(Visit(day: 31, kinds: Array(repeating: .attachment, count: 150)))
    for path in ["log_flow", "generic_log_flow"] {
      let flow = try await object(path, of: visits)
      #expect((flow["logs"] as? [[String: Any]])?.compactMap { $0["event_name"] as? String } == ["Play", "Stop"])
      #expect(flow["exceeded_max_limit"] as? Bool == false)
    }
    for (count, isMore) in [(99, false), (100, true)] {
      let flow = try await object("log_flow", of: [Visit(day: 31, names: Array(repeating: "Play", count: count))])
      #expect((flow["logs"] as? [Any])?.count == 100)
      #expect(flow["exceeded_max_limit"] as? Bool == isMore)
    }
  }

  @Test func `missing endpoints and items are reported whatever the parameters are`() async throws {
    let paths: [(String, HTTPResponse.Status)] = [
      ("audiences", .notImplemented), ("export_configurations", .notImplemented), ("crash_groups", .notImplemented),
      ("distribution/releases", .notImplemented), ("crashfree_device_percentages?version=1", .notImplemented),
      ("audiences/a?start=yesterday", .notImplemented), ("nonsense", .notFound), ("events/Play", .notFound),
      ("events/Play/properties/Genre", .notFound), ("events/Play/nonsense?start=yesterday", .notFound),
      ("models/x?start=2026-05-01", .notFound), ("models", .badRequest), ("events/counts/event_count", .badRequest),
      ("events/Play/properties", .ok), ("log_flow", .ok), ("events/Play/properties/p/counts", .badRequest),
    ]
    let answers = try await answers(to: paths.map(\.0), of: [])
    for (answer, (path, status)) in zip(answers, paths) { #expect(answer.status == status, "\(path)") }
  }

  @Test(arguments: ["-", "%20", "%3F", "!"])
  func `a name without letters and digits matches only itself`(address: String) async throws {
    let answer = try await answers(to: ["versions?start=2026-05-01"], of: [], app: "!!!", as: address).first
    #expect(answer?.status == .notFound)
    let exact = try await answers(to: ["versions?start=2026-05-01"], of: [], app: "!!!", as: "%21%21%21").first
    #expect(exact?.status == .ok)
  }
}
