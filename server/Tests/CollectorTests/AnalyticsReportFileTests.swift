import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import TernCommand

/// Reading reports that Google Analytics wrote as CSV.
@Suite struct AnalyticsReportFileTests {
  static let overview = """
    # ----------------------------------------
    # Player, all devices
    # Audience Overview
    # 20160130-20160202
    # ----------------------------------------

    Day Index,Users,"Avg. Session Duration",% New Sessions,Revenue
    1/30/16,"1,234",00:01:10,12.50%,"$1,234.50"
    1/31/16,7,00:00:00,<0.01%,$0.00
    2/1/16,0,01:00:01,100.00%,-$2.00
    2/2/16,"1,000,000",00:00:59,--,$5
    ,"1,001,241",00:20:32,,"$1,237.50"

    """

  private func day(_ text: String) throws -> Day { try #require(Day(text)) }
  private func file(_ text: String) throws -> AnalyticsReportFile { try AnalyticsReportFile(Array(text.utf8)) }

  @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
  func `days, metrics and figures are read; totals are not`(newline: String, mark: String) throws {
    let file = try file(mark + Self.overview.replacing("\n", with: newline))
    #expect(file.view == "Player, all devices" && file.report == "Audience Overview")
    #expect(try file.days == day("2016-01-30")...day("2016-02-02") && file.skipped.isEmpty)
    #expect(
      file.figures.map { "\($0.day) \($0.metric) \($0.text)" } == [
        "2016-01-30 Users 1,234", "2016-01-30 Avg. Session Duration 00:01:10", "2016-01-30 % New Sessions 12.50%",
        "2016-01-30 Revenue $1,234.50",
        "2016-01-31 Users 7", "2016-01-31 Avg. Session Duration 00:00:00", "2016-01-31 % New Sessions <0.01%",
        "2016-01-31 Revenue $0.00",
        "2016-02-01 Users 0", "2016-02-01 Avg. Session Duration 01:00:01", "2016-02-01 % New Sessions 100.00%",
        "2016-02-01 Revenue -$2.00",
        "2016-02-02 Users 1,000,000", "2016-02-02 Avg. Session Duration 00:00:59", "2016-02-02 Revenue $5",
      ])
  }

