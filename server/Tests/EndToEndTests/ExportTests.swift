import Foundation
import TernChildProcess
import Testing

/// Exports and imports by the command line, between servers.
@Suite struct ExportTests {
  /// The reports of an app in JSON, by name. The list of live rows names their keys nowhere, so all must be equal.
  private func reports(_ workspace: Workspace, _ directory: String, _ app: String) throws -> [String: String] {
    var texts: [String: String] = [:]
    let names = [
      "overview", "events", "screens", "versions", "devices", "countries", "errors", "dropped", "live",
    ]
    for name in names {
      let (status, output, error) = try workspace.run([
        "report", name, "--app", app, "--data", workspace.path(directory), "--format", "json", "--from", "2026-01-01",
        "--to", "2030-12-31",
      ])
      // Some reports take no range.
      let plain =
        status == 0
        ? output
        : try workspace.run([
          "report", name, "--app", app, "--data", workspace.path(directory), "--format", "json",
        ]).output
      #expect(!plain.isEmpty, "\(name): \(error)")
      texts[name] = plain
    }
    return texts
  }

  private func send(_ numbers: Range<Int>, _ app: CreatedApp, _ server: RunningServer) async throws {
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    let lines = numbers.map { number in
      let id = "01900000-0000-7000-8000-\(String(number + 100_000_000_000))"
      return #"{"id":"\#(id)","type":"event","name":"Play \#(number % 5)","time":\#(now - Int64(number)),"#
        + #""install":"01900000-0000-7000-8000-00000000000\#(number % 7)","properties":{"count":\#(number % 3)}}"#
    }
    let answer = try await server.post(lines.joined(separator: "\n"), to: "/v1/events", ["Tern-Key": app.key])
    #expect(answer["accepted"] as? Int == numbers.count, "\(answer)")
    let body = (0..<40).map { hit in
      "v=1&tid=\(app.trackingID)&cid=\(hit % 5)&t=screenview&cd=S\(hit % 3)&an=A&qt=\(hit * 1_000)&z=\(hit)"
    }
    _ = try? await server.post(body.prefix(20).joined(separator: "\n"), to: "/batch", [:])
    _ = try? await server.post(#"{"id":"x","type":"event"}"#, to: "/v1/events", ["Tern-Key": app.key])
  }

  @Test func `an app imported into another server has the same reports, byte for byte`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Export")
    try await send(0..<300, app, server)
    _ = try await eventually {
      try workspace.run(["verify", "--data", workspace.path("data")]).output.contains("320 events.")
    }
    let export = try workspace.run(["export", "--app", app.id, "--data", workspace.path("data")])
    #expect(export.status == 0 && export.output.hasSuffix("{\"end\":true}\n"), "\(export.error)")
    try export.output.write(toFile: workspace.path("app.ndjson"), atomically: true, encoding: .utf8)
    let script = "'\(workspace.tern.path)' export --app \(app.id) --gzip --data '\(workspace.path("data"))' | gzip -dc"
    let packed = try workspace.start(URL(filePath: "/bin/sh"), ["-c", script], output: "unpacked")
    #expect(packed.wait() == .code(0) && workspace.text("unpacked") == export.output)
    let token = try workspace.run([
      "tokens", "create", "out", "--scope", "export", "--data", workspace.path("data"),
    ]).output
    let secret = try #require(token.firstMatch(of: /tern_[A-Za-z0-9_-]+|[A-Za-z0-9_-]{30,}/)).output
    #expect(try await server.status("/api/v1/apps/1/export", token: String(secret)) == 200)
    #expect(try await server.status("/api/v1/apps/1/export", token: "wrong") == 401)
    #expect(server.stop() == .code(0))

    _ = try workspace.run(["apps", "create", "Copy", "--data", workspace.path("copy")])
    for expected in ["Imported 320 rows", "Imported 0 rows"] {
      let (status, output, error) = try workspace.run([
        "import", "--app", "1", workspace.path("app.ndjson"), "--data", workspace.path("copy"),
      ])
      #expect(status == 0 && output.contains(expected), "\(output)\(error)")
    }
    let original = try reports(workspace, "data", app.id)
    for (name, text) in try reports(workspace, "copy", "1") { #expect(text == original[name], "\(name)") }
    let verified = try workspace.run(["verify", "--data", workspace.path("copy")])
    #expect(verified.status == 0, "\(verified)")
  }

  @Test func `an app is deleted while a server runs, or without one`() async throws {
    let workspace = try Workspace()
    var server = try await RunningServer.start(workspace)
    let apps = try (0..<3).map { try CreatedApp.create(workspace, "App \($0)") }
    for app in apps { try await send(0..<50, app, server) }
    func delete(_ app: CreatedApp, _ more: [String] = ["--yes"]) throws -> (
      status: Int32, output: String, error: String
    ) {
      try workspace.run(["apps", "delete", app.id, "--data", workspace.path("data")] + more)
    }
    let unconfirmed = try delete(apps[0], [])
    #expect(unconfirmed.status == 2 && unconfirmed.error.contains("--yes"))
    let deleted = try delete(apps[0])
    #expect(deleted.status == 0 && deleted.output.contains("Deleted app 1"), "\(deleted)")
    try await send(50..<60, apps[1], server)
    #expect(server.stop() == .code(0))
    #expect(try delete(apps[1]).status == 0)
    #expect(try delete(apps[1]).status == 2)
    let listed = try workspace.run(["apps", "list", "--data", workspace.path("data")]).output
    #expect(!listed.contains("App 0") && !listed.contains("App 1") && listed.contains("App 2"))
    let verified = try workspace.run(["verify", "--data", workspace.path("data")])
    #expect(verified.status == 0 && verified.output.contains("70 events."), "\(verified)")
    server = try await RunningServer.start(workspace)
    try await send(60..<70, apps[2], server)
    #expect(server.stop() == .code(0))
  }

  @Test func `a running server imports a file that a command names, and reports mistakes to it`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Export")
    try await send(0..<50, app, server)
    let export = try workspace.run(["export", "--app", app.id, "--data", workspace.path("data")]).output
    try export.write(toFile: workspace.path("app.ndjson"), atomically: true, encoding: .utf8)
    _ = try workspace.run(["apps", "create", "Copy", "--data", workspace.path("data")])
    let imported = try workspace.run([
      "import", "--app", "2", workspace.path("app.ndjson"), "--data", workspace.path("data"),
    ])
    #expect(imported.status == 0 && imported.output.contains("Imported 70 rows"), "\(imported)")
    try "nonsense\n".write(toFile: workspace.path("wrong"), atomically: true, encoding: .utf8)
    let refused = try workspace.run([
      "import", "--app", "2", workspace.path("wrong"), "--data", workspace.path("data"),
    ])
    #expect(refused.status == 2 && refused.error.contains("not an export"), "\(refused)")
    let missing = try workspace.run(["import", "--app", "2", "/nowhere", "--data", workspace.path("data")])
    #expect(missing.status == 2 && missing.error.split(separator: "\n").count == 1, "\(missing)")
    #expect(server.stop() == .code(0))
    let audit = try workspace.run(["audit", "--data", workspace.path("data")]).output
    #expect(audit.contains("data imported") && audit.contains("data exported"))
  }

