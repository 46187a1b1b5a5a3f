import Ingest
import TernEvents
import Testing

@Suite struct NativeParserTests {
  private let device = Device(
    osName: "Linux", osVersion: "12", model: "x86_64", locale: "pt_BR", country: "br", timeZoneOffsetMinutes: -180,
    appVersion: "3.2.0", appBuild: "418")

  private func event(_ number: Int, kind: EventKind = .event, name: String = "Played", properties: Properties = [:])
    -> Event
  {
    Event(
      id: UniqueID(high: 0x0195_5A3B_2C00_7000, low: 0x8000_0000_0000_0000 | UInt64(number)), kind: kind,
      name: name, time: testTime, install: UniqueID(testInstall) ?? UniqueID(high: 0, low: 0),
      session: UniqueID(testSession), user: "user-7", properties: properties)
  }

  private func body(_ events: [Event]) -> [UInt8] {
    let members = device.encodedMembers()
    return events.flatMap { $0.line(device: members) + [UInt8(ascii: "\n")] }
  }

  private func line(_ members: String) -> String {
    #"{"id":"\#(uuid(1))","type":"event","name":"A","time":\#(testTime.millisecondsSince1970),"#
      + #""install":"\#(testInstall)"\#(members)}"#
  }

  @Test func `events written by the client are read completely`() throws {
    let properties: Properties = [
      "Category": "Mus\"ic\n", "Length": 12.5, "Count": -3, "HD": true, "Off": false,
      "At": Timestamp(millisecondsSince1970: 1_700_000_000_123), "気分": "良い 👩‍👩‍👧", "Small": 1e-7,
    ]
    let batch = try NativeParser.parse(
      body([event(1, properties: properties), event(2, kind: .screen, name: "Library")]), received: testTime,
      key: testKey, app: 1)
    #expect(batch.source == .native && batch.received == testTime && batch.rejections.isEmpty)
    #expect(batch.installs == [testInstall.lowercased()])
    #expect(batch.events.map(\.name) == ["Played", "Library"])
    #expect(batch.events.map(\.kind) == [.event, .screen])
    #expect(batch.events.map(\.index) == [0, 1])
    #expect(batch.events[0].properties == properties.elements)
    #expect(batch.events[0].user == "user-7")
    #expect(batch.events[0].time == testTime)
    #expect(batch.events[0].session > 0 && batch.events[0].session == batch.events[1].session)
    #expect(batch.devices.count == 1)
    let stored = try #require(batch.devices.first)
    #expect(stored.osName == "Linux" && stored.osVersion == "12" && stored.model == "x86_64")
    #expect(stored.country == "BR" && stored.timeZoneOffsetMinutes == -180 && stored.locale == "pt_BR")
    #expect(stored.appVersion == "3.2.0" && stored.appBuild == "418")
    #expect(stored.sdkName == "tern-swift" && stored.sdkVersion == ternVersion)
  }

  @Test func `session starts and drop reports are named after their type`() throws {
    let batch = try NativeParser.parse(
      body([event(1, kind: .sessionStart, name: ""), event(2, kind: .drops, name: "", properties: ["full": 12])]),
      received: testTime, key: testKey, app: 1)
    #expect(batch.events.map(\.name) == ["session_start", "drops"])
    #expect(batch.events.map(\.startsSession) == [true, false])
    #expect(batch.property("full", of: 1) == .integer(12))
  }

