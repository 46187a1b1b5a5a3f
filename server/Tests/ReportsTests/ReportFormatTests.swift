import Foundation
import Ingest
import ReportsTestSupport
import ServerBase
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Reports

struct ReportFormatTests {
  private func report(_ name: String, _ source: NaiveWarehouse, event: String? = nil) async throws -> Report {
    var parameters = ["from": "2026-05-01", "to": "2026-05-02"]
    parameters["event"] = event
    parameters["group"] = "1"
    return try await ReportRequest(
      name, of: .app(AppID(3), zone: ZoneRules("Europe/Berlin")!), parameters: parameters, now: ReportRequestTests.now
    ).report(from: source)
  }

  private func source(
    updated: Timestamp = Timestamp(millisecondsSince1970: 1_779_271_200_000)
  ) throws -> NaiveWarehouse {
    let day = try #require(Day("2026-05-02"))
    let device = IncomingDevice(
      osName: "iOS", osVersion: "17.5", model: "iPhone15,2", country: "DE", appVersion: "2.0", appBuild: "7")
    let (source, app) = (NaiveWarehouse(), AppID(3))
    let error = IncomingError(event: 0, id: "e", type: "SIGABRT", message: "m", place: "a + 0x1", fingerprint: 1)
    let time = Timestamp(millisecondsSince1970: 1_777_680_000_000)
    try source.add(
      error, .crash, at: time, received: time + .seconds(1), install: 2, user: "u", device: device, app: app)
    for (name, install, properties) in [
      ("Video clicked", 1, [Properties.Element(name: "HD", value: true)]),
      ("Video clicked", 2, [Properties.Element(name: "HD", value: false)]), ("a/b", 2, []),
    ] {
      try source.add(.event, name, on: day, install: install, device: device, properties: properties, app: app)
    }
    try source.add(.sessionStart, on: day, install: 2, device: device, startsSession: true, app: app)
    try source.add(.screen, "Library", on: day, install: 2, device: device, app: app)
    try source.add(dropped: "queue_full", 4, on: day, install: 2, app: app)
    try source.add(
      DeviceLedger(tracked: 10, delivered: 4, waiting: 2, inFlight: 1, dropped: 3), install: 1, at: updated, app: app)
    try source.add(
      DeviceLedger(tracked: 5, delivered: 2, waiting: 1, inFlight: 1, dropped: 1), install: 2, at: updated, app: app)
    return source
  }

  @Test func `lists that end at the limit are named`() async throws {
    let source = try source()
    func report(_ limit: String) async throws -> Report {
      try await ReportRequest(
        "events", of: .app(AppID(3), zone: ZoneRules("Europe/Berlin")!),
        parameters: ["from": "2026-05-01", "to": "2026-05-02", "limit": limit], now: ReportRequestTests.now
      ).report(from: source)
    }
    let cut = try await report("1")
    #expect(cut.fullLists == ["events"] && cut.remark != nil)
    #expect(try cut.text(.json).contains(#""fullLists":["events"]"#))
    let whole = try await report("3")
    #expect(whole.fullLists.isEmpty && whole.remark == nil)
    #expect(try !whole.text(.json).contains("fullLists"))
  }

