import Foundation
import Questions
import Reports
import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import Portal

struct ChartTests {
  private func now(_ today: Day) -> Timestamp {
    Timestamp(millisecondsSince1970: Int64(today.number) * 86_400_000)
  }

  @Test func `an axis starts at zero, has equal integer steps, and ends just above the largest value`() {
    for maximum in Array(0...3_000) + [9_999, 10_001, 123_456, 999_999_999, Int(Int32.max), 1 << 60, Int.max / 2] {
      let ticks = ChartFormat.count.scale([Double(maximum)]).ticks
      #expect(ticks.first == 0)
      #expect((2...6).contains(ticks.count), "\(maximum)")
      #expect(Set(zip(ticks, ticks.dropFirst()).map { $1 - $0 }).count == 1, "\(maximum)")
      #expect(ticks[ticks.count - 1] >= Double(maximum), "\(maximum)")
      #expect(ticks[ticks.count - 2] < max(Double(maximum), 1), "\(maximum): the last step is needed")
    }
    #expect(ChartFormat.count.scale([Double(Int.max)]).top >= Double(Int.max), "no overflow at the end of the range")
  }

  private func chart(_ values: [Int], open: Set<Int> = [], mark: Chart.Mark = .line) -> Chart {
    Chart(
      id: "t", title: "t",
      places: values.indices.map { Chart.Place(Day(number: 20_000 + $0), isOpen: open.contains($0)) },
      series: [.init(name: "n", values: values, mark: mark, color: 1)])
  }

  private func number(of text: String, in chart: Chart) -> Int { chart.html().components(separatedBy: text).count - 1 }

  @Test func `a line goes straight from value to value`() {
    let html = chart([0, 10, 5]).html()
    #expect(html.contains("class=\"line c1\" d=\"M166.7 300L500 0L833.3 150\""))
  }

  @Test func `a line to or from a place that is not complete is dashed, and a bar pale`() {
    #expect(number(of: "class=\"line open", in: chart([1, 2, 3], open: [2])) == 1)
    #expect(number(of: "class=\"line open", in: chart([1, 2, 3, 4], open: [0, 3])) == 2)
    #expect(number(of: "class=\"line open", in: chart([1, 2, 3])) == 0)
    #expect(number(of: "class=\"line c1", in: chart([1, 2], open: [1])) == 0)
    #expect(number(of: "class=\"dot open c1\" d=\"M5", in: chart([1], open: [0])) == 1)
    #expect(number(of: "class=\"bar open", in: chart([1, 2, 3], open: [2], mark: .bar)) == 1)
  }

