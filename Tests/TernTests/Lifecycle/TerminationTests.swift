#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess
  import TernTestSupport
  import Testing

  /// Uses real processes and real signals.
  @Suite(.serialized, .timeLimit(.minutes(30))) struct `A process that receives SIGTERM` {
    private struct Pair {
      let collector: ProbeProcess
      let app: ProbeProcess
      let directory: URL

      func end() {
        app.hangUp()
        collector.hangUp()
        try? FileManager.default.removeItem(at: directory)
      }

      func terminate() { kill(app.identifier, SIGTERM) }
    }

    /// Starts an app that has recorded 100 events and sent none, and a collector.
    private func start(_ options: [String], collector: [String] = []) async throws -> Pair {
      let collector = try ProbeProcess(["collector"] + collector)
      let port = try #require(await collector.line("port"))
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tern-signal-\(UUID().uuidString)")
      let app = try ProbeProcess(
        ["app", "--collector", "http://127.0.0.1:\(port)", "--directory", directory.path, "--deaf"] + options)
      _ = try #require(await app.line("ready"))
      for number in 0..<100 { app.say("track E\(number)") }
      _ = try #require(await app.line("tracked E99"))
      return Pair(collector: collector, app: app, directory: directory)
    }

    private func received(_ pair: Pair) -> Int { pair.collector.lines.count { $0.hasPrefix("received") } }

    @Test func `delivers everything, then dies of the signal`() async throws {
      let pair = try await start(["--flush-on-termination", "20000"])
      defer { pair.end() }
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .signal(SIGTERM))
      await pair.collector.line("received E99")
      #expect(received(pair) == 100)
    }

    @Test func `may use all of the allowed time`() async throws {
      let pair = try await start(["--flush-on-termination", "longest"])
      defer { pair.end() }
      pair.terminate()
      let exit = await pair.app.ended()
      try #require(exit == .signal(SIGTERM))
      await pair.collector.line("received E99")
    }

    @Test func `ends immediately without flushOnTermination, and loses nothing`() async throws {
      let pair = try await start([])
      defer { pair.end() }
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .signal(SIGTERM) && received(pair) == 0)
      let next = try await start(["--directory", pair.directory.path])
      defer { next.end() }
      // A launch sends the backlog without a flush.
      #expect(await next.collector.line("received E99") != nil)
    }

    @Test func `does not wait past the deadline for a collector that hangs`() async throws {
      let pair = try await start(["--flush-on-termination", "700"], collector: ["--hang"])
      defer { pair.end() }
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .signal(SIGTERM))
      #expect(pair.collector.lines.contains { $0.hasPrefix("request") })
    }

    @Test func `ends by the deadline even when all of Swift's threads are blocked`() async throws {
      let pair = try await start(["--flush-on-termination", "500"])
      defer { pair.end() }
      await pair.app.say("block", andHear: "blocked")
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .signal(SIGTERM))
    }

    @Test func `stops waiting at a second signal`() async throws {
      let pair = try await start(["--flush-on-termination", "3600000"], collector: ["--hang"])
      defer { pair.end() }
      pair.terminate()
      await pair.collector.line("request")
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .signal(SIGTERM))
    }

    @Test func `runs the app's own handler after delivering everything`() async throws {
      let pair = try await start(["--before", "exit", "--flush-on-termination", "20000"])
      defer { pair.end() }
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .code(7))
      #expect(pair.app.lines.contains("handled"))
      await pair.collector.line("received E99")
      #expect(received(pair) == 100)
    }

    @Test func `leaves a handler that the app installs later in charge`() async throws {
      let pair = try await start(["--flush-on-termination", "20000", "--after", "exit"])
      defer { pair.end() }
      pair.terminate()
      let exit = await pair.app.ended()
      #expect(exit == .code(7) && received(pair) == 0)
    }

    @Test func `keeps running if it ignores the signal`() async throws {
      let pair = try await start(["--before", "ignore", "--flush-on-termination", "20000"])
      defer { pair.end() }
      pair.terminate()
      await pair.collector.line("received E99")
      pair.app.say("track After")
      #expect(await pair.app.line("tracked After") != nil)
      pair.app.hangUp()
      let exit = await pair.app.ended()
      #expect(exit == .code(0))
    }

    @Test func `restores the signal's handler when the client shuts down`() async throws {
      let pair = try await start(["--flush-on-termination", "20000"])
      defer { pair.end() }
      #expect(await pair.app.say("handler", andHear: "handler") == "caught")
      await pair.app.say("shutdown", andHear: "down")
      #expect(await pair.app.say("handler", andHear: "handler") == "default")
    }
  }
#endif
