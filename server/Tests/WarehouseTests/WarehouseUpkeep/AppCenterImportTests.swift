import Foundation
import Ingest
import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// The import of logs that App Center exported to Azure Blob Storage.
@Suite struct AppCenterImportTests {
  private static let install = "0c7c9d1e-5a77-4e0c-8f0b-3b8e1d0f9a42"
  private static let session = "7b0e2c5e-6c2b-4b57-9a5e-0d6b6f0b9e11"
  private static let key = DuplicateHashKey(1, 2)

  private let directory: TemporaryDirectory
  private let app: App
  private let warehouse: SQLiteWarehouse

  init() throws {
    directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    app = try catalog.createApp(name: "Player", timeZone: "Europe/Berlin")
    warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
  }

  /// A log as App Center exported it.
  private static func log(_ type: String, _ number: Int, more: String = "", app: String = "A1") -> String {
    let second = String(number + 10)
    return #"{"AppId":"\#(app)","Timestamp":"2019-05-04T12:00:\#(second).120Z","InstallId":"\#(install.uppercased())","#
      + #""MessageType":"\#(type)","IngressTimestamp":"2019-05-04T12:05:00.987Z","MessageId":"m\#(number)","#
      + #""IsTestMessage":"False","SdkName":"appcenter.ios","SdkVersion":"5.0.7","Model":"iPhone15,2","OemName":"Apple","#
      + #""OsName":"iOS","OsVersion":"17.4.1","OsApiLevel":17,"Locale":"pt_BR","TimeZoneOffset":"PT-3H","AppVersion":"1.2","#
      + #""AppBuild":"34","CountryCode":"br","SessionId":"\#(session)"\#(more)}"#
  }

