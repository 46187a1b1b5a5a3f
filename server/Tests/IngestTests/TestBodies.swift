import Ingest
import TernEvents

/// 2025-03-02T14:05:09.120Z.
let testTime = Timestamp(millisecondsSince1970: 1_740_924_309_120)
let testKey = DuplicateHashKey(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
let testInstall = "0C7C9D1E-5A77-4E0C-8F0B-3B8E1D0F9A42"
let testSession = "7B0E2C5E-6C2B-4B57-9A5E-0D6B6F0B9E11"

/// The device block of one App Center log; `extra` precedes the closing bracket.
func deviceBlock(os: String = "iOS", country: String = #","carrierCountry":"BR""#, extra: String = "") -> String {
  #"{"sdkName":"appcenter.ios","sdkVersion":"5.0.7","model":"iPhone15,2","oemName":"Apple","osName":"\#(os)","#
    + #""osVersion":"17.4.1","osBuild":"21E236","locale":"pt_BR","timeZoneOffset":-180,"screenSize":"2556x1179","#
    + #""appVersion":"3.2.0","appBuild":"418","appNamespace":"br.example.player"\#(country)\#(extra)}"#
}

/// A body of App Center logs; each log that is an object gets the device.
func logs(_ logs: String..., device: String = deviceBlock()) -> [UInt8] {
  let complete = logs.map { log in
    log.hasSuffix("}") ? log.dropLast() + #","device":"# + device + "}" : log[...]
  }
  return Array((#"{"logs":["# + complete.joined(separator: ",") + "]}").utf8)
}

/// The required members of an event log.
func eventLog(_ name: String, id: String, time: String = "2025-03-02T14:05:00.000Z", more: String = "") -> String {
  #"{"type":"event","timestamp":"\#(time)","sid":"\#(testSession)","id":"\#(id)","name":"\#(name)"\#(more)}"#
}

func uuid(_ number: Int) -> String {
  let digits = String(number, radix: 16)
  return "AAAAAAAA-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}

func parseLogs(
  _ body: [UInt8], install: String? = testInstall, received: Timestamp = testTime, app: Int64 = 1,
  limits: IngestLimits = .appCenter
) throws -> AppCenterBatch {
  try AppCenterParser.parse(body, install: install, received: received, key: testKey, app: app, limits: limits)
}

func parseLines(
  _ text: String, received: Timestamp = testTime, app: Int64 = 1, limits: IngestLimits = .native
) throws -> IncomingBatch {
  try NativeParser.parse(Array(text.utf8), received: received, key: testKey, app: app, limits: limits)
}

func collect(_ payload: String, userAgent: String? = nil, received: Timestamp = testTime) -> [MeasurementBatch] {
  MeasurementParser.collect(payload, userAgent: userAgent, received: received, key: testKey)
}

extension IncomingBatch {
  func names(_ kind: StoredKind) -> [String] { events.filter { $0.kind == kind }.map(\.name) }
  var reasons: [String] { rejections.map(\.reason) }
  func property(_ name: String, of event: Int = 0) -> PropertyValue? { Properties(events[event].properties)[name] }
}

/// A small seeded random number generator.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
