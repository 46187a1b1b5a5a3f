import Foundation
import TernChildProcess
import Testing

/// The samples of App Center's documentation in a real app, with exact reports.
@Suite(.serialized)
struct AppCenterTests {
  /// The events of one run of the sample.
  private static let events = ["Video clicked": 4, "Clip opened": 1, "Kept while paused": 1]

  @Test func `events of App Center's samples, offline, killed and restarted, are in the reports exactly once`()
    async throws
  {
    let workspace = try Workspace()
    var server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Sample")
    func sample(_ arguments: String...) throws -> ChildProcess {
      try workspace.start(
        workspace.appCenterSample, [app.appSecret, "120"] + arguments,
        environment: ["TERN_COLLECTOR": server.address, "XDG_DATA_HOME": workspace.path("home")],
        output: "sample-\(UUID().uuidString).log")
    }
    func expectRuns(_ runs: Int, sessions: Int) async throws {
      let expected = Self.events.mapValues { $0 * runs }
      let arrived = try await eventually {
        try names(workspace, app) == expected && errors(workspace, app).first?["count"] as? Int == runs
      }
      let (found, faults) = (try names(workspace, app), try errors(workspace, app))
      #expect(arrived, "\(found) \(faults)")
      let totals = try #require(try workspace.report("overview", app: app.id)["totals"] as? [String: Int])
      #expect(totals["sessions"] == sessions && totals["users"] == 1, "\(totals)")
    }

    // Without a server, everything is kept; the process is killed once the last call has returned.
    server.kill()
    let first = try sample()
    #expect(try await eventually { recorded(workspace, "Kept while paused") })
    first.kill()
    server = try await RunningServer.start(workspace, port: server.port)

    // The next launch sends the events left by the first one, and does the same again.
    let second = try sample()
    try await expectRuns(2, sessions: 2)
    second.kill()
    // The server is killed while the app is in use, and restarted. It stands still before, and the app meanwhile: App Center's client
    // waits minutes after two failures, and a busy machine takes long for both starts.
    server.process.send(SIGSTOP)
    // All events of the second run have arrived: disabling erases none.
    let launch = Date()
    let third = try sample("manual", "off")
    #expect(try await eventually { recorded(workspace, "Kept while paused", since: launch) })
    third.send(SIGSTOP)
    server.kill()
    server = try await RunningServer.start(workspace, port: server.port)
    third.send(SIGCONT)
    // Each call of startSession begins a session; a launch does not.
    try await expectRuns(3, sessions: 4)
    third.kill()

    try expectDetails(workspace, app)
    let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
    #expect(status == 0, "\(output)")
    #expect(server.stop() == .code(0))
  }

  private func expectDetails(_ workspace: Workspace, _ app: CreatedApp) throws {
    let countries = try #require(try workspace.report("countries", app: app.id)["countries"] as? [[String: Any]])
    #expect(countries.map { $0["code"] as? String } == ["BR"], "\(countries)")
    let report = try workspace.report("event", app: app.id, ["--event", "Clip opened"])
    let event = try #require(report["event"] as? [String: Any])
    let properties = try #require(event["properties"] as? [[String: Any]])
    #expect(
      Set(properties.compactMap { $0["name"] as? String }) == ["Genre", "Position", "Volume", "Offline", "AddedAt"])

    let group = try #require(try errors(workspace, app).first)
    let number = "\(try #require(group["group"]))"
    let error = try workspace.report("error", app: app.id, ["--group", number])
    let occurrence = try #require((error["occurrences"] as? [[String: Any]])?.first?["occurrence"])
    let detail = try #require(
      try workspace.report("error", app: app.id, ["--occurrence", "\(occurrence)"])["occurrence"] as? [String: Any])
    let attachments = try #require(detail["attachments"] as? [[String: Any]])
    #expect(attachments.map { $0["name"] as? String } == ["note.txt"], "\(detail)")
  }

  private func names(_ workspace: Workspace, _ app: CreatedApp) throws -> [String: Int] {
    let rows = try #require(try workspace.report("events", app: app.id)["events"] as? [[String: Any]])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"] as? String ?? "", $0["count"] as? Int ?? 0) })
  }

  private func errors(_ workspace: Workspace, _ app: CreatedApp) throws -> [[String: Any]] {
    try #require(try workspace.report("errors", app: app.id)["handled"] as? [[String: Any]])
  }

  /// Returns true if a file of the sample's queue that changed since a time contains a text, which then survives a kill.
  private func recorded(_ workspace: Workspace, _ text: String, since time: Date = .distantPast) -> Bool {
    let home = workspace.path("home")
    let files = FileManager.default.enumerator(atPath: home)?.compactMap { $0 as? String } ?? []
    return files.contains { name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(home)/\(name)")
      guard let changed = attributes?[.modificationDate] as? Date, changed >= time else { return false }
      return FileManager.default.contents(atPath: "\(home)/\(name)")?.firstRange(of: Data(text.utf8)) != nil
    }
  }
}
