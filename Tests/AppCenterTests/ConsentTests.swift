import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernBase
import TernEvents
import TernTestSupport
import Testing

private final class PlainListener: CrashesDelegate {
  let failures = Locked(0)
  func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: any Error) {
    failures.withLock { $0 += 1 }
  }
}

private final class EventfulListener: CrashesDelegate {
  func crashes(_ crashes: Crashes, willSend errorReport: ErrorReport) { Analytics.trackEvent("Will send") }
}

private final class OptionalListener: CrashesDelegate {
  let failures = Locked(0)
  func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: (any Error)?) {
    failures.withLock { $0 += 1 }
  }
}

extension `App Center` {
  @Suite struct `Consent to crash reports` {
    private let left = LeftReports(0)
    private let asked = Locked(0)

    private func harness(crashes: Int) throws -> ModuleHarness {
      left.add(crashes)
      Crashes.delegate = nil
      let modules = try ModuleHarness { [left] in $0.crashes = left }
      ask()
      return modules
    }

    /// The setup of an app before each start.
    private func ask(_ answers: [UserConfirmation] = []) {
      Crashes.userConfirmationHandler = { [asked] _ in
        asked.withLock { $0 += 1 }
        for answer in answers { Crashes.notify(with: answer) }
        return true
      }
    }

    @Test(arguments: [(UserConfirmation.send, 1), (.always, 1), (.dontSend, 0)])
    func `the user's answer to the consent prompt applies`(answer: UserConfirmation, count: Int) async throws {
      let modules = try harness(crashes: 1)
      modules.startQuietly([Crashes.self])
      #expect(try modules.queued() == 0 && left.count == 1)
      Crashes.notify(with: answer)
      Crashes.notify(with: .send)
      #expect(try modules.queued() == count && left.count == 0)
      await modules.end()
    }

    @Test func `a report that the system delivers after the start waits for consent, too`()
      async throws
    {
      let modules = try harness(crashes: 1)
      modules.startQuietly([Crashes.self])
      left.deliver()
      #expect(Crashes.lastSessionCrashReport?.incidentIdentifier == LeftReports.id(1).description.uppercased())
      #expect(try modules.queued() == 0 && left.count == 2 && asked.withLock { $0 } == 2)
      Crashes.notify(with: .send)
      #expect(try modules.queued() == 2 && left.count == 0)
      await modules.end()
    }

    @Test func `a report that needs no answer leaves those alone that wait for one`() async throws {
      let modules = try harness(crashes: 1)
      modules.startQuietly([Crashes.self])
      Crashes.userConfirmationHandler = { _ in false }
      left.deliver()
      #expect(try modules.queued() == 1 && left.count == 1)
      Crashes.notify(with: .dontSend)
      #expect(try modules.queued() == 1 && left.count == 0)
      await modules.end()
    }

    @Test func `disabling Crashes erases reports that wait for consent, and a later answer sends nothing`()
      async throws
    {
      let modules = try harness(crashes: 2)
      modules.startQuietly([Crashes.self])
      #expect(left.count == 2)
      Crashes.enabled = false
      #expect(left.count == 0)
      Crashes.enabled = true
      Crashes.notify(with: .send)
      #expect(try modules.queued() == 0)
      await modules.end()
    }

    @Test func `an event recorded while reports are sent is not lost: all services have started by then`() async throws
    {
      left.add(1)
      let listener = EventfulListener()
      Crashes.delegate = listener
      Crashes.userConfirmationHandler = nil
      // Immediately, like an idle main thread while another one starts the SDK.
      let modules = try ModuleHarness { [left] in $0.crashes = left }
      modules.startQuietly([Analytics.self, Crashes.self])
      try await modules.flush()
      // The SDK doesn't retain the delegate.
      withExtendedLifetime(listener) {}
      #expect(modules.names == ["Will send"])
      Crashes.delegate = nil
      await modules.end()
    }

    @Test(arguments: [(UserConfirmation.send, 2), (.always, 1), (.dontSend, 2)])
    func `only after always are later crashes sent without asking`(answer: UserConfirmation, times: Int) async throws {
      let modules = try harness(crashes: 1)
      modules.startQuietly([Crashes.self])
      Crashes.notify(with: answer)
      try await modules.flush()
      let before = try modules.sent("crash").count
      for _ in 0..<2 { await modules.relaunch() }
      left.add(1)
      modules.startQuietly([Crashes.self])
      #expect(asked.withLock { $0 } == times)
      try await modules.flush()
      #expect(try modules.sent("crash").count - before == (answer == .always ? 1 : 0))
      await modules.end()
    }

    @Test func `always is taken back by a later refusal`() async throws {
      let modules = try harness(crashes: 1)
      modules.startQuietly([Crashes.self])
      Crashes.notify(with: .always)
      Crashes.notify(with: .dontSend)
      await modules.relaunch()
      left.add(1)
      modules.startQuietly([Crashes.self])
      #expect(asked.withLock { $0 } == 2 && left.count == 1)
      await modules.end()
    }

