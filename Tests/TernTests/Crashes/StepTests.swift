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

@Suite(.timeLimit(.minutes(30))) struct `The steps before a crash` {
  private func report(_ lines: [String]) throws -> CaughtCrash {
    let text = `A crash report`.text.replacing(
      "message Fatal", with: (lines + ["message Fatal"]).joined(separator: "\n"))
    return try #require(CaughtCrash(bytes: Array(text.utf8)))
  }

  @Test func `are decoded from the report, without those that are damaged and at most 32`() throws {
    let damaged = ["step", "step ", "step 5", "step 5 ", "step x y", "step 99999999999999999999 y"]
    let crash = try report(damaged + (1...40).map { "step \($0) Opened page \($0)" })
    #expect(crash.steps.map(\.text) == (1...32).map { "Opened page \($0)" })
    #expect(crash.steps.map(\.time.millisecondsSince1970) == Array(1...32))
  }

  @Test func `have at most 100 bytes and no control characters`() throws {
    let crash = try report(["step 1 a\u{7}b\u{9B}\u{7F}", "step 2 " + String(repeating: "ü", count: 80)])
    #expect(crash.steps.map(\.text) == ["a b  ", String(repeating: "ü", count: 50)])
  }

  @Test func `leave room for the stack in the event, whatever they contain`() throws {
    let crash = try report((1...32).map { "step \($0) " + String(repeating: "\"", count: 100) })
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.recordCrash(crash.exception, of: TernClient.PreviousProcess(crash))
    #expect(tern.status.droppedByReason.isEmpty && tern.ledger.tracked == 2)
  }

  @Test func `do nothing in a client that catches no crashes`() throws {
    let tern = try TestHarness().client()
    tern.step("")
    tern.step(String(repeating: "x", count: 100_000))
    #expect(tern.status.queued == 1)
  }

  #if os(Linux)
    @Test(arguments: [1, 31, 32, 33, 500])
    func `are the last 32 in order, however many there were`(count: Int) async throws {
      let harness = try TestHarness()
      _ = try await CrashedProcess(["--crash", "null", "--steps", "\(count)"], in: harness.directory)
      let report = try #require(crashReports(in: harness.directory).first)
      #expect(report.steps.map(\.text) == (max(count - 31, 1)...count).map { "Step \($0) " })
      #expect(report.isComplete && zip(report.steps, report.steps.dropFirst()).allSatisfy { $0.time <= $1.time })
      #expect(report.steps.allSatisfy { $0.time <= report.time && report.time.since($0.time) < .seconds(600) })
    }

    @Test(arguments: ["user", "reset", "erase", "off"])
    func `are forgotten with their user, and while errors are off`(cause: String) async throws {
      let harness = try TestHarness()
      let first = try await CrashedProcess(
        ["--crash", "null", "--steps", "40", "--forget", cause], in: harness.directory)
      #expect(first.exit == .signal(SIGSEGV))
      // The first user has no name before: the steps lead to the sign-in.
      let count = cause == "user" ? 32 : 1
      #expect(crashReports(in: harness.directory).map(\.steps.count) == [count])
      CrashDirectory(inQueue: harness.directory.path).remove(crashReports(in: harness.directory).map(\.id))
      _ = try await CrashedProcess(
        ["--crash", "null", "--user", "bob", "--steps", "40", "--forget", cause], in: harness.directory)
      #expect(crashReports(in: harness.directory).map { $0.steps.map(\.text) } == [["Later"]])
    }

    @Test func `arrive with the event of the crash`() async throws {
      let harness = try TestHarness()
      _ = try await CrashedProcess(["--crash", "fatal", "--steps", "40"], in: harness.directory)
      let report = try #require(crashReports(in: harness.directory).first)
      var configuration = TernClient.Configuration(key: "test-key")
      configuration.collector = URL(string: "http://collector.test")
      configuration.queueDirectory = harness.directory
      var environment = harness.environment()
      environment.catchesCrashes = true
      let tern = try TernClient(configuration, environment: environment)
      await tern.flush()
      let events = try harness.transport.requests.flatMap(\.lines).map {
        try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
      }
      let crash = try #require(events.first { $0["type"] as? String == "crash" })
      let steps = try #require(crash["steps"] as? [[String: Any]])
      #expect(steps.compactMap { $0["text"] as? String } == (9...40).map { "Step \($0) " })
      #expect(steps.compactMap { $0["time"] as? Int64 } == report.steps.map(\.time.millisecondsSince1970))
      await tern.shutdown()
    }

    /// A thread that is stopped while it writes loses its step.
    @Test(arguments: [1, 4]) func `are whole while other threads make more of them`(threads: Int) async throws {
      for _ in 0..<5 {
        let harness = try TestHarness()
        let process = try await CrashedProcess(
          ["--crash", "null", "--stepping", "\(threads)"], in: harness.directory)
        #expect(process.exit == .signal(SIGSEGV), "\(process.output)")
        let steps = try #require(crashReports(in: harness.directory).first).steps
        #expect(steps.count <= 32 && steps.count >= 32 - threads)
        var last = [Int](repeating: 0, count: threads)
        for step in steps {
          let words = step.text.split(separator: " ")
          let parts = words[0].split(separator: ":").compactMap { Int($0) }
          #expect(words.dropLast().allSatisfy { $0 == words[0] } && words[0].hasPrefix(words[words.count - 1]))
          try #require(parts.count == 2)
          #expect(parts[1] > last[parts[0]])
          if threads == 1, last[0] > 0, steps.count == 32 { #expect(parts[1] == last[0] + 1) }
          last[parts[0]] = parts[1]
        }
      }
    }

    @Test(arguments: ["--off", "--errors-off", "--shutdown"])
    func `are nowhere without a report`(option: String) async throws {
      let harness = try TestHarness()
      let process = try await CrashedProcess(
        ["--crash", "null", "--steps", "40", "--stepping", "1", option], in: harness.directory)
      #expect(process.exit == .signal(SIGSEGV) && crashReports(in: harness.directory).isEmpty)
    }
  #endif
}
