import Foundation
import Tern
import TernEvents
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Translation to GA4` {
  private func event(_ hit: [String: String]) -> GA4Translation.Event {
    GA4Translation(hit).events.first ?? GA4Translation.Event("none")
  }

  private func names(_ hit: [String: String]) -> [String] { GA4Translation(hit).events.map(\.name) }

  @Test func `each type of hit becomes its event`() {
    #expect(names(["t": "screenview", "cd": "Home"]) == ["screen_view"])
    #expect(names(["t": "event", "ec": "Video", "ea": "Play now!"]) == ["play_now"])
    #expect(names(["t": "event", "ec": "Video"]) == ["video"])
    #expect(names(["t": "exception"]) == ["exception"])
    #expect(names(["t": "timing"]) == ["timing_complete"])
    #expect(names(["t": "social"]) == ["share"])
    #expect(names(["t": "transaction"]) == ["purchase"])
    #expect(names(["t": "item"]) == ["transaction_item"])
    #expect(names(["t": "event"]) == ["event"])
  }

  @Test func `an event keeps category, label, value, dimensions and metrics`() {
    let event = event([
      "t": "event", "ec": "c", "ea": "a", "el": "l", "ev": "5", "cd": "Home", "cd7": "gold", "cm2": "1.5", "cm": "mail",
    ])
    #expect(event.texts["event_category"] == "c" && event.texts["event_label"] == "l")
    #expect(event.texts["screen_name"] == "Home" && event.texts["dimension7"] == "gold")
    #expect(event.numbers["value"] == 5 && event.numbers["metric2"] == 1.5 && event.texts["medium"] == "mail")
  }

  @Test func `products, impressions and promotions become events of their own`() throws {
    let hit = [
      "t": "screenview", "cd": "Basket", "pa": "purchase", "ti": "T1", "tr": "58.4", "cu": "EUR", "pr1id": "P1",
      "pr1nm": "Shirt", "pr1ca": "A/B", "pr1pr": "29.2", "pr1qt": "2", "pr2id": "P2", "il1nm": "Results",
      "il1pi1id": "P3",
      "il1pi2id": "P4", "promo1id": "X", "promoa": "click",
    ]
    #expect(names(hit) == ["screen_view", "purchase", "view_item_list", "select_promotion"])
    let purchase = GA4Translation(hit).events[1]
    #expect(purchase.texts["transaction_id"] == "T1" && purchase.numbers["value"] == 58.4)
    #expect(purchase.items.map { $0.texts["item_id"] } == ["P1", "P2"])
    let first = try #require(purchase.items.first)
    #expect(first.texts["item_category"] == "A" && first.texts["item_category2"] == "B")
    #expect(first.numbers["quantity"] == 2)
    #expect(GA4Translation(hit).events[2].items.count == 2)
    #expect(names(["t": "event", "ea": "x", "pa": "checkout", "cos": "2"]) == ["x", "checkout_progress"])
  }

  @Test func `an event named like its action becomes one event with the parameters of both`() {
    let events = GA4Translation([
      "t": "event", "ec": "Shop", "ea": "Purchase", "pa": "purchase", "ti": "T1", "tr": "9.5", "pr1id": "P",
    ]).events
    #expect(events.map(\.name) == ["purchase"])
    #expect(events.first?.texts["transaction_id"] == "T1" && events.first?.texts["event_category"] == "Shop")
    #expect(events.first?.numbers["value"] == 9.5 && events.first?.items.count == 1)
  }

  @Test(arguments: [
    ("Play", "play"), ("7 days", "app_7_days"), ("session_start", "app_session_start"), ("ga_x", "app_ga_x"),
    ("übergröße", "bergr_e"), ("", "app_event"), ("error", "app_error"), ("__a--b__", "a_b"),
    ("exception", "exception"), ("日本", "app_event"), ("notification_send", "app_notification_send"),
    ("App Store subscription renew", "app_app_store_subscription_renew"),
  ]) func `names are changed to be valid in GA4`(text: String, name: String) {
    #expect(GA4Translation.name(text) == name)
    #expect(GA4Translation.name(String(repeating: "x", count: 50)).count == 40)
  }

  @Test func `an event has at most 25 parameters, including items, of 100 characters, and no NaN`()
    async throws
  {
    let world = MeasurementWorld()
    let client = world.client(collector: "http://collector.test/")
    client.ga4 = GA4Property(measurementID: "G-1", secret: "s")
    var values: [String: HitValue] = [
      "&t": .text("screenview"), "&cd": .text(String(repeating: "画", count: 120)), "&pa": .text("purchase"),
      "&ti": .text("T"), "&pr1id": .text("P"), "&cm1": .text("nan"), "&cm2": .text("1e400"),
    ]
    for number in 1...30 { values["&cd\(number)"] = .text("x") }
    client.send(MeasurementClient.tracker, values)
    #expect(await client.dispatchAll() == .noData)
    let body = try #require(world.transport.requests.first?.raw.body)
    let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    let events = try #require(json?["events"] as? [[String: Any]]).compactMap { $0["params"] as? [String: Any] }
    #expect(events.map(\.count) == [25, 25])
    #expect(events.map { $0["items"] != nil } == [false, true])
    for parameters in events {
      #expect(parameters["screen_name"] as? String == String(repeating: "画", count: 100))
      #expect(parameters["metric1"] == nil && parameters["metric2"] == nil)
    }
    await client.shutdown()
  }

  @Test func `a request carries up to 25 events of one client, each with its own time`() async throws {
    let world = MeasurementWorld()
    let client = world.client(collector: "http://collector.test/")
    client.ga4 = GA4Property(measurementID: "G-1", secret: "s&t")
    for number in 1...30 {
      client.send(
        MeasurementClient.tracker,
        [
          "&t": .text("item"), "&in": .text("\(number) \"ü\""), "&ti": .text("1"), "&pa": .text("detail"),
          "&cid": .text(number <= 20 ? "one" : "two"),
        ])
      world.clock.advance(by: .seconds(1))
    }
    #expect(await client.dispatchAll() == .noData)
    var sent: [[String: Any]] = []
    for request in world.transport.requests {
      #expect(request.raw.url.absoluteString == "http://collector.test/mp/collect?measurement_id=G-1&api_secret=s%26t")
      #expect(request.raw.method == .post && request.raw.headers["Content-Type"] == "application/json")
      let json = try JSONSerialization.jsonObject(with: Data(request.raw.body)) as? [String: Any]
      let events = try #require(json?["events"] as? [[String: Any]])
      #expect(events.count <= 25)
      #expect(json?["client_id"] as? String == (sent.count < 40 ? "one" : "two"))
      sent += events
    }
    #expect(sent.count == 60, "two events for each hit, none lost or repeated")
    let times = sent.compactMap { $0["timestamp_micros"] as? NSNumber }.map(\.int64Value)
    #expect(times.first == 1_767_225_600_000_000 && times.last == 1_767_225_629_000_000 && times == times.sorted())
    let items = ((sent.first?["params"] as? [String: Any])?["items"] as? [[String: Any]])?.first
    #expect(items?["item_name"] as? String == "1 \"ü\"")
    #expect(client.stored == 0)
    #expect(!world.lines(4).contains { $0.contains("s%26t") }, "the secret is not logged")
    await client.shutdown()
  }
}
