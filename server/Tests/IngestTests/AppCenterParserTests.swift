import Ingest
import TernEvents
import Testing

@Suite struct AppCenterParserTests {
  private let start =
    #"{"type":"startSession","timestamp":"2025-03-02T13:55:09.120Z","sid":"\#(testSession)"}"#

  @Test func `a session and typed events are stored`() throws {
    let typed =
      #","typedProperties":[{"type":"long","name":"Position","value":12},{"type":"double","name":"Volume","value":0.75},"#
      + #"{"type":"boolean","name":"Offline","value":true},{"type":"string","name":"Genre","value":"Jazz"},"#
      + #"{"type":"dateTime","name":"AddedAt","value":"2025-02-27T22:10:00.000Z"},{"type":"double","name":"Whole","#
      + #""value":3},{"type":"dateTime","name":"Odd","value":"soon"},{"name":"Untyped","value":1},7,{"value":2}]"#
    let parsed = try parseLogs(
      logs(start, eventLog("Video clicked", id: uuid(1)), eventLog("Clip opened", id: uuid(2), more: typed)))
    let batch = parsed.batch
    #expect(batch.source == .appCenter && batch.rejections.isEmpty && parsed.diagnosticsIDs.isEmpty)
    #expect(batch.names(.sessionStart) == ["startSession"])
    #expect(batch.names(.event) == ["Video clicked", "Clip opened"])
    #expect(batch.events.map(\.startsSession) == [true, false, false])
    #expect(Set(batch.events.map(\.session)).count == 1 && batch.events[0].session > 0)
    #expect(batch.installs == [testInstall.lowercased()])
    #expect(batch.events[0].time == testTime - .seconds(600))
    let expected: [(String, PropertyValue?)] = [
      ("Position", .integer(12)), ("Volume", .double(0.75)), ("Offline", .boolean(true)), ("Genre", .string("Jazz")),
      ("AddedAt", .date(Timestamp(millisecondsSince1970: 1_740_694_200_000))), ("Whole", .double(3)),
      ("Odd", .string("soon")), ("Untyped", .integer(1)),
    ]
    for (name, value) in expected { #expect(batch.property(name, of: 2) == value, "\(name)") }
    #expect(batch.events[2].properties.count == expected.count)
  }

  @Test func `a device is resolved once, however many logs repeat it`() throws {
    let batch = try parseLogs(logs(start, eventLog("A", id: uuid(1)), eventLog("B", id: uuid(2)))).batch
    #expect(batch.devices.count == 1)
    let device = try #require(batch.devices.first)
    #expect(device.osName == "iOS" && device.osVersion == "17.4.1" && device.model == "iPhone15,2")
    #expect(device.locale == "pt_BR" && device.country == "BR" && device.timeZoneOffsetMinutes == -180)
    #expect(device.appVersion == "3.2.0" && device.appBuild == "418")
    #expect(device.sdkName == "appcenter.ios" && device.sdkVersion == "5.0.7")
  }

  @Test(arguments: [
    (#","carrierCountry":"us""#, "US"), ("", "BR"), (#","carrierCountry":"--""#, "BR"),
    (#","carrierCountry":"Germany""#, "BR"), (#","carrierCountry":null"#, "BR"),
  ]) func `the country is the carrier's, or else the locale's`(member: String, country: String) throws {
    let batch = try parseLogs(logs(eventLog("A", id: uuid(1)), device: deviceBlock(country: member))).batch
    #expect(batch.devices.first?.country == country)
  }

  @Test func `device blocks with a common prefix are distinguished`() throws {
    let one = eventLog("A", id: uuid(1), more: #","device":\#(deviceBlock())"#)
    let two = eventLog("B", id: uuid(2), more: #","device":\#(deviceBlock(extra: #","osName":"iPadOS""#))"#)
    let none = eventLog("C", id: uuid(3))
    let body = #"{"logs":["# + [one, two, none, one, two].joined(separator: " ,\n ") + "]}"
    let batch = try parseLogs(Array(body.utf8)).batch
    #expect(batch.events.map { batch.devices[$0.device].osName } == ["iOS", "iPadOS", "", "iOS", "iPadOS"])
    #expect(batch.devices.count == 3)
  }

  /// Escapes each byte, as the serializers of some languages escape letters that they consider special.
  private func escaped(_ text: String) -> String {
    text.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
  }

  @Test func `members are recognized whichever way their names are escaped`() throws {
    let device = deviceBlock()
    let log = eventLog("A", id: uuid(1), more: #","device":\#(device),"properties":{"d":{"date":5}}"#)
    let error =
      #"{"type":"handledError","timestamp":"2025-03-02T14:04:09Z","id":"\#(uuid(2))","exception":{"type":"E","frames":[{"className":"C","methodName":"m"}]}}"#
    let plain = #"{"logs":[\#(log),\#(error)]}"#
    let expected = try parseLogs(Array(plain.utf8))
    #expect(expected.batch.events.count == 2)
    for name in [
      "logs", "type", "timestamp", "name", "id", "device", "osName", "properties", "date", "exception", "frames",
      "className",
    ] {
      let first = String(name.prefix(1))
      let last = escaped(String(name.suffix(1))).uppercased().replacing("\\U", with: "\\u")
      for spelling in [escaped(name), escaped(first) + name.dropFirst(), String(name.dropLast()) + last] {
        let body = plain.replacing("\"\(name)\":", with: "\"\(spelling)\":")
        let parsed = try parseLogs(Array(body.utf8))
        #expect(parsed.batch.events.map(\.name) == expected.batch.events.map(\.name), "\(spelling)")
        #expect(parsed.batch.events.map(\.time) == expected.batch.events.map(\.time), "\(spelling)")
        #expect(parsed.batch.events.map(\.properties) == expected.batch.events.map(\.properties), "\(spelling)")
        #expect(parsed.batch.devices == expected.batch.devices, "\(spelling)")
        #expect(parsed.batch.errors.map(\.stack) == expected.batch.errors.map(\.stack), "\(spelling)")
      }
    }
    // No other member is mistaken for the list, and a damaged log in the list costs only itself.
    for name in ["log", "logss", "l\\u006fg", "l\\u006fgs\\u0000", "\\u006c\\u006f\\u0067\\u0073s"] {
      #expect(throws: IngestError.self) { try parseLogs(Array(#"{"\#(name)":[\#(log)]}"#.utf8)) }
    }
    let damaged = try parseLogs(Array(#"{"a\x":1,"l\u006fgs":[\#(log),NaN]}"#.utf8))
    #expect(damaged.batch.names(.event) == ["A"] && damaged.batch.reasons == ["not_json"])
  }

  @Test func `a service start is accepted and not stored`() throws {
    let parsed = try parseLogs(
      logs(#"{"type":"startService","timestamp":"2025-03-02T14:04:09.120Z","services":["Crashes","Analytics"]}"#))
    #expect(parsed.withoutEvent == 1 && parsed.batch.events.isEmpty && parsed.batch.rejections.isEmpty)
    let empty = try parseLogs(Array(#"{"logs":[]}"#.utf8))
    #expect(empty.batch.events.isEmpty && empty.batch.rejections.isEmpty)
  }

  @Test func `plain properties are accepted, and typed ones take precedence`() throws {
    let batch = try parseLogs(
      logs(
        eventLog("Purchase", id: uuid(1), more: #","properties":{"Plan":"Yearly","Coupon":""}"#),
        eventLog(
          "Both", id: uuid(2),
          more:
            #","typedProperties":[{"type":"long","name":"n","value":1}],"properties":{"n":"2","m":"3"}"#),
        eventLog(
          "Both", id: uuid(3),
          more:
            #","properties":{"n":"2","m":"3"},"typedProperties":[{"type":"long","name":"n","value":1}]"#))
    ).batch
    #expect(batch.events[0].properties == (["Plan": "Yearly", "Coupon": ""] as Properties).elements)
    for event in 1...2 {
      #expect(batch.property("n", of: event) == .integer(1))
      #expect(batch.property("m", of: event) == .string("3"))
      #expect(batch.events[event].properties.count == 2)
    }
  }

  @Test func `errors, pages, attachments and unknown logs have their own kinds`() throws {
    let time = #""timestamp":"2025-03-02T14:04:09.120Z""#
    let parsed = try parseLogs(
      logs(
        #"{"type":"appleError",\#(time),"id":"\#(uuid(1))","userId":"user-17","threads":[{"id":0,"frames":[]}]}"#,
        #"{"type":"errorAttachment",\#(time),"id":"\#(uuid(2))","errorId":"\#(uuid(1))","data":"aGVsbG8="}"#,
        #"{"type":"handledError",\#(time),"id":"\#(uuid(3))","properties":{"retry":"2"},"exception":{"frames":[{}]}}"#,
        #"{"type":"page",\#(time),"name":"Library","sid":"\#(testSession)","properties":{"sort":"recent"}}"#,
        #"{"type":"futureLog",\#(time),"answer":42}"#, #"{"type":"managedError",\#(time),"id":"\#(uuid(4))"}"#, "null"))
    let batch = parsed.batch
    #expect(batch.rejections.isEmpty)
    #expect(batch.names(.crash) == ["appleError", "managedError"])
    #expect(batch.names(.handledError) == ["handledError"])
    #expect(batch.names(.screen) == ["Library"])
    #expect(batch.names(.other) == ["futureLog"])
    #expect(batch.names(.attachment) == ["errorAttachment"])
    #expect(parsed.diagnosticsIDs == [uuid(1), uuid(3), uuid(4)])
    #expect(batch.events[0].user == "user-17")
    #expect(batch.property("retry", of: 2) == .string("2"))
    guard case .string(let raw)? = batch.property("raw", of: 4) else { throw TestFailure() }
    #expect(raw.hasPrefix(#"{"type":"futureLog","#) && raw.hasSuffix("}}"))
  }

  @Test func `null logs are skipped but count towards positions`() throws {
    let body = #"{"logs":[null,\#(eventLog("A", id: uuid(1))),null,7,"x",[1],\#(eventLog("B", id: uuid(2)))]}"#
    let batch = try parseLogs(Array(body.utf8)).batch
    #expect(batch.events.map(\.index) == [1, 6])
    #expect(batch.rejections.map(\.index) == [3, 4, 5])
    #expect(Set(batch.reasons) == ["not_an_object"])
  }

  @Test func `the age limits are those of App Center`() throws {
    let limit: Int64 = 25 * 86_400_000
    for (offset, reason) in [
      (-limit, nil), (-limit - 1, "time_too_old"), (3 * 86_400_000, nil), (3 * 86_400_000 + 1, "time_in_future"),
    ] as [(Int64, String?)] {
      let received = testTime - .milliseconds(offset)
      let batch = try parseLogs(
        logs(eventLog("A", id: uuid(1), time: "2025-03-02T14:05:09.120Z")), received: received
      ).batch
      #expect(batch.reasons.first == reason)
      #expect(batch.events.count == (reason == nil ? 1 : 0))
    }
  }

  @Test func `a log that is dated after its arrival counts at its arrival, and a retry of it once`() throws {
    let log = logs(eventLog("A", id: uuid(1), time: "2025-03-02T14:05:09.120Z"))
    let dated = try #require(try parseLogs(log, received: testTime).batch.events.first?.time)
    for (ahead, isRight) in [(0, true), (5_000, true), (5_001, false), (2 * 86_400_000, false)] as [(Int64, Bool)] {
      let received = dated - .milliseconds(ahead)
      let events = try [received, received + .seconds(9)].map { try parseLogs(log, received: $0).batch.events[0] }
      #expect(events[0].time == (isRight ? dated : received))
      #expect(events[0].duplicateKey == events[1].duplicateKey)
    }
  }

  @Test(arguments: ["handledError", "managedError", "appleError", "errorAttachment"])
  func `an error without a time counts at its arrival, and a retry of it once`(type: String) throws {
    let more = #""errorId":"\#(uuid(2))","data":"aGVsbG8=","exception":{"type":"E"}"#
    for id in [#""id":"\#(uuid(1))","#, #""id":null,"timestamp":null,"#]
    where type != "errorAttachment" || id.contains("-") {
      let log = logs(#"{"type":"\#(type)",\#(id)\#(more)}"#)
      let batches = try [0, 60_000].map { try parseLogs(log, received: testTime + .milliseconds($0)).batch }
      #expect(batches.allSatisfy { $0.rejections.isEmpty && $0.events.count == 1 })
      #expect(batches.map { $0.events[0].time } == [testTime, testTime + .milliseconds(60_000)])
      #expect(batches[0].events[0].duplicateKey == batches[1].events[0].duplicateKey)
    }
  }

  @Test func `a session start has the same key in any order of its members`() throws {
    let session = #""sid":"\#(testSession)""#
    let time = #""timestamp":"2025-03-02T14:05:00.000Z""#
    let type = #""type":"startSession""#
    let keys = try [
      "{\(type),\(time),\(session)}", "{\(session),\(type),\(time)}",
      "{\(type),\(time),\(session.lowercased())}",
      #"{\#(type),\#(time),"sid":"\#(uuid(1))"}"#,
    ].map { try parseLogs(logs($0)).batch.events.first?.duplicateKey }
    #expect(keys[0] == keys[1] && keys[0] == keys[2] && keys[0] != keys[3])
  }

  @Test func `times, scripts and markup arrive unchanged`() throws {
    let batch = try parseLogs(
      logs(
        eventLog("Видео открыто", id: uuid(1), time: "2025-03-02T14:04:39Z", more: #","properties":{"気分":"良い"}"#),
        eventLog("<script>alert(1)</script>", id: uuid(2), time: "2025-03-02T16:04:40.000+0200"),
        eventLog("👩‍👩‍👧 shared", id: uuid(3), time: "2025-03-02T14:04:41.000Z", more: #","properties":{"e":"é"}"#))
    ).batch
    #expect(batch.names(.event) == ["Видео открыто", "<script>alert(1)</script>", "👩‍👩‍👧 shared"])
    let times = batch.events.map { $0.time.millisecondsSince1970 - testTime.millisecondsSince1970 }
    #expect(times == [-30_120, -29_120, -28_120])
    #expect(batch.property("気分") == .string("良い"))
  }

  @Test(arguments: [
    (#"{"timestamp":"2025-03-02T14:05:09Z"}"#, "type_missing"),
    (#"{"type":"event","timestamp":"2025-03-02T14:05:09Z"}"#, "name_missing"),
    (#"{"type":"page","timestamp":"2025-03-02T14:05:09Z","name":""}"#, "name_missing"),
    (#"{"type":"event","name":"A"}"#, "time_missing"),
    (#"{"type":"handledError","timestamp":"yesterday"}"#, "time_invalid"),
    (#"{"type":"event","name":"A","timestamp":"yesterday"}"#, "time_invalid"),
    (#"{"type":"event","name":"A","timestamp":{}}"#, "time_invalid"),
  ]) func `a log that cannot be stored is the only one rejected`(log: String, reason: String) throws {
    let batch = try parseLogs(logs(log, eventLog("Good", id: uuid(1)))).batch
    #expect(batch.reasons == [reason])
    #expect(batch.names(.event) == ["Good"])
  }

  @Test(arguments: [nil, ""]) func `every log is rejected if the install is missing`(install: String?) throws {
    let batch = try parseLogs(logs(start, eventLog("A", id: uuid(1))), install: install).batch
    #expect(batch.reasons == ["install_missing", "install_missing"])
    #expect(batch.events.isEmpty)
  }

  @Test func `an install that is not a UUID is kept, truncated`() throws {
    let name = "Kiosk-" + String(repeating: "é", count: 40)
    let batch = try parseLogs(logs(start), install: name).batch
    #expect(batch.installs == [String(name.prefix(35))])
  }

  @Test func `a second delivery has the same keys`() throws {
    let page = #"{"type":"page","timestamp":"2025-03-02T14:04:49.000Z","name":"Library"}"#
    let other = #"{"type":"page","timestamp":"2025-03-02T14:04:49.000Z","name":"Player"}"#
    let body = logs(start, eventLog("A", id: uuid(1)), eventLog("A", id: uuid(2)), page, other)
    let first = try parseLogs(body).batch.events.map(\.duplicateKey)
    let lower = try parseLogs(body, install: testInstall.lowercased(), received: testTime + .seconds(60)).batch
    #expect(first == lower.events.map(\.duplicateKey))
    #expect(Set(first.compactMap { $0 }).count == 5)
    #expect(try parseLogs(body, app: 2).batch.events.map(\.duplicateKey) != first)
    #expect(try parseLogs(body, install: uuid(9)).batch.events.map(\.duplicateKey) != first)
  }

  @Test(arguments: [
    "", " ", "[]", "null", "{}", #"{"logs":null}"#, #"{"logs":{}}"#, #"{"logs":["#, #"{"logs":[,"#, #"{"logs":[]} x"#,
    #"{"a":"logs":[1]}"#, #"{"a":{"logs":[{]}}"#, #"{logs:[{}]}"#, #"{"logs"[{}]}"#, #"{"logs:[{}]}"#, "\u{FEFF}",
  ]) func `a body without a list of logs is malformed`(text: String) {
    let error = #expect(throws: IngestError.self) { try parseLogs(Array(text.utf8)) }
    #expect(error?.code == .malformed)
    #expect(error?.message.isEmpty == false)
  }

  @Test func `several lists of logs all count, and positions continue`() throws {
    let (one, two) = (eventLog("A", id: uuid(1)), eventLog("B", id: uuid(2)))
    for (text, indexes) in [
      ("{\"logs\":[],\"logs\":[\(one),\(two)]}", [0, 1]), ("{\"logs\":[\(one),\(two)],\"logs\":[]}", [0, 1]),
      ("{\"logs\":[\(one)],\"a\":1,\"logs\":[null,\(two)]}", [0, 2]),
    ] {
      let batch = try parseLogs(Array(text.utf8)).batch
      #expect(batch.names(.event) == ["A", "B"])
      #expect(batch.events.map(\.index) == indexes)
    }
    let many = "{\"logs\":[\(one)],\"logs\":[\(one)],\"logs\":[\(one)]}"
    let error = #expect(throws: IngestError.self) {
      try parseLogs(Array(many.utf8), limits: IngestLimits(maximumEvents: 2))
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `a byte order mark, blanks and other members are skipped`() throws {
    let text = "\u{FEFF} { \"a\" : [ 1 ] , \"logs\" : [ \(eventLog("A", id: uuid(1))) ] , \"b\" : { } } \n"
    #expect(try parseLogs(Array(text.utf8)).batch.names(.event) == ["A"])
  }

  @Test func `numbers are accepted in place of texts`() throws {
    let block = #"{"osName":"iOS","osVersion":17.4,"appBuild":418,"model":true,"timeZoneOffset":1e9,"locale":null}"#
    let batch = try parseLogs(logs(eventLog("A", id: uuid(1)), device: block)).batch
    let device = try #require(batch.devices.first)
    #expect(device.osVersion == "17.4" && device.appBuild == "418" && device.model == "" && device.locale == "")
    #expect(device.timeZoneOffsetMinutes == 0)
  }

  @Test func `a request with too many logs is rejected as a whole`() throws {
    let error = #expect(throws: IngestError.self) {
      try parseLogs(logs(start, start, start), limits: IngestLimits(maximumEvents: 2))
    }
    #expect(error?.code == .tooLarge)
  }
}

struct TestFailure: Error {}
