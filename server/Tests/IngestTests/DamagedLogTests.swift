import Ingest
import TernEvents
import Testing

/// Tests logs that are not JSON: each costs its request only that log.
@Suite struct DamagedLogTests {
  private let one = eventLog("A", id: uuid(1), more: #","device":\#(deviceBlock()),"properties":{"a":"}],[\\\"{"}"#)
  private let two = eventLog("B", id: uuid(2), more: #","device":\#(deviceBlock()),"properties":{"b":"\u00e9"}"#)

  private func body(_ logs: [[UInt8]]) -> [UInt8] {
    Array(#"{"a":[1,"]"],"logs": [ "#.utf8) + logs.joined(separator: [0x20, 0x2C, 0x0A]) + Array(#" ] ,"b":{}} "#.utf8)
  }

  private static let damaged: [[UInt8]] =
    [
      "NaN", "-Infinity", "{", #"{"properties":{"a":{"b":[1,2}}}"#, #"{"a":1]"#, #"{"a":[1}"#, #"{"a":1}}"#, "}",
      #"{"device":{"a":tru}}"#, #"{"typedProperties":[{"name":}]}"#, "{\"a\":\"\n\"}", "\u{0}", #"{"a" 1}"#, "{}{}",
      "{} x",
      #"{"type":"event","timestamp":"2025-03-02T14:05:00Z","name":"N","properties":{"n":NaN,"m":"]}"}}"#,
      #"{"a":"\x"}"#, #"{"a":01}"#, "{,}", #"{"a":1,}"#, "+1", "'a'", #"{"a":"\ud83"}"#,
      #"{"a":"# + String(repeating: "[", count: 1_100) + String(repeating: "]", count: 1_100) + "}",
    ].map { Array($0.utf8) } + [
      Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8), [0xC3],
      Array(#"{"a":"é"#.utf8).dropLast() + Array(#""}"#.utf8),
    ]

  @Test(arguments: damaged) func `a log that is not JSON is the only one lost, and is counted`(log: [UInt8]) throws {
    let text = String(decoding: log, as: UTF8.self)
    let isSwallowing = ["{", #"{"a":1]"#].contains(text)
    for place in 0...2 {
      var list = [Array(one.utf8), Array(two.utf8)]
      list.insert(log, at: place)
      let parsed = try parseLogs(body(list))
      // An unclosed bracket costs the logs after it, and none before it.
      let expected = isSwallowing ? Array(["A", "B"].prefix(place)) : ["A", "B"]
      #expect(parsed.batch.names(.event) == expected, "\(text) at \(place)")
      #expect(parsed.batch.reasons == ["not_json"], "\(text) at \(place)")
      #expect(parsed.batch.rejections.map(\.index) == [place])
      #expect(parsed.batch.devices.count == (expected.isEmpty ? 0 : 1))
      if parsed.batch.events.count == 2 {
        #expect(parsed.batch.events.map(\.index) == [0, 1, 2].filter { $0 != place })
        #expect(parsed.batch.property("a") == .string(#"}],[\"{"#) && parsed.batch.property("b", of: 1) == .string("é"))
      }
    }
  }

  @Test func `an unclosed text loses the logs after it, but none before it`() throws {
    let open = Array(#"{"type":"event","name":"x},"#.utf8)
    for place in 0...2 {
      var list = [Array(one.utf8), Array(two.utf8)]
      list.insert(open, at: place)
      let batch = try parseLogs(body(list)).batch
      #expect(batch.names(.event) == Array(["A", "B"].prefix(place)))
      #expect(batch.reasons == ["not_json"] && batch.rejections.map(\.index) == [place])
    }
  }

  @Test func `a damaged error is not among the accepted ones`() throws {
    func error(_ number: Int, _ more: String) -> String {
      #"{"type":"handledError","timestamp":"2025-03-02T14:04:09Z","id":"\#(uuid(number))","exception":{"type":"E"\#(more)}}"#
    }
    let list = [error(1, ""), error(2, #","message":NaN"#), error(3, "")]
    let parsed = try parseLogs(body(list.map { Array($0.utf8) }))
    #expect(parsed.diagnosticsIDs == [uuid(1), uuid(3)])
    #expect(parsed.batch.errors.map(\.event) == [0, 1] && parsed.batch.reasons == ["not_json"])
  }

  @Test func `a truncated body keeps the logs before the cut, and the rest counts as one`() throws {
    let whole = Array("{\"logs\":[\(one),\(two)]}".utf8)
    let (first, second) = (9 + one.utf8.count, 10 + one.utf8.count + two.utf8.count)
    for end in 10..<whole.count {
      let batch = try parseLogs(Array(whole[..<end])).batch
      #expect(batch.names(.event) == (end < first ? [] : end < second ? ["A"] : ["A", "B"]), "\(end)")
      // Nothing can be missing after the list.
      let isListClosed = end > second
      #expect(batch.reasons == (isListClosed ? [] : ["not_json"]), "\(end)")
      #expect(isListClosed || batch.rejections.map(\.index) == [end < first ? 0 : end < second ? 1 : 2], "\(end)")
    }
  }

  @Test func `damage outside the list loses no log`() throws {
    for text in [
      "{\"a\":NaN,\"logs\":[\(one),\(two)]}", "{\"logs\":[\(one),\(two),]}", "{\"logs\":[\(one),\(two)],}",
      "{\"logs\":[\(one),\(two)]} x", "{\"logs\":[\(one)],\"b\":tru,\"logs\":[\(two)]}",
      "{a:{\"b\":[}],\"logs\":[\(one),\(two)]}",
      "\u{FEFF}{\"logs\":[\(one),\(two)]}}", "{:,\"logs\":[\(one),\(two)]",
    ] {
      let batch = try parseLogs(Array(text.utf8)).batch
      #expect(batch.names(.event) == ["A", "B"] && batch.events.map(\.index) == [0, 1], "\(text)")
      #expect(batch.rejections.isEmpty, "\(text)")
    }
  }

  @Test func `damaged logs count towards the limit of a request`() throws {
    let list = [Array(one.utf8), Array("NaN".utf8), Array(two.utf8)]
    #expect(try parseLogs(body(list), limits: IngestLimits(maximumEvents: 3)).batch.events.count == 2)
    let error = #expect(throws: IngestError.self) {
      try parseLogs(body(list), limits: IngestLimits(maximumEvents: 2))
    }
    #expect(error?.code == .tooLarge)
  }

  /// Each body would take minutes if every byte caused the earlier bytes to be read again.
  @Test(arguments: [
    "[", "{", "]", "}", "[{", "\"", "\\", "{\"logs\":[", ",", ":", "\"\",", "NaN,", "{}}", "{\"a\":[1},",
  ])
  func `hostile bodies take linear time`(unit: String) {
    let size = 256 << 10
    let rest = [UInt8]((0..<size / unit.utf8.count).lazy.map { _ in unit.utf8 }.joined())
    for start in ["{\"logs\":[", "{\"a\":", "{\"logs\":[{\"b\":\"", "{\"logs\":[{}],"] {
      _ = try? parseLogs(Array(start.utf8) + rest)
    }
  }
}
