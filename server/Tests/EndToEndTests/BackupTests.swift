import Foundation
import TernChildProcess
import Testing

/// Backups by the command line and by a running server.
@Suite(.serialized) struct BackupTests {
  private let now = Int64(Date().timeIntervalSince1970 * 1_000)

  private func send(_ numbers: Range<Int>, _ app: CreatedApp, _ server: RunningServer) async throws {
    let lines = numbers.map { number in
      #"{"id":"01900000-0000-7000-8000-\#(String(number + 100_000_000_000))","type":"event","name":"Play","time":\#(now),"install":"01900000-0000-7000-8000-00000000000\#(number % 7)"}"#
    }
    let answer = try await server.post(lines.joined(separator: "\n"), to: "/v1/events", ["Tern-Key": app.key])
    #expect((answer["rejected"] as? [Any])?.isEmpty ?? true, "\(answer)")
  }

  private func verify(_ workspace: Workspace, _ directory: String) throws -> String {
    let (status, output, error) = try workspace.run(["verify", "--data", workspace.path(directory)])
    #expect(status == 0, "\(output)\(error)")
    return output
  }

  @Test func `a backup of a running server is restored to a directory that another server runs on`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Backup")
    try await send(0..<500, app, server)
    let backup = try workspace.run(["backup", workspace.path("backup"), "--data", workspace.path("data")])
    #expect(backup.status == 0 && backup.output.contains("500 events"), "\(backup)")
    let again = try workspace.run(["backup", workspace.path("backup"), "--data", workspace.path("data")])
    #expect(again.status == 2 && again.error.contains("not empty"), "\(again)")
    try await send(500..<700, app, server)
    let next = try workspace.run([
      "backup", workspace.path("next"), "--link-to", workspace.path("backup"), "--data", workspace.path("data"),
    ])
    #expect(next.status == 0 && next.output.contains("700 events"), "\(next)")
    #expect(server.stop() == .code(0))
    try FileManager.default.moveItem(atPath: workspace.path("data"), toPath: workspace.path("old"))
    let restored = try workspace.run(["restore", workspace.path("backup"), "--data", workspace.path("data")])
    #expect(restored.status == 0, "\(restored)")
    let second = try await RunningServer.start(workspace)
    try await send(490..<600, app, second)
    #expect(second.stop() == .code(0))
    #expect(try verify(workspace, "data").contains("600 events"))
    let audit = try workspace.run(["audit", "--data", workspace.path("data")]).output
    #expect(audit.contains("backup restored"))
    let old = try workspace.run(["audit", "--data", workspace.path("old")]).output
    #expect(old.contains("backup created"))
  }

  #if os(Linux)
    @Test func `a backup that is killed does not exist, and harms neither the server nor the next one`() async throws {
      let workspace = try Workspace()
      let server = try await RunningServer.start(workspace)
      let app = try CreatedApp.create(workspace, "Backup")
      try await send(0..<500, app, server)
      var kills = 0
      // The kernel kills the process at its first write beyond each of these sizes, in different files.
      for size in [1, 4_096, 8_192, 16_384, 65_536, 131_072] {
        let shell = """
          ulimit -S -c 0; exec prlimit --fsize=\(size):\(size) "$0" backup "$1" --data "$2"
          """
        let process = try workspace.start(
          URL(filePath: "/bin/sh"),
          ["-c", shell, workspace.tern.path, workspace.path("backup"), workspace.path("data")], output: "out-\(size)")
        let exit = process.wait()
        guard exit != .code(0) else { continue }
        kills += 1
        #expect(!FileManager.default.fileExists(atPath: workspace.path("backup")), "\(exit)")
        let refused = try workspace.run(["restore", workspace.path("backup"), "--data", workspace.path("new")])
        #expect(refused.status == 2)
      }
      #expect(kills > 0)
      try? FileManager.default.removeItem(atPath: workspace.path("backup"))
      try await send(500..<600, app, server)
      let backup = try workspace.run(["backup", workspace.path("backup"), "--data", workspace.path("data")])
      #expect(backup.status == 0 && backup.output.contains("600 events"), "\(backup)")
      #expect(server.stop() == .code(0))
      #expect(try verify(workspace, "data").contains("600 events"))
    }
  #endif

  @Test func `a server with a directory for backups makes one at its start`() async throws {
    let workspace = try Workspace()
    let app = try CreatedApp.create(workspace, "Backup")
    let log = "server.log"
    let process = try workspace.start(
      workspace.tern,
      [
        "serve", "--data", workspace.path("data"), "--port", "0", "--backup-to", workspace.path("backups"),
        "--backup-every", "6h", "--keep-backups", "2",
      ], output: log)
    #expect(try await eventually { workspace.text(log).contains("Backup in ") }, "\(workspace.text(log))")
    process.send(SIGTERM)
    #expect(process.wait() == .code(0))
    let names = try FileManager.default.contentsOfDirectory(atPath: workspace.path("backups"))
    #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix("tern-") })
    let restored = try workspace.run([
      "restore", workspace.path("backups/\(names.first ?? "")"), "--data", workspace.path("new"),
    ])
    #expect(restored.status == 0, "\(restored)")
    #expect(try workspace.run(["apps", "list", "--data", workspace.path("new")]).output.contains(app.key))
    #expect(try workspace.run(["audit", "--data", workspace.path("data")]).output.contains("backup created"))
    for mistake in [["--backup-every", "0d"], ["--backup-every", "soon"], ["--keep-backups", "0"]] {
      #expect(try workspace.run(["serve", "--data", workspace.path("none")] + mistake).status == 2)
    }
  }
}
