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

    private static let kinds: [(kind: String, signal: Int32, function: String)] = [
      ("null", SIGSEGV, "crashByNullPointer"), ("overflow", trap, "crashByOverflow"),
      ("fatal", trap, "crashByFatalError"), ("index", trap, "crashByIndex"), ("abort", SIGABRT, "crashByAbort"),
      ("stack", SIGSEGV, "crashByRecursion"), ("library", SIGSEGV, "crashInLibrary"),
      ("thread", SIGSEGV, "crashByNullPointer"), ("kill", SIGBUS, "crashByKill"),
    ]

    @Test(arguments: kinds.filter { $0.kind != "stack" || !CrashedProcess.isSanitized })
    func `leaves one complete report, and dies of the same signal`(
      kind: String, signal: Int32, function: String
    ) async throws {
      let process = try await CrashedProcess(["--crash", kind], in: directory)
      #expect(process.exit == .signal(signal), "\(process.output)")
      let reports = crashReports(in: directory)
      let report = try #require(reports.first)
      #expect(reports.count == 1 && report.isComplete && report.signal == Int64(signal))
      #expect(!report.signalName.isEmpty && report.uptime < .seconds(600) && report.process > 0)
      #expect(report.registers.count > 16)
      let crashed = try #require(report.threads.first)
      #expect(report.threads.allSatisfy { !$0.frames.isEmpty } && crashed.frames.count > (kind == "thread" ? 2 : 4))
      if kind == "fatal" { #expect(report.message?.hasSuffix("Fatal error: Out of cheese") == true) }
      if kind == "thread" {
        #expect(crashed.number != report.process && report.threads.contains { $0.number == report.process })
      } else {
        #expect(crashed.number == report.process)
      }
      let exception = report.exception
      #expect(exception.type == report.signalName && exception.frames.count == crashed.frames.count)
      #expect(exception.frames.contains { $0.code?.hasPrefix("CrashProbe(+0x") == true })
      guard Symbolizer.path != nil, !CrashedProcess.isSanitized else { return }
      let functions = try crashed.frames.prefix(8).compactMap { address -> String? in
        guard let image = report.image(at: address), image.name == "CrashProbe" else { return nil }
        return try Symbolizer.function(at: address - image.bias, of: CrashedProcess.program)
      }
      #expect(functions.first?.contains(function) == true, "\(functions)")
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
