import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import Reports

@Suite struct FileNameTests {
  private let first = Day(year: 2026, month: 5, day: 1)
  private let last = Day(year: 2026, month: 5, day: 31)

  private func app(_ name: String) -> App {
    App(
      id: AppID(7), name: name, key: "", appSecret: "", trackingID: "", zone: .utc,
      created: Timestamp(millisecondsSince1970: 0))
  }

  private func name(_ app: String, _ content: [String]) -> String {
    FileName(
      self.app(app), content, from: first, to: last, ending: "csv"
    ).text
  }

  @Test func `a file is named by its app, its content and its days`() {
    let app = self.app("Player")
    func name(_ from: Day?, _ to: Day?, remark: String = "") -> String {
      FileName(app, ["rows", ""], from: from, to: to, remark: remark, ending: "ndjson").text
    }
    #expect(name(first, last) == "Player-rows-2026-05-01-to-2026-05-31.ndjson")
    #expect(name(first, first) == "Player-rows-2026-05-01.ndjson")
    #expect(name(first, nil) == "Player-rows-from-2026-05-01.ndjson")
    #expect(name(nil, last) == "Player-rows-to-2026-05-31.ndjson")
    #expect(name(nil, nil, remark: "rows-3-to-4-of-9") == "Player-rows-rows-3-to-4-of-9.ndjson")
  }

  @Test(arguments: [
    ("B\u{FC}cher & <Friends>", "Bucher-Friends"), ("../../etc/passwd", "etc-passwd"),
    ("a\"; filename=\"x.exe", "a-filename-x-exe"),
    ("\u{202E}gpj.app\r\nX: y", "gpj-app-X-y"), ("\u{6771}\u{4EAC}", "app-7"), ("", "app-7"), ("...", "app-7"),
    ("½ x²", "x"),
  ])
  func `a name has only letters, digits and hyphens of ASCII`(app: String, part: String) {
    #expect(name(app, ["events"]) == "\(part)-events-2026-05-01-to-2026-05-31.csv")
  }

  @Test func `a name without letters of ASCII gives way to another text, such as the number of a view`() {
    for (view, part) in [("Web", "Web"), ("\u{6771}\u{4EAC}", "view-19")] {
      #expect(FileName.part(view, else: "view-19") == part)
    }
  }

  @Test func `a name is bounded`() {
    let long = String(repeating: "ab", count: 10_000)
    #expect(name(long, [long]).utf8.count == 40 + 1 + 40 + "-2026-05-01-to-2026-05-31.csv".utf8.count)
    #expect(
      FileName(app("P"), [], from: nil, to: nil, ending: "csv")
        .disposition
        == #"attachment; filename="P.csv""#)
  }

  @Test func `the file of a report about one event names the event`() throws {
    let request = try ReportRequest(
      "event", of: .app(AppID(7), zone: .utc), parameters: ["event": "Video clicked", "days": "7"],
      now: ReportRequestTests.now)
    let report = Report(request: request, content: ReportContent([]))
    let app = self.app("Player")
    let days = "\(request.days.lowerBound)-to-\(request.days.upperBound)"
    #expect(report.fileName(of: app, .csv).text == "Player-event-Video-clicked-\(days).csv")
    #expect(report.fileName(of: app, .table).text == "Player-event-Video-clicked-\(days).txt")
  }
}
