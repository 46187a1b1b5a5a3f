import Foundation
import TernChildProcess
import Testing

/// The command line as users type it.
@Suite struct CommandLineTests {
  @Test func `a wrong option prints one line to standard error and exits with 2`() throws {
    let workspace = try Workspace()
    let mistakes = [
      ["serve", "--nonsense"], ["serve", "--port", "abc"], ["report", "nonsense", "--app", "1"], ["nonsense"],
      ["report", "overview"],
      ["report", "overview", "--app", "1", "--from", "yesterday", "--data", workspace.path("none")],
    ]
    for arguments in mistakes {
      let (status, output, error) = try workspace.run(arguments)
      #expect(status == 2, "\(arguments): \(error)")
      #expect(output.isEmpty)
      #expect(error.split(separator: "\n").count == 1, "\(arguments): \(error)")
    }
  }

  @Test func `settings come from options, the environment and the file in the data directory`() throws {
    let workspace = try Workspace()
    try FileManager.default.createDirectory(atPath: workspace.path("data"), withIntermediateDirectories: true)
    let file = workspace.path("data/config.json")
    try Data(#"{"port": 9000, "host": "::1", "keep-backups": 3}"#.utf8).write(to: URL(filePath: file))
    let output = "config.out"
    let process = try workspace.start(
      workspace.tern, ["config", "--port", "9002"],
      environment: ["TERN_DATA": workspace.path("data"), "TERN_PORT": "9001", "TERN_HOST": "127.0.0.2"], output: output)
    #expect(process.wait() == .code(0))
    let text = workspace.text(output)
    #expect(text.contains(/port +9002 +option --port\n/))
    #expect(text.contains(/host +127.0.0.2 +environment variable TERN_HOST\n/))
    #expect(text.contains(/keep-backups +3 +\/.*\/config.json/))
    #expect(text.contains(/backup-every +1d +default\n/))
    try Data(#"{"prot": 9000}"#.utf8).write(to: URL(filePath: file))
    let (status, printed, error) = try workspace.run(["serve", "--data", workspace.path("data")])
    #expect(status == 2 && printed.isEmpty)
    #expect(error.contains("\"prot\" (in \(file))") && error.split(separator: "\n").count == 1, "\(error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.path("data")) == ["config.json"])
  }

  @Test func `a port in use prints one line to standard error and exits with 2`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let (status, _, error) = try workspace.run(
      ["serve", "--data", workspace.path("other"), "--port", String(server.port)])
    #expect(status == 2)
    #expect(error.contains(String(server.port)))
    let elsewhere = try workspace.run([
      "serve", "--data", workspace.path("other"), "--host", "192.0.2.1", "--port", "0",
    ])
    #expect(elsewhere.status == 2)
    #expect(elsewhere.error.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: workspace.path("other")), "nothing is left behind")
    #expect(server.stop() == .code(0))
  }

  @Test func `a server that begins in an empty directory says so, once`() async throws {
    let workspace = try Workspace()
    func start() async throws -> String {
      let log = "start-\(UUID().uuidString).log"
      let process = try workspace.start(
        workspace.tern, ["serve", "--data", workspace.path("data"), "--port", "0"], output: log)
      #expect(try await eventually { workspace.text(log).contains("Tern listens on") })
      process.send(SIGTERM)
      #expect(process.wait() == .code(0))
      return workspace.text(log)
    }
    let first = try await start()
    #expect(first.contains("\(workspace.path("data")) had no data: a new server begins there."), "\(first)")
    let second = try await start()
    #expect(!second.contains("had no data"), "\(second)")
  }

  @Test func `a report of an unknown error group or occurrence prints one line and exits with 2`() throws {
    let workspace = try Workspace()
    let app = try CreatedApp.create(workspace, "No faults")
    for (option, text) in [("--group", "This error does not exist."), ("--occurrence", "This error does not exist.")] {
      let (status, output, error) = try workspace.run(
        ["report", "error", option, "7", "--app", app.id, "--data", workspace.path("data")])
      #expect(status == 2 && output.isEmpty)
      #expect(error.contains(text) && error.split(separator: "\n").count == 1, "\(error)")
    }
  }

  @Test func `the exit code of track shows whether the event arrived`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Command line")
    func track(_ name: String, _ key: String, _ url: String) throws -> Int32 {
      try workspace.run([
        "track", name, "-p", "count=3", "-p", "kind=test", "--url", url, "--key", key, "--timeout", "5",
      ]).status
    }
    #expect(try track("Hello", app.key, server.address) == 0)
    #expect(try track("Hello", "wrong", server.address) == 1)
    let reported = try await eventually {
      let events = try workspace.report("events", app: app.id)["events"] as? [[String: Any]]
      return events?.first?["name"] as? String == "Hello" && events?.first?["count"] as? Int == 1
    }
    #expect(reported)
    #expect(server.stop() == .code(0))
    #expect(try track("Hello", app.key, server.address) == 1)
  }

  @Test func `a question about an unknown event is refused with the nearest names, unless allowed`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Questions")
    let tracked = try workspace.run([
      "track", "Purchase", "--url", server.address, "--key", app.key, "--timeout", "5",
    ])
    #expect(tracked.status == 0)
    func query(_ metric: String, _ event: String, _ options: [String]) throws -> (
      status: Int32, output: String, error: String
    ) {
      let question = #"{"metrics":["\#(metric)"],"filters":[["is","event",["\#(event)"]]],"include":["totals"]}"#
      try Data(question.utf8).write(to: URL(filePath: workspace.path("question.json")))
      return try workspace.run(
        ["query", workspace.path("question.json"), "--app", app.id, "--data", workspace.path("data")] + options)
    }
    let isCounted = try await eventually { try query("events", "Purchase", []).output.contains(#""totals":[1]"#) }
    #expect(isCounted)
    let refused = try query("events", "Purchse", [])
    #expect(refused.status == 2 && refused.output.isEmpty)
    #expect(refused.error.contains("“Purchse”. Did you mean “Purchase”? Use --allow-unknown if it is still to come."))
    let allowed = try query("events", "Purchse", ["--allow-unknown"])
    #expect(allowed.status == 0 && allowed.error.isEmpty && allowed.output.contains(#""totals":[0]"#), "\(allowed)")
    let note = "Session durations: Pauses of 30 minutes and more are left out."
    let table = try query("session_duration_avg", "Purchase", ["--format", "csv"])
    #expect(table.error == note + "\n" && table.output.hasPrefix("session_duration_avg\r\n"))
    let json = try query("session_duration_avg", "Purchase", [])
    #expect(json.error.isEmpty && json.output.contains(#""notes":["\#(note)"]"#))
    #expect(server.stop() == .code(0))
  }
}
