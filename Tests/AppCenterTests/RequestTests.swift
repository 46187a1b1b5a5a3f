import AppCenter
import AppCenterAnalytics
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `Requests` {
    private func started(_ transport: ScriptedTransport) throws -> ModuleHarness {
      let modules = try ModuleHarness(transport: transport)
      modules.startQuietly()
      return modules
    }

    /// Sends the waiting batch, which fails.
    private func failFirst(_ modules: ModuleHarness) async {
      Analytics.trackEvent("A")
      await modules.clock.sleeping(until: modules.clock.uptime + .seconds(6))
      modules.clock.advance(by: .seconds(6))
      await modules.transport.request(number: 1)
    }

    @Test func `large requests are compressed, small ones are not`() async throws {
      let modules = try started(ScriptedTransport())
      Analytics.trackEvent("A")
      try await modules.flush()
      for number in 0..<20 { Analytics.trackEvent("E\(number)") }
      try await modules.flush()
      #expect(modules.transport.requests.map { $0.raw.headers["Content-Encoding"] } == [nil, "gzip"])
      await modules.end()
    }

    @Test(arguments: [TransportFailure.Kind.timedOut, .connection, .offline])
    func `every connection failure is retried`(kind: TransportFailure.Kind) async throws {
      let modules = try started(ScriptedTransport(answers: [.failure(kind)]))
      await failFirst(modules)
      let due = await modules.clock.sleeping()
      #expect((.seconds(5) ... .seconds(10)).contains(due - modules.clock.uptime))
      modules.clock.advance(by: .seconds(10))
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `a rejected event is not retried, and the others arrive`() async throws {
      let modules = try started(
        ScriptedTransport { $0.events.contains { $0.name == "Bad" } ? .status(400) : .accept })
      Analytics.pause()
      for name in ["A", "Bad", "B"] { Analytics.trackEvent(name) }
      Analytics.resume()
      try await modules.flush()
      try await modules.wait { $0.delivered >= 2 && $0.queued + $0.inFlight == 0 }
      #expect(Set(modules.names) == ["A", "B"])
      #expect(modules.client?.status.droppedByReason == [.rejected: 1])
      await modules.end()
    }

    @Test func `a network that returns or changes sends at once, with all retries`() async throws {
      let modules = try started(ScriptedTransport(answers: [.status(500), .failure(.offline)]))
      await failFirst(modules)
      _ = await modules.clock.sleeping()
      modules.clock.advance(by: .seconds(10))
      await modules.transport.request(number: 2)
      // The second pause takes minutes; the hint comes 100 ms after the change.
      _ = await modules.clock.sleeping()
      modules.network.change()
      let hint = modules.clock.uptime + .milliseconds(100)
      await modules.clock.sleeping(until: hint)
      modules.clock.advance(by: .milliseconds(100))
      await modules.transport.request(number: 3)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `a request is retried three times, in the documented ranges; then everything waits`()
      async throws
    {
      let modules = try started(ScriptedTransport { _ in .status(500) })
      await failFirst(modules)
      for (number, range) in [5.0...10, 150...300, 600...1200].enumerated() {
        let wait = await modules.clock.sleeping() - modules.clock.uptime
        #expect((Duration.seconds(range.lowerBound) ... .seconds(range.upperBound)).contains(wait))
        modules.clock.advance(by: wait)
        await modules.transport.request(number: number + 2)
      }
      try await modules.wait { $0.inFlight == 0 && $0.queued == 1 }
      for number in 0..<60 { Analytics.trackEvent("E\(number)") }
      await modules.clock.noTaskSleeping()
      modules.clock.advance(by: .seconds(86_400))
      #expect(modules.transport.requests.count == 4)
      modules.transport.answer { _ in .accept }
      await modules.relaunch()
      modules.startQuietly()
      try await modules.wait { $0.delivered == 61 }
      await modules.end()
    }

    @Test func `a change of network ends the wait`() async throws {
      let modules = try started(ScriptedTransport { _ in .status(500) })
      await failFirst(modules)
      for number in 2...4 {
        modules.clock.advance(by: await modules.clock.sleeping() - modules.clock.uptime)
        await modules.transport.request(number: number)
      }
      try await modules.wait { $0.inFlight == 0 }
      modules.transport.answer { _ in .accept }
      modules.network.change()
      await modules.clock.sleeping(until: modules.clock.uptime + .milliseconds(100))
      modules.clock.advance(by: .milliseconds(100))
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `each request has its own retries`() async throws {
      let modules = try started(
        ScriptedTransport { $0.events.contains { $0.name == "E0" } ? .status(503) : .accept })
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 1)
      // Until then the client is still sending, and would send some of the next events at once.
      try await modules.wait { $0.lastError != nil }
      for number in 50..<100 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 50 }
      #expect(modules.client?.status.inFlight == 50, "the first one waits for its own time")
      await modules.end()
    }

    @Test func `pause and resume do not affect a request in flight`() async throws {
      let modules = try started(ScriptedTransport { _ in .hold })
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 1)
      Analytics.pause()
      Analytics.resume()
      modules.transport.release()
      try await modules.wait { $0.delivered == 50 }
      #expect(modules.transport.requests.count == 1)
      await modules.end()
    }

    @Test func `disabling cancels requests in flight, enabling works again`() async throws {
      let modules = try started(ScriptedTransport { _ in .hold })
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 1)
      AppCenter.enabled = false
      modules.transport.answer { _ in .accept }
      AppCenter.enabled = true
      Analytics.trackEvent("A")
      // The held request is void now; it may still end later.
      for _ in 0..<3 where modules.names.isEmpty { try await modules.flush() }
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test(arguments: ["x-ms-retry-after-ms": "60000", "Retry-After": "60"])
    func `the server's wait is respected`(header: String, value: String) async throws {
      let modules = try started(ScriptedTransport(answers: [.status(429, headers: [header: value])]))
      await failFirst(modules)
      await modules.clock.sleeping(until: modules.clock.uptime + .seconds(60))
      modules.clock.advance(by: .seconds(60))
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `a pause during the wait keeps the events, and resuming sends them at once`() async throws {
      let modules = try started(ScriptedTransport(answers: [.status(503)]))
      await failFirst(modules)
      _ = await modules.clock.sleeping()
      Analytics.pause()
      await modules.clock.noTaskSleeping()
      Analytics.resume()
      await modules.transport.request(number: 2)
      await modules.end()
    }

    @Test(arguments: [408, 429, 500, 503]) func `busy servers are retried`(status: Int) async throws {
      let modules = try started(ScriptedTransport(answers: [.status(status)]))
      await failFirst(modules)
      modules.clock.advance(by: await modules.clock.sleeping() - modules.clock.uptime)
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `no message contains the secret`() async throws {
      let modules = try started(ScriptedTransport(answers: [.status(401)]))
      Analytics.trackEvent("A")
      try await modules.flush()
      AppCenter.logUrl = "http://user:password-of-it@collector.test"
      #expect(modules.log("INFO").last?.contains("http://user:***@collector.test") == true)
      let all = ["VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR", "ASSERT"].flatMap { modules.log($0) }
      #expect(!all.isEmpty && !all.contains { $0.contains(ModuleHarness.secret) || $0.contains("password-of-it") })
      await modules.end()
    }
  }
}
