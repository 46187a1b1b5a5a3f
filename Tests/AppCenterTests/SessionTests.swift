import AppCenter
import AppCenterAnalytics
import Foundation
import Tern
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `Sessions` {
    private func started() throws -> ModuleHarness {
      let modules = try ModuleHarness()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      return modules
    }

    private func session(_ modules: ModuleHarness) -> String? { modules.client?.sessionID?.description }

    /// Puts the app in the background for some seconds.
    private func leave(_ modules: ModuleHarness, _ seconds: Int) {
      modules.client?.didEnterBackground()
      modules.clock.advance(by: .seconds(seconds))
      modules.client?.willEnterForeground()
    }

    @Test func `a start by the app begins and records a session, one by a library does not`()
      async throws
    {
      let modules = try ModuleHarness()
      AppCenter.startFromLibrary(services: [Analytics.self])
      #expect(modules.client == nil)
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      try await modules.flush()
      #expect(modules.received.map(\.type) == ["session_start"])
      #expect(modules.received.first?.session == session(modules))
      await modules.end()
    }

    @Test func `without Analytics there are no sessions`() async throws {
      let modules = try ModuleHarness()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [])
      #expect(session(modules) == nil)
      #expect(try modules.queued() == 0)
      await modules.end()
    }

    @Test func `half an hour in the foreground is one session, which every event carries`() async throws {
      let modules = try started()
      let first = session(modules)
      for number in 0..<30 {
        Analytics.trackEvent("E\(number)")
        modules.clock.advance(by: .seconds(60))
      }
      modules.client?.willEnterForeground()
      try await modules.flush()
      #expect(session(modules) == first && Set(modules.received.map(\.session)) == [first])
      await modules.end()
    }

    @Test(arguments: [(19, false), (20, true), (3600, true)])
    func `twenty seconds in the background end it`(seconds: Int, isNew: Bool) async throws {
      let modules = try started()
      let first = session(modules)
      modules.clock.advance(by: .seconds(100))
      leave(modules, seconds)
      #expect((session(modules) != first) == isNew)
      try await modules.flush()
      #expect(modules.received.count { $0.type == "session_start" } == (isNew ? 2 : 1))
      await modules.end()
    }

    @Test
    func
      `manual sessions: none before startSession, a new one with each call, and no effect of foreground or background`()
      async throws
    {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A")
      leave(modules, 100)
      #expect(session(modules) == nil)
      Analytics.startSession()
      let first = session(modules)
      Analytics.trackEvent("B")
      Analytics.startSession()
      #expect(first != nil && session(modules) != nil && session(modules) != first)
      Analytics.trackEvent("C")
      try await modules.flush()
      // By name: the batch sent in the background may arrive after the next one.
      let events = modules.received.filter { $0.type == "event" }.sorted { $0.name < $1.name }
      #expect(events.map { $0.session == nil } == [true, false, false] && events[1].session != events[2].session)
      await modules.end()
    }

    @Test func `manual after the start is ignored, and startSession then does nothing`() async throws {
      let modules = try started()
      let first = session(modules)
      Analytics.enableManualSessionTracker()
      Analytics.startSession()
      #expect(session(modules) == first && modules.log("INFO").count >= 2)
      await modules.end()
    }

    @Test func `startSession before the start is ignored`() throws {
      let modules = try ModuleHarness()
      Analytics.enableManualSessionTracker()
      Analytics.startSession()
      #expect(modules.log("ERROR").count == 1)
    }

    @Test func `without Analytics there is no session, even through the background`() async throws {
      let modules = try started()
      let first = session(modules)
      Analytics.enabled = false
      #expect(session(modules) == nil)
      leave(modules, 100)
      #expect(session(modules) == nil)
      #expect(try modules.queued() == 0)
      Analytics.enabled = true
      #expect(session(modules) != nil && session(modules) != first)
      await modules.end()
    }

    @Test func `a launch begins a new session`() async throws {
      let modules = try started()
      let first = session(modules)
      await modules.relaunch()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      #expect(session(modules) != nil && session(modules) != first)
      await modules.end()
    }
  }
}
