#if os(Linux)
  import Foundation
  import TernChildProcess
  import Testing

  /// Crashes of a program that was built twice, before and after symbols, read by each llvm-symbolizer that is installed.
  @Suite(.serialized) struct SymbolGroupTests {
    /// All versions in the folders of `PATH`.
    private static let symbolizers = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .flatMap { folder in ["", "-14", "-15", "-19"].map { "\(folder)/llvm-symbolizer\($0)" } }
      .filter { FileManager.default.isExecutableFile(atPath: $0) }

    /// A program in which two functions fail in one inlined helper.
    private static let source = """
      int sink;
      #ifdef SECOND
      __attribute__((noinline)) void added(int *place) { for (int i = 0; i < *place; i++) sink += i * sink; }
      #endif
      static inline __attribute__((always_inline)) void store(int *place) { *place = 7; }
      __attribute__((noinline)) void save(int *place) { store(place); }
      __attribute__((noinline)) void update(int *place) { sink++; store(place); }
      int main(int count, char **arguments) {
        save((int *)(long)count);
        update((int *)(long)count);
      #ifdef SECOND
        added(&count);
      #endif
        return 0;
      }
      """

    private func build(_ identifier: String, _ flags: [String], in workspace: Workspace) throws -> [String: UInt64] {
      let (code, program) = (workspace.path("player.c"), workspace.path("player-\(identifier)"))
      try Data(Self.source.utf8).write(to: URL(filePath: code))
      let arguments = flags + ["-g", "-O1", "-Wl,--build-id=0x\(identifier)", "-o", program, code]
      try #require(try ChildProcess("clang", arguments, error: nil).wait() == .code(0))
      let names = Pipe()
      let process = try ChildProcess("nm", [program], output: names.fileHandleForWriting)
      try names.fileHandleForWriting.close()
      let text = String(decoding: names.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      try #require(process.wait() == .code(0))
      return Dictionary(
        text.matches(of: /([0-9a-f]+) [Tt] (save|update|main)\n/).map { (String($0.2), UInt64($0.1, radix: 16) ?? 0) },
        uniquingKeysWith: { first, _ in first })
    }

    private func groups(_ workspace: Workspace, _ app: CreatedApp) throws -> [[Int]] {
      let crashes = try #require(try workspace.report("errors", app: app.id)["crashes"] as? [[String: Any]])
      return crashes.map { [$0["group"] as? Int ?? 0, $0["count"] as? Int ?? 0] }.sorted { $0[0] < $1[0] }
    }

    @Test(arguments: symbolizers)
    func `two builds of a crash are one group once both have symbols, and the sum of counts stays`(symbolizer: String)
      async throws
    {
      let workspace = try Workspace()
      let server = try await RunningServer.start(workspace, environment: ["TERN_SYMBOLIZER": symbolizer])
      let app = try CreatedApp.create(workspace, "Player")
      let builds = [
        ("a1a1a1a1a1a1a1a1", try build("a1a1a1a1a1a1a1a1", [], in: workspace)),
        ("b2b2b2b2b2b2b2b2", try build("b2b2b2b2b2b2b2b2", ["-DSECOND"], in: workspace)),
      ]
      #expect(builds[0].1["update"] != builds[1].1["update"], "the second build has other positions")
      var sent = 0
      for (build, positions) in builds {
        for function in ["save", "update", "save"] {
          sent += 1
          let frames = [(function, 1), ("main", 2)].map { name, more in
            #"{"code":"player(+0x\#(String((positions[name] ?? 0) + UInt64(more), radix: 16))) [\#(build)]"}"#
          }.joined(separator: ",")
          let time = Int64(Date().timeIntervalSince1970 * 1_000)
          let line =
            #"{"id":"01900000-0000-7000-8000-00000000000\#(sent)","type":"crash","time":\#(time),"name":"x","#
            + #""install":"01900000-0000-7000-8000-000000000009","#
            + #""exception":{"type":"SIGSEGV","message":"m","frames":[\#(frames)],"stackTrace":"Thread: 1\n"}}"#
          let answer = try await server.post(line, to: "/v1/events", ["Tern-Key": app.key])
          try #require(answer["error"] == nil, "\(answer)")
        }
      }
      #expect(try await eventually { try groups(workspace, app).map { $0[1] } == [2, 1, 2, 1] })
      let before = try groups(workspace, app).map { $0[0] }
      for (build, _) in builds {
        let (status, _, error) = try workspace.run(
          ["symbols", "upload", workspace.path("player-\(build)"), "--app", app.id, "--data", workspace.path("data")])
        try #require(status == 0, "\(error)")
      }
      let isOne = try await eventually { try groups(workspace, app) == [[before[0], 4], [before[1], 2]] }
      let found = try groups(workspace, app)
      #expect(isOne, "\(symbolizer): \(found)")
      let report = try workspace.report("errors", app: app.id)["crashes"] as? [[String: Any]] ?? []
      // The first of the app's own functions, as the compiler inlined them.
      let places = report.compactMap { $0["place"] as? String }
      #expect(places.allSatisfy { place in ["save", "store", "update"].contains { place.hasPrefix($0) } }, "\(places)")
      // The number of the group that is now part of another one still leads there.
      let old = try workspace.report("error", app: app.id, ["--group", "\(before[2])"])
      #expect(((old["error"] as? [String: Any])?["count"] as? Int) == 4)
      let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
      #expect(status == 0, "\(output)")
      #expect(server.stop() == .code(0))
    }
  }
#endif
