#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess
  import TernCrash
  import TernTestSupport
  import Testing

  @testable import Tern

  /// The signal of Swift's traps, which differs by processor.
  #if arch(x86_64)
    private let trap = SIGILL
  #else
    private let trap = SIGTRAP
  #endif

  @Suite(.timeLimit(.minutes(30))) struct `A process that crashes` {
    private let harness: TestHarness

    init() throws { harness = try TestHarness() }

    private var directory: URL { harness.directory }

    struct Kind: CustomTestStringConvertible {
      var name: String
      var signal: Int32
      var function: String
      /// A part of the line where it crashes.
      var line: String
      /// The builds in which the function has one trap for all its checks, which belongs to no line.
      var buildsWithoutLine: [CrashedProcess.Build] = []
      var testDescription: String { name }
    }

    private static let kinds = [
      Kind(name: "null", signal: SIGSEGV, function: "crashByNullPointer", line: "pointee = value"),
      Kind(
        name: "overflow", signal: trap, function: "crashByOverflow", line: "a + b",
        buildsWithoutLine: [.debug, .optimized]),
      Kind(name: "fatal", signal: trap, function: "crashByFatalError", line: "fatalError(text)"),
      Kind(
        name: "index", signal: trap, function: "crashByIndex", line: "values[index]", buildsWithoutLine: [.optimized]),
      Kind(name: "abort", signal: SIGABRT, function: "crashByAbort", line: "abort()"),
      Kind(name: "stack", signal: SIGSEGV, function: "crashByRecursion", line: "crashByRecursion"),
      Kind(name: "library", signal: SIGSEGV, function: "crashInLibrary", line: "strlen(text)"),
      Kind(name: "thread", signal: SIGSEGV, function: "crashByNullPointer", line: "pointee = value"),
      Kind(name: "kill", signal: SIGBUS, function: "crashByKill", line: "kill(getpid()"),
    ]

    /// The source of the functions that crash.
    private static let source = try? String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../CrashProbe/Crash.swift"), encoding: .utf8
    ).split(separator: "\n", omittingEmptySubsequences: false)

    @Test(
      arguments: kinds.filter { $0.name != "stack" || !CrashedProcess.isSanitized }, CrashedProcess.Build.available)
    func `leaves one complete report, and dies of the same signal`(
      kind: Kind, build: CrashedProcess.Build
    ) async throws {
      let process = try await CrashedProcess(["--crash", kind.name], of: build, in: directory)
      #expect(process.exit == .signal(kind.signal), "\(process.output)")
      let reports = crashReports(in: directory)
      let report = try #require(reports.first)
      #expect(reports.count == 1 && report.isComplete && report.signal == Int64(kind.signal))
      #expect(!report.signalName.isEmpty && report.uptime < .seconds(600) && report.process > 0)
      #expect(report.registers.count > 16)
      let crashed = try #require(report.threads.first)
      // The system chooses the thread that gets a signal for the whole process.
      let probe = try #require(
        kind.name == "kill" ? report.threads.first { $0.number == report.process } : crashed)
      #expect(report.threads.allSatisfy { !$0.frames.isEmpty } && probe.frames.count > (kind.name == "thread" ? 2 : 4))
      if kind.name == "fatal" { #expect(report.message?.hasSuffix("Fatal error: Out of cheese") == true) }
      if kind.name == "thread" {
        #expect(crashed.number != report.process && report.threads.contains { $0.number == report.process })
      } else {
        #expect(probe.number == report.process)
      }
      let exception = report.exception
      #expect(exception.type == report.signalName && exception.frames.count == crashed.frames.count)
      let isInProbe = exception.frames.contains { $0.code?.hasPrefix("CrashProbe(+0x") == true }
      #expect(isInProbe || probe.number != crashed.number)
      guard Symbolizer.path != nil, !CrashedProcess.isSanitized else { return }
      let program = try #require(build.program)
      let first = try #require(probe.frames.first { report.image(at: $0)?.name == "CrashProbe" })
      let place = try Symbolizer.place(of: first - (report.image(at: first)?.bias ?? 0), in: program)
      #expect(place.function.contains(kind.function))
      if !kind.buildsWithoutLine.contains(build) {
        try #require(place.line > 0)
        let line = try #require(Self.source?.dropFirst(place.line - 1).first)
        #expect(line.contains(kind.line))
      }
      if build == .optimized { #expect(report.images.first { $0.name == "CrashProbe" }?.buildID != nil) }
    }

    @Test(arguments: ["previous", "later"])
    func `runs another reporter's handler, too`(order: String) async throws {
      let process = try await CrashedProcess(["--crash", "null", "--\(order)"], in: directory)
      #expect(process.exit == .signal(SIGSEGV))
      #expect(process.output.split(separator: "\n").filter { $0 == order }.count == 1, "\(process.output)")
      #expect(crashReports(in: directory).count == 1)
    }

    @Test(.disabled(if: CrashedProcess.isSanitized, "Swift's backtracer crashes with the thread sanitizer"))
    func `leaves the backtrace to Swift's runtime`() async throws {
      let process = try await CrashedProcess(
        ["--crash", "index"], in: directory, backtrace: "enable=yes,color=no,symbolicate=off,interactive=no")
      #expect(process.exit == .signal(trap))
      #expect(process.output.contains("rogram crashed"), "\(process.output)")
      #expect(crashReports(in: directory).map(\.isComplete) == [true])
    }

    @Test func `ends, with an incomplete report, if the handler crashes as well`() async throws {
      let process = try await CrashedProcess(["--crash", "handler"], in: directory)
      #expect(process.exit == .signal(SIGSEGV))
      let report = try #require(crashReports(in: directory).first)
      #expect(!report.isComplete && report.threads.first?.frames.isEmpty == false)
      #expect(report.exception.stackTrace?.contains("incomplete") == true)
    }

    @Test(arguments: ["--off", "--errors-off", "--shutdown"])
    func `leaves nothing if catching or recording errors is off`(option: String) async throws {
      let process = try await CrashedProcess(["--crash", "null", option], in: directory)
      #expect(process.exit == .signal(SIGSEGV))
      #expect(crashReports(in: directory).isEmpty)
    }

    @Test func `is no crash if it was killed, and its file is removed`() async throws {
      let process = try await CrashedProcess([], in: directory)
      #expect(process.exit == .signal(SIGKILL))
      let path = CrashDirectory(inQueue: directory.path).path
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
      #expect(crashReports(in: directory).isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }
  }
#endif
