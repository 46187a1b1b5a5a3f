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
  /// Tests that a service that cannot store anything does not look healthy.
  @Suite struct `Recording state` {
    private static let unusable = URL(fileURLWithPath: "/proc/nothing")

    @Test func `nothing is enabled while the storage is unusable, and one error explains what to do`() async throws {
      let modules = try ModuleHarness { environment in
        environment.directory = Self.unusable
        environment.variables = [:]
      }
      AppCenter.setMaxStorageSize(1 << 20) { #expect(!$0) }
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(AppCenter.isConfigured && !AppCenter.enabled && !Analytics.enabled && !Crashes.enabled)
      Analytics.trackEvent("A")
      #expect(Crashes.trackError(CocoaError(.fileNoSuchFile), properties: nil, attachments: nil) != "")
      #expect(try modules.queued() == 2, "in memory")
      let errors = modules.log("ERROR")
      #expect(
        errors.count == 1 && errors.allSatisfy { $0.contains("/proc/nothing") && $0.contains("create and write") })
      // "Everything is kept" would be wrong here.
      #expect(modules.log("WARNING").isEmpty)
      await modules.end()
    }

    /// Modules on an in-memory disk, before the first unlock since the device was started.
    private func locked(_ memory: InMemoryFileSystem) throws -> ModuleHarness {
      try ModuleHarness { environment in
        let make = environment.clientEnvironment
        environment.clientEnvironment = {
          var environment = make()
          environment.fileSystem = memory
          return environment
        }
        environment.directory = URL(fileURLWithPath: "/queue")
      }
    }

    private func refuse(_ memory: InMemoryFileSystem) {
      memory.setScript { [.open, .makeDirectory].contains($0.kind) ? .fail(errno: EPERM) : nil }
    }

    @Test func `a storage that becomes usable is used, with the events recorded in the meantime`() async throws {
      let memory = InMemoryFileSystem()
      refuse(memory)
      let modules = try locked(memory)
      let answers = Locked<[Bool]>([])
      AppCenter.setMaxStorageSize(1 << 20) { fits in answers.withLock { $0.append(fits) } }
      modules.startQuietly([Analytics.self, Crashes.self])
      Analytics.trackEvent("Early")
      #expect(!AppCenter.enabled && !Analytics.enabled && !Crashes.enabled && answers.withLock { $0.isEmpty })
      Analytics.enabled = true
      AppCenter.enabled = true
      #expect(!AppCenter.enabled && modules.log("WARNING").contains { $0.contains("in memory") })
      memory.setScript(nil)
      await modules.passUntilStored()
      #expect(AppCenter.enabled && Analytics.enabled && Crashes.enabled && answers.withLock { $0 } == [true])
      #expect(modules.log("INFO").count { $0.contains("storage is available") } == 1)
      #expect(modules.log("ERROR").count { $0.contains("Couldn't use the storage") } == 1)
      try await modules.flush()
      #expect(modules.names == ["Early"])
      #expect(Set(modules.received.map(\.install)) == [AppCenter.installId.uuidString.lowercased()])
      await modules.end()
    }

    @Test func `the requested size does not apply to a storage that turns out to be larger`() async throws {
      let memory = InMemoryFileSystem()
      let modules = try locked(memory)
      modules.startQuietly()
      Analytics.pause()
      let text = String(repeating: "x", count: 120)
      for number in 0..<100 { Analytics.trackEvent("E\(number)", withProperties: ["a": text, "b": text]) }
      await modules.relaunch()
      refuse(memory)
      let answers = Locked<[Bool]>([])
      AppCenter.setMaxStorageSize(24 << 10) { fits in answers.withLock { $0.append(fits) } }
      modules.startQuietly()
      Analytics.trackEvent("Last")
      memory.setScript(nil)
      await modules.passUntilStored()
      #expect(answers.withLock { $0 } == [false])
      try await modules.flush()
      #expect(Set(modules.names).count == 101 && modules.client?.status.dropped == 0)
      await modules.end()
    }

    @Test func `a service disabled while the storage is closed is disabled when it opens, and its events are erased`()
      async throws
    {
      let memory = InMemoryFileSystem()
      refuse(memory)
      let modules = try locked(memory)
      modules.startQuietly([Analytics.self, Crashes.self])
      Analytics.trackEvent("Unwanted")
      Analytics.enabled = false
      memory.setScript(nil)
      await modules.passUntilStored()
      #expect(AppCenter.enabled && !Analytics.enabled && Crashes.enabled)
      await modules.relaunch()
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(!Analytics.enabled && Crashes.enabled)
      try await modules.flush()
      #expect(modules.names.isEmpty)
      await modules.end()
    }

    @Test(arguments: ["two words", "späti", "a\nb"])
    func `nothing is enabled with an unusable secret, and one error explains what to do`(secret: String) throws {
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

    @Test func `each change in the outcome of sending is logged once`() async throws {
      let modules = try ModuleHarness(
        transport: ScriptedTransport(answers: [.status(503), .status(503), .failure(.connection)]))
      modules.startQuietly()
      for number in 0..<50 { Analytics.trackEvent("E\(number)") }
      await modules.pass(untilRequest: 4)
      try await modules.wait { $0.delivered == 50 }
      let told = modules.log("WARNING").filter { $0.contains("were not delivered") }
      #expect(told.count == 2 && told.first?.contains("503") == true)
      Analytics.trackEvent("Last")
      try await modules.flush()
      #expect(modules.log("INFO").count { $0.contains("accepted the events") } == 1)
      await modules.end()
    }

    @Test func `a message names its place in the source`() throws {
      let modules = try ModuleHarness()
      Analytics.trackEvent("A")
      #expect(modules.log("ERROR").count == 1 && modules.log("ERROR").allSatisfy { $0.contains("notStarted") })
    }

    @Test func `a service started only by a library is not enabled before the app gives a secret`() async throws {
      let modules = try ModuleHarness()
      AppCenter.startFromLibrary(services: [Analytics.self])
      #expect(!Analytics.enabled)
      AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
      #expect(Analytics.enabled)
      await modules.end()
    }

    @Test func `a service disabled while nothing can be recorded stays disabled afterwards`() async throws {
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

    @Test func `a setting that could not be saved is logged, and saving is retried`() async throws {
      let modules = try ModuleHarness { $0.directory = Self.unusable }
      modules.startQuietly()
      Analytics.enabled = false
      #expect(modules.log("ERROR").count == 2 && modules.log("ERROR").last?.contains("retried") == true)
      #expect(!Analytics.enabled)
      await modules.end()
    }
  }
}
