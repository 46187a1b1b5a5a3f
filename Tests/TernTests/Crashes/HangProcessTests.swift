#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess
  import TernCrash
  import TernTestSupport
  import Testing

  @testable import Tern

  @Suite(.timeLimit(.minutes(30))) struct `A process whose main thread hangs` {
    private let harness: TestHarness

    init() throws { harness = try TestHarness() }

    private var hangs: [CaughtCrash] {
      CrashDirectory(inQueue: harness.directory.path).reports(.hang, besides: nil).map(\.crash)
    }

    /// The handled errors that the next launch sends.
    private func nextErrors() async throws -> [[String: Any]] {
      var configuration = TernClient.Configuration(key: "test-key")
      configuration.collector = URL(string: "http://collector.test")
      configuration.queueDirectory = harness.directory
      var environment = harness.environment()
      environment.catchesCrashes = true
      let tern = try TernClient(configuration, environment: environment)
      #expect(hangs.isEmpty, "the event is on disk")
      await tern.flush()
      await tern.shutdown()
      let events = try harness.transport.requests.flatMap(\.lines).map {
        try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
      }
      return events.filter { $0["type"] as? String == "handled_error" }
    }

    private func steps(of event: [String: Any]) -> [String] {
      (event["steps"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
    }

    private func message(of event: [String: Any]) -> String? {
      (event["exception"] as? [String: Any])?["message"] as? String
    }

    @Test func `records it once, with its duration, when it ends`() async throws {
      let process = try await CrashedProcess(
        ["--hang", "short", "--user", "bob", "--steps", "40"], in: harness.directory)
      #expect(process.exit == .signal(SIGKILL) && process.output.contains("recorded"))
      let errors = try await nextErrors()
      #expect(errors.count == 1 && errors.first?["name"] as? String == "Hang")
      let event = try #require(errors.first)
      #expect(event["session"] as? String == process.session && event["user"] as? String == "bob")
      #expect(steps(of: event) == (9...40).map { "Step \($0) " })
      let text = try #require(message(of: event))
      let prefix = "The main thread did not respond for "
      let seconds = try #require(Double(text.dropFirst(prefix.count).dropLast(" s.".count)))
      #expect(text.hasPrefix(prefix) && seconds >= 2)
    }

    @Test func `leaves a report with the frames of the main thread if it is killed, which the next launch records`()
      async throws
    {
      let process = try await CrashedProcess(["--hang", "long", "--steps", "40"], in: harness.directory)
      #expect(process.exit == .signal(SIGKILL))
      let report = try #require(hangs.first)
      let thread = try #require(report.threads.first)
      #expect(hangs.count == 1 && report.isComplete && report.threads.count == 1)
      #expect(thread.number == report.process && report.steps.map(\.text) == (9...40).map { "Step \($0) " })
      if Symbolizer.path != nil, !CrashedProcess.isSanitized {
        let program = try #require(CrashedProcess.Build.debug.program)
        let functions = try thread.frames.compactMap { address -> String? in
          guard let image = report.image(at: address), image.name == "CrashProbe" else { return nil }
          return try Symbolizer.place(of: address - image.bias, in: program).function
        }
        #expect(functions.contains { $0.contains("hangByWaiting") }, "\(functions)")
      }
      let errors = try await nextErrors()
      #expect(errors.map { $0["id"] as? String } == [report.id.description])
      #expect(errors.first.flatMap(message(of:)) == "The main thread did not respond until the process ended.")
      #expect(errors.map(steps) == [report.steps.map(\.text)])
      #expect(crashReports(in: harness.directory).isEmpty, "a hang is no crash")
    }
  }
#endif
