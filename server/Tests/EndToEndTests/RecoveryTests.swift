import Foundation
import TernChildProcess
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An event that brings the server to a trap whenever it is counted, added to columns, counted for a view or asked about:
/// the server goes on without it.
@Suite(.serialized)
struct RecoveryTests {
  private static let events = 400
  private static let environment = ["TERN_INJECTED_FAULTS": "1", "SWIFT_BACKTRACE": "enable=no"]

  /// A server with an app whose events include one that stops it.
  private final class Stage {
    let workspace: Workspace
    var server: RunningServer
    let app: CreatedApp
    let token: String
    private(set) var starts = 1

    /// - Parameter injects: False for a server without faults, until it is started again.
    init(injects: Bool = true) async throws {
      workspace = try Workspace()
      server = try await RunningServer.start(workspace, environment: injects ? environment : [:])
      app = try CreatedApp.create(workspace, "Faults")
      let printed = try workspace.run([
        "tokens", "create", "test", "--scope", "manage", "--data", workspace.path("data"),
      ])
      token = try #require(printed.output.split(separator: "\n").last.map(String.init))
    }

    /// Stores events, one of which has the fault of a place.
    func send(faultIn place: String) async throws {
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      let lines = (0..<events).map { number in
        let id = UUID().uuidString
        let install = "01900000-0000-7000-8000-0000000000\(10 + number % 50)"
        let isFaulty = number == events / 3
        let user = isFaulty && place != "question" ? "fault-in-\(place)" : "user-\(number % 30)"
        let property = isFaulty && place == "question" ? "fault-in-question" : "Number"
        return """
          {"id":"\(id)","type":"event","name":"Play","time":\(now - Int64(number)),"install":"\(install)",\
          "user":"\(user)","properties":{"\(property)":\(number)}}
          """
      }
      let answer = try await server.post(lines.joined(separator: "\n"), to: "/v1/events", ["Tern-Key": app.key])
      try #require(answer["accepted"] as? Int == events, "\(answer)")
    }

    /// Starts the server again whenever it has ended, until a condition holds.
    func supervise(until condition: () async throws -> Bool) async throws -> Bool {
      let deadline = ContinuousClock.now + .seconds(90)
      while ContinuousClock.now < deadline {
        if !server.process.isRunning {
          try #require(server.process.wait() != .code(0), "the server ended by itself")
          server = try await RunningServer.start(workspace, port: server.port, environment: environment)
          starts += 1
        }
        if (try? await condition()) == true { return true }
        try await Task.sleep(for: .milliseconds(100))
      }
      return false
    }

    func get(_ path: String) async throws -> [String: Any] {
      var request = URLRequest(url: try #require(URL(string: server.address + path)))
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      let (data, _) = try await URLSession.shared.data(for: request)
      return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The events in the overview and in the answer to a question.
    func counted() async throws -> [Int?] {
      let overview = try await get("/api/v1/apps/\(app.id)/reports/overview")["totals"] as? [String: Any]
      let answer = try await server.post(
        #"{"metrics":["events"],"date_range":"7d"}"#, to: "/api/v1/apps/\(app.id)/query",
        ["Authorization": "Bearer \(token)"])
      let rows = answer["results"] as? [[String: Any]]
      return [overview?["events"] as? Int, (rows?.first?["metrics"] as? [Int])?.first]
    }
  }

  @Test(arguments: ["counting", "columns", "question", "view"])
  func `an event that stops the server is found, set aside and named, and all others count`(
    place: String
  ) async throws {
    let stage = try await Stage()
    var view: ReportedView?
    if place == "view" {
      let zone = try ReportedView.quietZone("UTC", "Asia/Kolkata", at: Date())
      view = try ReportedView.create(stage.workspace, stage.app, zone)
    }
    try await stage.send(faultIn: place)
    let all = Self.events - 1
    let isWhole = try await stage.supervise {
      guard try await stage.counted() == [all, all] else { return false }
      guard let view else { return true }
      let report = try await view.report("overview", stage.server, token: stage.token, stage.app)
      let hours = report["hours"] as? [[String: Any]] ?? []
      return hours.compactMap { $0["hits"] as? Int }.reduce(0, +) == all
    }
    #expect(isWhole, "\(place)")
    #expect(stage.starts > 1, "the fault was injected")
    let isReady = try await stage.supervise { try await stage.get("/readyz")["status"] as? String == "ready" }
    #expect(isReady)
    let dropped = try await stage.get("/api/v1/apps/\(stage.app.id)/reports/dropped")
    #expect("\(dropped)".contains("rejected:quarantined"), "\(dropped)")
    #expect(stage.server.stop() == .code(0))
    let (status, output, _) = try stage.workspace.run(["verify", "--data", stage.workspace.path("data")])
    #expect(status == 0, "\(output)")
  }

  @Test func `an event that was counted, and stops the server when its day is counted again, is set aside as well`()
    async throws
  {
    let stage = try await Stage(injects: false)
    try await stage.send(faultIn: "counting")
    let isCounted = try await stage.supervise { try await stage.counted() == [Self.events, Self.events] }
    #expect(isCounted && stage.server.stop() == .code(0))
    stage.server = try await RunningServer.start(
      stage.workspace, port: stage.server.port, environment: Self.environment)
    // To set this one aside, the day with the other is counted again.
    try await stage.send(faultIn: "columns")
    let all = 2 * Self.events - 2
    let isWhole = try await stage.supervise { try await stage.counted() == [all, all] }
    #expect(isWhole && stage.starts <= 4, "\(stage.starts) starts")
    #expect(stage.server.stop() == .code(0))
    let (status, output, _) = try stage.workspace.run(["verify", "--data", stage.workspace.path("data")])
    #expect(status == 0, "\(output)")
  }

  @Test func `a page that stops the server twice is held, and all others are shown`() async throws {
    let stage = try await Stage()
    let page = "/api/v1/apps/\(stage.app.id)/reports/overview"
    let isHeld = try await stage.supervise {
      let answer = try await stage.get("\(page)?fault=fault-in-page")
      return (answer["error"] as? [String: Any])?["code"] as? String == "held"
    }
    #expect(isHeld && stage.starts == 3)
    #expect(try await stage.get(page)["totals"] != nil)
    #expect(try await stage.get("/readyz")["status"] as? String == "degraded")
    #expect(stage.server.stop() == .code(0))
  }
}
