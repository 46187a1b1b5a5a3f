import Foundation
import GoogleAnalytics
import TernEvents
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Trackers` {
  let world = MeasurementWorld()
  let logger = RecordingLogger()

  @Test func `sharedInstance() is the same object from any thread`() async {
    GAI.replaceShared(with: world.launch())
    let instances = await withTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<16 { group.addTask { ObjectIdentifier(GAI.sharedInstance()) } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(instances.count == 1)
  }

  @Test func `defaultTracker is nil before the first tracker, then the first one created`() async throws {
    let gai = world.launch()
    #expect(gai.defaultTracker == nil)
    let first = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    #expect(gai.defaultTracker === first)
    await gai.quit()
  }

  @Test func `a second tracker does not change defaultTracker; an assignment does`() async throws {
    let gai = world.launch()
    let first = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    let second = try #require(gai.tracker(withTrackingId: "UA-1-2"))
    #expect(gai.defaultTracker === first)
    gai.defaultTracker = second
    #expect(gai.defaultTracker === second)
    gai.defaultTracker = nil
    #expect(gai.defaultTracker == nil)
    await gai.quit()
  }

  @Test func `the same tracking ID returns the same object`() async {
    let gai = world.launch()
    #expect(gai.tracker(withTrackingId: "UA-1-1") === gai.tracker(withTrackingId: "UA-1-1"))
    await gai.quit()
  }

  @Test func `an existing name keeps its tracking ID`() async {
    let gai = world.launch()
    let first = gai.tracker(withName: "a", trackingId: "UA-1-1")
    let second = gai.tracker(withName: "a", trackingId: "UA-1-2")
    #expect(first === second)
    #expect(second?.get(kGAITrackingId) == "UA-1-1")
    #expect(second?.name == "a")
    await gai.quit()
  }

  @Test func `a tracking ID in an unknown format returns a tracker and logs one warning`() async {
    let gai = world.launch(logger: logger)
    for text in ["UA-12345-6", " UA-1-1 ", "G-ABC"] { gai.tracker(withTrackingId: text) }
    #expect(logger.lines(.warning).isEmpty)
    for _ in 0..<2 { #expect(gai.tracker(withTrackingId: "UA-12345") != nil) }
    #expect(logger.lines(.warning).count == 1)
    #expect(logger.lines(.warning).first?.contains("\"UA-12345\"") == true)
    await gai.quit()
  }

  @Test(arguments: [nil, "", "  "] as [String?])
  func `without a name or tracking ID, nil is returned and one error is logged`(text: String?) async {
    let gai = world.launch(logger: logger)
    #expect(gai.tracker(withTrackingId: text) == nil)
    #expect(logger.lines(.error).count == 1)
    #expect(gai.tracker(withName: "a", trackingId: text) == nil)
    #expect(logger.lines(.error).count == 2)
    #expect(gai.defaultTracker == nil)
    await gai.quit()
  }

  @Test func `spaces around the tracking ID are trimmed`() async {
    let gai = world.launch()
    #expect(gai.tracker(withTrackingId: " UA-1-1\n")?.get(kGAITrackingId) == "UA-1-1")
    #expect(gai.tracker(withTrackingId: "UA-1-1") === gai.defaultTracker)
    await gai.quit()
  }

  @Test func `removing the default tracker clears defaultTracker; creating it again makes a new object`() async {
    let gai = world.launch()
    let first = gai.tracker(withTrackingId: "UA-1-1")
    gai.removeTracker(byName: "unknown")
    gai.removeTracker(byName: nil)
    #expect(gai.defaultTracker === first)
    gai.removeTracker(byName: "UA-1-1")
    #expect(gai.defaultTracker == nil)
    #expect(gai.tracker(withTrackingId: "UA-1-1") !== first)
    await gai.quit()
  }

  @Test func `get returns what set stored, and nil after nil`() async throws {
    let gai = world.launch()
    let tracker = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    tracker.set(kGAIScreenName, value: "Home")
    #expect(tracker.get(kGAIScreenName) == "Home")
    tracker.set(kGAIScreenName, value: nil)
    #expect(tracker.get(kGAIScreenName) == nil)
    tracker.set(nil, value: "x")
    #expect(tracker.get(nil) == nil)
    await gai.quit()
  }

  @Test func `the client ID is a lowercase UUID v4, equal across restarts, new after a reinstall`() async throws {
    func clientID(_ world: MeasurementWorld) async throws -> String {
      let gai = world.launch()
      let id = try #require(gai.tracker(withTrackingId: "UA-1-1")?.get(kGAIClientId))
      await gai.quit()
      return id
    }
    let first = try await clientID(world)
    #expect(first == first.lowercased() && UniqueID(first) != nil)
    #expect(Array(first.utf8)[14] == UInt8(ascii: "4") && "89ab".contains(Array(first)[19]))
    #expect(try await clientID(world) == first)
    #expect(try await clientID(MeasurementWorld(seed: 99)) != first)
  }

  @Test func `a tracker's value is on every later hit; a builder's overrides it for one hit`() async throws {
    let gai = world.launch()
    let tracker = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    tracker.set(kGAIScreenName, value: "Home")
    tracker.send(GAIDictionaryBuilder.createScreenView().build() as [NSObject: AnyObject])
    let builder = GAIDictionaryBuilder.createScreenView()
    builder?.set("Once", forKey: kGAIScreenName)
    tracker.send(builder?.build() as? [AnyHashable: Any])
    tracker.send(GAIDictionaryBuilder.createScreenView().build() as [NSObject: AnyObject])
    tracker.send([kGAIHitType: kGAIScreenView, kGAIScreenName: NSNull()])
    await gai.sendEverything()
    #expect(world.transport.received.map { $0["cd"] } == ["Home", "Once", "Home", nil])
    await gai.quit()
  }

  @Test func `no parameters, or none that names a type, do not crash; the hit is logged as invalid`() async throws {
    let gai = world.launch(logger: logger)
    let tracker = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    tracker.send(nil)
    tracker.send([:])
    tracker.send([kGAIEventCategory: "c"])
    #expect(logger.lines(.warning).filter { $0.contains("Invalid hit") }.count == 3)
    await gai.sendEverything()
    #expect(world.transport.requests.isEmpty)
    await gai.quit()
  }

  @Test func `values that are not strings are converted or left out, and the queue keeps working`() async throws {
    let gai = world.launch(logger: logger)
    let tracker = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    tracker.send([
      "&t": "event", "&ec": "c", "&ea": ["a": "dictionary"], "&ev": 5, "&ni": true, "&cm1": 29.2,
      "&el": NSString("text"),
      5: "five", "&cd2": Date(),
    ])
    await gai.sendEverything()
    let hit = try #require(world.transport.received.first)
    #expect(hit["ec"] == "c" && hit["ea"] == nil && hit["ev"] == "5" && hit["ni"] == "1" && hit["cm1"] == "29.2")
    #expect(hit["el"] == "text" && hit["cd2"] == nil)
    #expect(
      logger.lines(.warning).contains { $0.contains("&ea") } && logger.lines(.warning).contains { $0.contains("5") })
    await gai.quit()
  }

  @Test func `names without an ampersand never reach the wire`() async throws {
    let gai = world.launch(logger: logger)
    let tracker = try #require(gai.tracker(withTrackingId: "UA-1-1"))
    tracker.set(kGAIUseSecure, value: "NO")
    tracker.set("user_authenticated", value: "1")
    tracker.send(["&t": "screenview", "&cd": "Home", "gaiVersion": "3", "odd": "x", "&": "y"])
    await gai.sendEverything()
    let hit = try #require(world.transport.received.first)
    #expect(Set(hit.keys).isDisjoint(with: ["useSecure", "user_authenticated", "gaiVersion", "odd", ""]))
    #expect(logger.lines(.warning).filter { $0.contains("ampersand") }.count == 2)
    await gai.quit()
  }
}
