#if os(Linux)
  import Foundation
  import TernCrash
  import TernEvents
  import TernTestSupport
  import Testing

  @testable import Tern

  @Suite(.timeLimit(.minutes(30))) struct `The start after a crash` {
    private let harness: TestHarness

    init() throws { harness = try TestHarness() }

    private var directory: URL { harness.directory }

    private func client(
      _ configure: (inout TernClient.Configuration) -> Void = { _ in },
      environment change: (inout TernClient.Environment) -> Void = { _ in }
    ) throws -> TernClient {
      var configuration = TernClient.Configuration(key: "test-key")
      configuration.collector = URL(string: "http://collector.test")
      configuration.queueDirectory = directory
      configure(&configuration)
      var environment = harness.environment()
      environment.catchesCrashes = true
      change(&environment)
      return try TernClient(configuration, environment: environment)
    }

    private func received() throws -> [[String: Any]] {
      try harness.transport.requests.flatMap(\.lines).map {
        try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
      }
    }

    private func crashes() throws -> [[String: Any]] { try received().filter { $0["type"] as? String == "crash" } }

    @Test func `records it once and first, with its own session, user, version and time`() async throws {
      let process = try await CrashedProcess(
        ["--crash", "fatal", "--user", "bob", "--version", "0.9"], in: directory)
      let report = try #require(crashReports(in: directory).first)
      let tern = try client()
      #expect(crashReports(in: directory).isEmpty, "the event is on disk")
      #expect(tern.ledger.tracked == 3, "the probe's session, the crash and this session")
      await tern.flush()
      let all = try received()
      let crash = try #require(try crashes().first)
      #expect(try crashes().count == 1)
      #expect(all.first?["type"] as? String == "crash", "critical events are sent first")
      #expect(crash["id"] as? String == report.id.description && crash["name"] as? String == report.signalName)
      #expect(crash["session"] as? String == process.session && process.session != tern.sessionID?.description)
      #expect(crash["user"] as? String == "bob")
      #expect((crash["app"] as? [String: Any])?["version"] as? String == "0.9")
      #expect((crash["device"] as? [String: Any])?["osName"] as? String != "TestOS")
      #expect(crash["time"] as? Int64 == report.time.millisecondsSince1970 && crash["uptime"] == nil)
      let exception = try #require(crash["exception"] as? [String: Any])
      #expect((exception["message"] as? String)?.hasSuffix("Fatal error: Out of cheese") == true)
      #expect((exception["frames"] as? [Any])?.isEmpty == false)
      #expect((exception["stackTrace"] as? String)?.contains("Registers:") == true)
      await tern.shutdown()
    }

    @Test func `counts it once if the process is killed before it can send`() async throws {
      _ = try await CrashedProcess(["--crash", "abort"], in: directory)
      let path = CrashDirectory(inQueue: directory.path).path
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
      let content = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
      // Killed after it has removed the report.
      _ = try await CrashedProcess([], in: directory)
      #expect(crashReports(in: directory).isEmpty)
      // Killed between recording and removing: the report is there again.
      try content.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
      let tern = try client()
      #expect(crashReports(in: directory).isEmpty)
      await tern.emptied()
      let ids = try crashes().compactMap { $0["id"] as? String }
      #expect(Set(ids) == [String(name.prefix(36))], "the collector counts an identifier once")
      await tern.shutdown()
      #expect(try client().status.queued == 1, "only a session")
    }

    @Test func `keeps the report while the disk refuses its event`() async throws {
      _ = try await CrashedProcess(["--crash", "null"], in: directory)
      let memory = InMemoryFileSystem()
      memory.setReadOnly(true)
      var configuration = TernClient.Configuration(key: "test-key")
      configuration.queueDirectory = directory
      var environment = harness.environment()
      environment.catchesCrashes = true
      environment.fileSystem = memory
      let tern = try TernClient(configuration, environment: environment)
      #expect(tern.storageError != nil && crashReports(in: directory).count == 1)
      await tern.shutdown()
    }

    @Test func `removes the report if errors are off, and leaves it if catching is`() async throws {
      _ = try await CrashedProcess(["--crash", "null"], in: directory)
      let first = try client { $0.catchesCrashes = false }
      #expect(crashReports(in: directory).count == 1)
      first.setRecording(false, of: .errors)
      await first.shutdown()
      let second = try client()
      #expect(crashReports(in: directory).isEmpty && second.status.droppedByReason.isEmpty)
      await second.flush()
      #expect(try crashes().isEmpty)
      await second.shutdown()
    }

    @Test(.timeLimit(.minutes(10)))
    func `can wait for the delivery of a crash, so that a process which dies right after its start reports it`()
      async throws
    {
      let collector = try ProbeProcess(["collector"])
      let port = try #require(await collector.line("port "))
      _ = try await CrashedProcess(["--crash", "null"], in: directory)
      _ = try await CrashedProcess(["--waits", "600", "--collector", "http://127.0.0.1:\(port)"], in: directory)
      #expect(await collector.line("received SIGSEGV") != nil)
      #expect(collector.lines.filter { $0.hasPrefix("received SIGSEGV") }.count == 1)
    }

    @Test func `waits a limited time for it`() async throws {
      #expect(harness.environment().startDelayLimit == .seconds(2))
      harness.transport.answer { _ in .hold }
      let tern = try client { _ in
      } environment: {
        $0.startDelayLimit = .milliseconds(1)
      }
      let receipt = tern.track("A", priority: .critical)
      tern.engine.waitForDelivery(of: [receipt])
      #expect(tern.status.delivered == 0)
      harness.transport.release()
      await tern.shutdown()
    }

    @Test func `belongs to one client of a process`() async throws {
      let id = UniqueID(high: 0x0123, low: 1)
      let reports = CrashDirectory(inQueue: directory.path)
      // Another suite's client may be catching.
      while CrashCatcher.currentReport != nil { await Task.yield() }
      let first = CrashCatcher(in: reports, id: id, context: Array("{}".utf8))
      #expect(CrashCatcher(in: reports, id: UniqueID(high: 2, low: 2), context: Array("{}".utf8)) == nil)
      first?.stop()
      #expect(reports.reports(besides: nil).isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: reports.path).isEmpty)
    }
  }
#endif
