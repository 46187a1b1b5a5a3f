import AppCenter
import AppCenterAnalytics
import Dispatch
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `6_9 Values and switches` {
    @Test func `245, 246. a number that is not finite is ignored`() throws {
      let modules = try ModuleHarness()
      let properties = EventProperties()
      for value in [Double.infinity, -.infinity, .nan] { properties.setEventProperty(value, forKey: "k") }
      #expect(properties.elements.isEmpty && modules.log("ERROR").count == 3)
      for seconds in [Double.infinity, -.infinity, .nan] {
        properties.setEventProperty(Date(timeIntervalSince1970: seconds), forKey: "k")
      }
      #expect(properties.elements.isEmpty && modules.log("ERROR").count == 6)
    }

    @Test func `a date that no clock shows becomes the nearest there is, and travels`() async throws {
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

    @Test func `243, 247, 248. properties survive an archive, empty ones too`() throws {
      let properties = EventProperties()
      properties.setEventProperty("s", forKey: "text").setEventProperty(1.5, forKey: "double")
      properties.setEventProperty(Int64.min, forKey: "long").setEventProperty(false, forKey: "boolean")
      properties.setEventProperty(Date(timeIntervalSince1970: 42), forKey: "date")
      for original in [properties, EventProperties()] {
        let data = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: EventProperties.self, from: data)
        #expect(copy?.elements == original.elements)
      }
    }

    @Test func `threads may share properties, set and tracked at the same time`() async throws {
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

    @Test func `the last value of a key counts, whatever its type`() {
      let properties = EventProperties().setEventProperty("s", forKey: "k").setEventProperty(true, forKey: "k")
      #expect(properties.elements.map(\.value) == [.boolean(true)])
    }

    @Test func `249, 250, 261. what every event has`() async throws {
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
    func `265, 266. the app's country goes before the carrier's; nil takes it back; without either there is none`()
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

    @Test func `267. the wrapper's facts appear, change and go`() async throws {
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

    @Test func `284, 285. a service is on at first, and its switch is kept over launches`() async throws {
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

    @Test func `286. a service cannot be used before the start`() throws {
      let modules = try ModuleHarness()
      Analytics.enabled = true
      #expect(!Analytics.enabled && modules.log("ERROR").count == 2)
    }

    @Test func `287, 288. a service cannot be switched while the core is off`() async throws {
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

    @Test func `289. enabling the core leaves off what the user had switched off`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.enabled = false
      AppCenter.enabled = false
      AppCenter.enabled = true
      #expect(!Analytics.enabled)
      await modules.end()
    }

    @Test func `a log survives being archived, with all that it has`() throws {
      let log = EventLog()
      (log.type, log.sid, log.userId, log.name, log.eventId) = ("event", "s", "u", "n", "e")
      log.timestamp = Date(timeIntervalSince1970: 1000)
      log.properties = ["a": "b"]
      log.typedProperties = EventProperties().setEventProperty(Int64(7), forKey: "k")
      let data = try NSKeyedArchiver.archivedData(withRootObject: log, requiringSecureCoding: true)
      let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: EventLog.self, from: data))
      #expect([copy.type, copy.sid, copy.userId, copy.name, copy.eventId] == ["event", "s", "u", "n", "e"])
      #expect(copy.timestamp == log.timestamp && copy.properties == ["a": "b"] && copy.dataResidencyRegion == nil)
      #expect(copy.typedProperties?.elements == log.typedProperties?.elements)
    }

    @Test func `what a service of one's own may call is there and does nothing`() {
      final class Own: ServiceAbstract {}
      let service = Own()
      service.start(withChannelGroup: nil, appSecret: "s", transmissionTargetToken: nil, fromApplication: true)
      service.updateConfiguration(withAppSecret: "s", transmissionTargetToken: nil)
      #expect(!Own.enabled && !service.startedFromApplication)
    }

    @Test func `295. starts from many threads at a time end, and one of them counts`() async throws {
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
