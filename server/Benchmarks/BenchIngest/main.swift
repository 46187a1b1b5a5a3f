import Ingest
import TernEvents

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

// Measures how long the parsers take for typical bodies: `bench-ingest [rounds]` (`Scripts/bench ingest`).
//
// The figures are processor time of this thread, so that other work on the machine disturbs them little.

let rounds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 9
let received = Timestamp(millisecondsSince1970: 1_740_924_309_120)
let key = DuplicateHashKey(1, 2)
let install = "0c7c9d1e-5a77-4e0c-8f0b-3b8e1d0f9a42"

func uuid(_ number: Int) -> String {
  let digits = String(number, radix: 16)
  return "AAAAAAAA-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}

/// A batch as the App Center SDK sends it: each log repeats the device block.
let logs: [UInt8] = {
  let device =
    #""device":{"sdkName":"appcenter.ios","sdkVersion":"5.0.7","model":"iPhone15,2","oemName":"Apple","osName":"iOS","#
    + #""osVersion":"17.4.1","osBuild":"21E236","locale":"pt_BR","timeZoneOffset":-180,"screenSize":"2556x1179","#
    + #""appVersion":"3.2.0","appBuild":"418","appNamespace":"br.example.player","carrierCountry":"BR"}"#
  let events = (0..<50).map { number in
    #"{"type":"event","timestamp":"2025-03-02T14:05:00.\#(100 + number)Z","sid":"\#(uuid(7))","id":"\#(uuid(number))","#
      + #""name":"Video clicked","typedProperties":[{"type":"long","name":"Position","value":\#(number)},"#
      + #"{"type":"double","name":"Volume","value":0.75},{"type":"string","name":"Genre","value":"Jazz \u0026 Soul"}],"#
      + device + "}"
  }
  return Array(#"{"logs":[\#(events.joined(separator: ","))]}"#.utf8)
}()

/// A batch as Tern's own client sends it.
let lines: [UInt8] = {
  let device = Device(
    osName: "iOS", osVersion: "17.4.1", model: "iPhone15,2", locale: "pt_BR", country: "BR",
    timeZoneOffsetMinutes: -180, appVersion: "3.2.0", appBuild: "418"
  ).encodedMembers()
  let properties: Properties = ["Position": 12, "Volume": 0.75, "Genre": "Jazz", "Offline": true]
  return (0..<50).flatMap { number in
    Event(
      id: UniqueID(high: 1, low: UInt64(number)), name: "Video clicked", time: received,
      install: UniqueID(high: 2, low: 3), session: UniqueID(high: 4, low: 5), user: "user-7", properties: properties
    ).line(device: device) + [UInt8(ascii: "\n")]
  }
}()

/// A batch of hits as the Google Analytics SDK sends it.
let hits: [UInt8] = {
  let hits = (0..<20).map { number in
    "v=1&tid=UA-12345-1&cid=\(uuid(7))&t=event&ec=Videos&ea=Video%20clicked&el=Jazz%20%26%20Soul&ev=\(number)&cd=Player"
      + "&an=Player&av=3.2.0&aid=br.example.player&ul=pt-br&sr=1179x2556&cd1=Premium&cm2=\(number)"
      + "&ht=\(1_740_924_300_000 + number)&qt=\(900 + number)&z=\(4_000_000 + number)&_v=mi3.1.2"
  }
  return Array(hits.joined(separator: "\n").utf8)
}()

/// Processor nanoseconds of this thread.
func processorTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}

func measure(_ name: String, _ body: [UInt8], events: Int, _ parse: ([UInt8]) throws -> Int) rethrows {
  let repetitions = max(1, 4_000_000 / body.count)
  var times: [Double] = []
  for _ in 0...rounds {
    let start = processorTime()
    for _ in 0..<repetitions where try parse(body) != events { fatalError("\(name): wrong number of events") }
    times.append(Double(processorTime() - start) / Double(repetitions))
  }
  // The first round warms up.
  let sorted = times.dropFirst().sorted()
  let nanoseconds = sorted[sorted.count / 2]
  func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
  print(
    "\(name): \(rounded(nanoseconds / Double(max(events, 1)))) ns/event",
    "(\(rounded(sorted[0] / Double(max(events, 1))))…\(rounded((sorted.last ?? 0) / Double(max(events, 1))))),",
    "\(rounded(Double(body.count) * 1000 / nanoseconds)) MB/s")
}

try measure("App Center, 50 logs", logs, events: 50) {
  try AppCenterParser.parse($0, install: install, received: received, key: key, app: 1).batch.events.count
}
try measure("native, 50 lines", lines, events: 50) {
  try NativeParser.parse($0, received: received, key: key, app: 1).events.count
}
measure("hits, batch of 20", hits, events: 20) { body in
  body.withUnsafeBytes { MeasurementParser.batch($0, received: received, key: key) }
    .reduce(0) { $0 + $1.batch.events.count }
}
let hostile = Array(#"{"logs":["#.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 16 << 20 - 9)
measure("hostile, 16 MiB of [", hostile, events: 0) {
  (try? AppCenterParser.parse($0, install: install, received: received, key: key, app: 1).batch.events.count) ?? 0
}
let dense = Array((#"{"logs":[[["# + String(repeating: "[],", count: 5_590_000) + "[]]]]}").utf8)
measure("hostile, 16 MiB of [],", dense, events: 0) {
  (try? AppCenterParser.parse($0, install: install, received: received, key: key, app: 1).batch.events.count) ?? 0
}
