import Ingest
import TernEvents
import Testing

/// Tests that the parsers return a value or an ``IngestError`` for any input; a trap would end the test run.
@Suite struct HostileInputTests {
  private let sample = logs(
    #"{"type":"startSession","timestamp":"2025-03-02T13:55:09.120Z","sid":"\#(testSession)"}"#,
    eventLog(
      "Clip \\u00e9\\ud83d\\ude00", id: uuid(1),
      more:
        #","typedProperties":[{"type":"long","name":"n","value":12},{"type":"dateTime","name":"d","value":"2025-02-27T22:10:00Z"}]"#
    ),
    eventLog("A", id: uuid(2), more: #","properties":{"a":"\n","b":[1,-2.5e3,{"c":null}],"d":true}"#),
    #"{"type":"managedError","timestamp":"2025-03-02T13:55:09.120Z","id":"\#(uuid(3))","exception":{"type":"E","message":"#
      + #""a\\u00e9","stackTrace":"x\n y","frames":[{"className":"A","lineNumber":7},{"address":"0x12","code":"a + 1"}],"#
      + #""innerExceptions":[{"type":"F","frames":[]}]},"threads":[{"id":0,"frames":[{"address":"0x15"}]}],"#
      + #""binaries":[{"startAddress":"0x10","endAddress":"0x20","name":"i"}]}"#,
    #"{"type":"errorAttachment","timestamp":"2025-03-02T13:55:09.120Z","id":"\#(uuid(4))","errorId":"\#(uuid(3))","#
      + #""contentType":"text/plain","data":"aGVs\/G8="}"#, "null")

  private var lines: [UInt8] {
    let device = Device(osName: "Linux", osVersion: "12", locale: "de_DE", country: "DE").encodedMembers()
    let properties: Properties = ["a": "x\"\\", "f": 0.1, "i": 7, "b": true, "t": testTime]
    return (1...3).flatMap { number in
      Event(
        id: UniqueID(high: 1, low: number), name: "Played", time: testTime, install: UniqueID(high: 2, low: 3),
        session: UniqueID(high: 4, low: 5), user: "u", properties: properties
      ).line(device: device) + [UInt8(ascii: "\n")]
    } + Array(errors.utf8)
  }

  private let errors =
    #"{"id":"\#(uuid(5))","type":"crash","time":1740924309120,"install":"\#(testInstall)","exception":{"type":"E","#
    + #""stackTrace":"a\nb","frames":[{"methodName":"f","fileName":"\u00fc"}]}}"# + "\n"
    + #"{"id":"\#(uuid(6))","type":"attachment","time":1740924309120,"install":"\#(testInstall)","attachment":{"error":"#
    + #""\#(uuid(5))","id":"\#(uuid(7))","part":0,"parts":2,"data":"aGk="}}"# + "\n"

  private let hits = Array(
    ("v=1&tid=UA-1-2&cid=3&t=event&ec=a%20b&ea=c&el=%C3%BC&ev=1&qt=5&ht=7&z=9&sc=start&ua=Android%204.4%3B%20X%20Build/\n"
      + "v=1&tid=UA-1-3&uid=4&t=screenview&cd=A&geoid=US&ul=en-us\n").utf8)

  private enum Parser: CaseIterable { case native, appCenter, batch, collect, gzip }

  private func body(_ parser: Parser) throws -> [UInt8] {
    switch parser {
    case .native: lines
    case .appCenter: sample
    case .batch, .collect: hits
    case .gzip: try deflated(sample)
    }
  }

  /// The number of parsed events; -1 for an error.
  @discardableResult
  private func parse(_ bytes: [UInt8], _ parser: Parser) -> Int {
    do {
      switch parser {
      case .native:
        return try NativeParser.parse(bytes, received: testTime, key: testKey, app: 1).events.count
      case .appCenter: return try parseLogs(bytes).batch.events.count
      case .gzip: return try BodyDecoder.decode(bytes, encoding: "gzip", limits: IngestLimits()).count
      case .batch:
        return bytes.withUnsafeBytes { MeasurementParser.batch($0, received: testTime, key: testKey).count }
      case .collect:
        return bytes.withUnsafeBytes { MeasurementParser.collect($0, received: testTime, key: testKey).count }
      }
    } catch {
      return -1
    }
  }

  @Test func `a body truncated anywhere is handled`() throws {
    for parser in Parser.allCases {
      let whole = try body(parser)
      #expect(parse(whole, parser) > 0)
      for end in 0...whole.count { parse(Array(whole[..<end]), parser) }
      for start in 0...whole.count { parse(Array(whole[start...]), parser) }
    }
    // A truncated body keeps its complete logs.
    var counts = Set<Int>()
    for end in 0..<(sample.count) { counts.insert(parse(Array(sample[..<end]), .appCenter)) }
    #expect(counts == Set(-1...5))
  }

  private static let seeds: [UInt64] = Array(1...10)

  @Test(arguments: seeds) func `mutated bodies are handled`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let bits = Array(#"{}[]":,\u0x19-.eE+&=%tfn "#.utf8) + [0, 0x1F, 9, 10, 13, 0x80, 0xC0, 0xE2, 0xED, 0xF4, 0xFF]
    for parser in Parser.allCases {
      let whole = try body(parser)
      for _ in 0..<(parser == .gzip ? 500 : 2_000) {
        var mutated = whole
        for _ in 0..<Int.random(in: 1...6, using: &generator) { mutate(&mutated, bits, &generator) }
        parse(mutated, parser)
      }
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ bits: [UInt8], _ generator: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    let other = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
    case 1: bytes[place] = bits[Int.random(in: 0..<bits.count, using: &generator)]
    case 2: bytes.insert(bits[Int.random(in: 0..<bits.count, using: &generator)], at: place)
    case 3: bytes.removeSubrange(min(place, other)..<min(max(place, other), min(place, other) + 20))
    case 4: bytes.swapAt(place, other)
    default:
      bytes.insert(contentsOf: bytes[min(place, other)..<min(max(place, other), min(place, other) + 40)], at: place)
    }
  }

  @Test(arguments: seeds) func `noise is handled`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for size in [1, 7, 63, 64, 65, 500] {
      for _ in 0..<50 {
        let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for parser in Parser.allCases { parse(noise, parser) }
      }
    }
  }

  @Test func `many small items in one body use bounded memory`() throws {
    let quarter = 1 << 20
    let bodies = [
      #"{"logs":["# + String(repeating: "null,", count: quarter / 5) + "null]}",
      #"{"logs":[{"properties":{"# + String(repeating: #""a":1,"#, count: quarter / 6) + #""a":1}}]}"#,
      #"{"logs":[{"x":["# + String(repeating: "[],", count: quarter / 3) + "[]]}]}",
      #"{"logs":[{"name":""# + String(repeating: "\\n", count: quarter / 2) + #""}]}"#,
    ]
    for body in bodies {
      let batch = try parseLogs(Array(body.utf8)).batch
      #expect(batch.events.isEmpty && batch.rejections.count <= 1)
    }
  }

  @Test func `parsers can run on many threads at once`() async throws {
    let (sample, lines) = (sample, lines)
    try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for _ in 0..<32 {
        group.addTask {
          let logs = try parseLogs(sample).batch.events.count
          return (logs, try NativeParser.parse(lines, received: testTime, key: testKey, app: 1).events.count)
        }
      }
      for try await (logs, events) in group { #expect(logs == 5 && events == 5) }
    }
  }
}