  @Test func `App Center's exported logs are imported from a folder, compressed or not, once`() async throws {
    let workspace = try Workspace()
    _ = try workspace.run(["apps", "create", "Old", "--data", workspace.path("data")])
    let folder = workspace.directory.appending(path: "archive/2019/05/04/12")
    func log(_ number: Int) -> String {
      #"{"AppId":"A1","Timestamp":"2019-05-04T12:00:0\#(number).120Z","InstallId":"e589a371-ea0c-4479-9a7b-9f834adec040","#
        + #""MessageType":"EventLog","IngressTimestamp":"2019-05-04T12:01:00.000Z","EventName":"Play","#
        + #""EventId":"ad980536-e743-48a9-ab7e-cb043602000\#(number)","Properties":"{\"level\":\"\#(number)\"}"}"#
    }
    for minute in 0..<3 {
      let file = folder.appending(path: "0\(minute)/logs.v1.data")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try "[\(log(minute * 2)),\n\(log(minute * 2 + 1))\(minute == 1 ? ",\nnonsense" : "")]".write(
        to: file, atomically: true, encoding: .utf8)
    }
    let packed = try workspace.start(
      URL(filePath: "/bin/sh"), ["-c", "gzip '\(folder.path)/02/logs.v1.data'"], output: "packed")
    #expect(packed.wait() == .code(0))
    for expected in [
      "Imported 6 rows from 3 files into app 1.", "Imported 0 rows from 3 files into app 1; 6 were stored",
    ] {
      let (status, output, error) = try workspace.run([
        "import", "--app", "1", "--format", "app-center", workspace.path("archive"), "--data", workspace.path("data"),
      ])
      #expect(status == 0 && output.contains(expected), "\(output)\(error)")
      #expect(output.contains("2019/05/04/12/01/logs.v1.data, line 3: It isn't a JSON object."), "\(output)")
    }
    let missing = try workspace.run([
      "import", "--app", "1", "--format", "app-center", "/nowhere", "--data", workspace.path("data"),
    ])
    #expect(missing.status == 2 && missing.error.contains("/nowhere"), "\(missing)")
    #expect(try workspace.run(["verify", "--data", workspace.path("data")]).status == 0)
  }

