import AppCenter
import AppCenterAnalytics
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `6_6 Requests` {
    private func started(_ transport: ScriptedTransport) throws -> ModuleHarness {
      let modules = try ModuleHarness(transport: transport)
      modules.startQuietly()
      return modules
    }

    /// Lets the batch that waits go, and fail.
    private func failFirst(_ modules: ModuleHarness) async {
      Analytics.trackEvent("A")
      await modules.clock.sleeping(until: modules.clock.uptime + .seconds(6))
      modules.clock.advance(by: .seconds(6))
      await modules.transport.request(number: 1)
    }

    @Test func `155, 170, 171, 172. large requests are compressed, small ones are not`() async throws {
      let modules = try started(ScriptedTransport())
      Analytics.trackEvent("A")
      try await modules.flush()
      for number in 0..<20 { Analytics.trackEvent("E\(number)") }
      try await modules.flush()
      #expect(modules.transport.requests.map { $0.raw.headers["Content-Encoding"] } == [nil, "gzip"])
      await modules.end()
    }

    @Test(arguments: [TransportFailure.Kind.timedOut, .connection, .offline])
    func `156, 305, 306. every failure of the connection is tried again`(kind: TransportFailure.Kind) async throws {
      let modules = try started(ScriptedTransport(answers: [.failure(kind)]))
      await failFirst(modules)
      let due = await modules.clock.sleeping()
      #expect((.seconds(5) ... .seconds(10)).contains(due - modules.clock.uptime))
      modules.clock.advance(by: .seconds(10))
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `157. a refused event is not tried again, and the others arrive`() async throws {
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

    @Test func `158, 159. a network that comes back, or changes, sends at once with all retries`() async throws {
      let modules = try started(ScriptedTransport(answers: [.status(500), .failure(.offline)]))
      await failFirst(modules)
      _ = await modules.clock.sleeping()
      modules.clock.advance(by: .seconds(10))
      await modules.transport.request(number: 2)
      // The second pause is of minutes; the hint comes 100 ms after the change.
      _ = await modules.clock.sleeping()
      modules.network.change()
      let hint = modules.clock.uptime + .milliseconds(100)
      await modules.clock.sleeping(until: hint)
      modules.clock.advance(by: .milliseconds(100))
      await modules.transport.request(number: 3)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `161, 167. a request is sent once and three times more, in the ranges of the page; then all rest`()
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
      await modules.clock.nobodySleeping()
      modules.clock.advance(by: .seconds(86_400))
      #expect(modules.transport.requests.count == 4)
      modules.transport.answer { _ in .accept }
      await modules.relaunch()
      modules.startQuietly()
      try await modules.wait { $0.delivered == 61 }
      await modules.end()
    }

    @Test func `a change of network ends the rest`() async throws {
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

    @Test func `each request has retries of its own`() async throws {
      let modules = try started(
        ScriptedTransport { $0.events.contains { $0.name == "E0" } ? .status(503) : .accept })
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 1)
      _ = await modules.clock.sleeping()
      for number in 50..<100 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 50 }
      #expect(modules.client?.status.inFlight == 50, "the first one waits for its own time")
      await modules.end()
    }

    @Test func `162. pause and resume leave a request that is under way alone`() async throws {
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

    @Test func `163, 164. disabling ends what is under way, enabling works again`() async throws {
      let modules = try started(ScriptedTransport { _ in .hold })
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 1)
      AppCenter.enabled = false
      modules.transport.answer { _ in .accept }
      AppCenter.enabled = true
      Analytics.trackEvent("A")
      // What was held is void now; its end may still be on its way.
      for _ in 0..<3 where modules.names.isEmpty { try await modules.flush() }
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test(arguments: ["x-ms-retry-after-ms": "60000", "Retry-After": "60"])
    func `165, 309. the server's wish to wait is followed`(header: String, value: String) async throws {
      let modules = try started(ScriptedTransport(answers: [.status(429, headers: [header: value])]))
      await failFirst(modules)
      await modules.clock.sleeping(until: modules.clock.uptime + .seconds(60))
      modules.clock.advance(by: .seconds(60))
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `168. a pause during the wait keeps the events, and a resume sends them at once`() async throws {
      let modules = try started(ScriptedTransport(answers: [.status(503)]))
      await failFirst(modules)
      _ = await modules.clock.sleeping()
      Analytics.pause()
      await modules.clock.nobodySleeping()
      Analytics.resume()
      await modules.transport.request(number: 2)
      await modules.end()
    }

    @Test(arguments: [408, 429, 500, 503]) func `178. busy servers are tried again`(status: Int) async throws {
      let modules = try started(ScriptedTransport(answers: [.status(status)]))
      await failFirst(modules)
      modules.clock.advance(by: await modules.clock.sleeping() - modules.clock.uptime)
      await modules.transport.request(number: 2)
      try await modules.wait { $0.delivered == 1 }
      await modules.end()
    }

    @Test func `182. no message has the secret in it`() async throws {
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
