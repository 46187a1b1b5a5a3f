import AppCenter
import AppCenterAnalytics
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `Events` {
    private func started() throws -> ModuleHarness {
      let modules = try ModuleHarness()
      modules.startQuietly()
      return modules
    }

    @Test func `names have 1 to 256 characters; longer ones are truncated, empty ones dropped`() async throws {
      let modules = try started()
      for count in [0, 1, 256, 257] { Analytics.trackEvent(String(repeating: "e", count: count)) }
      try await modules.flush()
      #expect(modules.names.map(\.count) == [1, 256, 256])
      #expect(modules.log("ERROR").count == 1 && modules.log("WARNING").count == 1)
      await modules.end()
    }

    @Test func `an interval in range is applied, in seconds`() async throws {
      let modules = try ModuleHarness()
      #expect(Analytics.transmissionInterval == 6)
      Analytics.transmissionInterval = 60
      #expect(Analytics.transmissionInterval == 60)
      modules.startQuietly()
      Analytics.trackEvent("A")
      await modules.clock.sleeping(until: .seconds(1060))
      modules.clock.advance(by: .seconds(60))
      await modules.transport.request(number: 1)
      await modules.end()
    }

    @Test(arguments: [0, 5, 86_401, UInt.max]) func `an interval out of range is refused`(value: UInt) throws {
      let modules = try ModuleHarness()
      Analytics.transmissionInterval = value
      #expect(Analytics.transmissionInterval == 6 && modules.log("ERROR").count == 1)
    }

    @Test(arguments: [6, 86_400] as [UInt]) func `the ends of the range are in it`(value: UInt) throws {
      let modules = try ModuleHarness()
      Analytics.transmissionInterval = value
      #expect(Analytics.transmissionInterval == value && modules.log("WARNING").isEmpty)
    }

    @Test func `an interval after the start is refused`() async throws {
      let modules = try started()
      Analytics.transmissionInterval = 60
      #expect(Analytics.transmissionInterval == 6 && modules.log("ERROR").count == 1)
      await modules.end()
    }

    @Test func `an interval between configure and the start of Analytics is applied`() async throws {
      let modules = try ModuleHarness()
      AppCenter.configure(withAppSecret: ModuleHarness.secret)
      Analytics.transmissionInterval = 60
      Analytics.enableManualSessionTracker()
      AppCenter.startService(Analytics.self)
      Analytics.trackEvent("A")
      await modules.clock.sleeping(until: .seconds(1060))
      await modules.end()
    }

    @Test func `the documentation's 10000 is taken as seconds, and a warning explains it`() throws {
      let modules = try ModuleHarness()
      Analytics.transmissionInterval = 10000
      #expect(Analytics.transmissionInterval == 10000)
      let warnings = modules.log("WARNING")
      #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("2 h 46 min 40 s") && $0.contains("to 10;") })
    }

    @Test func `an event without properties has only its name`() async throws {
      let modules = try started()
      Analytics.trackEvent("Video clicked")
      try await modules.flush()
      #expect(modules.received.map(\.type) == ["event"] && modules.names == ["Video clicked"])
      #expect(modules.received.first?.properties == [:])
      await modules.end()
    }

    @Test func `an event carries the user, unlike in the original`() async throws {
      let modules = try started()
      AppCenter.userId = "alice"
      Analytics.trackEvent("A")
      try await modules.flush()
      #expect(modules.received.first?.user == "alice")
      await modules.end()
    }

    @Test func `a dictionary becomes text properties`() async throws {
      let modules = try started()
      Analytics.trackEvent("Video clicked", withProperties: ["Category": "Music", "FileName": "favorite.avi"])
      try await modules.flush()
      #expect(modules.received.first?.properties == ["Category": "Music", "FileName": "favorite.avi"])
      await modules.end()
    }

    @Test func `all five kinds of property arrive with equal values`() async throws {
      let modules = try started()
      let properties = EventProperties()
      properties.setEventProperty("Jazz", forKey: "Genre").setEventProperty(Int64(12), forKey: "Position")
      properties.setEventProperty(0.75, forKey: "Volume")
      properties.setEventProperty(true, forKey: "Offline")
      properties.setEventProperty(Date(timeIntervalSince1970: 1.5), forKey: "AddedAt")
      Analytics.trackEvent("Clip opened", withProperties: properties)
      try await modules.flush()
      #expect(
        modules.received.first?.properties == [
          "Genre": "Jazz", "Position": 12, "Volume": 0.75, "Offline": true,
          "AddedAt": .date(Timestamp(millisecondsSince1970: 1500)),
        ])
      await modules.end()
    }

    @Test(arguments: [0, 3, 42] as [UInt]) func `unknown flags are normal, with a warning`(value: UInt)
      async throws
    {
      let modules = try started()
      Analytics.trackEvent("A", withProperties: ["k": "v"], flags: Flags(rawValue: value))
      await modules.clock.sleeping(until: .seconds(1006))
      #expect(modules.log("WARNING").count == 1)
      await modules.end()
    }

    @Test func `only the lowest eight bits of the flags count`() async throws {
      let modules = try started()
      Analytics.trackEvent("A", withProperties: ["k": "v"], flags: Flags(rawValue: 0x302))
      await modules.clock.sleeping(until: .seconds(1003))
      #expect(modules.log("WARNING").isEmpty)
      await modules.end()
    }

    @Test func `empty values, empty names and dots are kept`() async throws {
      let modules = try started()
      Analytics.trackEvent("A", withProperties: ["empty": "", "": "no name", "a.b": "c"])
      try await modules.flush()
      #expect(modules.received.first?.properties == ["empty": "", "": "no name", "a.b": "c"])
      await modules.end()
    }

    @Test func `long names and values are truncated to 125 characters, in a copy`() async throws {
      let modules = try started()
      let long = String(repeating: "x", count: 127)
      let properties = EventProperties().setEventProperty(long, forKey: long)
      Analytics.trackEvent("A", withProperties: properties)
      Analytics.trackEvent("B", withProperties: [long: long])
      try await modules.flush()
      let cut = String(repeating: "x", count: 125)
      #expect(modules.received.map(\.properties) == [[cut: .string(cut)], [cut: .string(cut)]])
      #expect(properties.elements.first?.name == long && modules.log("WARNING").count == 4)
      // The truncated part is not in the log either.
      #expect(!modules.log("WARNING").contains { $0.contains(long) })
      await modules.end()
    }

    @Test func `of more than twenty properties the same twenty are always kept`() async throws {
      let modules = try started()
      let pairs = (10..<40).map { ("p\($0)", "v") }
      for _ in 0..<3 {
        Analytics.trackEvent("A", withProperties: Dictionary(uniqueKeysWithValues: pairs.shuffled()))
      }
      let typed = EventProperties()
      for (name, _) in pairs.reversed() { typed.setEventProperty(Int64(1), forKey: name) }
      Analytics.trackEvent("B", withProperties: typed)
      try await modules.flush()
      let expected = Set((10..<30).map { "p\($0)" })
      #expect(modules.received.prefix(3).allSatisfy { Set($0.properties.keys) == expected })
      #expect(modules.received.last.map { Set($0.properties.keys) } == Set((20..<40).map { "p\($0)" }))
      #expect(modules.log("WARNING").count == 4)
      await modules.end()
    }

    @Test func `two names that truncation makes equal both arrive`() async throws {
      let modules = try started()
      let long = String(repeating: "x", count: 125)
      Analytics.trackEvent("A", withProperties: [long + "1": "one", long + "2": "two"])
      try await modules.flush()
      let properties = try #require(modules.received.first?.properties)
      #expect(properties.count == 2 && properties[long] == "one")
      #expect(properties.keys.allSatisfy { $0.utf16.count <= 125 })
      await modules.end()
    }
  }
}

extension `App Center` {
  @Suite struct `Targets of One Collector` {
    @Test func `a target's events are ordinary events`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      let target = Analytics.transmissionTarget(forToken: "token")
      let child = target.transmissionTarget(forToken: "child")
      #expect(Analytics.transmissionTarget(forToken: "token") === target && child !== target)
      target.propertyConfigurator.setEventProperty("parent", forKey: "from")
      target.propertyConfigurator.setEventProperty(Int64(1), forKey: "one")
      child.propertyConfigurator.setEventProperty("child", forKey: "from")
      child.trackEvent("A", withProperties: ["own": "x"])
      try await modules.flush()
      #expect(modules.received.last?.properties == ["from": "child", "one": 1, "own": "x"])
      child.enabled = false
      child.trackEvent("Never")
      child.enabled = true
      target.enabled = false
      child.trackEvent("Never")
      #expect(!child.enabled)
      target.enabled = true
      Analytics.enabled = false
      #expect(!child.enabled && !target.enabled)
      Analytics.enabled = true
      target.trackEvent("B")
      try await modules.flush()
      #expect(modules.names == ["A", "B"])
      await modules.end()
    }
  }
}
