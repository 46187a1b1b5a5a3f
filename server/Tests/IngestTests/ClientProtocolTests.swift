import Foundation
import TernEvents
import Testing

@testable import Ingest

/// Reads what the clients of other systems have really sent (server/Tests/Fixtures/clients).
@Suite struct ClientProtocolTests {
  /// A batch in words, one line for each event.
  private static func lines(_ batch: IncomingBatch, _ reading: ClientReading) -> [String] {
    let errors = Dictionary(batch.errors.map { ($0.event, $0) }, uniquingKeysWith: { $1 })
    let events = batch.events.enumerated().map { position, event in
      let properties = event.properties.map { "\($0.name)=\(shown($0.value))" }.joined(separator: " ")
      let device = batch.devices[event.device]
      let facts = [device.osName, device.osVersion, device.model, device.appVersion, device.sdkName, device.sdkVersion]
      let error = errors[position].map { error in
        " [\(error.message) at \(error.place); \(error.stack.split(separator: "\n").count) lines]"
      }
      let person = [batch.installs[event.install], event.user].joined(separator: "/")
      var line = "  \(event.kind) \"\(event.name)\" \(time(event.time)) \(person)"
      if event.session != 0 { line += " session" }
      if event.duplicateKey == nil { line += " without key" }
      line += " <\(facts.filter { !$0.isEmpty }.joined(separator: ", "))> \(properties)"
      return line + (error ?? "")
    }
    return ["  key \(reading.keys.joined(separator: ", "))"] + events
      + batch.rejections.map { "  rejected \($0.index): \($0.reason)" }
  }

