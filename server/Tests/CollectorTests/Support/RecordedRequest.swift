import Foundation
import HTTPTypes
import TernEvents
import Testing

/// A request of an App Center client, and the metrics expected after it.
///
/// The formats are those of real clients; all ids, names and values are invented.
struct RecordedRequest: Sendable, CustomTestStringConvertible {
  /// The client that sends such requests.
  var client: String
  var uri = "/logs?api-version=1.0.0"
  var headers: [(String, String)]
  /// The body, with times in seconds from now: `{-60}` becomes a time with milliseconds and `Z`, `{-60s}` one without a
  /// fraction, and `{-60+}` one with the offset +0200.
  var body: String
  /// The expected `validDiagnosticsIds` of the response.
  var diagnosticsIDs: [String] = []
  /// The expected reports.
  var metrics: Metrics

  /// The total of all counted logs.
  struct Metrics: Sendable, Equatable {
    var events: [String: Int] = [:]
    var screens: [String: Int] = [:]
    /// `event/property/value`.
    var properties: [String: Int] = [:]
    var sessions = 0
    var installs = 1
    var handled = 0
    var crashes = 0
    var attachments = 0
    var keptRaw = 0
    var refused = 0
  }

  var testDescription: String { client }

  /// The body as sent at a time.
  func body(at now: Date) -> String {
    var text = body
    while let open = text.range(of: #"\{-?[0-9]+[s+]?\}"#, options: .regularExpression) {
      let code = text[open].dropFirst().dropLast()
      let form = code.last.flatMap { "s+".contains($0) ? $0 : nil }
      let seconds = Double(form == nil ? code : code.dropLast()) ?? 0
      text.replaceSubrange(open, with: Self.written(now + seconds, form: form))
    }
    return text
  }

  private static func written(_ time: Date, form: Character?) -> String {
    switch form {
    case "s": time.formatted(.iso8601)
    case "+": (time + 7_200).formatted(.iso8601).replacing("Z", with: "+0200")
    default: Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time)
    }
  }
}

extension RecordedRequest {
  private static let phone =
    #""device":{"sdkName":"appcenter.ios","sdkVersion":"5.0.4","model":"iPhone14,7","oemName":"Apple","osName":"iOS","#
    + #""osVersion":"16.6","osBuild":"20G75","locale":"de_DE","timeZoneOffset":60,"screenSize":"2532x1170","#
    + #""appVersion":"2.1.0","appBuild":"77","appNamespace":"com.example.notes","carrierCountry":"DE"}"#
  private static let robot =
    #""device":{"sdkName":"appcenter.android","sdkVersion":"4.4.5","model":"SM-G991B","oemName":"samsung","#
    + #""osName":"Android","osVersion":"12","osBuild":"SP1A","osApiLevel":31,"locale":"en_GB","timeZoneOffset":0,"#
    + #""screenSize":"1080x2400","appVersion":"2.1.0","appBuild":"77","appNamespace":"com.example.notes"}"#
  private static let session = "5D1F0A52-0E0C-4A0E-9D6B-3C9C2C1B7E01"