  static let expected: [(String, String)] = [
    (
      "overview",
      #""days":[{"date":"2026-05-01","dau":0,"events":0,"mau":0,"sessions":0,"wau":0},"#
        + #"{"date":"2026-05-02","dau":2,"events":3,"mau":2,"sessions":1,"wau":2}],"from":"2026-05-01","#
        + #""timeZone":"Europe/Berlin","to":"2026-05-02","#
        + #""totals":{"events":3,"mau":2,"sessions":1,"users":2,"wau":2}}"#
    ),
    (
      "events",
      #""events":[{"count":2,"name":"Video clicked","share":0.666667,"users":2},"#
        + #"{"count":1,"name":"a/b","share":0.333333,"users":1}],"#
        + #""from":"2026-05-01","timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "event",
      #""event":{"count":2,"days":[{"count":0,"date":"2026-05-01","users":0},"#
        + #"{"count":2,"date":"2026-05-02","users":2}],"name":"Video clicked","#
        + #""properties":[{"count":2,"isCapped":false,"name":"HD","values":["#
        + #"{"count":1,"share":0.5,"users":1,"value":"false"},{"count":1,"share":0.5,"users":1,"value":"true"}]}],"#
        + #""users":2},"from":"2026-05-01","timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "errors",
      #""crashes":[{"by":"","changed":null,"count":1,"group":1,"kind":"crash","last":"2026-05-02T00:00:00.000Z","#
        + #""message":"m","note":"","place":"a + 0x1","reopenedIn":"","status":"open","type":"SIGABRT","users":1,"versions":["2.0 (7)"]}],"from":"2026-05-01","#
        + #""handled":[],"timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "error",
      #""countries":[{"count":1,"name":"DE","share":1}],"#
        + #""days":[{"count":0,"date":"2026-05-01","users":0},{"count":1,"date":"2026-05-02","users":1}],"#
        + #""error":{"by":"","changed":null,"count":1,"group":1,"kind":"crash","last":"2026-05-02T00:00:00.000Z","#
        + #""message":"m","note":"","place":"a + 0x1","reopenedIn":"","status":"open","type":"SIGABRT","users":1,"versions":["2.0 (7)"]},"from":"2026-05-01","#
        + #""models":[{"count":1,"name":"iPhone15,2","share":1}],"#
        + #""occurrences":[{"country":"DE","id":"e","install":1,"locale":"","model":"iPhone15,2","occurrence":1,"#
        + #""received":"2026-05-02T00:00:01.000Z","system":"iOS 17.5","time":"2026-05-02T00:00:00.000Z","user":"u","#
        + #""version":"2.0 (7)"}],"systems":[{"count":1,"name":"iOS 17.5","share":1}],"timeZone":"Europe/Berlin","#
        + #""to":"2026-05-02","versions":[{"count":1,"name":"2.0 (7)","share":1,"users":0}]}"#
    ),
    (
      "screens",
      #""from":"2026-05-01","screens":[{"count":1,"name":"Library","share":1,"users":1}],"#
        + #""timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "versions",
      #""from":"2026-05-01","timeZone":"Europe/Berlin","to":"2026-05-02","#
        + #""versions":[{"count":3,"name":"2.0 (7)","share":1,"users":2}]}"#
    ),
    (
      "devices",
      #""from":"2026-05-01","models":[{"count":3,"name":"iPhone15,2","share":1,"users":2}],"#
        + #""systems":[{"count":3,"name":"iOS 17.5","share":1,"users":2}],"#
        + #""timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "countries",
      #""countries":[{"code":"DE","count":3,"name":"Germany","share":1,"users":2}],"#
        + #""from":"2026-05-01","timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "languages",
      #""from":"2026-05-01","languages":[{"code":"","count":3,"name":"Unknown","share":1,"users":2}],"#
        + #""timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    (
      "dropped",
      #""days":[{"count":0,"date":"2026-05-01"},{"count":4,"date":"2026-05-02"}],"from":"2026-05-01","#
        + #""ledger":{"delivered":6,"dropped":4,"inFlight":2,"installs":2,"tracked":15,"#
        + #""updated":"2026-05-20T10:00:00.000Z","waiting":3},"#
        + #""reasons":[{"count":4,"name":"queue_full","share":1,"users":0}],"#
        + #""timeZone":"Europe/Berlin","to":"2026-05-02","total":4,"unnamed":0}"#
    ),
    (
      "symbols",
      #""builds":[],"from":"2026-05-01","systems":[],"timeZone":"Europe/Berlin","to":"2026-05-02"}"#
    ),
    ("live", #""events":[],"from":"2026-05-01","timeZone":"Europe/Berlin","to":"2026-05-02"}"#),
  ]

  @Test(arguments: expected) func `the JSON of each report is exactly this`(name: String, json: String) async throws {
    let source = name == "live" ? NaiveWarehouse() : try source()
    let report = try await report(name, source, event: name == "event" ? "Video clicked" : nil)
    #expect(try report.text(.json) == #"{"app":3,"# + json)
  }

  @Test func `the list of expected reports is complete`() {
    #expect(Set(Self.expected.map(\.0)) == Set(ReportRegistry.standard.app.map(\.name)))
  }

  @Test func `a live row has typed properties, and values that JSON cannot hold as text`() throws {
    let stored = StoredEvent(
      id: 9, kind: .handledError, name: "e", time: Timestamp(millisecondsSince1970: 250),
      received: Timestamp(millisecondsSince1970: 1_780_180_200_000), install: 5, user: "u",
      device: IncomingDevice(osName: "iOS", osVersion: "17", model: "m", country: "DE", appVersion: "1"),
      properties: [
        .init(name: "d", value: .double(.nan)), .init(name: "b", value: true), .init(name: "i", value: 3),
        .init(name: "t", value: .date(Timestamp(millisecondsSince1970: -1))), .init(name: "b", value: "twice"),
      ])
    #expect(
      String(decoding: try LiveRows.json(stored), as: UTF8.self)
        == #"{"country":"DE","id":9,"install":5,"kind":"handled_error","model":"m","name":"e","properties":{"b":"twice","#
        + #""d":"nan","i":3,"t":"1969-12-31T23:59:59.999Z"},"received":"2026-05-30T22:30:00.000Z","#
        + #""system":"iOS 17","time":"1970-01-01T00:00:00.250Z","user":"u","version":"1"}"#)
  }

  @Test func `the tables of dropped events include events waiting on devices`() async throws {
    #expect(
      try await report("dropped", try source()).text(.csv)
        == [
          "list,name,count,users,share", "reasons,queue_full,4,0,1.0", "ledger,tracked,15,2,", "ledger,delivered,6,2,",
          "ledger,waiting,3,2,", "ledger,in_flight,2,2,", "ledger,dropped,4,2,", "",
        ].joined(separator: "\r\n"))
    let terminal = try await report("dropped", try source()).text(.table)
    #expect(terminal.contains("On devices\ninstalls  tracked  delivered  waiting  in_flight  dropped  updated"))
    #expect(terminal.contains("       2       15          6        3          2        4  2026-05-20T10:00:00.000Z"))
  }

