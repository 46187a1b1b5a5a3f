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
  @Suite struct `The core` {
    @Test func `repeated reads of the install ID return the same one`() throws {
      let modules = try ModuleHarness()
      let id = AppCenter.installId
      #expect(id != nil && id?.uuidString != "00000000-0000-0000-0000-000000000000")
      #expect(AppCenter.installId == id)
      _ = modules
    }

    @Test func `an install ID is kept across launches, even if it is read before the start`() async throws {
      let modules = try ModuleHarness()
      let id = AppCenter.installId
      modules.startQuietly()
      #expect(AppCenter.installId == id)
      await modules.relaunch()
      #expect(AppCenter.installId == id)
    }

    @Test func `a damaged install ID is replaced`() throws {
      let modules = try ModuleHarness()
      let file = modules.harness.directory.appendingPathComponent("install-id")
      try Data("garbage".utf8).write(to: file)
      let id = AppCenter.installId
      #expect(id != nil && AppCenter.installId == id)
    }

    @Test func `a start with a secret starts every service`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(Analytics.enabled && Crashes.enabled && AppCenter.isConfigured && AppCenter.enabled)
      Analytics.trackEvent("A")
      try await modules.flush()
      #expect(modules.transport.requests.first?.raw.headers["Tern-Key"] == ModuleHarness.secret)
      await modules.end()
    }

    @Test(
      arguments: [
        ("abc", "ios", "abc"), ("ios=abc;macos=def", "ios", "abc"),
        ("ios=abc;macos=def", "macos", "def"),
        ("ios=abc;target=t", "ios", "abc"), ("abc;target=t", "ios", "abc"), ("target=t", "ios", nil),
        ("target=t;abc", "linux", "abc"), ("appsecret=abc", "ios", "abc"),
        ("appsecret=abc;target=t", "appsecret", "abc"), ("ios=;target=t", "ios", nil), ("", "ios", nil),
        (";;abc;", "ios", "abc"), ("macos=abc", "ios", nil), ("android=x;ios=abc", "ios", "abc"),
        (" ios = x ;ios=abc", "ios", "abc"), ("target=", "ios", nil), ("abc;ios=def", "ios", "def"),
        ("linux=abc;ios=def", "linux", "abc"), (" abc ", "ios", "abc"),
      ] as [(String, String, String?)])
    func `the grammar of the secret string`(text: String, platform: String, secret: String?) {
      #expect(SecretString(text, platform: platform).secret == secret)
    }

    @Test func `without a secret a service that needs one stays stopped, and another runs`() throws {
      let modules = try ModuleHarness()
      AppCenter.start(services: [Analytics.self, Crashes.self])
      #expect(modules.isStarted(Analytics.self) && !modules.isStarted(Crashes.self))
      #expect(modules.log("ERROR").contains { $0.contains("needs an app secret") })
      Analytics.trackEvent("Lost")
      #expect(modules.log("DEBUG").contains { $0.contains("no app secret") })
    }

    @Test func `a service started by a library gets the app's secret`() async throws {
      let modules = try ModuleHarness()
      AppCenter.startFromLibrary(services: [Analytics.self])
      #expect(!AppCenter.isConfigured && modules.isStarted(Analytics.self) && modules.client == nil)
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      #expect(AppCenter.isConfigured)
      Analytics.trackEvent("A")
      try await modules.flush()
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test func `a service started only by a library has no secret`() async throws {
      let modules = try ModuleHarness()
      AppCenter.startFromLibrary(services: [Analytics.self])
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Crashes.self])
      Analytics.trackEvent("A")
      #expect(try modules.queued() == 0)
      await modules.end()
    }

    @Test func `a start by a library after the app's start changes nothing`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      AppCenter.startFromLibrary(services: [Analytics.self])
      Analytics.trackEvent("A")
      #expect(try modules.queued() == 1)
      await modules.end()
    }

    @Test func `a service that a library starts after the app's start runs without the secret`() async throws {
      let modules = try ModuleHarness()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Crashes.self])
      AppCenter.startFromLibrary(services: [Analytics.self])
      Analytics.trackEvent("A")
      #expect(try modules.queued() == 0 && modules.isStarted(Analytics.self))
      await modules.end()
    }

    @Test func `configure works with or without a secret, and only once`() throws {
      let modules = try ModuleHarness()
      #expect(!AppCenter.isConfigured)
      AppCenter.configure()
      #expect(AppCenter.isConfigured)
      AppCenter.configure(withAppSecret: ModuleHarness.secret)
      #expect(modules.log("ASSERT").count == 2 && modules.client == nil)
      let others = try ModuleHarness()
      AppCenter.configure(withAppSecret: ModuleHarness.secret)
      #expect(AppCenter.isConfigured && others.client != nil)
    }

    @Test func `only a service can be started`() throws {
      let modules = try ModuleHarness()
      AppCenter.configure(withAppSecret: ModuleHarness.secret)
      AppCenter.startService(AppCenter.self)
      AppCenter.startService(Bystander.self)
      AppCenter.startService(nil)
      #expect(modules.log("ERROR").count == 2)
      #expect(!Analytics.enabled)
    }

    @Test func `a service is started after configure, not before`() throws {
      let modules = try ModuleHarness()
      AppCenter.startService(Analytics.self)
      #expect(!Analytics.enabled)
      AppCenter.configure(withAppSecret: ModuleHarness.secret)
      AppCenter.startService(Analytics.self)
      #expect(Analytics.enabled && modules.client != nil)
    }

    @Test func `nil services only configure`() throws {
      let modules = try ModuleHarness()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: nil)
      #expect(AppCenter.isConfigured && !Analytics.enabled && modules.client != nil)
      AppCenter.startService(Analytics.self)
      #expect(Analytics.enabled)
    }

    @Test func `services start in the order of their priority`() async throws {
      let modules = try ModuleHarness()
      #expect(Crashes.traits.priority > Analytics.traits.priority)
      StartOrder.started.withLock { $0 = [] }
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [LateService.self, EarlyService.self])
      #expect(StartOrder.started.withLock { $0 } == ["Early", "Late"])
      await modules.end()
    }

    @Test func `disabling erases events and is kept across launches, and enabling starts over`() async throws {
      let modules = try ModuleHarness()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      Analytics.trackEvent("Before")
      AppCenter.enabled = false
      #expect(!AppCenter.enabled && !Analytics.enabled)
      #expect(try modules.queued() == 0)
      Analytics.trackEvent("Meanwhile")
      await modules.relaunch()
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      #expect(!AppCenter.enabled && !Analytics.enabled)
      AppCenter.enabled = true
      #expect(AppCenter.enabled && Analytics.enabled)
      Analytics.trackEvent("After")
      try await modules.flush()
      #expect(modules.names == ["After"] && modules.received.contains { $0.type == "session_start" })
      await modules.end()
    }

    @Test func `a launch in the disabled state erases remaining events`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A")
      await modules.relaunch()
      let file = modules.harness.directory.appendingPathComponent("settings.json")
      try Data(#"{"epoch":0,"isEnabled":false}"#.utf8).write(to: file)
      modules.startQuietly()
      #expect(!Analytics.enabled)
      #expect(try modules.queued() == 0)
      await modules.end()
    }

    @Test func `the address is nil until it is set, changes at run time, and must be one`()
      async throws
    {
      let modules = try ModuleHarness()
      #expect(AppCenter.logUrl == nil)
      AppCenter.logUrl = "https://first.test/logs"
      modules.startQuietly()
      Analytics.trackEvent("A")
      try await modules.flush()
      AppCenter.logUrl = "not an address"
      #expect(AppCenter.logUrl == "https://first.test/logs")
      AppCenter.logUrl = "https://second.test/base/logs/"
      Analytics.trackEvent("B")
      try await modules.flush()
      let urls = modules.transport.requests.map(\.raw.url.absoluteString)
      #expect(urls == ["https://first.test/v1/events", "https://second.test/base/v1/events"])
      AppCenter.logUrl = "https://third.test/logs?api-version=1.0.0"
      #expect(modules.client?.collector?.absoluteString == "https://third.test")
      await modules.end()
    }

    @Test(arguments: [
      ("All", false, false), ("Crashes", true, false), (" analytics , Unknown", false, true), ("x", true, true),
    ])
    func `the environment can prevent services from starting`(
      value: String, analytics: Bool, crashes: Bool
    ) async throws {
      let modules = try ModuleHarness { $0.variables["APP_CENTER_DISABLE"] = value }
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(Analytics.enabled == analytics && Crashes.enabled == crashes)
      await modules.end()
    }

    @Test(arguments: [("1", true), ("0", false), ("true", false), (nil, false)] as [(String?, Bool)])
    func `a test cloud is recognized by the environment`(value: String?, isOne: Bool) throws {
      let modules = try ModuleHarness { $0.variables["RUNNING_IN_APP_CENTER"] = value }
      #expect(AppCenter.isRunningInAppCenterTestCloud == isOne)
      _ = modules
    }
  }
}

private enum StartOrder {
  static let started = Locked<[String]>([])
}

private final class LateService: StartableService {
  static let traits = ServiceTraits(
    name: "Late", tag: .core, priority: 500, isSecretRequired: false, part: .usage)
  static func started(_ core: AppCenterCore, _ client: TernClient?) {
    StartOrder.started.withLock { $0.append("Late") }
  }
}

private final class EarlyService: StartableService {
  static let traits = ServiceTraits(
    name: "Early", tag: .core, priority: 750, isSecretRequired: false, part: .usage)
  static func started(_ core: AppCenterCore, _ client: TernClient?) {
    StartOrder.started.withLock { $0.append("Early") }
  }
}