  /// One request of each of ten clients.
  static let all: [RecordedRequest] = [
    RecordedRequest(
      client: "Apple SDK: a session and typed events in one batch",
      headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A01"), ("Content-Type", "application/json")],
      body: """
        {"logs":[{"type":"startSession","timestamp":"{-300}","sid":"\(session)",\(phone)},
        {"type":"event","timestamp":"{-290}","sid":"\(session)","id":"A0000000-0000-4000-8000-000000000001",
         "name":"Note saved","typedProperties":[{"type":"string","name":"Folder","value":"Work"},
          {"type":"long","name":"Words","value":120},{"type":"double","name":"Zoom","value":1.5},
          {"type":"boolean","name":"Synced","value":false},
          {"type":"dateTime","name":"Created","value":"2025-01-31T08:00:00.000Z"}],\(phone)},
        {"type":"event","timestamp":"{-280}","sid":"\(session)","id":"A0000000-0000-4000-8000-000000000002",
         "name":"Note shared",\(phone)}]}
        """,
      metrics: Metrics(
        events: ["Note saved": 1, "Note shared": 1],
        properties: [
          "Note saved/Folder/Work": 1, "Note saved/Words/120": 1, "Note saved/Zoom/1.5": 1,
          "Note saved/Synced/false": 1, "Note saved/Created/2025-01-31T08:00:00.000Z": 1,
        ], sessions: 1)),
    RecordedRequest(
      client: "Apple SDK: the start of services travels alone",
      headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A02")],
      body: """
        {"logs":[{"type":"startService","timestamp":"{-30}","services":["Analytics"],"isOneCollectorEnabled":false,
        \(phone)}]}
        """, metrics: Metrics(installs: 0)),
    RecordedRequest(
      client: "Android SDK: plain properties, osApiLevel, ids in lower case, no country",
      headers: [("Install-ID", "1d7a2e90-7c1a-4c39-8e52-0b1f6b5e2a03"), ("Content-Type", "application/json")],
      body: """
        {"logs":[{"type":"startSession","timestamp":"{-100}","sid":"5d1f0a52-0e0c-4a0e-9d6b-3c9c2c1b7e03",\(robot)},
        {"type":"event","timestamp":"{-99}","sid":"5d1f0a52-0e0c-4a0e-9d6b-3c9c2c1b7e03",
         "id":"a0000000-0000-4000-8000-000000000003","name":"Bought","properties":{"Plan":"Monthly","Code":""},
         "typedProperties":[{"type":"string","name":"Plan","value":"Yearly"}],\(robot)}]}
        """,
      metrics: Metrics(
        events: ["Bought": 1], properties: ["Bought/Plan/Yearly": 1, "Bought/Code/": 1], sessions: 1)),
    RecordedRequest(
      client: "A script: names in lower case, a crash with threads and two attachments",
      uri: "/logs?Api-Version=1.0.0", headers: [("install-id", "00000000-0000-0000-0000-000000000004")],
      body: """
        {"logs":[{"type":"appleError","timestamp":"{-500}","id":"C0000000-0000-4000-8000-000000000004","fatal":true,
         "processName":"notes","osExceptionType":"SIGABRT","osExceptionCode":"0","osExceptionAddress":"0x18",
         "userId":"tester","threads":[{"id":0,"frames":[{"address":"0x0000000104388010","code":"0x104380000 + 32784"}]}],
         "binaries":[{"id":"d449e33d","startAddress":"0x0000000104388000","endAddress":"0x0000000104413fff",
          "name":"notes","path":"/var/notes"}],\(phone)},
        {"type":"errorAttachment","timestamp":"{-499}","contentType":"text/plain","data":"bm90ZXM=",
         "errorId":"c0000000-0000-4000-8000-000000000004","id":"d0000000-0000-4000-8000-000000000001",\(robot)},
        {"type":"errorAttachment","timestamp":"{-499}","contentType":"image/png","data":"iVBORw0KGgo=","fileName":"a.png",
         "errorId":"C0000000-0000-4000-8000-000000000004","id":"d0000000-0000-4000-8000-000000000002",\(robot)}]}
        """, diagnosticsIDs: ["C0000000-0000-4000-8000-000000000004"],
      metrics: Metrics(crashes: 1, attachments: 2)),
    RecordedRequest(
      client: "A wrapper SDK: a handled error with properties, a page without id",
      headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A05"), ("Content-Type", "application/json")],
      body: """
        {"logs":[{"type":"handledError","timestamp":"{-20}","sid":"\(session)","userId":"u5",
         "id":"C0000000-0000-4000-8000-000000000005","exception":{"type":"TypeError","message":"x is undefined",
          "stackTrace":"TypeError: x is undefined\\n at f (app.js:3)","wrapperSdkName":"appcenter.react-native",
          "frames":[]},"properties":{"screen":"Editor"},\(phone)},
        {"type":"page","timestamp":"{-19}","sid":"\(session)","name":"Editor","properties":{"mode":"dark"},\(phone)}]}
        """, diagnosticsIDs: ["C0000000-0000-4000-8000-000000000005"],
      metrics: Metrics(screens: ["Editor": 1], handled: 1)),
    RecordedRequest(
      client: "No Content-Type, null logs, and an unknown type between two good logs",
      headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A06")],
      body: """
        {"logs":[null,{"type":"event","timestamp":"{-9}","id":"A0000000-0000-4000-8000-000000000061","name":"One",\(phone)},
        {"type":"holographicLog","timestamp":"{-9}","depth":3,\(phone)},null,
        {"type":"event","timestamp":"{-8}","id":"A0000000-0000-4000-8000-000000000062","name":"Two",\(phone)}]}
        """, metrics: Metrics(events: ["One": 1, "Two": 1], keptRaw: 1)),
    RecordedRequest(
      client: "A queue of a month: 25 days back and 3 days ahead are accepted, a minute more is rejected and counted",
      headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A07")],
      body: """
        {"logs":[{"type":"event","timestamp":"{-2159940}","id":"A0000000-0000-4000-8000-000000000071","name":"Old",\(phone)},
        {"type":"event","timestamp":"{-2160060}","id":"A0000000-0000-4000-8000-000000000072","name":"Too old",\(phone)},
        {"type":"event","timestamp":"{259140}","id":"A0000000-0000-4000-8000-000000000073","name":"Early",\(phone)},
        {"type":"event","timestamp":"{259260}","id":"A0000000-0000-4000-8000-000000000074","name":"Too early",\(phone)}]}
        """, metrics: Metrics(events: ["Old": 1, "Early": 1], refused: 2)),
    RecordedRequest(
      client: "A web client: times to the second or with an offset, many scripts, markup",
      uri: "/logs?Api-version=1.0.0", headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A08")],
      body: """
        {"logs":[{"type":"event","timestamp":"{-40s}","id":"A0000000-0000-4000-8000-000000000081","name":"Заметка",
         "properties":{"色":"青い"},\(phone)},
        {"type":"event","timestamp":"{-39+}","id":"A0000000-0000-4000-8000-000000000082","name":"<img src=x>",\(phone)},
        {"type":"event","timestamp":"{-38}","id":"A0000000-0000-4000-8000-000000000083","name":"👨‍👩‍👦 invited",\(phone)}]}
        """,
      metrics: Metrics(
        events: ["Заметка": 1, "<img src=x>": 1, "👨‍👩‍👦 invited": 1], properties: ["Заметка/色/青い": 1])),
    RecordedRequest(
      client: "A hand-written client: no device, no session, a repeated member, values that are not logs",
      uri: "/logs", headers: [("INSTALL-ID", "kiosk 9"), ("Content-Type", "text/plain")],
      body: """
        {"logs":[{"type":"event","timestamp":"{-5}","name":"Bare"},7,{"type":"event","timestamp":"{-5}"},{},
        {"type":"event","timestamp":"{-4}","id":"9","name":"Twice",\(robot),\(phone)}],"sender":"script"}
        """, metrics: Metrics(events: ["Bare": 1, "Twice": 1], refused: 3)),
    RecordedRequest(
      client: "Android SDK: a managed crash with causes, sent at the next launch",
      headers: [("Install-ID", "1D7A2E90-7C1A-4C39-8E52-0B1F6B5E2A10")],
      body: """
        {"logs":[{"type":"managedError","timestamp":"{-86400}","appLaunchTimestamp":"{-86500}","fatal":true,
         "id":"c0000000-0000-4000-8000-000000000010","errorThreadId":2,"errorThreadName":"main","processId":4711,
         "exception":{"type":"java.lang.RuntimeException","message":"boom","frames":[{"className":"com.example.A",
          "methodName":"b","fileName":"A.java","lineNumber":7}],"innerExceptions":[{"type":"java.io.IOException",
          "message":"disk","frames":[]}]},"threads":[{"id":2,"name":"main","frames":[]}],\(robot)}]}
        """, diagnosticsIDs: ["c0000000-0000-4000-8000-000000000010"], metrics: Metrics(crashes: 1)),
  ]
}