  @Test func `the ledger leaves out devices silent for more than 25 days, whatever the range`() async throws {
    for (updated, expected) in [("2026-05-06T00:00:00Z", 2), ("2026-05-05T23:59:59Z", 0)] {
      let date = try Date(updated, strategy: .iso8601)
      let source = try source(
        updated: Timestamp(millisecondsSince1970: Int64(date.timeIntervalSince1970 * 1_000)))
      let metrics = try await DroppedMetrics(try await report("dropped", source).request, from: source)
      #expect(metrics.ledger.installs == expected)
    }
    #expect(try await report("dropped", NaiveWarehouse()).text(.json).contains(#""updated":null"#))
    #expect(try await report("dropped", NaiveWarehouse()).text(.table).hasSuffix("–\n"))
  }

  @Test(arguments: [
    (Int64.min, "0001-01-01T00:00:00.000Z"), (.min + 1, "0001-01-01T00:00:00.000Z"),
    (-(1 << 62), "0001-01-01T00:00:00.000Z"), (-62_135_596_800_001, "0001-01-01T00:00:00.000Z"),
    (-62_135_596_799_999, "0001-01-01T00:00:00.001Z"), (-86_400_001, "1969-12-30T23:59:59.999Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (0, "1970-01-01T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (1 << 53, "9999-12-31T23:59:59.999Z"),
    (.max, "9999-12-31T23:59:59.999Z"),
  ])
  func `any time has a text; times beyond the calendar show its first or last day`(milliseconds: Int64, text: String)
    throws
  {
    let time = Timestamp(millisecondsSince1970: milliseconds)
    #expect(time.isoText == text)
    #expect(PropertyValue.date(time).displayText == text)
    #expect(ReportZone(ZoneRules("Europe/Berlin")!).timeOfDay(of: time).count == 8)
  }

  @Test(arguments: [
    ("users", "users", "Users"), ("newUsers", "new_users", "New users"),
    ("below100Ms", "below_100_ms", "Below 100 ms"), ("shareOfSessions", "share_of_sessions", "Share of sessions"),
  ])
  func `a column's headings follow from its member's name`(name: String, heading: String, title: String) {
    #expect(ReportColumn(name).heading == heading)
    #expect(ReportColumn(name).title == title)
  }

  @Test func `CSV fields are quoted where necessary, and formulas are disarmed`() throws {
    let table = ReportList(
      "", columns: ["name", "count", "share"],
      rows: [
        [.text("a,b"), .count(1_000), .share(0.5)], [.text("say \"hi\"\r\nnow"), .count(-1), .share(0)],
        [.text("=1+1"), .count(0), .share(1)], [.text("@x"), .count(0), .share(1)], [.text(""), .count(0), .share(1)],
      ])
    #expect(
      try table.csvText()
        == "name,count,share\r\n\"a,b\",1000,0.5\r\n\"say \"\"hi\"\"\r\nnow\",-1,0.0\r\n'=1+1,0,1.0\r\n'@x,0,1.0\r\n"
        + "\"\",0,1.0\r\n")
    #expect(
      try table.csvText(CSVStyle(decimal: .comma, texts: .raw))
        == "\u{FEFF}name;count;share\r\n\"a,b\";1000;0,5\r\n\"say \"\"hi\"\"\r\nnow\";-1;0,0\r\n=1+1;0;1,0\r\n@x;0;1,0\r\n"
        + "\"\";0;1,0\r\n")
  }

  @Test func `lists and named values are JSON in their cell, and an absent value is nothing`() throws {
    let versions = ["1.10 (10)", "2E5 (1)", "1,5 (5)", "a\"b", "e", "f"]
    let table = ReportList(
      "", columns: ["versions", "properties", "rest"],
      rows: [
        [.texts(versions), .properties([.init(name: "n", value: 3), .init(name: "t", value: "x")]), .none],
        [.texts([]), .properties([]), .text("")],
      ])
    #expect(
      try table.csvText() == "versions,properties,rest\r\n"
        + #""[""1.10 (10)"",""2E5 (1)"",""1,5 (5)"",""a\""b"",""e"",""f""]","{""n"":3,""t"":""x""}","# + "\r\n"
        + "[],{},\"\"\r\n")
  }

  @Test func `no fraction has three digits after its point, which are thousands in other languages`() throws {
    let row: [ReportValue] = [.share(0.875), .share(1), .decimal(3.125), .amount("12.125"), .share(.nan)]
    let table = ReportList("", columns: ["a", "b", "c", "d", "e"], rows: [row])
    #expect(try table.csvText() == "a,b,c,d,e\r\n0.8750,1.0,3.13,12.1250,\r\n")
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `any text survives CSV, except for an apostrophe added before formulas`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let pieces = ["a", "\"", ",", "\r\n", "\n", "\r", "=", "'", "é", "\u{301}", "𝄞", " "]
    let fields = (0..<4).map { _ in
      (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in pieces.randomElement(using: &generator) }
        .joined()
    }
    let table = ReportList("", columns: ["a", "b", "c", "d"], rows: [fields.map { .text($0) }])
    let read = readCSV(try table.csvText())
    let raw = readCSV(try table.csvText(CSVStyle(texts: .raw)))
    #expect(raw.last?.map { Array($0.utf8) } == fields.map { Array($0.utf8) })
    let disarmed = fields.map { text in
      var disarmed = ""
      var before: Unicode.Scalar = ","
      for (place, scalar) in text.unicodeScalars.enumerated() {
        let isBlank = ["\r", "\n"].contains(scalar)
        if scalar == "=" && [",", "\"", "\r", "\n"].contains(before) || isBlank && place == 0 { disarmed += "'" }
        disarmed.unicodeScalars.append(scalar)
        before = scalar
      }
      return disarmed
    }
    #expect(
      read.map { $0.map { Array($0.utf8) } } == [["a", "b", "c", "d"], disarmed].map { $0.map { Array($0.utf8) } })
  }

  @Test func `every report has a rectangular table for spreadsheets`() async throws {
    for report in ReportRegistry.standard.app {
      let text = try await self.report(report.name, try source(), event: "Video clicked").text(.csv)
      let rows = readCSV(text)
      #expect(Set(rows.map(\.count)).count == 1, "\(report.name)")
    }
  }

  @Test func `tables align numbers to the right, with wide characters counted as two`() {
    let table = ReportList(
      "", title: "T", columns: ["event", "count"],
      rows: [[.text("字幕"), .count(1_234_567)], [.text("Video"), .count(8)], [.text("e\u{301}"), .count(-1_000)]])
    #expect(
      table.terminalText() == """
        T
        event      count
        ─────  ─────────
        字幕   1,234,567
        Video          8
        e\u{301}         -1,000

        """)
  }

  @Test func `CSV writes negative numbers without an apostrophe, in texts too`() throws {
    let row: [ReportValue] = [.text("-54.00"), .amount("-54.00"), .count(-7)]
    let table = ReportList("", columns: ["name", "revenue", "count"], rows: [row])
    #expect(try table.csvText() == "name,revenue,count\r\n-54.00,-54.00,-7\r\n")
    #expect(table.terminalText().hasSuffix("-54.00   -54.00     -7\n"))
  }

  @Test func `a long name is truncated if numbers follow it, and complete in CSV`() throws {
    for letter in ["x", "字"] {
      let name = String(repeating: letter, count: 500)
      let table = ReportList("", columns: ["screen", "views", "note"], rows: [[.text(name), .count(7), .text(name)]])
      let row = table.terminalText().split(separator: "\n").last ?? ""
      let (screen, note) = (row.split(separator: " ")[0], row.split(separator: " ").last ?? "")
      #expect(screen.hasSuffix("…") && displayWidth(String(screen)) <= 60 && displayWidth(String(screen)) >= 59)
      #expect(note == name)
      #expect(try table.csvText().contains("\(name),7,"))
    }
  }

  @Test func `no control character from a client reaches the terminal`() throws {
    for value in [0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069].joined() {
      guard let scalar = Unicode.Scalar(value as Int) else { continue }
      let list = ReportList("", columns: ["n"], rows: [[.text("a\(scalar)b")]])
      #expect(
        list.terminalText().unicodeScalars.filter { $0 == scalar }.count == (scalar == "\n" ? 3 : 0),
        "U+\(String(value, radix: 16))")
      // CSV may be shown by a terminal, too; line breaks and tabs are data there.
      if [0x09, 0x0A, 0x0D].contains(value) || value > 0x9F { continue }
      #expect(try !list.csvText().unicodeScalars.contains(scalar), "U+\(String(value, radix: 16))")
    }
  }

  @Test func `numbers are grouped by thousands, shares are percentages`() {
    #expect([0, 999, 1_000, 1_234_567, -1_000].map(grouped) == ["0", "999", "1,000", "1,234,567", "-1,000"])
    #expect([0, 0.1234, 1, 12.5, -0.05].map(percentage) == ["0.0 %", "12.3 %", "100.0 %", "1,250.0 %", "-5.0 %"])
  }

  @Test func `an unknown format is an error that lists the formats`() {
    let error = #expect(throws: ReportError.self) { try ReportFormat(parsing: "xml") }
    #expect(error?.message == #"There is no format "xml". Choose one of: table, json, csv."#)
    #expect(ReportFormat.allCases.map(\.rawValue) == ["table", "json", "csv"])
  }

  /// Reads RFC 4180 by scalars, since CR LF is one character.
  private func readCSV(_ text: String) -> [[String]] {
    var (rows, row, field, isQuoted) = ([[String]](), [String](), String.UnicodeScalarView(), false)
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch (scalar, isQuoted) {
      case ("\"", true) where scalars.first == "\"": field.append(scalars.removeFirst())
      case ("\"", _): isQuoted.toggle()
      case (",", false), ("\r", false):
        row.append(String(field))
        field = .init()
        guard scalar == "\r" else { continue }
        scalars.removeFirst()
        rows.append(row)
        row = []
      default: field.append(scalar)
      }
    }
    return rows
  }
}