  @Test func `days of Google Analytics are kept beside a view's own, and deleted again`() async throws {
    let workspace = try Workspace()
    let data = ["--data", workspace.path("data")]
    _ = try workspace.run(["apps", "create", "Old"] + data)
    _ = try workspace.run(["views", "create", "--app", "1", "--name", "Web", "--time-zone", "UTC"] + data)
    try """
    # ----------------------------------------
    # All data
    # Audience Overview
    # 20160101-20160102
    # ----------------------------------------

    Day Index,Users
    1/1/16,"1,234"
    1/2/16,5
    ,"1,239"
    """.write(toFile: workspace.path("users.csv"), atomically: true, encoding: .utf8)
    for expected in ["2 figures are new, 0 changed", "0 figures are new, 0 changed"] {
      let (status, output, error) = try workspace.run(
        ["views", "imported", "add", "1", workspace.path("users.csv")] + data)
      #expect(status == 0 && output.contains(expected), "\(output)\(error)")
    }
    let arguments = ["report", "overview", "--app", "1", "--view", "1", "--from", "2016-01-01", "--to", "2016-01-03"]
    let report = try workspace.run(arguments + ["--format", "json"] + data)
    let part =
      #""imported":[{"date":"2016-01-01","metric":"Users","value":1234},{"date":"2016-01-02","metric":"Users","value":5}]"#
    #expect(report.output.contains(part), "\(report)")
    #expect(try workspace.run(arguments + data).output.contains("Imported days"))
    let list = try workspace.run(["views", "imported", "list", "1", "--json"] + data)
    #expect(list.output.contains("\"metric\":\"Users\"") && list.output.contains("\"days\":2"), "\(list)")
    #expect(try workspace.run(["backup", workspace.path("backup")] + data).status == 0)

    let unconfirmed = try workspace.run(["views", "imported", "delete", "1"] + data)
    #expect(unconfirmed.status == 2 && unconfirmed.error.contains("--yes"), "\(unconfirmed)")
    #expect(try workspace.run(["views", "imported", "delete", "1", "--yes"] + data).status == 0)
    #expect(try !workspace.run(arguments + ["--format", "json"] + data).output.contains("imported"))
    let restored = try workspace.run(["restore", workspace.path("backup"), "--data", workspace.path("restored")])
    #expect(restored.status == 0, "\(restored)")
    let again = try workspace.run(
      arguments + ["--format", "json", "--data", workspace.path("restored")])
    #expect(again.output.contains(part), "\(again)")
  }
}
