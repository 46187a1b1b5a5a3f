import Foundation
import TernBase
import TernCrash
import TernTestSupport
import Testing

@testable import Tern

#if os(Linux)
  import Glibc
  import TernChildProcess
#endif

@Suite struct `An ended launch` {
  @Test func `is a termination only in the foreground, without report and debugger, and while it was recorded`() {
    let flags = [false, true]
    let boots: [String?] = [nil, "a", "b"]
    for (isInForeground, isDebugged) in flags.flatMap({ flag in flags.map { (flag, $0) } }) {
      for (hasReport, context) in flags.flatMap({ flag in ["", "{}"].map { (flag, $0) } }) {
        for (then, now) in boots.flatMap({ boot in boots.map { (boot, $0) } }) {
          let state = LaunchState(isInForeground: isInForeground, isDebugged: isDebugged, boot: then, context: context)
          let cause = state.termination(hasReport: hasReport, boot: now)
          let counts = isInForeground && !isDebugged && !hasReport && context == "{}"
          let isRestart = then != nil && now != nil && then != now
          #expect(cause == (counts ? isRestart ? .restart : .unknown : nil))
        }
      }
    }
  }

  @Test func `is found with its last time and content, once it doesn't run any more`() throws {
    let harness = try TestHarness()
    try FileManager.default.createDirectory(at: harness.directory, withIntermediateDirectories: true)
    let directory = CrashDirectory(inQueue: harness.directory.path)
    directory.create()
    func write(_ number: UInt64, _ text: String) throws {
      let path = "\(directory.path)/\(UniqueID(high: number << 16, low: number)).launch"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    for (number, text) in ["0012\nab\nc", "", "x\n", "5", "\n", "-3\n"].enumerated() {
      try write(UInt64(number) + 1, text)
    }
    let found = directory.endedLaunches(besides: UniqueID(high: 6 << 16, low: 6))
    #expect(found.map(\.time.millisecondsSince1970) == [12] && found.first?.content == Array("ab\nc".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2, "damaged files are removed")
    for number in 10..<60 as Range<UInt64> { try write(number, "\(number)\n") }
    #expect(directory.endedLaunches(besides: nil).map(\.time.millisecondsSince1970) == Array(28..<60))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 32)
  }
}

#if os(Linux)
  @Suite(.timeLimit(.minutes(30))) struct `The start after an end without a word` {
    private let harness: TestHarness

    init() throws {
      harness = try TestHarness()
      // Not before the probes run.
      harness.clock.setWallTime(Timestamp(Date()) + .seconds(3_600))
    }

    private func client(
      _ configure: (inout TernClient.Configuration) -> Void = { _ in },
      boot: String? = TernClient.Environment.currentBoot()
    ) throws -> TernClient {
      var configuration = TernClient.Configuration(key: "test-key")
      configuration.collector = URL(string: "http://collector.test")
      configuration.queueDirectory = harness.directory
      configuration.reportsTerminations = true
      configure(&configuration)
      var environment = harness.environment()
      environment.catchesCrashes = true
      environment.boot = boot
      return try TernClient(configuration, environment: environment)
    }

    /// The probe's run, which reports terminations.
    private func run(_ options: String...) async throws -> CrashedProcess {
      try await CrashedProcess(["--terminations", ""] + options, in: harness.directory)
    }

    /// The terminations that a client sends, and its end.
    private func terminations(_ tern: TernClient) async throws -> [[String: Any]] {
      while await tern.flush() != .nothingToSend {}
      await tern.shutdown()
      return try harness.transport.requests.flatMap(\.lines).map {
        try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
      }.filter { $0["name"] as? String == "Termination" }
    }

    /// The files of launches. Those of the tests' own clients may be among them: one client of a process has one.
    private var files: [String] {
      let path = CrashDirectory(inQueue: harness.directory.path).path
      return (try? FileManager.default.contentsOfDirectory(atPath: path))?.filter { $0.contains(".launch") } ?? []
    }

    @Test func `records it once, with its own session, user, version and time`() async throws {
      let start = Date()
      let process = try await run("--user", "bob", "--version", "0.9")
      #expect(process.exit == .signal(SIGKILL), "\(process.output)")
      #expect(files.count == 1)
      let events = try await terminations(client())
      let event = try #require(events.first)
      #expect(events.count == 1 && event["type"] as? String == "event")
      #expect(event["session"] as? String == process.session && event["user"] as? String == "bob")
      #expect((event["app"] as? [String: Any])?["version"] as? String == "0.9")
      #expect(event["properties"] as? [String: String] == ["cause": "unknown"] && event["uptime"] == nil)
      let time = Double(try #require(event["time"] as? Int64)) / 1000
      #expect(time <= Date().timeIntervalSince1970 && time >= start.timeIntervalSince1970 - 1)
      #expect(files.isEmpty)
      #expect(try await terminations(client()).count == 1, "not again")
    }

    @Test func `knows that the system was started anew`() async throws {
      _ = try await run()
      let events = try await terminations(client(boot: "another"))
      #expect(events.map { $0["properties"] as? [String: String] } == [["cause": "restart"]])
    }

    @Test(arguments: ["terminate", "child"])
    func `records it after a signal that nobody handled, and if only a child has exited`(end: String) async throws {
      let process = try await run("--end", end)
      #expect(process.exit == .signal(end == "child" ? SIGKILL : SIGTERM), "\(process.output)")
      #expect(try await terminations(client()).count == 1)
    }

    @Test(arguments: ["exit", "return", "notice", "handled", "background"])
    func `records nothing after the app's own end, or one in the background`(end: String) async throws {
      let process = try await run("--end", end)
      #expect(["exit", "return"].contains(end) == (process.exit == .code(0)), "\(process.output)")
      #expect(files.isEmpty == (end != "background"))
      #expect(try await terminations(client()).isEmpty && files.isEmpty)
    }

    @Test(arguments: ["--shutdown", "--errors-off", "--off"])
    func `records nothing of a client that was shut down, recorded no errors, or caught no crashes`(
      option: String
    ) async throws {
      _ = try await run(option)
      #expect(try await terminations(client()).isEmpty && files.isEmpty)
    }

    @Test func `records a crash as such only, also if recording that was interrupted`() async throws {
      for _ in 0..<2 { _ = try await run("--crash", "null") }
      #expect(files.count == 1)
      #expect(try await terminations(client()).isEmpty && files.isEmpty)
      #expect(crashReports(in: harness.directory).isEmpty)
    }

    @Test func `records nothing by default`() async throws {
      _ = try await CrashedProcess([], in: harness.directory)
      #expect(files.isEmpty)
      _ = try await run()
      #expect(try await terminations(client { $0.reportsTerminations = false }).isEmpty)
      #expect(files.isEmpty, "it must not be reported long after")
    }

    @Test func `leaves it while that launch runs`() async throws {
      let output = Pipe()
      let program = try #require(CrashedProcess.Build.debug.program)
      let running = try ChildProcess(
        program, ["--directory", harness.directory.path, "--terminations", "--end", "wait"],
        output: output.fileHandleForWriting)
      // The line that it prints once it has a client.
      #expect(!output.fileHandleForReading.availableData.isEmpty)
      _ = try await run()
      #expect(try await terminations(client()).count == 1 && files.count == 1, "of the other launch")
      running.kill()
      #expect(try await terminations(client()).count == 2 && files.isEmpty)
    }

    @Test func `doesn't record it while events are off`() async throws {
      _ = try await run()
      let tern = try client()
      tern.setRecording(false, of: .usage)
      await tern.shutdown()
      _ = try await run()
      #expect(files.count == 1)
      #expect(try await terminations(client()).isEmpty && files.isEmpty)
    }
  }
#endif
