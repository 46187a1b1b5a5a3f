import Foundation
import TernEvents
import Testing

@testable import Ingest

/// What recorded requests of other systems' clients don't show, but others send.
@Suite struct ClientRuleTests {
  /// Reads a body as the request of a fixture with that address.
  private func read(_ fixture: String, _ body: String) throws -> ClientReading {
    try ClientFixture(fixture).read(Array(body.utf8))
  }

  @Test(arguments: [
    ("matomo-01", "idsite=k&ping=1"), ("snowplow-01", #"{"data":[{"e":"pp","aid":"k","eid":"1"}]}"#),
    ("mixpanel-01", #"[{"event":"$mp_click","properties":{"token":"k"}}]"#),
    ("posthog-01", #"[{"event":"$autocapture","properties":{"token":"k"}}]"#),
  ])
  func `a request of which nothing is stored names its app, which counts it`(fixture: String, body: String) throws {
    let reading = try read(fixture, body)
    #expect(reading.keys == ["k"] && reading.events.isEmpty)
    #expect(reading.rejections.map(\.reason) == [RejectionReason.unsupported.rawValue])
  }

  @Test func `a list of PostHog's events names its app in its events`() throws {
    let reading = try read("posthog-01", #"[{"event":"E","properties":{"token":"k","distinct_id":"a"}}]"#)
    #expect(reading.keys == ["k"] && reading.events.map(\.event.name) == ["E"])
  }

  @Test(arguments: [
    (#""type":"page""#, "page"), (#""type":"screen","name":"""#, "screen"),
    (#""type":"page","category":"Docs""#, "Docs"),
    (#""type":"page","properties":{"url":"https://shop.example/a","path":"/a"}"#, "/a"),
    (#""type":"page","name":"Home","category":"Docs""#, "Home"),
  ])
  func `a page of Segment without a name has one all the same`(message: String, name: String) throws {
    let reading = try read("segment-01", #"{"batch":[{"userId":"u",\#(message)}]}"#)
    #expect(reading.events.map(\.event.name) == [name])
  }

  @Test func `the traits of a batch's context are not copied to all of its messages`() throws {
    let body = #"{"context":{"traits":{"plan":"pro"},"os":{"name":"iOS"}},"batch":[{"type":"identify","userId":"u"}]}"#
    let event = try #require(try read("segment-01", body).events.first?.event)
    #expect(event.properties.isEmpty && event.device.osName == "iOS")
  }

  @Test func `an event's texts are kept as far as Tern's own events could have them`() throws {
    let long = String(repeating: "x", count: 8_000)
    let members = (0..<20).map { #""p\#($0)":"\#(long)""# }.joined(separator: ",")
    let fixture = try ClientFixture("segment-01")
    let body = #"{"writeKey":"k","batch":[{"type":"track","event":"E","userId":"u","properties":{\#(members)}}]}"#
    let request = fixture.request()
    let reading = try Array(body.utf8).withUnsafeBytes { try SegmentProtocol().read($0, request) }
    let batch = reading.batch(
      of: "k", app: 1, source: .native, received: ClientFixture.arrived, request, isFirst: true)
    #expect(batch.events.map(\.properties.count) == [NativeProtocol.maximumEventBytes / 8_003])
  }

  @Test func `updates of one session are one, also if its user becomes known later`() throws {
    func key(_ user: String) throws -> DuplicateKey? {
      let session = #"{"sid":"0f8fad5b-d9cb-469f-a165-70867728950e","started":"2026-11-28T08:27:00Z"\#(user)}"#
      let body = #"{"dsn":"https://k@tern.example/1"}"# + "\n" + #"{"type":"session"}"# + "\n" + session
      var fixture = try ClientFixture("sentry-07")
      (fixture.body, fixture.bodyBase64, fixture.headers) = (body, nil, [:])
      return try fixture.batch().events.first?.duplicateKey
    }
    let first = try key("")
    #expect(try first != nil && key(#","did":"u""#) == first)
  }

  @Test func `counted sessions beyond what a request may have are one rejection`() throws {
    let counts =
      #"{"aggregates":[{"started":"2026-11-28T08:27:00Z","exited":9999},{"started":"2026-11-28T08:28:00Z","exited":7}]}"#
    let sentry = try read("sentry-07", "{}\n" + #"{"type":"sessions"}"# + "\n" + counts)
    #expect(sentry.events.count == 10_000 && sentry.rejections.count == 1)
    let bugsnag = try read("bugsnag-01", #"{"sessionCounts":[{"sessionsStarted":10001},{"sessionsStarted":0}]}"#)
    #expect(bugsnag.events.count == 10_000 && bugsnag.rejections.count == 1)
  }

  @Test func `single sessions of Bugsnag are sessions with their user`() throws {
    let body = #"{"sessions":[{"id":"s","startedAt":"2026-11-28T08:27:00Z","user":{"id":"u"}}]}"#
    let event = try #require(try read("bugsnag-01", body).events.first?.event)
    #expect(event.kind == .sessionStart && event.user == "u" && event.identity == .id("s") && event.time != nil)
  }

  @Test(arguments: [
    ("posthog-01", #"{"event":"$set","distinct_id":"u","properties":{"$set":{"a":1},"$set_once":{"b":2}}}"#),
    (
      "amplitude-01",
      #"{"events":[{"event_type":"$identify","user_id":"u","user_properties":{"$set":{"a":1},"$setOnce":{"b":2}}}]}"#
    ),
    (
      "amplitude-01",
      #"{"events":[{"event_type":"$groupidentify","user_id":"u","group_properties":{"$set":{"a":1},"$add":{"b":2}}}]}"#
    ),
    ("amplitude-01", #"{"events":[{"event_type":"$identify","user_id":"u","user_properties":{"a":1,"b":2}}]}"#),
  ])
  func `traits are all stored, whichever way they are set`(fixture: String, body: String) throws {
    let event = try #require(try read(fixture, body).events.first?.event)
    #expect(event.properties.map(\.name) == ["a", "b"] && event.properties.map(\.value) == [.integer(1), .integer(2)])
  }

  @Test func `lists and maps in OTLP's JSON are stored as plain JSON`() throws {
    let list = #"{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"a\""},{"arrayValue":{"values":[]}}]}}"#
    let map = #"{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}},{"key":"l","value":\#(list)}]}}"#
    let record = #"{"eventName":"E","attributes":[{"key":"m","value":\#(map)}]}"#
    var fixture = try ClientFixture("otlp-logs-01")
    fixture.headers = ["content-type": "application/json"]
    let body = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(record)]}]}]}"#
    let event = try #require(try fixture.read(Array(body.utf8)).events.first?.event)
    #expect(event.properties.map(\.value) == [.string(#"{"k":true,"l":[1,"a\"",[]]}"#)])
  }

  @Test func `an attribute of a resource makes no error of its records`() throws {
    var fixture = try ClientFixture("otlp-logs-01")
    fixture.headers = ["content-type": "application/json"]
    let resource = #"{"attributes":[{"key":"exception.type","value":{"stringValue":"X"}}]}"#
    let body = #"{"resourceLogs":[{"resource":\#(resource),"scopeLogs":[{"logRecords":[{"eventName":"E"}]}]}]}"#
    #expect(try fixture.read(Array(body.utf8)).events.map(\.event.kind) == [.event])
  }

  @Test(arguments: [(-3, 900), (0, 900), (2, 3_600), (-8, 59), (9, 5_400)])
  func `an event of Aptabase that is sent at once has its time, whatever the zone and however old its session`(
    hours: Int, age: Int
  ) throws {
    let happened = ClientFixture.arrived - .seconds(1)
    func event(_ secondsBefore: Int) -> String {
      let local = happened + .seconds(hours * 3_600 - secondsBefore)
      let session = (happened - .seconds(age)).millisecondsSince1970 / 1_000
      let text = Date(timeIntervalSince1970: Double(local.millisecondsSince1970) / 1e3).ISO8601Format()
      return #"{"timestamp":"\#(text)","sessionId":"\#(session)00000001","eventName":"E"}"#
    }
    var fixture = try ClientFixture("aptabase-01")
    fixture.body = "[\(event(400)),\(event(0))]"
    let times = try fixture.batch(arrived: ClientFixture.arrived).events.map(\.time)
    #expect(times.map { Int64(((happened.millisecondsSince1970 - $0.millisecondsSince1970) / 1_000)) } == [400, 0])
  }

  @Test func `texts of protocol buffers have no U+0000`() throws {
    func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
    let record = field(12, Array("a\0b".utf8))
    var fixture = try ClientFixture("otlp-logs-01")
    fixture.headers = ["content-type": "application/x-protobuf"]
    let body = field(1, field(2, field(2, record)))
    #expect(try fixture.read(body).events.map(\.event.name) == ["a\u{FFFD}b"])
  }

  @Test func `times of Google Analytics 4 may be texts, and keys those of an app`() throws {
    var fixture = try ClientFixture("ga4-01")
    fixture.path = "/mp/collect?firebase_app_id=k&api_secret=x"
    fixture.body = #"{"app_instance_id":"a","events":[{"name":"E","timestamp_micros":"1795854441000000"}]}"#
    let reading = try fixture.read()
    #expect(reading.keys == ["k"])
    #expect(reading.events.map(\.event.time) == [Timestamp(millisecondsSince1970: 1_795_854_441_000)])
  }

  @Test func `Matomo's site may stand in the address, and the rest in the body`() throws {
    var fixture = try ClientFixture("matomo-01")
    (fixture.method, fixture.path, fixture.body) = ("POST", "/matomo.php?idsite=k&rec=1", "e_c=c&e_a=E")
    let reading = try fixture.read()
    #expect(reading.keys == ["k"] && reading.events.map(\.event.name) == ["E"])
  }

  @Test func `the key for OpenTelemetry isn't hidden by a proxy's login`() throws {
    var fixture = try ClientFixture("otlp-logs-01")
    fixture.headers["tern-key"] = "k"
    fixture.headers["authorization"] = "Basic cHJveHk6cHc="
    #expect(try fixture.read().keys == ["k"])
  }
}