  @Test func `of a report with a table of rows, only the table of days after it is read`() throws {
    let file = try file(
      #"""
      # ----------------------------------------
      # Player
      # Screens
      # 20200228-20200301
      # ----------------------------------------

      Screen Name,Screen Views,Avg. Time on Screen
      "Home, ""new""","1,000",00:01:10
      Settings,<1,00:00:05
      ,"1,001",00:01:00

      Day Index,Screen Views
      28.02.20,500
      29.02.2020,400
      01.03.20,101
      ,"1,001"
      """#)
    #expect(file.skipped == ["Screen Name,Screen Views,Avg. Time on Screen"])
    #expect(file.figures.map(\.text) == ["500", "400", "101"])
    #expect(file.figures.map(\.day.description) == ["2020-02-28", "2020-02-29", "2020-03-01"])
  }

  @Test func `a custom report by date may lack days, in any order`() throws {
    let file = try file("# 20200101-20200110\n\nDate,Users,Sessions\n20200105,1,2\n20200102,3,4\n,4,6\n")
    #expect(
      file.figures.map { "\($0.day) \($0.metric) \($0.text)" } == [
        "2020-01-05 Users 1", "2020-01-05 Sessions 2", "2020-01-02 Users 3", "2020-01-02 Sessions 4",
      ])
  }

  @Test(arguments: [
    ("", "isn't a Google"), ("Day Index,Users\n1/1/20,1\n", "no line with #"), ("# 20200101-20200102\n", "no table"),
    ("# 20200101-20200102\n\nScreen Name,Views\nHome,1\n", "no table of days"),
    ("# 20200101-20200102\n\nDay Index,Users\n1/1/20,1\n", "1 days"),
    ("# 20200101-20200102\n\nDay Index,Users\n1/1/20,1\n1/3/20,1\n", "Line 5"),
    ("# 20200101-20200102\n\nDay Index,Users\n1/1/20,1\n1/2/20,1,2\n", "Line 5"),
    ("# 20200101-20200101\n\nDay Index,Users\n1/1/20,1.234\n", "English"),
    ("# 20200101-20200101\n\nDay Index,Users\n1/1/20,\"12,5\"\n", "English"),
    ("# 20200101-20200101\n\nDate,Screen,Users\n20200101,Home,1\n", "other dimensions"),
    ("# 20200101-20200102\n\nDate,Users\n20200101,1\n20200101,2\n", "more than one"),
    ("# 20200101-20200101\n# 20190101-20190101\n\nDay Index,Users\n1/1/20,1\n", "two periods"),
    ("# 20200101-20200101\n\nDay Index,Users\n1/1/20,1\n# 20200101-20200101\n", "another report"),
    ("# 19000101-20200101\n\nDate,Users\n20200101,1\n", "20 years"),
    ("# 20200102-20200101\n\nDate,Users\n20200101,1\n", "no line with #"),
    ("# 20200101-20200101\n\nDay Index,Users,Users\n1/1/20,1,2\n", "more than one"),
  ])
  func `what can't be used is refused with a reason`(text: String, reason: String) {
    let fault = #expect(throws: AnalyticsReportFile.Fault.self) { try file(text) }
    #expect(fault?.description.contains(reason) == true, "\(fault?.description ?? "")")
  }

  @Test func `a file, its lines and columns are bounded`() {
    let head = "# 20200101-20200101\n\nDay Index,Users\n"
    for text in [
      head + String(repeating: "1", count: 70_000), head + String(repeating: ",", count: 300),
      head + "\"" + String(repeating: "\n", count: 70_000), String(repeating: "#\n", count: 9 << 20),
    ] {
      #expect(throws: AnalyticsReportFile.Fault.self) { try file(text) }
    }
    #expect(throws: AnalyticsReportFile.Fault.self) { try AnalyticsReportFile([0xFF, 0xFE, 0x23, 0]) }
  }

  @Test func `figures are read as Google Analytics wrote them in English, and others are refused`() {
    let figures: [(String, ImportedValue?)] = [
      ("0", .count(0)), ("1,234", .count(1_234)), ("1,234,567", .count(1_234_567)), ("1234567", .count(1_234_567)),
      ("1.5", .decimal(1.5)), ("1,234.50", .decimal(1_234.5)), ("12.50%", .share(0.125)),
      ("00:01:10", .duration(70_000)),
      ("100:00:00", .duration(360_000_000)), ("$1,234.50", .amount("1234.50")), ("US$3", .amount("3")),
      ("-$1.00", .amount("-1.00")), ("€7.10", .amount("7.10")), ("-5", .count(-5)), ("<1", .below("<1")),
      ("<0.01%", .below("<0.01%")), ("9223372036854775807", .count(.max)),
      ("9223372036854775808", nil), ("1.234", nil), ("12,5", nil), ("1,23,456", nil), ("1,2345", nil), (",123", nil),
      ("1.2.3", nil), ("", nil), ("<", nil), ("<<1", nil), ("%", nil), ("1:2:3", nil), ("00:60:00", nil), ("abc", nil),
      ("٣", nil), ("1e5", nil), ("$", nil), ("LONGER1", nil), (String(repeating: "9", count: 41), nil),
    ]
    for (text, value) in figures { #expect(ImportedValue(text) == value, "\(text)") }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `a file with random damage is read or refused, and never traps`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    var bytes = Array(Self.overview.utf8)
    if seed % 5 == 0 { bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.insert(contentsOf: Array("\",\n#-<%:".utf8).shuffled(using: &generator).prefix(3), at: place)
      case 2: bytes.removeSubrange(place..<min(place + 9, bytes.count))
      default: bytes += bytes[place...].prefix(60)
      }
      if bytes.isEmpty { bytes = [0x22] }
    }
    guard let file = try? AnalyticsReportFile(bytes) else { return }
    for figure in file.figures {
      #expect(file.days.contains(figure.day) && ImportedValue(figure.text) != nil && !figure.metric.isEmpty)
    }
    #expect(Set(file.figures.map { "\($0.day) \($0.metric)" }).count == file.figures.count)
  }
}
