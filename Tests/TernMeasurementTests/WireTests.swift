import Foundation
import Tern
import TernEvents
import TernLog
import TernMeasurement
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A hit on the wire` {
  let world = MeasurementWorld()

  /// Records a hit of exactly this many bytes on the wire.
  private func send(_ bytes: Int, _ client: MeasurementClient, _ label: String = "") async {
    func payload(_ padding: Int) -> [String: HitValue] {
      [
        "&t": .text("item"), "&ti": .text("t"), "&in": .text("i"), "&el": .text(label),
        "&cd1": .text(String(repeating: "x", count: padding)),
      ]
    }
    client.send(MeasurementClient.tracker, payload(bytes))
  }

  @Test func `one hit of up to 2000 bytes is sent by GET, a longer one by POST, several as a batch`() async {
    let probe = world.client()
    await send(0, probe)
    #expect(await probe.dispatchOnce() == .good)
    await probe.shutdown()
    let rest = 2000 - world.transport.requests[0].lines[0].utf8.count
    // Three times, since `z` varies in length.
    for length in (0..<3).flatMap({ _ in rest - 4...rest + 4 }) {
      let client = world.client()
      await send(length, client)
      #expect(await client.dispatchOnce() == .good)
      await client.shutdown()
    }
    let singles = world.transport.requests
    for request in singles {
      let bytes = request.lines[0].utf8.count
      #expect(request.path == "/collect")
      #expect(request.raw.method == (bytes <= 2000 ? .get : .post), "\(bytes) bytes")
      #expect(request.raw.body.isEmpty == (bytes <= 2000))
    }
    #expect(Set(singles.map { $0.lines[0].utf8.count }).isSuperset(of: [2000, 2001]), "both sides of the limit")
    let client = world.client()
    client.sendEvents(1...2)
    #expect(await client.dispatchOnce() == .good)
    let batch = world.transport.requests[singles.count]
    #expect(batch.raw.method == .post && batch.path == "/batch" && batch.raw.url.query == nil)
    #expect(batch.lines.count == 2)
    await client.shutdown()
  }

  @Test func `z comes last; v, tid, cid and t are always present`() async throws {
    let client = world.client()
    client.sendEvents(1...3)
    client.sendItems(1...2)
    #expect(await client.dispatchOnce() == .good)
    #expect(world.transport.received.count == 5)
    for line in world.transport.requests[0].lines {
      let names = line.split(separator: "&").map { $0.prefix { $0 != "=" } }
      #expect(names.suffix(3) == ["ht", "qt", "z"])
      #expect(names.prefix(4) == ["v", "tid", "cid", "t"])
      #expect(Set(names).count == names.count)
    }
    let hit = try #require(world.transport.received.first)
    #expect(hit["v"] == "1" && hit["tid"] == "UA-1-1" && hit["an"] == "Test App" && hit["av"] == "3.4")
    #expect(hit["ul"] == "en-gb" && hit["ds"] == "app" && hit["aid"] == "test.app" && hit["dm"] == "T1")
    await client.shutdown()
  }

  @Test func `every hit has the screen once it is known, and a tracker's own takes precedence`() async throws {
    let client = world.client()
    client.sendEvent("unknown")
    client.screenResolution = "750x1334"
    client.sendEvent("set")
    client.sendEvent("own", tracker: .init(trackingID: "UA-1-1", fields: ["&sr": "640x480"]))
    client.screenResolution = nil
    client.sendEvent("unset")
    await client.dispatchAll()
    #expect(world.transport.received.map { $0["sr"] } == [nil, "750x1334", "640x480", nil])
    await client.shutdown()
  }

  @Test func `the device's screen properties are sent`() {
    var device = TestHarness.device
    device.screenSize = "1170x2532"
    #expect(AutomaticFields.fields(of: device, appName: nil, clientID: "c")["sr"] == "1170x2532")
    #expect(AutomaticFields.fields(of: TestHarness.device, appName: nil, clientID: "c")["sr"] == nil)
  }

  @Test func `clearing a required parameter restores its default`() async throws {
    let client = world.client()
    client.send(
      MeasurementClient.tracker,
      [
        "&t": .text("screenview"), "&cid": .cleared, "&tid": .text(""), "&v": .text("2"), "&z": .text("0"),
        "&ht": .cleared,
      ])
    #expect(await client.dispatchOnce() == .good)
    let hit = try #require(world.transport.received.first)
    #expect(hit["v"] == "1" && hit["tid"] == "UA-1-1" && hit["cid"] == client.composer.automatic["cid"])
    #expect(hit["z"] != "0" && hit["ht"] == "1767225600000")
    await client.shutdown()
  }

  @Test func `each attempt computes qt again; ht and z stay`() async throws {
    let client = world.client()
    world.transport.answer { _ in .acceptAndLoseAnswer }
    client.sendEvent("1")
    world.clock.advance(by: .seconds(10))
    #expect(await client.dispatchOnce() == .error)
    world.clock.advance(by: .seconds(5))
    #expect(await client.dispatchOnce() == .error)
    let hits = world.transport.received
    #expect(hits.map { $0["qt"] } == ["10000", "15000"])
    #expect(hits[0]["ht"] == "1767225600000" && hits[1]["ht"] == hits[0]["ht"])
    #expect(try #require(UInt64(hits[0]["z"] ?? "")) > 0 && hits[1]["z"] == hits[0]["z"])
    await client.shutdown()
  }

  @Test func `in a batch each line has its own qt`() async {
    let client = world.client()
    for number in 1...3 {
      client.sendEvent("\(number)")
      world.clock.advance(by: .seconds(1))
    }
    #expect(await client.dispatchOnce() == .good)
    #expect(world.transport.received.map { $0["qt"] } == ["3000", "2000", "1000"])
    await client.shutdown()
  }

  @Test func `qt ignores changes of the clock, and is never negative`() async {
    let first = world.client()
    first.sendEvent("1")
    world.clock.setWallTime(Timestamp(millisecondsSince1970: 0))
    world.clock.advance(by: .seconds(2))
    #expect(await first.dispatchOnce() == .good)
    first.sendEvent("2")
    await first.shutdown()
    // After a reboot only the wall clock is left, and it was set back in the meantime.
    world.clock.setWallTime(Timestamp(millisecondsSince1970: -5000))
    let second = world.client(boot: "22222222-2222-4333-8444-555555555555")
    #expect(await second.dispatchOnce() == .good)
    second.sendEvent("3")
    await second.shutdown()
    world.clock.setWallTime(world.clock.wallTime + .seconds(9))
    let third = world.client()
    #expect(await third.dispatchOnce() == .good)
    #expect(world.transport.received.map { $0["qt"] } == ["2000", "0", "9000"])
    await third.shutdown()
  }

  @Test func `a hit that waited elsewhere has an earlier time`() async {
    let client = world.client()
    client.send(
      MeasurementClient.tracker, ["&t": .text("item"), "&ti": .text("1"), "&in": .text("2"), "&qt": .text("4000")])
    world.clock.advance(by: .seconds(1))
    #expect(await client.dispatchOnce() == .good)
    #expect(world.transport.received.map { $0["qt"] } == ["5000"])
    #expect(world.transport.received.map { $0["ht"] } == ["1767225596000"])
    await client.shutdown()
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `no batch has more than 20 lines or 16384 bytes, no line more than 8192`(seed: UInt64) async {
    var generator = FastGenerator(seed: seed)
    let client = world.client()
    let lengths = (0..<60).map { _ in
      Int.random(in: 0...(Bool.random(using: &generator) ? 300 : 9000), using: &generator)
    }
    for (index, length) in lengths.enumerated() { await send(length, client, "\(index)") }
    #expect(await client.dispatchAll() == .noData)
    for request in world.transport.requests {
      #expect(request.lines.count <= 20, "seed \(seed)")
      #expect(request.raw.body.count <= 16_384, "seed \(seed)")
      #expect(request.lines.allSatisfy { $0.utf8.count <= 8192 }, "seed \(seed)")
    }
    let labels = world.transport.received.labels.compactMap(Int.init)
    #expect(labels == labels.sorted() && Set(labels).count == labels.count)
    #expect(labels.count + client.dropped(.tooLarge) == 60)
    await client.shutdown()
  }

  @Test func `symbols and line breaks in a label arrive intact`() async {
    let client = world.client()
    for label in ["ü &=+\n", "100 %41 ; # ? 🦆", "\u{0}\r\n\t\"'\\", "a+b", "=", "&z=1&"] { client.sendEvent(label) }
    #expect(await client.dispatchOnce() == .good)
    #expect(
      world.transport.received.labels == ["ü &=+\n", "100 %41 ; # ? 🦆", "\u{0}\r\n\t\"'\\", "a+b", "=", "&z=1&"])
    await client.shutdown()
  }

  @Test func `numbers are formatted the same in every locale`() {
    let numbers: [(NSNumber, String)] = [
      (5, "5"), (29.2, "29.2"), (true, "1"), (false, "0"), (-55.5, "-55.5"), (1_234_567.891, "1234567.891"),
      (1e15, "1000000000000000"), (1e-7, "0.0000001"), (NSNumber(value: Float(29.2)), "29.2"), (0, "0"),
      (NSNumber(value: Int64.max), "9223372036854775807"), (NSNumber(value: UInt64.max), "18446744073709551615"),
      (NSDecimalNumber(string: "1000.000001"), "1000.000001"), (NSNumber(value: Double.nan), "0"), (1.0, "1"),
    ]
    for (number, text) in numbers { #expect(HitValue.text(of: number) == text) }
    // The formatting does not use a locale, so setting one must have no effect.
    for name in ["de_DE.UTF-8", "ar_SA.UTF-8", "hi_IN.UTF-8"] {
      setlocale(LC_ALL, name)
      defer { setlocale(LC_ALL, "C") }
      for (number, text) in numbers { #expect(HitValue.text(of: number) == text, "\(name)") }
    }
  }

  @Test func `parameters that the protocol defines as integers are rounded, and no others`() {
    let values: [String: (given: String, sent: String)] = [
      "utt": ("1250.4", "1250"), "ev": ("29.5", "30"), "iq": ("1.9", "2"), "cos": ("2.0", "2"), "pr1qt": ("1.4", "1"),
      "pr12ps": ("3.6", "4"), "il1pi2ps": ("-0.2", "0"), "tr": ("29.25", "29.25"), "cm1": ("2.5", "2.5"),
      "pr1pr": ("0.5", "0.5"), "pr1cm2": ("1.5", "1.5"), "el": ("1.5", "1.5"), "promo1ps": ("1.5", "1.5"),
      "av": ("1.5", "1.5"), "cd1": ("7.5", "7.5"),
    ]
    let draft = HitComposer(automatic: [:]).compose(
      HitComposer.Tracker(trackingID: "UA-1-1"),
      Dictionary(uniqueKeysWithValues: values.map { ("&\($0)", HitValue.text($1.given)) }))
    for (name, value) in values { #expect(draft.parameters[name] == value.sent, "\(name)") }
    for text in ["soon", "1e400", "1.5e300", "nan", "1.5.5"] {
      let draft = HitComposer(automatic: [:]).compose(
        HitComposer.Tracker(trackingID: "UA-1-1"), ["&ev": .text(text), "&t": .text("event")])
      #expect(draft.parameters["ev"] == text)
    }
  }

  @Test func `a campaign URL yields its eleven parameters, any other none`() {
    let address =
      "https://shop.example/a?utm_id=1&utm_campaign=spring%20sale&utm_content=3&utm_medium=4&utm_source=5+6&utm_term=7"
      + "&dclid=8&gclid=9&gmob_t=10&aclid=11&anid=12&other=x#utm_source=no"
    let parameters = Dictionary(uniqueKeysWithValues: Campaign.parameters(of: address).map { ($0.name, $0.value) })
    let expected = [
      "ci": "1", "cn": "spring sale", "cc": "3", "cm": "4", "cs": "5 6", "ck": "7", "dclid": "8", "gclid": "9",
      "gmob_t": "10", "aclid": "11", "anid": "12",
    ]
    #expect(parameters == expected)
    #expect(Campaign.parameters(of: "utm_source=a&utm_medium=b").map(\.value) == ["b", "a"])
    for odd in ["", "?", "%", "https://x.example/", "?utm_source", "?utm_source=", "?&&=&%zz=%", "?utm_source=%C3"] {
      #expect(Campaign.parameters(of: odd).count <= 1)
    }
  }

  @Test func `the advertising identifier is absent unless allowed`() async {
    let client = world.client()
    let fields = ["&idfa": "1", "&ate": "1"]
    client.sendEvent("no", tracker: .init(trackingID: "UA-1-1", fields: fields))
    client.sendEvent("yes", tracker: .init(trackingID: "UA-1-1", fields: fields, allowsAdvertisingID: true))
    #expect(await client.dispatchOnce() == .good)
    #expect(world.transport.received.map { $0["idfa"] } == [nil, "1"])
    #expect(world.transport.received.map { $0["ate"] } == [nil, "1"])
    await client.shutdown()
  }

  @Test func `the queue time is measured by uptime, and for a hit from before the boot by the wall clock`() {
    let boot = UniqueID(high: 1, low: 2)
    func milliseconds(uptime: Duration, boot other: UniqueID) -> Int64 {
      let record = LogRecord(
        id: UniqueID(high: 0, low: 1), time: Timestamp(millisecondsSince1970: 1_000), uptime: uptime, bootID: other,
        lane: .normal, payload: [])
      let time = QueueTime(wallTime: Timestamp(millisecondsSince1970: 9_000_000), uptime: .seconds(60), boot: boot)
      return time.milliseconds(of: record)
    }
    #expect(milliseconds(uptime: .seconds(50), boot: boot) == 10_000)
    #expect(milliseconds(uptime: .seconds(50), boot: UniqueID(high: 3, low: 4)) == 8_999_000)
    #expect(milliseconds(uptime: .zero, boot: boot) == 8_999_000)
  }

  @Test func `a GET has no body and a POST has one`() throws {
    let url = try #require(URL(string: "http://collector.test/"))
    let record = LogRecord(
      id: UniqueID(high: 0, low: 1), time: Timestamp(millisecondsSince1970: 0), lane: .normal,
      payload: Array("z=1".utf8)[...])
    let time = QueueTime(wallTime: Timestamp(millisecondsSince1970: 7), uptime: .zero, boot: nil)
    let request = try #require(HitRequest([record], to: url, at: time, userAgent: "x", timeout: .seconds(1)))
    #expect(request.request.method == .get && request.request.body.isEmpty)
    #expect(request.request.url.absoluteString == "http://collector.test/collect?z=1&qt=7")
    #expect(HitRequest([], to: url, at: time, userAgent: "x", timeout: .seconds(1)) == nil)
  }
}