  private static let logs = [
    log("StartSessionLog", 0),
    log(
      "EventLog", 1,
      more: #","EventId":"\#(id(1))","EventName":"Play","UserId":"ann","Properties":"{\"b\":\"2\",\"a\":\"x\"}""#),
    log("PageLog", 2, more: #","EventName":"Home""#),
    log("StartServiceLog", 3),
    log("EventLog", 4, more: #","EventId":"\#(id(4))","EventName":"Stop","Properties":"""#),
    log("AppleErrorLog", 5),
  ]

  private static func id(_ number: Int) -> String { "ad980536-e743-48a9-ab7e-cb04360200\(number + 10)" }

  private func add(_ text: String, pieces: Int = 37, source: String? = nil) async throws -> AppCenterImportSummary {
    let bytes = Array(text.utf8)
    var position = 0
    var summary = AppCenterImportSummary()
    var source = source
    let file = AppCenterLogFile(name: "logs.v1.data") {
      defer { position = min(position + pieces, bytes.count) }
      return Array(bytes[position..<min(position + pieces, bytes.count)])
    }
    try await warehouse.importAppCenter(file, to: app, source: &source, key: Self.key, summary: &summary)
    try await warehouse.flush()
    return summary
  }

  private func rows() async throws -> [String] {
    var request = ExportRequest(app: app, format: .csv, server: "test")
    request.after = 0
    var bytes: [UInt8] = []
    var cursor: ExportCursor? = .start
    while let place = cursor {
      let page = try await warehouse.reader.exportPage(request, at: place)
      bytes += page.bytes
      cursor = page.next
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").dropFirst().map(String.init)
  }

  @Test func `events, pages and sessions become rows as if the device had sent them; other logs are counted`()
    async throws
  {
    let summary = try await add("[" + Self.logs.joined(separator: ",") + "]")
    #expect(summary.rows == 4 && summary.duplicates == 0 && summary.faulty == 0, "\(summary)")
    #expect(summary.others == ["StartServiceLog": 1, "AppleErrorLog": 1])
    let rows = try await rows()
    let device = "iOS,17.4.1,\"iPhone15,2\",pt_BR,BR,-180,1.2,34,appcenter.ios,5.0.7"
    // 12:00:11.120 and 12:05:00.987 of the day in UTC.
    #expect(rows[1].hasPrefix("2,1556971211120,,1556971500987,event,Play,\(Self.install),ann,"), "\(rows[1])")
    #expect(rows[1].contains(device) && rows[1].contains(#"{""a"":""x"",""b"":""2""}"#), "\(rows[1])")
    #expect(rows[0].contains(",session_start,startSession,") && rows[0].contains(",1,\(device)"), "\(rows[0])")
    #expect(rows[2].contains(",screen,Home,") && rows[3].contains(",event,Stop,"))
    let sessions = Set(rows.compactMap { $0.firstMatch(of: /,([0-9a-f]{8,16}),[01],iOS/).map { String($0.1) } })
    #expect(sessions.count == 1, "all are of one session")
    #expect(try await warehouse.reader.verify().isClean)
  }

  @Test func `the same import twice counts once, and so does what the device sends again`() async throws {
    let text = "[" + Self.logs.joined(separator: ",") + "]"
    _ = try await add(text)
    let rows = try await rows()
    let again = try await add(text)
    #expect(again.rows == 0 && again.duplicates == 4)
    let sent =
      #"{"logs":[{"type":"event","timestamp":"2019-05-04T12:00:11.120Z","sid":"\#(Self.session)","id":"\#(Self.id(1))","#
      + #""name":"Play"},{"type":"startSession","timestamp":"2019-05-04T12:00:10.120Z","sid":"\#(Self.session)"}]}"#
    let batch = try AppCenterParser.parse(
      Array(sent.utf8), install: Self.install, received: timestamp("2019-05-04T12:07:00Z"), key: Self.key,
      app: app.id.rawValue
    ).batch
    #expect(try await warehouse.commit(batch, app: app.id).duplicates.count == 2)
    #expect(try await self.rows() == rows)
  }

  @Test(arguments: [1, 7, 100_000])
  func `lines, arrays that follow each other, and indented objects are read alike`(pieces: Int) async throws {
    let indented = Self.logs[4].replacing(",\"", with: ",\r\n    \"")
    let text = "\u{FEFF}[" + Self.logs[0] + ",\n" + Self.logs[1] + "]\n[" + Self.logs[2] + "]" + Self.logs[3] + "\n"
    let summary = try await add(text + "[\n" + indented + "\n]\n", pieces: pieces)
    #expect(summary.rows == 4 && summary.faulty == 0, "\(summary)")
  }

  @Test func `what can't be read is counted and named by line, and the rest is stored`() async throws {
    let lines = [
      Self.logs[0], "garbage", #"{"AppId":"A1","Timestamp":"#,
      #"{"AppId":"A1","MessageType":"EventLog","EventName":"x"}"#,
      Self.logs[1].replacing("2019-05-04T12:00", with: "yesterday"),
      Self.logs[2].replacing("\"Home\"", with: "\"\""),
      Self.log("EventLog", 6, more: #","EventName":"Other""#, app: "B2"),
      Self.log("EventLog", 7, more: #","EventName":"Bad","Properties":"{\"a\":[1]}""#), #"{"AppId":"A1"}"#, "[1,2]",
      #"{"EventName":"cut"#, Self.logs[4],
    ]
    let summary = try await add(lines.joined(separator: "\n"))
    #expect(summary.rows == 2, "\(summary)")
    let faulty = summary.faults.compactMap { $0.firstMatch(of: /line (\d+):/).flatMap { Int($0.1) } }
    #expect(faulty == Array(2...11) && summary.faulty == 10, "\(summary.faults)")
    #expect(summary.faults.allSatisfy { $0.hasPrefix("logs.v1.data, line ") })
  }

  @Test func `a log that is too long costs only itself, and types from a file are limited`() async throws {
    let long = Self.log("EventLog", 8, more: #","EventName":"\#(String(repeating: "x", count: 2 << 20))""#)
    let types = (0..<50).map { Self.log("Type\($0)", 9) }
    let summary = try await add(([long] + types + [Self.logs[4]]).joined(separator: "\n"), pieces: 100_000)
    #expect(summary.rows == 1 && summary.faulty == 1 && summary.faults[0].contains("longer"), "\(summary)")
    #expect(summary.others.count == 21 && summary.others["others"] == 30)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `logs with random damage are stored or noted, and never trap`(seed: UInt64) async throws {
    var generator = FastGenerator(seed: seed)
    var bytes = Array(("[" + Self.logs.joined(separator: ",\n") + "]").utf8)
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.insert(contentsOf: Array("{}[]\"\\,:\n0e".utf8).shuffled(using: &generator).prefix(3), at: place)
      default: bytes.removeSubrange(place..<min(place + 20, bytes.count - 1))
      }
    }
    let summary = try await add(String(decoding: bytes, as: UTF8.self))
    #expect(summary.rows <= 4)
    #expect(try await rows().count == summary.rows)
  }

  @Test(arguments: [
    ("PT2M", 2), ("PT-3H", -180), ("-PT3H30M", -210), ("PT5H30M", 330), ("PT0S", 0), ("PT-180M", -180), ("", 0),
    ("nonsense", 0), ("PT99999999999M", 0), ("PT9999H99999M", 699_939),
  ])
  func `an offset is a duration`(text: String, minutes: Int) { #expect(AppCenterRecord.minutes(text) == minutes) }
}