    @Test func `without an answer, the next launch asks again and does not count as following a crash`() async throws {
      let modules = try harness(crashes: 1)
      modules.startQuietly([Crashes.self])
      #expect(Crashes.hasCrashedInLastSession)
      await modules.relaunch()
      left.add(0)
      modules.startQuietly([Crashes.self])
      #expect(asked.withLock { $0 } == 2 && !Crashes.hasCrashedInLastSession)
      Crashes.notify(with: .send)
      try await modules.flush()
      #expect(try modules.sent("crash").count == 1)
      await modules.end()
    }

    @Test func `an answer from within the handler counts`() async throws {
      let modules = try harness(crashes: 2)
      ask([.always])
      modules.startQuietly([Crashes.self])
      #expect(try modules.queued() == 2 && left.count == 0)
      await modules.end()
    }

    @Test func `the user is not asked about a crash that the delegate rejects`() async throws {
      let modules = try harness(crashes: 1)
      let listener = CrashesListener(isWanted: false)
      Crashes.delegate = listener
      modules.startQuietly([Crashes.self])
      #expect(asked.withLock { $0 } == 0 && left.count == 0)
      await modules.end()
    }

    @Test func `reports that the storage cannot take wait for a launch in which it can`() async throws {
      left.add(1)
      Crashes.delegate = nil
      let broken = try ModuleHarness { [left] environment in
        environment.crashes = left
        environment.directory = URL(fileURLWithPath: "/proc/nothing")
      }
      broken.startQuietly([Crashes.self])
      #expect(left.count == 1)
      let modules = try ModuleHarness { [left] in $0.crashes = left }
      modules.startQuietly([Crashes.self])
      #expect(try modules.queued() == 1 && left.count == 0)
      await modules.end()
    }

    @Test func `reports found while the service is off are removed`() async throws {
      let modules = try harness(crashes: 0)
      modules.startQuietly([Crashes.self])
      Crashes.enabled = false
      await modules.relaunch()
      left.add(1)
      Crashes.userConfirmationHandler = nil
      modules.startQuietly([Crashes.self])
      #expect(try modules.queued() == 0 && left.count == 0)
      await modules.end()
    }

    @Test func `a crash belongs to its own launch: time, session, user, device`() async throws {
      let modules = try harness(crashes: 1)
      Crashes.userConfirmationHandler = nil
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Crashes.self])
      AppCenter.userId = "alice"
      try await modules.flush()
      let line = try #require(modules.sent("crash").first)
      #expect(line["id"] as? String == LeftReports.id(0).description)
      #expect(line["time"] as? Int == 2000 && line["launched"] as? Int == 1000)
      #expect(line["session"] as? String == LeftReports.session.description && line["user"] as? String == "bob")
      #expect(line["uptime"] == nil && line["boot"] == nil)
      #expect((line["app"] as? [String: String])?["version"] == "0.9")
      #expect((line["device"] as? [String: Any])?["locale"] as? String == "de_DE")
      let report = try #require(Crashes.lastSessionCrashReport)
      #expect(report.appStartTime == Date(timeIntervalSince1970: 1))
      #expect(report.appErrorTime == Date(timeIntervalSince1970: 2))
      await modules.end()
    }

    @Test func `a report that is erased in flight is reported as failed, to either kind of delegate`() async throws {
      let plain = PlainListener()
      let optional = OptionalListener()
      for listener in [plain, optional] as [any CrashesDelegate] {
        let modules = try harness(crashes: 1)
        Crashes.userConfirmationHandler = nil
        Crashes.delegate = listener
        modules.startQuietly([Crashes.self])
        Crashes.enabled = false
        while plain.failures.withLock({ $0 }) + optional.failures.withLock({ $0 }) == 0 { await Task.yield() }
        if listener === plain { #expect(plain.failures.withLock { $0 } == 1) }
        plain.failures.withLock { $0 = 0 }
        await modules.end()
      }
      #expect(optional.failures.withLock { $0 } == 1)
    }

    @Test func `a crash without a known session belongs to none, and keeps no session alive`() async throws {
      let modules = try harness(crashes: 0)
      modules.startQuietly([Crashes.self])
      let client = try #require(modules.client)
      client.startSession()
      client.recordCrash(
        ExceptionFacts(type: "SIGABRT"),
        of: .init(id: LeftReports.id(9), time: Timestamp(millisecondsSince1970: 2000)))
      try await modules.flush()
      let line = try #require(modules.sent("crash").first)
      #expect(line["session"] == nil && line["launched"] == nil && line["user"] == nil)
      #expect((line["app"] as? [String: String])?["version"] == TestHarness.device.appVersion)
      await modules.end()
    }
  }
}