  private static func shown(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): "\"\(text.count > 60 ? "\(text.prefix(60))…" : text)\""
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date(let date): time(date)
    }
  }

  /// Days since 1970 and the time of the day.
  private static func time(_ time: Timestamp) -> String {
    let (milliseconds, day) = (time.millisecondsSince1970, Int64(86_400_000))
    let rest = milliseconds % day
    return "\(milliseconds / day)+\(rest / 3_600_000):\(rest / 60_000 % 60):\(rest / 1_000 % 60).\(rest % 1_000)"
  }

  @Test func `every recorded request is read as the list of expectations says`() throws {
    let path = ClientFixture.folder.appending(path: "expected.txt")
    var found = ""
    for name in try ClientFixture.names {
      let fixture = try ClientFixture(name)
      found += "\(name): \(fixture.clientProtocol?.title ?? "")\n"
      found += Self.lines(try fixture.batch(), try fixture.read()).map { $0 + "\n" }.joined()
    }
    let expected = try String(contentsOf: path, encoding: .utf8)
    for (line, other) in zip(found.split(separator: "\n"), expected.split(separator: "\n")) where line != other {
      Issue.record("found \(line)\nexpected \(other)")
    }
    #expect(found.split(separator: "\n").count == expected.split(separator: "\n").count)
  }

  @Test(arguments: [
    ("segment-03", "segment-04"), ("segment-05", "segment-06"), ("posthog-03", "posthog-04"),
    ("posthog-05", "posthog-06"),
    ("rudderstack-02", "rudderstack-03"), ("amplitude-02", "amplitude-03"),
  ])
  func `a batch and its retry have the same keys`(first: String, second: String) throws {
    let (first, second) = (try ClientFixture(first), try ClientFixture(second))
    let keys = try first.batch().events.map(\.duplicateKey)
    #expect(try second.batch().events.map(\.duplicateKey) == keys)
    #expect(!keys.isEmpty && keys.allSatisfy { $0 != nil } && Set(keys).count == keys.count)
    // Also if the client's clock seems wrong the second time.
    let later = ClientFixture.arrived + .seconds(86_400)
    #expect(try second.batch(arrived: later).events.map(\.duplicateKey) == keys)
  }

  @Test func `different events of one request have different keys, and other apps have keys of their own`() throws {
    for name in try ClientFixture.names {
      let fixture = try ClientFixture(name)
      let keys = try fixture.batch().events.compactMap(\.duplicateKey)
      #expect(Set(keys).count == keys.count, "\(name)")
      #expect(Set(keys).isDisjoint(with: try fixture.batch(app: 2).events.compactMap(\.duplicateKey)), "\(name)")
    }
  }

  @Test func `no event lies after its arrival, however wrong the client's clock is`() throws {
    for name in try ClientFixture.names {
      let fixture = try ClientFixture(name)
      for seconds in [-400 * 86_400, -3_600, -1, 0, 89, 3_600] {
        let arrived = ClientFixture.arrived + .seconds(seconds)
        for event in try fixture.batch(arrived: arrived).events {
          #expect(event.time <= arrived + .seconds(5), "\(name) \(seconds)")
        }
      }
    }
  }

  @Test func `a request that is cut off anywhere is refused, or read up to there`() throws {
    for name in try ClientFixture.names {
      let fixture = try ClientFixture(name)
      let whole = try fixture.read().events.count
      let body = try fixture.decoded
      for length in stride(from: 0, to: body.count, by: max(body.count / 60, 1)) {
        guard let reading = try? fixture.read(Array(body[..<length])) else { continue }
        #expect(reading.events.count <= max(whole, 1), "\(name) \(length)")
      }
    }
  }

  @Test func `not-a-number words are null, and damaged JSON stays damaged`() throws {
    let fixture = try ClientFixture("segment-01")
    func names(_ body: String) throws -> [String] {
      try fixture.read(Array(body.utf8)).events.map { "\($0.event.name) \($0.event.properties.map(\.name))" }
    }
    let start = #"{"batch":[{"type":"track","event":"NaN","userId":"u","messageId":"1","properties":{"a":"#
    #expect(try names(start + #"NaN,"b":-Infinity,"c":"Infinity","d":[NaN]}}]}"#) == [#"NaN ["c", "d"]"#])
    for end in [#"NaNa}}]}"#, #"Nan}}]}"#, "1}}]}]", #"1}}]},{"batch":[]}"#, "1}}"] {
      #expect(throws: IngestError.self) { try names(start + end) }
    }
  }

  @Test func `numbers beyond 64 bits are fractions, and whole numbers stay whole`() throws {
    let fixture = try ClientFixture("segment-01")
    let body =
      #"{"batch":[{"type":"track","event":"E","userId":7,"properties":{"a":9007199254740993,"b":5.0,"#
      + #""c":10000000000000000000000000,"d":-9223372036854775808}}]}"#
    let event = try #require(try fixture.read(Array(body.utf8)).events.first?.event)
    #expect(event.user == "7" && event.install == "7")
    let values = event.properties.map(\.value)
    #expect(values == [.integer(9_007_199_254_740_993), .double(5), .double(1e25), .integer(.min)])
  }

  @Test(arguments: ["nan", "-nan", "inf", "-inf", "1e400", "-1e400", "1e308", "0x1p-1074", "9223372036854775807", ""])
  func `a text that is no time is read as none, wherever a time may stand`(text: String) throws {
    // With the fixture whose address is used; `%` stands for the text.
    let bodies = [
      ("segment-01", #"{"batch":[{"type":"track","event":"E","userId":"u","timestamp":"%"}],"sentAt":"%"}"#),
      ("posthog-01", #"{"batch":[{"event":"E","distinct_id":"u","timestamp":"%"}],"sent_at":"%","api_key":"k"}"#),
      ("mixpanel-01", #"[{"event":"E","properties":{"token":"k","distinct_id":"u","time":"%"}}]"#),
      ("amplitude-01", #"{"api_key":"k","events":[{"event_type":"E","user_id":"u","time":"%"}]}"#),
      ("snowplow-01", #"{"data":[{"e":"se","se_ac":"E","aid":"k","dtm":"%","ttm":"%","stm":"%","eid":"1"}]}"#),
      ("ga4-01", #"{"client_id":"c","timestamp_micros":"%","events":[{"name":"E","timestamp_micros":"%"}]}"#),
      ("umami-01", #"{"type":"event","payload":{"website":"k","name":"E","timestamp":"%"}}"#),
      ("aptabase-01", #"[{"timestamp":"%","sessionId":"177000000012345678","eventName":"E"}]"#),
      ("matomo-01", "idsite=k&rec=1&e_c=c&e_a=E&cdt=%&rand=1"),
    ]
    for (name, body) in bodies {
      var fixture = try ClientFixture(name)
      fixture.headers["PostHog-Request-Timestamp"] = text
      fixture.body = body.replacing("%", with: text)
      (fixture.bodyBase64, fixture.headers["Content-Encoding"]) = (nil, nil)
      #expect(try fixture.read().events.map(\.event.name) == ["E"], "\(name)")
      let times = try fixture.batch(arrived: ClientFixture.arrived).events.map(\.time)
      #expect(times == [ClientFixture.arrived], "\(name)")
    }
  }

  @Test(arguments: [1, 5, 20, 86_400])
  func `each client is told a delay that it survives, and none that would make it repeat what never fits`(seconds: Int)
    throws
  {
    let request = try ClientFixture("segment-01").request()
    for client in ClientProtocols.all {
      let busy = ClientOutcome.failed(status: 503, code: "behind", message: "Later.", retryAfterSeconds: seconds)
      let expected =
        switch client.source.rawValue {
        case "otlp", "mixpanel": 1
        case "posthog": 30
        case "segment": min(max(seconds, 5), 30)
        default: seconds
        }
      let answer = client.answer(busy, to: request)
      #expect(answer.status == 503 && answer.retryAfterSeconds == expected, "\(client.title)")
      let large = ClientOutcome.failed(status: 413, code: "too_large", message: "Less.", retryAfterSeconds: nil)
      #expect(client.answer(large, to: request).retryAfterSeconds == nil, "\(client.title)")
    }
  }

  @Test func `what a request leaves out is not confirmed`() throws {
    let fixture = try ClientFixture("mixpanel-01")
    func reading(_ events: Int, apps: Int) throws -> ClientReading {
      let list = (0..<events).map { #"{"event":"E","properties":{"token":"t\#($0 % apps)","distinct_id":"a"}}"# }
      return try fixture.read(Array("[\(list.joined(separator: ","))]".utf8))
    }
    try reading(20_000, apps: 20).check(.clients)
    for (events, apps) in [(20_001, 1), (21, 21)] {
      #expect(throws: IngestError.self) { try reading(events, apps: apps).check(.clients) }
    }
  }

  @Test func `Aptabase's and Snowplow's retries are recognized, whatever the server's clock shows then`() throws {
    let aptabase = try ClientFixture("aptabase-01")
    // An event that isn't the first one of its session, and whose session began three hours before.
    let later = try aptabase.decoded
    let body = Array(
      String(decoding: later, as: UTF8.self).replacing("179585445165722352", with: "179584445165722352").utf8)
    func keys(_ arrived: Timestamp) throws -> [DuplicateKey?] {
      let request = aptabase.request(arrived: arrived)
      let reading = try body.withUnsafeBytes { try AptabaseProtocol().read($0, request) }
      return reading.batch(
        of: reading.keys[0], app: 1, source: .native, received: arrived, request, isFirst: true
      ).events.map(\.duplicateKey)
    }
    let first = try keys(ClientFixture.arrived)
    #expect(try keys(ClientFixture.arrived + .seconds(3_000)) == first && first.count == 2)

    let snowplow = try ClientFixture("snowplow-01")
    func identities(_ stamp: String) throws -> [ClientEvent.Identity] {
      let text = String(decoding: try snowplow.decoded, as: UTF8.self).replacing("\"eid\"", with: "\"other\"")
        .replacing("1795854441000", with: stamp)
      return try snowplow.read(Array(text.utf8)).events.map(\.event.identity)
    }
    let identities = (try identities("1795854441000"), try identities("1795854449000"))
    #expect(identities.0 == identities.1 && Set(identities.0).count == identities.0.count)
  }
}