  @Test func `units of time that are cut by the range, or not over, are open`() {
    let (first, today) = (Day(number: 20_000), Day(number: 20_020))
    // Day 20,000 is a Friday.
    let labels = [19_996, 20_003, 20_010, 20_017].map { Day(number: $0).description }
    #expect(
      Chart.Place.places(labels, .week, in: first...today, today: today).map(\.isOpen) == [true, false, false, true])
    let days = (20_018...20_020).map { Day(number: $0).description }
    #expect(Chart.Place.places(days, .day, in: first...today, today: today).map(\.isOpen) == [false, false, true])
    let hours = ["T10:00", "T11:00"].map { "\(today)\($0)" }
    #expect(Chart.Place.places(hours, .hour, in: first...today, today: today).map(\.isOpen) == [false, true])
  }

  @Test func `stacked bars stand on each other, and those below hang from zero`() {
    func series(_ value: Double, _ mark: Chart.Mark) -> Chart.Series {
      Chart.Series(name: "n", values: [value], mark: mark, color: 1)
    }
    let chart = Chart(
      id: "t", title: "t", places: [Chart.Place(Day(number: 20_000))],
      series: [series(3, .stack), series(2, .stack), series(5, .stackBelow)])
    // The scale goes from −5 to 5.
    let bars = chart.html().components(separatedBy: "<rect class=\"bar").dropFirst().map { bar in
      bar.components(separatedBy: "y=").last?.prefix { $0 != "/" } ?? ""
    }
    #expect(bars.count == 3)
    #expect(bars[0].hasPrefix("\"60\"") && bars[0].hasSuffix("height=\"90\""))
    #expect(bars[1].hasPrefix("\"0\"") && bars[1].hasSuffix("height=\"60\""))
    #expect(bars[2].hasPrefix("\"150\"") && bars[2].hasSuffix("height=\"150\""))
    #expect(chart.html().contains("<li>-5</li>") && chart.html().contains("n<b>5</b>"))
  }

  @Test(arguments: 0..<300 as Range<UInt64>) func `a histogram has few round buckets that hold every number`(
    seed: UInt64
  ) {
    var generator = FastGenerator(seed: seed)
    let sizes: [Double] = [0.01, 1, 37, 5_000, 1e9]
    let size = sizes.randomElement(using: &generator) ?? 1
    let isWhole = Bool.random(using: &generator)
    var values = (0..<40).map { _ in Double.random(in: -size...size * 3, using: &generator) }
    if isWhole { values = values.map { $0.rounded() } }
    values.sort()
    guard
      let bins = HistogramBins(values[0], nearlyAll: values[38], maximum: values[39], isWhole: isWhole)
    else {
      #expect(values[0] == values[39], "seed \(seed)")
      return
    }
    #expect((1...20).contains(bins.bounds.count) && bins.bounds[0] <= values[0], "seed \(seed)")
    #expect(bins.names.count == bins.bounds.count && Set(bins.names).count == bins.names.count, "seed \(seed)")
    #expect(HistogramBins(size, nearlyAll: size, maximum: size, isWhole: false) == nil)
  }

  @Test func `buckets of whole numbers are named by the numbers in them`() {
    #expect(HistogramBins(1, nearlyAll: 3, maximum: 3, isWhole: true)?.names == ["1", "2", "3"])
    #expect(HistogramBins(0, nearlyAll: 100, maximum: 900, isWhole: true)?.names.prefix(2) == ["0 – 9", "10 – 19"])
    #expect(HistogramBins(0, nearlyAll: 1, maximum: 1, isWhole: false)?.names.first == "0 – 0.1")
    #expect(HistogramBins(bounds: [40, 45, 50])?.axis == ["40–45", "45–50", "≥ 50"])
    #expect(HistogramBins(bounds: [0, 10, 5]) == nil && HistogramBins(bounds: []) == nil)
  }

  @Test func `a scale of high shares tells 99.2 % and 99.9 % apart, and others begin at zero`() {
    let high = ChartFormat.highShare.scale([0.9921, 0.999])
    #expect(
      high.ticks.map { ChartFormat.highShare.text(tick: $0, step: high.step) } == [
        "99.2 %", "99.4 %", "99.6 %", "99.8 %", "100.0 %",
      ])
    #expect(ChartFormat.highShare.scale([0.3, 0.99]).bottom == 0)
    #expect(ChartFormat.share.scale([0.6, 0.99]).bottom == 0)
    #expect(ChartFormat.highShare.scale([1]).bottom < 1)
    #expect(
      [0.992, 0.9993, 1, 0.0004, 0.5].map { (value: Double) in ChartFormat.share.text(value) } == [
        "99.20 %", "99.93 %", "100.0 %", "0.04 %", "50.0 %",
      ])
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func `a scale encloses every value in at most five steps`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let sizes: [Double] = [0.001, 0.3, 7, 12_345, 1e14]
    let size = sizes.randomElement(using: &generator) ?? 1
    let values = (0..<3).map { _ in Double.random(in: -size...size, using: &generator) }
    let scale = ChartFormat.number.scale(values)
    #expect((2...6).contains(scale.ticks.count) && scale.ticks.contains { abs($0) < scale.step / 2 })
    for value in values { #expect(scale.bottom <= value && value <= scale.top, "seed \(seed)") }
  }

  @Test func `a chart is drawn of any numbers`() {
    let extremes: [Double?] = [
      1e308, -1e308, 1.7e308, -1.7e308, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, -0.0, nil,
    ]
    for format in [ChartFormat.number, .count, .share, .highShare] {
      for mark in [Chart.Mark.line, .area, .bar, .stack, .stackBelow] {
        let chart = Chart(
          id: "t", title: "t", places: extremes.indices.map { Chart.Place(Day(number: 20_000 + $0)) },
          series: [.init(name: "n", values: extremes, mark: mark, color: 1)], format: format)
        let html = chart.html()
        #expect(!html.contains("nan") && !html.contains("inf"))
      }
    }
    #expect(
      coordinate(.nan) == "0" && coordinate(12.34) == "12.3" && Double(coordinate(.infinity)) == Double(Int.max) / 10)
  }

  @Test func `numbers are shown with up to two decimals`() {
    #expect(
      [0.0, 1_234, 2.5, 2.25, -0.4, -3.05, 1e300].map { (value: Double) in ChartFormat.number.text(value) }
        == ["0", "1,234", "2.5", "2.25", "-0.4", "-3.05", "1e+300"])
    #expect(ChartFormat.number.text(nil) == "–" && ChartFormat.count.text(.nan) == "–")
  }

  @Test func `a place without a value interrupts the line and has a dash`() {
    let days = (0..<5).map { Chart.Place(Day(number: 20_000 + $0)) }
    let chart = Chart(
      id: "t", title: "t", places: days, series: [.init(name: "n", values: [0.9, 0.8, nil, 0.7, 0.6], color: 1)],
      format: .highShare)
    #expect(chart.html().components(separatedBy: "class=\"line c1").count - 1 == 2)
    #expect(chart.html().contains("n<b>–</b>"))
  }

  @Test func `the axis of many hours has the beginnings of days`() {
    let labels = (20_000..<20_003).flatMap { day in
      (0..<24).map { QuestionCalendar.label(of: .hour, number: day * 24 + $0) }
    }
    func places(_ labels: [String]) -> [Chart.Place] {
      Chart.Place.places(labels, .hour, in: Day(number: 20_000)...Day(number: 20_002), today: Day(number: 20_100))
    }
    let many = places(labels).filter(\.isLabelled)
    #expect(many.map(\.axis) == (20_000..<20_003).map { Day(number: $0).shortText })
    #expect(places(Array(labels.prefix(3))).map(\.axis) == ["00:00", "01:00", "02:00"])
    let chart = Chart(
      id: "t", title: "t", places: places(labels),
      series: [.init(name: "n", values: labels.map { _ in 1 as Int }, color: 1)])
    #expect(chart.html().components(separatedBy: "<span class=\"x").count - 1 == 3)
  }

  @Test func `numbers on an axis are abbreviated`() {
    #expect(
      [0, 999, 1_000, 1_500, 20_000, 2_500_000, 3_000_000_000].map(compact)
        == ["0", "999", "1k", "1.5k", "20k", "2.5M", "3B"])
  }

  @Test func `weekdays are correct across the calendar`() {
    #expect(Day("1970-01-01")?.weekdayText == "Thu, 1 Jan 1970")
    #expect(Day("1969-12-31")?.weekdayText == "Wed, 31 Dec 1969")
    #expect(Day("2024-02-29")?.weekdayText == "Thu, 29 Feb 2024")
    #expect(Day("2026-05-30")?.weekdayText == "Sat, 30 May 2026")
  }

  @Test(arguments: [1, 7, 59, 60, 61, 400, 731]) func `a trend keeps every count`(length: Int) throws {
    let today = Day(number: 20_000)
    let request = ReportRequest(
      AppReports.events, of: .app(AppID(1), zone: .utc),
      days: today.advanced(by: -length)...today.advanced(by: -1), zone: ReportZone(.utc), now: now(today))
    let trends = Trends(request.days.map { DailyCount(day: $0, key: "e", count: 2) }, request)
    #expect(trends["e"].count == min(length, 60))
    #expect(trends["e"].reduce(0, +) == length * 2)
    #expect(trends["other"].reduce(0, +) == 0)
  }

  @Test func `a note is marked at the unit that contains its day, and outside the chart nowhere`() {
    func marked(_ labels: [String], _ unit: TimeUnit, _ day: String) -> [Int] {
      let all = Day(number: 0)...Day(number: 30_000)
      var chart = Chart(
        id: "c", title: "", places: Chart.Place.places(labels, unit, in: all, today: Day(number: 30_001)), series: [])
      let note = ChartNote(Release(day: Day(day) ?? Day(number: 0), version: "2.0"))
      chart.mark([note])
      return chart.notes.keys.sorted()
    }
    let days = ["2026-05-01", "2026-05-02", "2026-05-03"]
    #expect(marked(days, .day, "2026-05-02") == [1])
    #expect(marked(days, .day, "2026-05-04") == [])
    #expect(marked(days, .day, "2026-04-30") == [])
    #expect(marked(["2026-05-04", "2026-05-11"], .week, "2026-05-10") == [0])
    #expect(marked(["2026-05-04", "2026-05-11"], .week, "2026-05-18") == [])
    #expect(marked(["2025-12-01", "2026-01-01", "2026-02-01"], .month, "2025-12-31") == [0])
    #expect(marked(["2025-12-01", "2026-01-01", "2026-02-01"], .month, "2026-02-28") == [2])
    #expect(marked(["2025-12-01", "2026-01-01", "2026-02-01"], .month, "2026-03-01") == [])
    #expect(marked(["2026-05-01T23:00", "2026-05-02T00:00", "2026-05-02T01:00"], .hour, "2026-05-02") == [1])
  }

  @Test func `notes are drawn, shown under the pointer, and listed below the chart`() {
    let day = Day(year: 2026, month: 5, day: 2)
    var chart = Chart(
      id: "c", title: "", places: [Chart.Place(day)], series: [.init(name: "a", values: [1 as Int], color: 1)])
    #expect(!chart.html().contains("note"))
    chart.mark([ChartNote(Release(day: day, version: "2.0 <b>"))])
    let html = chart.html()
    #expect(html.contains("<path class=\"note\" d=\"M500 0V300\"/>"))
    #expect(html.contains("<span class=\"note\">Version 2.0 &lt;b&gt;</span>"))
    #expect(html.contains("<summary>1 note</summary>"))
    #expect(html.contains("<span class=\"flag\">2.0 &lt;b&gt;</span>"))
  }

  @Test func `labels of notes that would run into each other are left out, on narrow charts more of them`() {
    var chart = Chart(
      id: "c", title: "", places: (0..<30).map { Chart.Place(Day(number: 20_000 + $0)) },
      series: [.init(name: "a", values: (0..<30).map { $0 }, color: 1)])
    for (day, text) in [(0, "3.1.0"), (3, "3.1.1"), (20, "3.2.0"), (29, "A very long note about a campaign")] {
      chart.mark([ChartNote(Release(day: Day(number: 20_000 + day), version: text))])
    }
    let flags = chart.noteFlags
    #expect(flags.keys.sorted() == [0, 3, 20, 29])
    #expect(flags[3]?.contains("minor") == true && flags[0]?.contains("minor") == false)
    #expect(flags[29]?.contains("before") == true && flags[29]?.contains("…") == true)
    chart.mark([ChartNote(Release(day: Day(number: 20_001), version: "3.1.0"))])
    #expect(chart.noteFlags[1] == nil, "no room beside the first")
  }
}
