#if os(Linux)
  import Foundation
  import TernChildProcess
  import Testing

  /// Real crashes of the SDK's probe, which `Scripts/test` builds, and their symbols.
  @Suite(.serialized) struct SymbolTests {
    /// The ways to crash, with the function and a part of the line in the probe's source that each happens in.
    private static let crashes = [
      ("null", "crashByNullPointer", "?.pointee = value"), ("overflow", "crashByOverflow", "{ a + b }"),
      ("fatal", "crashByFatalError", "    fatalError(text)"), ("index", "crashByIndex", "{ values[index] }"),
      ("abort", "crashByAbort", "    abort()"), ("library", "crashInLibrary", "strlen(text)"),
      ("stack", "crashByRecursion", "crashByRecursion(depth &+ 1)"),
      ("thread", "crashByNullPointer", "?.pointee = value"),
    ]

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
      .standardized

    @Test(arguments: ["debug", "release"])
    func `crashes that came before their symbols have functions and lines after the upload`(
      build: String
    ) async throws {
      let probe = Self.repository.appending(path: ".build/\(build)/CrashProbe")
      try #require(
        FileManager.default.isExecutableFile(atPath: probe.path),
        "build the probe first: swift build -c \(build) --product CrashProbe (or run Scripts/test)")
      let workspace = try Workspace()
      let server = try await RunningServer.start(workspace)
      let app = try CreatedApp.create(workspace, "Crashing")
      for (kind, _, _) in Self.crashes { try crash(kind, probe, workspace, app, server) }
      let arrived = try await eventually {
        try errors(workspace, app).reduce(0) { $0 + $1.count } == Self.crashes.count
      }
      try #require(arrived, "the crashes did not arrive")
      let before = try occurrences(workspace, app)
      #expect(before.allSatisfy { !$0.hasSymbols }, "\(before)")

      let (status, output, error) = try workspace.run(
        ["symbols", "upload", probe.path, "--app", app.id, "--data", workspace.path("data")])
      try #require(status == 0 && output.contains("1 new"), "\(output)\(error)")
      let after = try occurrences(workspace, app)
      #expect(after.map(\.id) == before.map(\.id) && after.map(\.group) == before.map(\.group))
      let source = try String(
        contentsOf: Self.repository.appending(path: "Tests/CrashProbe/Crash.swift"), encoding: .utf8
      ).split(separator: "\n", omittingEmptySubsequences: false)
      for (kind, function, text) in Self.crashes {
        let line = try #require(source.firstIndex { $0.contains(text) }) + 1
        let found = after.contains { occurrence in
          occurrence.frames.contains {
            $0.function.contains(function) && $0.file.hasSuffix("/Crash.swift") && $0.line == line
          }
        }
        #expect(found, "\(kind), line \(line): \(after.map { $0.frames.prefix(6) })")
      }
      #expect(server.stop() == .code(0))
    }

    @Test func `symbols in directories are found, listed and deleted, and mistakes are said`() throws {
      let workspace = try Workspace()
      let data = ["--data", workspace.path("data")]
      let app = try CreatedApp.create(workspace, "Builds")
      let folder = workspace.path("build")
      try FileManager.default.createDirectory(atPath: "\(folder)/deep", withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: workspace.player.path, toPath: "\(folder)/deep/player")
      try Data("text".utf8).write(to: URL(filePath: "\(folder)/readme"))

      let upload = ["symbols", "upload", folder, "--app", app.id] + data
      for expected in ["1 new, 0 replaced, 0 known, 1 skipped.", "0 new, 0 replaced, 1 known, 1 skipped."] {
        let ended = try workspace.run(upload)
        #expect(ended.status == 0 && ended.output.hasSuffix("\(expected)\n") && ended.error.isEmpty, "\(ended)")
      }
      let list = try workspace.run(["symbols", "list", "--app", app.id] + data).output.split(separator: "\n")
      let build = try #require(list.last?.prefix { $0 != " " })
      #expect(list.count == 2 && list[1].contains("player"))
      for status: Int32 in [0, 2] {
        #expect(try workspace.run(["symbols", "delete", String(build), "--app", app.id] + data).status == status)
      }
      let text = try workspace.run(["symbols", "upload", "\(folder)/readme", "--app", app.id] + data)
      #expect(text.status == 1 && text.error.contains("This is no file with symbols."))
      #expect(try workspace.run(["symbols", "upload", "\(folder)/missing", "--app", app.id] + data).status == 2)
      let link = workspace.path("link")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
      let linked = try workspace.run(["symbols", "upload", link, "--app", app.id] + data)
      #expect(linked.status == 0 && linked.output.hasSuffix("1 new, 0 replaced, 0 known, 1 skipped.\n"), "\(linked)")

      // One byte more than is allowed, most of them not on disk.
      let large = "\(folder)/a-large-player"
      try FileManager.default.copyItem(atPath: workspace.player.path, toPath: large)
      try #require(truncate(large, (1 << 30) + 1) == 0)
      let skipped = try workspace.run(upload)
      #expect(skipped.status == 1 && skipped.output.hasSuffix("0 new, 0 replaced, 1 known, 2 skipped.\n"), "\(skipped)")
      #expect(skipped.error.contains("a-large-player") && skipped.error.contains("at most 1024 MiB"))

      let empty = workspace.path("empty")
      try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
      #expect(try workspace.run(["symbols", "upload", empty, "--app", app.id] + data).status == 1)
    }

    @Test func `a mapping is uploaded, listed and deleted by version and build`() throws {
      let workspace = try Workspace()
      let app = try CreatedApp.create(workspace, "Android")
      let options = ["--app", app.id, "--data", workspace.path("data")]
      let path = workspace.path("mapping.txt")
      try Data("com.example.Player -> a.b:\n    1:2:void play():5:6 -> a\n".utf8).write(to: URL(filePath: path))
      func upload(_ more: String...) throws -> (status: Int32, output: String, error: String) {
        try workspace.run(["symbols", "upload", path] + more + options)
      }
      let bare = try upload()
      #expect(bare.status == 1 && bare.error.contains("with version and build of the app"), "\(bare)")
      for missing in ["--app-version", "--build"] { #expect(try upload(missing, "1").status == 2) }
      for version in [["--app-version", "1"], ["--app-version=1"], ["--app-version"]] {
        // Without --app, or without a value.
        let ended = try workspace.run(["symbols", "upload", path, "--build", "2"] + version)
        #expect(ended.status == 2 && !ended.output.contains("tern 0"), "\(ended)")
      }
      let stored = try upload("--app-version", "1.2", "--build", "34")
      #expect(stored.status == 0 && stored.output.contains("new  1.2 (34)  "), "\(stored)")
      let wrong = try workspace.run(
        ["symbols", "upload", workspace.player.path, "--app-version", "1", "--build", "2"] + options)
      #expect(wrong.status == 1 && wrong.error.contains("This is no mapping"), "\(wrong)")
      let list = try workspace.run(["symbols", "list"] + options).output
      #expect(list.contains("1.2 (34)") && list.contains("mapping.txt"), "\(list)")
      for status: Int32 in [0, 2] {
        #expect(try workspace.run(["symbols", "delete", "1.2 (34)"] + options).status == status)
      }
    }

    @Test func `the files of a folder are stored at the same time, each once`() throws {
      let workspace = try Workspace()
      let app = try CreatedApp.create(workspace, "Builds")
      let folder = workspace.path("builds")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for number in 1...24 {
        // Object files with other identifiers, and some without symbols.
        let (code, program) = (workspace.path("player.c"), "\(folder)/player-\(number)")
        try Data("int main(void) { return \(number); }\n".utf8).write(to: URL(filePath: code))
        let identifier = String(format: "-Wl,--build-id=0xaaaaaaaa%02x", number)
        try #require(try ChildProcess("clang", ["-g", identifier, "-o", program, code], error: nil).wait() == .code(0))
        try Data("text".utf8).write(to: URL(filePath: "\(folder)/readme-\(number)"))
      }
      let upload = ["symbols", "upload", folder, "--app", app.id, "--data", workspace.path("data")]
      for expected in ["24 new, 0 replaced, 0 known, 24 skipped.", "0 new, 0 replaced, 24 known, 24 skipped."] {
        let ended = try workspace.run(upload)
        #expect(ended.status == 0 && ended.output.hasSuffix("\(expected)\n") && ended.error.isEmpty, "\(ended)")
        #expect(Set(ended.output.split(separator: "\n")).count == 25)
      }
    }

    /// Has the probe crash, and start once more to report it.
    private func crash(
      _ kind: String, _ probe: URL, _ workspace: Workspace, _ app: CreatedApp, _ server: RunningServer
    ) throws {
      let options = ["--directory", workspace.path("queue-\(kind)"), "--collector", server.address, "--key", app.key]
      let quiet = ["SWIFT_BACKTRACE": "enable=no"]
      let crashed = try workspace.start(
        probe, options + ["--crash", kind], environment: quiet, output: "crash-\(kind).log")
      guard case .signal = crashed.wait() else {
        Issue.record("\(kind): \(workspace.text("crash-\(kind).log"))")
        return
      }
      try workspace.start(probe, options + ["--waits", "600"], environment: quiet, output: "report-\(kind).log").wait()
    }

    private struct Group {
      let id: Int
      let count: Int
    }

    private struct Frame {
      let function: String
      let file: String
      let line: Int
    }

    private struct Occurrence {
      let id: Int
      let group: Int
      let frames: [Frame]
      let hasSymbols: Bool
    }

    private func errors(_ workspace: Workspace, _ app: CreatedApp) throws -> [Group] {
      let list = try #require(try workspace.report("errors", app: app.id)["crashes"] as? [[String: Any]])
      return try list.map {
        Group(id: try #require($0["group"] as? Int), count: try #require($0["count"] as? Int))
      }
    }

    private func occurrences(_ workspace: Workspace, _ app: CreatedApp) throws -> [Occurrence] {
      var all: [Occurrence] = []
      for group in try errors(workspace, app) {
        let report = try workspace.report("error", app: app.id, ["--group", "\(group.id)"])
        for row in try #require(report["occurrences"] as? [[String: Any]]) {
          let id = try #require(row["occurrence"] as? Int)
          let detail = try workspace.report("error", app: app.id, ["--occurrence", "\(id)"])
          let error = try #require(detail["occurrence"] as? [String: Any])
          let thread = try #require((error["threads"] as? [[String: Any]])?.first)
          let frames = try #require(thread["frames"] as? [[String: Any]])
          all.append(
            Occurrence(
              id: id, group: group.id,
              frames: frames.map { frame in
                Frame(
                  function: frame["function"] as? String ?? "", file: frame["file"] as? String ?? "",
                  line: frame["line"] as? Int ?? 0)
              }, hasSymbols: frames.contains { $0["hasSymbols"] as? Bool == true }))
        }
      }
      return all.sorted { $0.id < $1.id }
    }
  }
#endif
