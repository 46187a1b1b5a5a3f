import AppCenter
import AppCenterAnalytics
import Dispatch
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `Values and switches` {
    @Test func `a number that is not finite is ignored`() throws {
      let modules = try ModuleHarness()
      let properties = EventProperties()
      for value in [Double.infinity, -.infinity, .nan] { properties.setEventProperty(value, forKey: "k") }
      #expect(properties.elements.isEmpty && modules.log("ERROR").count == 3)
      for seconds in [Double.infinity, -.infinity, .nan] {
        properties.setEventProperty(Date(timeIntervalSince1970: seconds), forKey: "k")
      }
      #expect(properties.elements.isEmpty && modules.log("ERROR").count == 6)
    }

    @Test func `an impossible date becomes the nearest valid one and arrives`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      let properties = EventProperties()
      properties.setEventProperty(Date(timeIntervalSince1970: 1e300), forKey: "late")
      properties.setEventProperty(Date(timeIntervalSince1970: -1e300), forKey: "early")
      #expect(properties.elements.map(\.value) == [Int64.max, .min].map { .date(.init(millisecondsSince1970: $0)) })
      Analytics.trackEvent("A", withProperties: properties)
      try await modules.flush()
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test func `threads may set and track the same properties concurrently`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      for _ in 0..<3 {
        nonisolated(unsafe) let properties = EventProperties()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          for number in 0..<300 {
            properties.setEventProperty("v", forKey: "\(thread)-\(number)")
            if number.isMultiple(of: 100) { Analytics.trackEvent("A", withProperties: properties) }
          }
        }
        #expect(properties.elements.count == 2400)
      }
      #expect(try modules.queued() == 72)
      await modules.end()
    }

    @Test func `the last value of a key wins, whatever its type`() {
      let properties = EventProperties().setEventProperty("s", forKey: "k").setEventProperty(true, forKey: "k")
      #expect(properties.elements.map(\.value) == [.boolean(true)])
    }

    @Test func `the fields of every event`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.trackEvent("A", withProperties: ["k": "v"])
      try await modules.flush()
      let line = try #require(modules.sent("event").first)
      #expect(
        Set(line.keys) == [
          "id", "type", "name", "time", "uptime", "boot", "install", "properties", "device", "app",
        ])
      let device = try #require(line["device"] as? [String: Any])
      for name in ["osName", "osVersion", "locale", "timeZoneOffset", "sdkName", "sdkVersion"] {
        #expect(device[name] != nil)
      }
      await modules.end()
    }

    @Test
    func `the app's country overrides the carrier's; nil clears it; without either there is none`()
      async throws
    {
      for carrier in ["pt", nil] {
        let modules = try ModuleHarness { $0.carrierCountry = { carrier } }
        AppCenter.countryCode = "br"
        modules.startQuietly()
        Analytics.trackEvent("A")
        AppCenter.countryCode = nil
        Analytics.trackEvent("B")
        AppCenter.countryCode = "DE"
        Analytics.trackEvent("C")
        try await modules.flush()
        let countries = try modules.sent("event").map { ($0["device"] as? [String: Any])?["country"] as? String }
        #expect(countries == ["BR", carrier?.uppercased(), "DE"])
        await modules.end()
      }
    }

    @Test func `the wrapper's properties can be set, changed and removed`() async throws {
      let modules = try ModuleHarness()
      func wrapper(_ version: String) -> WrapperSdk {
        WrapperSdk(
          wrapperSdkVersion: version, wrapperSdkName: "react", wrapperRuntimeVersion: nil, liveUpdateReleaseLabel: nil,
          liveUpdateDeploymentKey: nil, liveUpdatePackageHash: nil)
      }
      AppCenter.wrapperSdk = wrapper("1")
      modules.startQuietly()
      Analytics.trackEvent("A")
      AppCenter.wrapperSdk = wrapper("2")
      Analytics.trackEvent("B")
      AppCenter.wrapperSdk = nil
      Analytics.trackEvent("C")
      try await modules.flush()
      let versions = try modules.sent("event").map {
        ($0["device"] as? [String: Any])?["wrapperSdkVersion"] as? String
      }
      #expect(versions == ["1", "2", nil])
      await modules.end()
    }

    @Test func `a service is enabled at first, and changes are kept across launches`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      #expect(Analytics.enabled)
      Analytics.enabled = false
      await modules.relaunch()
      modules.startQuietly()
      #expect(!Analytics.enabled && AppCenter.enabled)
      Analytics.enabled = true
      await modules.relaunch()
      modules.startQuietly()
      #expect(Analytics.enabled)
      await modules.end()
    }

    @Test func `a service cannot be used before the start`() throws {
      let modules = try ModuleHarness()
      Analytics.enabled = true
      #expect(!Analytics.enabled && modules.log("ERROR").count == 2)
    }

    @Test func `a service cannot be enabled while the core is disabled`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      AppCenter.enabled = false
      Analytics.enabled = true
      #expect(!Analytics.enabled && modules.log("ERROR").count == 1)
      AppCenter.enabled = true
      Analytics.enabled = false
      #expect(!Analytics.enabled)
      await modules.end()
    }

    @Test func `enabling the core does not enable services that the user disabled`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.enabled = false
      AppCenter.enabled = false
      AppCenter.enabled = true
      #expect(!Analytics.enabled)
      await modules.end()
    }

    @Test func `one of several concurrent starts takes effect, and all return`() async throws {
      let modules = try ModuleHarness()
      Analytics.enableManualSessionTracker()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            AppCenter.start(withAppSecret: ModuleHarness.secret, services: [Analytics.self])
            Analytics.trackEvent("A")
            _ = AppCenter.installId
            _ = Analytics.enabled
          }
        }
      }
      #expect(modules.log("ASSERT").count == 38 && Analytics.enabled)
      await modules.end()
    }
  }
}
