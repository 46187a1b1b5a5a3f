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
  @Suite struct `Settings of the original SDK` {
    private static let id = "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D"

    private func modules(_ defaults: [String: any Sendable]) throws -> ModuleHarness {
      try ModuleHarness { environment in environment.previous = { PreviousSDK { defaults[$0] } } }
    }

    @Test func `an app that migrates stays the same install`() async throws {
      let modules = try modules(["MSAppCenterInstallId": Self.id])
      #expect(AppCenter.installId == UUID(uuidString: Self.id))
      modules.startQuietly()
      Analytics.trackEvent("A")
      try await modules.flush()
      #expect(modules.received.map(\.install) == [Self.id.lowercased()])
      await modules.end()
    }

    @Test func `an app that never reads the ID stays the same install, too`() async throws {
      let modules = try modules(["MSAppCenterInstallId": Self.id])
      modules.startQuietly()
      #expect(AppCenter.installId == UUID(uuidString: Self.id))
      await modules.end()
    }

    @Test func `services disabled with the original stay disabled`() async throws {
      let modules = try modules([
        "MSAppCenterInstallId": Self.id, "MSAppCenterAnalyticsIsEnabled": false,
        "MSAppCenterNetworkRequestsAllowed": false,
      ])
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(AppCenter.enabled && !Analytics.enabled && Crashes.enabled && !AppCenter.networkRequestsAllowed)
      await modules.end()
      let others = try self.modules([
        "MSAppCenterInstallId": Self.id, "MSAppCenterCrashesIsEnabled": false,
      ])
      others.startQuietly([Analytics.self, Crashes.self])
      #expect(AppCenter.enabled && Analytics.enabled && !Crashes.enabled)
      await others.end()
    }

    @Test func `enabling the core again enables every service that the original disabled with it`()
      async throws
    {
      let modules = try modules([
        "MSAppCenterInstallId": Self.id, "MSAppCenterAppCenterIsEnabled": false, "MSAppCenterCrashesIsEnabled": false,
        "MSAppCenterAnalyticsIsEnabled": false,
      ])
      modules.startQuietly([Analytics.self, Crashes.self])
      #expect(!AppCenter.enabled && !Analytics.enabled && !Crashes.enabled)
      AppCenter.enabled = true
      #expect(AppCenter.enabled && Analytics.enabled && Crashes.enabled)
      await modules.end()
    }

    @Test func `a service enabled by the app stays enabled, whatever the original's values are`() async throws {
      let modules = try modules(["MSAppCenterInstallId": Self.id, "MSAppCenterAppCenterIsEnabled": false])
      modules.startQuietly()
      #expect(!AppCenter.enabled)
      AppCenter.enabled = true
      await modules.relaunch()
      modules.startQuietly()
      #expect(AppCenter.enabled && AppCenter.installId == UUID(uuidString: Self.id))
      await modules.end()
    }

    @Test func `an install that Tern already knows keeps its ID`() async throws {
      let defaults = Locked<[String: String]>([:])
      let modules = try ModuleHarness { environment in
        environment.previous = { PreviousSDK { key in defaults.withLock { $0[key] } } }
      }
      let id = AppCenter.installId
      defaults.withLock { $0["MSAppCenterInstallId"] = Self.id }
      await modules.relaunch()
      #expect(AppCenter.installId == id)
    }

    @Test func `an ID that is temporarily unreadable is not replaced by the original's`() throws {
      let files = InMemoryFileSystem()
      var environment = try TestHarness().environment()
      environment.fileSystem = files
      let store = ClientStore(directory: URL(fileURLWithPath: "/queue"), environment: environment)
      let id = store.installID
      let original = try #require(UniqueID(Self.id))
      files.setScript { $0.path.hasSuffix("install-id") && $0.kind == .open ? .fail(errno: EMFILE) : nil }
      store.adopt {
        ClientStore.Beginning(installID: original, isEnabled: false, allowsRequests: true, partsOff: [])
      }
      files.setScript(nil)
      #expect(store.installID == id)
    }

    @Test(
      arguments: [
        [:], ["MSAppCenterInstallId": "no id"], ["MSAppCenterInstallId": 7], ["MSAppCenterAppCenterIsEnabled": false],
      ] as [[String: any Sendable]])
    func `values that the original never wrote change nothing`(_ defaults: [String: any Sendable]) async throws {
      let modules = try modules(defaults)
      modules.startQuietly()
      #expect(AppCenter.enabled && AppCenter.installId != nil && AppCenter.networkRequestsAllowed)
      await modules.end()
    }
  }
}
