#if os(Linux)
  import AppCenter
  import AppCenterCrashes
  import Foundation
  import Tern
  import TernBase
  import TernChildProcess
  import TernTestSupport
  import Testing

  extension `App Center` {
    @Suite struct `Crashes of real processes` {
      /// Runs the probe of TernTests, which is built next to the test program; returns its output.
      private func run(_ arguments: [String], data: URL) async throws -> String {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let program = (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent()
          .appendingPathComponent("CrashProbe").path
        let output = Pipe()
        let process = try ChildProcess(
          program, arguments, environment: ["SWIFT_BACKTRACE": "enable=no", "XDG_DATA_HOME": data.path],
          output: output.fileHandleForWriting, error: nil)
        try output.fileHandleForWriting.close()
        let reader = output.fileHandleForReading
        let text = Task.detached { String(decoding: reader.readDataToEndOfFile(), as: UTF8.self) }
        await process.ended()
        return await text.value
      }

      @Test func `a crash is known to the next launch and only to that one`() async throws {
        let harness = try TestHarness()
        #expect(try await run(["--app-center", "--crash"], data: harness.directory).contains("crashed no\n"))
        #expect(try await run(["--app-center"], data: harness.directory).contains("crashed SIG"))
        #expect(try await run(["--app-center"], data: harness.directory).contains("crashed no\n"))
      }

      @Test func `a report passes the delegate, is sent once with its attachment, and is removed`() async throws {
        let modules = try ModuleHarness()
        let directory = modules.harness.directory
        _ = try await run(
          ["--directory", directory.path, "--crash", "null", "--user", "bob", "--version", "0.9"], data: directory)
        let source = SystemCrashes(queue: directory)
        let next = ModuleHarness(modules.harness) { $0.crashes = source }
        let listener = CrashesListener()
        Crashes.delegate = listener
        next.startQuietly([Crashes.self])
        #expect(Crashes.hasCrashedInLastSession)
        let report = try #require(Crashes.lastSessionCrashReport)
        #expect(report.signal == "SIGSEGV" && report.exceptionName == "SIGSEGV" && !report.isAppKill())
        #expect(report.device?.appVersion == "0.9" && report.appProcessIdentifier > 0)
        #expect(report.appStartTime <= report.appErrorTime)
        try await next.flush()
        let crash = try #require(try next.sent("crash").first)
        #expect(try next.sent("crash").count == 1 && next.sent("attachment").count == 1)
        #expect(crash["user"] as? String == "bob" && crash["session"] != nil)
        #expect((crash["id"] as? String)?.uppercased() == report.incidentIdentifier)
        #expect(source.reports().isEmpty)
        #expect(listener.log.withLock { $0.prefix(2).last } == "will")
        Crashes.delegate = nil
        await next.end()
      }

      @Test func `a report that waits for the user's answer is not that of the last launch in later ones`() async throws
      {
        let modules = try ModuleHarness()
        let directory = modules.harness.directory
        _ = try await run(["--directory", directory.path, "--crash", "null"], data: directory)
        let source = SystemCrashes(queue: directory)
        let next = ModuleHarness(modules.harness) { $0.crashes = source }
        Crashes.userConfirmationHandler = { _ in true }
        next.startQuietly([Crashes.self])
        #expect(Crashes.hasCrashedInLastSession && source.reports().map(\.isOfLastLaunch) == [false])
        await next.relaunch()
        next.startQuietly([Crashes.self])
        #expect(!Crashes.hasCrashedInLastSession)
        Crashes.notify(with: .send)
        try await next.flush()
        #expect(try next.sent("crash").count == 1 && source.reports().isEmpty)
        Crashes.userConfirmationHandler = nil
        await next.end()
      }

      @Test func `disabling the SDK removes the reports`() async throws {
        let modules = try ModuleHarness()
        let directory = modules.harness.directory
        _ = try await run(["--directory", directory.path, "--crash", "null"], data: directory)
        let source = SystemCrashes(queue: directory)
        let next = ModuleHarness(modules.harness) { $0.crashes = source }
        Crashes.userConfirmationHandler = { _ in true }
        next.startQuietly([Crashes.self])
        AppCenter.enabled = false
        #expect(source.reports().isEmpty)
        Crashes.userConfirmationHandler = nil
        await next.end()
      }
    }
  }
#endif
