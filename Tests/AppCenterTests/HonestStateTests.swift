import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  /// What is not kept does not look healthy.
  @Suite struct `Whether anything is recorded` {
    private static let unusable = URL(fileURLWithPath: "/proc/nothing")

    @Test func `nothing is enabled while the storage cannot be used, and one error says what to do`() throws {
      let modules = try ModuleHarness { world in
        world.directory = Self.unusable
        world.variables = [:]
      }
      AppCenter.setMaxStorageSize(1 << 20) { #expect(!$0) }
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(AppCenter.isConfigured && !AppCenter.enabled && !Analytics.enabled && !Crashes.enabled)
      Analytics.trackEvent("A")
      #expect(Crashes.trackError(CocoaError(.fileNoSuchFile), properties: nil, attachments: nil) == "")
      let errors = modules.log("ERROR")
      #expect(
        errors.count == 1 && errors.allSatisfy { $0.contains("/proc/nothing") && $0.contains("create and write") })
      // That everything is kept until there is a collector would be a lie.
      #expect(modules.log("WARNING").isEmpty)
      #expect(modules.log("DEBUG").contains { $0.contains("Analytics records nothing") })
    }

    @Test(arguments: ["two words", "späti", "a\nb"])
    func `nothing is enabled while the secret cannot be used, and one error says what to do`(secret: String) throws {
      let modules = try ModuleHarness()
      modules.start(secret: secret)
      #expect(AppCenter.isConfigured && !AppCenter.enabled && !Analytics.enabled && modules.client == nil)
      #expect(
        modules.log("ERROR").count == 1 && modules.log("ERROR").contains { $0.contains("copy it from the portal") })
    }

    @Test(arguments: ["", ";;;", "target=abc"]) func `nothing is enabled without a secret`(secret: String) throws {
      let modules = try ModuleHarness()
      modules.start(secret: secret)
      #expect(!AppCenter.enabled && !Analytics.enabled && modules.isStarted(Analytics.self))
      #expect(modules.log("WARNING").count == 1 && modules.log("WARNING").contains { $0.contains("no app secret") })
      Analytics.enabled = true
      AppCenter.enabled = true
      #expect(!AppCenter.enabled && !Analytics.enabled && modules.log("ERROR").count == 2)
    }

    @Test func `how sending goes is in the log, each change once`() async throws {
      let modules = try ModuleHarness(
        transport: ScriptedTransport(answers: [.status(503), .status(503), .failure(.connection)]))
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.pass(untilRequest: 4)
      try await modules.wait { $0.delivered == 50 }
      let told = modules.log("WARNING").filter { $0.contains("has not arrived") }
      #expect(told.count == 2 && told.first?.contains("503") == true)
      Analytics.trackEvent("Last")
      try await modules.flush()
      #expect(modules.log("INFO").count { $0.contains("has taken") } == 1)
      await modules.end()
    }

    @Test func `a message says where in the source it was left`() throws {
      let modules = try ModuleHarness()
      Analytics.trackEvent("A")
      #expect(modules.log("ERROR").count == 1 && modules.log("ERROR").allSatisfy { $0.contains("notStarted") })
    }

    @Test func `what only a library started is not enabled before the app brings a secret`() async throws {
      let modules = try ModuleHarness()
      AppCenter.startFromLibrary(services: [Analytics.self])
      #expect(!Analytics.enabled)
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      #expect(Analytics.enabled)
      await modules.end()
    }

    @Test func `what is switched off while nothing can be recorded is off when it can`() async throws {
      let modules = try ModuleHarness()
      modules.start(secret: "two words", [Analytics.self, Crashes.self])
      Analytics.enabled = false
      await modules.relaunch()
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(!Analytics.enabled && Crashes.enabled && AppCenter.enabled)
      Analytics.enabled = true
      await modules.relaunch()
      modules.start(secret: "two words")
      AppCenter.enabled = false
      await modules.relaunch()
      modules.startQuietly([Analytics.self])
      #expect(!AppCenter.enabled && !Analytics.enabled)
      AppCenter.enabled = true
      #expect(AppCenter.enabled && Analytics.enabled)
      await modules.end()
    }

    @Test func `a switch that could not be written down is said to be forgotten`() throws {
      let modules = try ModuleHarness { $0.directory = Self.unusable }
      modules.startQuietly()
      Analytics.enabled = false
      #expect(modules.log("ERROR").count == 2 && modules.log("ERROR").last?.contains("forgotten") == true)
      #expect(!Analytics.enabled)
    }
  }
}
