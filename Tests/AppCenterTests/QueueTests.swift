import AppCenter
import AppCenterAnalytics
import Foundation
import Tern
import TernEvents
import TernLog
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `The queue` {
    /// Modules that record while paused, so that a resume sends everything at once.
    private func paused(_ transport: ScriptedTransport = ScriptedTransport()) throws -> ModuleHarness {
      let modules = try ModuleHarness(transport: transport)
      modules.startQuietly()
      Analytics.pause()
      return modules
    }

    @Test func `of two hundred waiting events, three batches of fifty are sent, and the fourth after a response`()
      async throws
    {
      let modules = try paused(ScriptedTransport { _ in .hold })
      for number in 0..<200 { Analytics.trackEvent("E\(number)") }
      #expect(modules.client?.status.queued == 200 && modules.transport.requests.isEmpty)
      Analytics.resume()
      await modules.transport.request(number: 3)
      #expect(modules.client?.status.inFlight == 150 && modules.client?.status.queued == 50)
      modules.transport.release()
      try await modules.wait { $0.delivered == 200 }
      #expect(modules.transport.requests.map(\.events.count) == [50, 50, 50, 50])
      #expect(modules.transport.mostActive == 3)
      await modules.end()
    }

    @Test func `fewer than fifty events wait for six seconds, fifty are sent at once`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      for number in 0..<49 { Analytics.trackEvent("E\(number)") }
      await modules.clock.sleeping(until: .seconds(1006))
      #expect(modules.transport.requests.isEmpty)
      Analytics.trackEvent("E49")
      #expect(await modules.transport.request(number: 1).events.count == 50)
      try await modules.wait { $0.delivered == 50 }
      Analytics.trackEvent("Last")
      await modules.clock.sleeping(until: .seconds(1006))
      modules.clock.advance(by: .seconds(6))
      #expect(await modules.transport.request(number: 2).events.count == 1)
      await modules.end()
    }

    @Test func `with a custom interval fifty waiting events are still sent at once, as documented`() async throws {
      let modules = try ModuleHarness()
      Analytics.transmissionInterval = 3600
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      #expect(await modules.transport.request(number: 1).events.count == 50)
      await modules.end()
    }

    @Test func `acknowledged events leave the storage`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A")
      #expect(try await modules.flush() == .sent(1))
      #expect(try modules.queued() == 0)
      #expect(try await modules.flush() == .nothingToSend)
      await modules.end()
    }

    @Test func `a 500 keeps the events, and sending continues`() async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport(answers: [.status(500)]))
      modules.startQuietly()
      Analytics.trackEvent("A")
      try await modules.flush()
      #expect(Analytics.enabled)
      try await modules.flush()
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test(arguments: [300, 302, 400, 401, 403, 404]) func `no status erases waiting events`(status: Int) async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport(answers: [.status(status)]))
      modules.startQuietly()
      Analytics.trackEvent("A")
      Analytics.trackEvent("B")
      try await modules.flush()
      #expect(Analytics.enabled && modules.client?.status.dropped == 0)
      for _ in 0..<3 where modules.names.count < 2 { try await modules.flush() }
      #expect(Set(modules.names) == ["A", "B"])
      await modules.end()
    }

    @Test func `an event that the disk refuses is kept in memory, and nothing is sent for it`() async throws {
      let memory = InMemoryFileSystem()
      let modules = try ModuleHarness { environment in
        let make = environment.clientEnvironment
        environment.clientEnvironment = {
          var environment = make()
          environment.fileSystem = memory
          return environment
        }
        environment.directory = URL(fileURLWithPath: "/queue")
      }
      modules.startQuietly()
      memory.setCapacity(memory.totalBytes)
      Analytics.trackEvent("A")
      #expect(modules.client?.status.dropped == 0 && !AppCenter.enabled)
      #expect(try modules.queued() == 1 && modules.transport.requests.isEmpty)
      await modules.end()
    }

    @Test func `critical events are sent first, in separate batches`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("N1")
      await modules.clock.sleeping(until: .seconds(1006))
      Analytics.trackEvent("C1", withProperties: nil, flags: .critical)
      await modules.clock.sleeping(until: .seconds(1003))
      Analytics.trackEvent("N2", withProperties: ["k": "v"], flags: .default)
      Analytics.trackEvent("C2", withProperties: EventProperties(), flags: .critical)
      modules.clock.advance(by: .seconds(3))
      #expect(await modules.transport.request(number: 1).events.map(\.name) == ["C1", "C2"])
      await modules.clock.sleeping(until: .seconds(1006))
      modules.clock.advance(by: .seconds(3))
      #expect(await modules.transport.request(number: 2).events.map(\.name) == ["N1", "N2"])
      await modules.end()
    }

    @Test func `a free slot is used by the next events`() async throws {
      let modules = try paused(ScriptedTransport { _ in .hold })
      for number in 0..<150 { Analytics.trackEvent("E\(number)") }
      Analytics.resume()
      await modules.transport.request(number: 3)
      for number in 150..<200 { Analytics.trackEvent("E\(number)") }
      modules.transport.release()
      try await modules.wait { $0.delivered == 200 }
      await modules.end()
    }

    @Test func `a disabled service records and sends nothing, and starts over when enabled`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("Before")
      Analytics.enabled = false
      #expect(try modules.queued() == 0 && !Analytics.enabled && AppCenter.enabled)
      Analytics.trackEvent("Meanwhile")
      try await modules.flush()
      #expect(modules.names == [] && modules.client?.ledger.balances == true)
      Analytics.enabled = true
      Analytics.trackEvent("After")
      try await modules.flush()
      #expect(modules.names == ["After"])
      await modules.end()
    }

    @Test func `enabling a service ends a pause`() async throws {
      let modules = try paused()
      Analytics.enabled = false
      Analytics.enabled = true
      Analytics.trackEvent("A")
      #expect(try await modules.flush() == .sent(1))
      await modules.end()
    }

    @Test func `enabling the core ends a pause, too`() async throws {
      let modules = try paused()
      AppCenter.enabled = false
      AppCenter.enabled = true
      Analytics.trackEvent("A")
      #expect(try await modules.flush() == .sent(1))
      // Only on a change: setting the same value again must not end a pause.
      Analytics.pause()
      AppCenter.enabled = true
      #expect(modules.client?.status.isPaused == true)
      await modules.end()
    }

    @Test func `time and device are filled in`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A")
      try await modules.flush()
      let line = try #require(modules.sent("event").first)
      #expect(line["time"] as? Int64 == 1_767_225_600_000)
      #expect((line["device"] as? [String: Any])?["model"] as? String == "T1")
      await modules.end()
    }

    @Test func `a pause and forbidden requests are lifted separately`() async throws {
      let modules = try paused()
      Analytics.trackEvent("A")
      AppCenter.networkRequestsAllowed = false
      Analytics.resume()
      #expect(modules.client?.status.isPaused == true)
      Analytics.pause()
      AppCenter.networkRequestsAllowed = true
      #expect(modules.client?.status.isPaused == true)
      Analytics.resume()
      #expect(modules.client?.status.isPaused == false)
      await modules.end()
    }

    @Test func `pausing or resuming twice is the same as once`() async throws {
      let modules = try paused()
      Analytics.pause()
      Analytics.trackEvent("A")
      if case .failed(let error) = try await modules.flush() { #expect(error.code == .stopped) }
      Analytics.resume()
      Analytics.resume()
      #expect(try await modules.flush() == .sent(1))
      await modules.end()
    }

    @Test func `events of an earlier launch are sent at once`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A")
      await modules.relaunch()
      modules.startQuietly()
      #expect(await modules.transport.request(number: 1).events.map(\.name) == ["A"])
      await modules.end()
    }

    @Test func `pausing before the start, like everything else, logs an error`() throws {
      let modules = try ModuleHarness()
      Analytics.pause()
      Analytics.resume()
      Analytics.trackEvent("A")
      Analytics.enabled = false
      #expect(!Analytics.enabled)
      AppCenter.enabled = false
      #expect(!AppCenter.enabled)
      #expect(modules.log("ERROR").count == 7 && modules.client == nil)
    }
  }
}