  @Test func `a retry has the same key, and any other event a different one`() throws {
    let first = try NativeParser.parse(body([event(1), event(2)]), received: testTime, key: testKey, app: 1)
    let retry = try NativeParser.parse(
      body([event(2), event(1)]), received: testTime + .seconds(3600), key: testKey, app: 1)
    #expect(first.events.map(\.duplicateKey) == retry.events.reversed().map(\.duplicateKey))
    let keys = first.events.map(\.duplicateKey)
    #expect(keys[0] != keys[1])
    #expect(keys[0]?.milliseconds == testTime.millisecondsSince1970)
    let otherApp = try NativeParser.parse(body([event(1)]), received: testTime, key: testKey, app: 2)
    let otherKind = try NativeParser.parse(body([event(1, kind: .screen)]), received: testTime, key: testKey, app: 1)
    #expect(otherApp.events[0].duplicateKey != keys[0])
    #expect(otherKind.events[0].duplicateKey != keys[0])
    let upper = try parseLines(line("").uppercasedID)
    let lower = try parseLines(line("").lowercasedID)
    #expect(upper.events[0].duplicateKey == lower.events[0].duplicateKey)
  }

  @Test(arguments: [
    (#"{"id":"AAAAAAAA-0000-4000-8000-000000000001"}"#, "type_missing"), (#"{}"#, "id_missing"),
    (#"{"id":"7","type":"event"}"#, "id_invalid"), (#"{"id":7,"type":"event"}"#, "id_missing"),
  ]) func `an incomplete event is the only one rejected`(text: String, reason: String) throws {
    let batch = try parseLines(text + "\n" + line(""))
    #expect(batch.reasons == [reason])
    #expect(batch.events.count == 1)
    #expect(batch.events.first?.index == 1)
  }

  @Test(arguments: [
    (#""type":"event""#, #""type":"Event""#, "type_unknown"), (#""name":"A""#, #""name":"""#, "name_missing"),
    (#""name":"A","#, "", "name_missing"), (#""name":"A""#, #""name":null"#, "name_missing"),
    (#""time":"#, #""times":"#, "time_missing"), (#""time":"#, #""time":"x","t":"#, "time_invalid"),
    (#""time":"#, #""time":1.5,"t":"#, "time_invalid"), (#""install":"0"#, #""install":"z"#, "install_invalid"),
    (#""install":"#, #""installs":"#, "install_missing"),
    (#""time":"#, #""time":9223372036854775807,"t":"#, "time_in_future"),
    (#""time":"#, #""time":-9223372036854775808,"t":"#, "time_too_old"),
  ]) func `a rejected event has a reason`(part: String, replacement: String, reason: String) throws {
    let text = line("").replacing(part, with: replacement)
    let batch = try parseLines(text)
    #expect(batch.reasons == [reason])
    #expect(batch.rejections.first?.message.isEmpty == false)
    #expect(batch.rejections.first?.id == uuid(1))
    #expect(batch.events.isEmpty)
  }

  @Test func `the time window includes both ends`() throws {
    let limits = IngestLimits(maximumAge: .seconds(10), maximumLead: .seconds(5))
    for (offset, expected) in [(-10_000, nil), (-10_001, "time_too_old"), (5_000, nil), (5_001, "time_in_future")] {
      let batch = try parseLines(line(""), received: testTime - .milliseconds(offset), limits: limits)
      #expect(batch.reasons.first == expected)
    }
  }

  @Test(arguments: [
    ("{", 0, 0), (#"{"a":1"#, 6, 0), (#"{"a":tru}"#, 5, 0), (#"{"a":1}{"b":2}"#, 7, 0), (#"[1]"#, 0, 0),
    ("7", 0, 0), (#"{"a":01}"#, 5, 0), (#"{"a":1.}"#, 5, 0), (#"{"a":"\x"}"#, 9, 0), (#"{"a":"b}"#, 5, 0),
    (#"{"a":1,}"#, 7, 0), (#"{"a" 1}"#, 5, 0), (#"{a:1}"#, 1, 0), (#"{"a":[1,2}"#, 9, 0), ("{\"a\":\"\t\"}", 6, 0),
    (#"{"a":{"b":[}}"#, 11, 0), (#"{"a":-}"#, 5, 0), (#"{"a":1e}"#, 5, 0), (#"{"a":"\u12G4"}"#, 13, 0),
  ]) func `broken JSON fails the request and is located`(text: String, position: Int, index: Int) throws {
    let good = line("")
    let error = #expect(throws: IngestError.self) { try parseLines(good + "\n\n" + text + "\n" + good) }
    #expect(error?.code == .malformed)
    #expect(error?.index == 2)
    #expect(error?.position ?? -1 >= good.utf8.count + 2)
    let alone = #expect(throws: IngestError.self) { try parseLines(text) }
    #expect(alone?.index == 0)
    #expect(abs((alone?.position ?? -9) - position) <= 1, "\(text): \(String(describing: alone))")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `all unreadable lines are listed, and the body is readable without them`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let bad = ["{", "7", #"{"a":tru}"#, "\u{1}", #"{"device":{},"device":{}}"#, #"{"a":"b}"#, "nul", "}", #"{"a":"\"#]
    var lines = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bad.randomElement(using: &generator) ?? "{"
      case 1: [" ", "", "\r"].randomElement(using: &generator) ?? ""
      default: line(#","device":{"osName":"\#(Int.random(in: 0..<3, using: &generator))"}"#)
      }
    }
    let expected = lines.indices.filter { bad.contains(lines[$0]) }
    let good = lines.count { $0.hasPrefix(#"{"id""#) }
    if !expected.isEmpty {
      let error = #expect(throws: IngestError.self) { try parseLines(lines.joined(separator: "\n")) }
      #expect(error?.code == .malformed && error?.index == expected.first, "seed \(seed)")
      #expect(error?.indexes == expected, "seed \(seed)")
    }
    for index in expected.reversed() { lines.remove(at: index) }
    #expect(try parseLines(lines.joined(separator: "\n")).events.count == good, "seed \(seed)")
  }

  @Test func `the list of unreadable lines is bounded, and too many events do not hide it`() throws {
    let many = #expect(throws: IngestError.self) {
      try parseLines(String(repeating: "x\n", count: 50_000))
    }
    #expect(many?.indexes == Array(0..<2_000))
    let limits = IngestLimits(maximumEvents: 2)
    let both = #expect(throws: IngestError.self) {
      try parseLines(["x", line(""), line(""), line(""), "x"].joined(separator: "\n"), limits: limits)
    }
    #expect(both?.code == .malformed && both?.index == 0 && both?.indexes == [0])
    let tooMany = #expect(throws: IngestError.self) {
      try parseLines([line(""), line(""), line(""), "x"].joined(separator: "\n"), limits: limits)
    }
    #expect(tooMany?.code == .tooLarge && tooMany?.index == 2 && tooMany?.indexes == [])
  }

  @Test func `invalid UTF-8 is located`() throws {
    let good = Array(line("").utf8)
    for (bytes, position) in [([0xFF], 6), ([0xC0, 0x80], 6), ([0xED, 0xA0, 0x80], 6), ([0xE2, 0x82], 6)]
      as [([UInt8], Int)]
    {
      let bad = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
      let error = #expect(throws: IngestError.self) {
        try NativeParser.parse(good + [10] + bad, received: testTime, key: testKey, app: 1)
      }
      #expect(error?.code == .malformed && error?.index == 1 && error?.position == good.count + 1 + position)
    }
  }

  @Test func `blank lines, carriage returns and unknown members are ignored`() throws {
    let batch = try parseLines("\r\n" + line(#","later":{"deep":[1,{"a":null}]},"uptime":5,"boot":"b""#) + "\r\n \n")
    #expect(batch.events.count == 1)
    #expect(batch.events[0].index == 1)
    #expect(try parseLines("").events.isEmpty)
  }

  @Test func `values keep their types`() throws {
    let batch = try parseLines(
      line(
        #","properties":{"i":9223372036854775807,"m":-9223372036854775808,"b":9223372036854775808,"z":-0,"f":1.0,"#
          + #""e":2.5e3,"p":0.1,"h":1e400,"n":null,"o":{"a": [1, 2]},"d":{"date":5},"x":{"date":"y"},"t":true,"#
          + #""long":3.141592653589793238462643,"":1,"u":"\ud83d\ude00\ud800A\u0000","dup":1,"dup":2}"#))
    let expected: [(String, PropertyValue?)] = [
      ("i", .integer(.max)), ("m", .integer(.min)), ("b", .double(9_223_372_036_854_775_808)), ("z", .integer(0)),
      ("f", .double(1)), ("e", .double(2500)), ("p", .double(0.1)), ("h", .string("1e400")), ("n", nil),
      ("o", .string(#"{"a": [1, 2]}"#)), ("d", .date(Timestamp(millisecondsSince1970: 5))),
      ("x", .string(#"{"date":"y"}"#)), ("t", .boolean(true)), ("long", .double(3.141592653589793)), ("", nil),
      ("u", .string("😀\u{FFFD}A\u{FFFD}")), ("dup", .integer(2)),
    ]
    for (name, value) in expected { #expect(batch.property(name) == value, "\(name)") }
  }

  @Test func `names and values are truncated between characters`() throws {
    let limits = IngestLimits(maximumNameBytes: 4, maximumValueBytes: 6, maximumProperties: 2)
    let text = line(#","properties":{"abcdef":"aéééé","b":[1,2,3,4],"c":1}"#).replacing(#""A""#, with: #""ab€""#)
    let batch = try parseLines(text, limits: limits)
    #expect(batch.events.first?.name == "ab")
    #expect(batch.events.first?.properties.map(\.name) == ["abcd", "b"])
    #expect(batch.property("abcd") == .string("aéé"))
    #expect(batch.property("b") == .string("[1,2,3"))
  }

  @Test func `escaped member names are the same names`() throws {
    let batch = try parseLines(line("").replacing(#""name""#, with: #""n\u0061me""#))
    #expect(batch.events.map(\.name) == ["A"])
  }

  @Test func `too many events and events that are too long are rejected`() throws {
    let error = #expect(throws: IngestError.self) {
      try parseLines([line(""), line("")].joined(separator: "\n"), limits: IngestLimits(maximumEvents: 1))
    }
    #expect(error?.code == .tooLarge)
    let long = String(repeating: "x", count: NativeProtocol.maximumEventBytes)
    #expect(try parseLines(line(#","user":"\#(long)""#)).reasons == ["event_too_large"])
  }

  @Test func `deep nesting is rejected safely`() throws {
    for depth in [10, 1023, 1024, 1025, 100_000] {
      let nested = String(repeating: #"{"a":["#, count: depth / 2) + String(repeating: "]}", count: depth / 2)
      let text = line(#","x":\#(nested.isEmpty ? "1" : nested)"#)
      if depth / 2 * 2 <= 1024 {
        #expect(try parseLines(text).events.count + (text.utf8.count > 65_536 ? 1 : 0) == 1)
      } else {
        #expect(throws: IngestError.self) { try parseLines(text) }
      }
      #expect(throws: IngestError.self) { try parseLines(String(repeating: "[", count: depth)) }
    }
  }

  @Test func `each event has its own device and install`() throws {
    let other = #","device":{"osName":"iOS"},"app":{"version":"1","build":2}"#
    let upper = line(other).replacing("0C7C9D1E", with: "1C7C9D1E")
    let batch = try parseLines([line(""), line(other), upper, line(""), line(other)].joined(separator: "\n"))
    #expect(batch.installs.count == 2)
    #expect(batch.devices.map(\.osName) == ["", "iOS"])
    #expect(batch.devices[1].appVersion == "1" && batch.devices[1].appBuild == "2")
    #expect(batch.events.map(\.device) == [0, 1, 1, 0, 1])
    #expect(batch.events.map(\.install) == [0, 0, 1, 0, 0])
  }
}

extension String {
  fileprivate var uppercasedID: String { replacing("AAAAAAAA-", with: "ABCDEFAB-") }
  fileprivate var lowercasedID: String { replacing("AAAAAAAA-", with: "abcdefab-") }
}
