import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernBase
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `Beyond the original's tests` {
    @Test func `events every five seconds are sent six seconds after the first`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A")
      await modules.clock.sleeping(until: .seconds(1006))
      modules.clock.advance(by: .seconds(5))
      Analytics.trackEvent("B")
      modules.clock.advance(by: .seconds(1))
      #expect(await modules.transport.request(number: 1).events.map(\.name) == ["A", "B"])
      await modules.end()
    }

    @Test func `a failed batch is resent by the same process`() async throws {
      let modules = try ModuleHarness(
        transport: ScriptedTransport(answers: [.status(503), .status(503), .status(503)]))
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.pass(untilRequest: 4)
      try await modules.wait { $0.delivered == 50 }
      await modules.end()
    }

    @Test func `eviction never takes events in flight`() async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport { _ in .hold })
      AppCenter.setMaxStorageSize(96 * 1024, completionHandler: nil)
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      let first = await modules.transport.request(number: 1).events.map(\.name)
      for number in 50..<200 { Analytics.trackEvent("E\(number)") }
      #expect(modules.client?.status.inFlight ?? 0 >= 50)
      modules.transport.release()
      try await modules.wait { $0.inFlight == 0 && $0.delivered >= 50 }
      #expect(Set(modules.names).isSuperset(of: first))
      await modules.end()
    }

    @Test func `disabling Analytics leaves errors in flight alone`() async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport { _ in .hold })
      modules.startQuietly([Analytics.self, Crashes.self])
      for _ in 0..<50 { Crashes.trackError(CocoaError(.fileNoSuchFile), properties: nil, attachments: nil) }
      await modules.transport.request(number: 1)
      Analytics.enabled = false
      modules.transport.release()
      try await modules.wait { $0.delivered == 50 }
      #expect(modules.transport.requests.count == 1)
      await modules.end()
    }

    @Test(arguments: ["<html>Log in</html>", "", "{}", "{\"status\":\"Success\"}"])
    func `a response that acknowledges nothing erases nothing`(body: String) async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport(answers: [.status(200, body: body)]))
      modules.startQuietly()
      Analytics.trackEvent("A")
      try await modules.flush()
      try await modules.flush()
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test(arguments: ["👨‍👩‍👧‍👦", "é", "e\u{301}", "漢", "𝒜", "x"]) func `truncation never splits a character`(
      character: String
    ) async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      let long = String(repeating: character, count: 300)
      Analytics.trackEvent(long, withProperties: [long: long])
      try await modules.flush()
      let event = try #require(modules.received.first)
      let units = character.utf16.count
      #expect(event.name == String(repeating: character, count: 256 / units))
      let cut = String(repeating: character, count: 125 / units)
      #expect(event.properties == [cut: .string(cut)])
      await modules.end()
    }

    @Test func `a change of time zone is reflected in the next event`() async throws {
      let offset = Locked(60)
      let modules = try ModuleHarness { environment in
        let make = environment.clientEnvironment
        environment.clientEnvironment = {
          var environment = make()
          environment.device = {
            var device = TestHarness.device
            device.timeZoneOffsetMinutes = offset.withLock { $0 }
            return device
          }
          return environment
        }
      }
      modules.startQuietly()
      Analytics.trackEvent("A")
      offset.withLock { $0 = -180 }
      modules.client?.refreshDevice()
      Analytics.trackEvent("B")
      try await modules.flush()
      let offsets = try modules.sent("event").map { ($0["device"] as? [String: Any])?["timeZoneOffset"] as? Int }
      #expect(offsets == [60, -180])
      await modules.end()
    }

    @Test func `the storage does not grow with the number of launches`() async throws {
      let modules = try ModuleHarness()
      func size() -> Int {
        let files = FileManager.default.enumerator(at: modules.harness.directory, includingPropertiesForKeys: nil)
        return (files ?? .init()).compactMap { ($0 as? URL).flatMap { try? Data(contentsOf: $0).count } }.reduce(0, +)
      }
      var sizes: [Int] = []
      for _ in 0..<200 {
        modules.startQuietly()
        AppCenter.userId = "alice"
        Analytics.trackEvent("A")
        try await modules.flush()
        await modules.relaunch()
        sizes.append(size())
      }
      // The smallest of the last sizes, because a file may not be removed yet. A file written once, late on a busy
      // machine, is not growth; a byte per launch would add 150.
      #expect(sizes.suffix(50).min() ?? .max <= (sizes.prefix(50).min() ?? 0) + 128)
    }

    @Test func `the completion handler of setMaxStorageSize is called once, whatever happens`() async throws {
      let calls = Locked(0)
      let modules = try ModuleHarness { $0.directory = URL(fileURLWithPath: "/proc/nothing") }
      for bytes in [1 << 20, 10, 1 << 21] { AppCenter.setMaxStorageSize(bytes) { _ in calls.withLock { $0 += 1 } } }
      modules.startQuietly()
      AppCenter.setMaxStorageSize(1 << 20) { _ in calls.withLock { $0 += 1 } }
      #expect(calls.withLock { $0 } == 3, "one waits for the storage")
      await modules.end()
      #expect(calls.withLock { $0 } == 4)
      for secret in ["", "target=abc", ";;;"] {
        let modules = try ModuleHarness()
        calls.withLock { $0 = 0 }
        AppCenter.setMaxStorageSize(1 << 20) { isSet in calls.withLock { $0 += isSet ? 100 : 1 } }
        modules.start(secret: secret)
        #expect(calls.withLock { $0 } == 1, "\(secret)")
      }
    }

    @Test func `an unknown key stops sending and loses nothing`() async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport { _ in .status(401) })
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.pass(untilRequest: 4)
      try await modules.wait { $0.inFlight == 0 && $0.queued == 50 }
      #expect(modules.client?.status.dropped == 0)
      await modules.end()
    }

    @Test func `a long interval does not fill the storage`() async throws {
      let modules = try ModuleHarness()
      Analytics.transmissionInterval = 86_400
      AppCenter.setMaxStorageSize(64 * 1024, completionHandler: nil)
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.transport.request(number: 1)
      #expect(modules.client?.status.dropped == 0)
      await modules.end()
    }

    @Test func `a critical event is sent after three seconds, normal ones keep their interval`() async throws {
      let modules = try ModuleHarness()
      Analytics.transmissionInterval = 60
      modules.startQuietly()
      Analytics.trackEvent("Normal")
      await modules.clock.sleeping(until: .seconds(1060))
      Analytics.trackEvent("Critical", withProperties: nil, flags: .critical)
      await modules.clock.sleeping(until: .seconds(1003))
      modules.clock.advance(by: .seconds(3))
      #expect(await modules.transport.request(number: 1).events.map(\.name) == ["Critical"])
      await modules.clock.sleeping(until: .seconds(1060))
      modules.clock.advance(by: .seconds(57))
      #expect(await modules.transport.request(number: 2).events.map(\.name) == ["Normal"])
      await modules.end()
    }
  }
}
