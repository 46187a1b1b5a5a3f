import Foundation
import Questions
import Reports
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
      let ticks = ChartScale(maximum: maximum).ticks
      #expect(ticks.first == 0)
      #expect((2...6).contains(ticks.count), "\(maximum)")
      #expect(Set(zip(ticks, ticks.dropFirst()).map { $1 - $0 }).count == 1, "\(maximum)")
      #expect(ticks[ticks.count - 1] >= Double(maximum), "\(maximum)")
      #expect(ticks[ticks.count - 2] < max(Double(maximum), 1), "\(maximum): the last step is needed")
    }
    #expect(ChartScale(maximum: Int.max).top >= Double(Int.max), "no overflow at the end of the range")
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `a curve between two points stays between them`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let points = (0..<12).map {
      CurvePoint(x: Double($0 * 10), y: Double(Int.random(in: 0...5, using: &generator) * 50))
    }
    let path = MonotoneCurve(points).path(0..<points.count)
    let curves = path.split(separator: "C").dropFirst().map { curve in
      curve.split(separator: " ").compactMap { Double($0) }
    }
    #expect(curves.count == 11)
    for (index, curve) in curves.enumerated() {
      #expect(curve.count == 6)
      let range = [points[index].y, points[index + 1].y]
      // A cubic stays within the hull of its control points.
      for y in [curve[1], curve[3]] {
        #expect(y >= (range.min() ?? 0) - 0.1 && y <= (range.max() ?? 0) + 0.1, "point \(index)")
      }
    }
  }

  @Test func `the line to an unfinished day is dashed`() {
    func paths(_ values: [Int], _ endsToday: Bool) -> Int {
      let days = values.indices.map { Day(number: 20_000 + $0) }
      let chart = Chart(
        id: "t", title: "t", days: days, series: [.init(name: "n", values: values, color: 1)], endsToday: endsToday)
      return chart.html().components(separatedBy: "class=\"line open").count - 1
    }
    #expect(paths([1, 2, 3], true) == 1)
    #expect(paths([1, 2, 3], false) == 0)
    #expect(paths([1], true) == 0)
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
      for (isBars, isFilled) in [(false, false), (false, true), (true, false)] {
        let chart = Chart(
          id: "t", title: "t", slots: extremes.indices.map { Chart.Slot(Day(number: 20_000 + $0)) },
          series: [.init(name: "n", values: extremes, isFilled: isFilled, isBars: isBars, color: 1)], format: format)
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
    let days = (0..<5).map { Chart.Slot(Day(number: 20_000 + $0)) }
    let chart = Chart(
      id: "t", title: "t", slots: days, series: [.init(name: "n", values: [0.9, 0.8, nil, 0.7, 0.6], color: 1)],
      format: .highShare)
    #expect(chart.html().components(separatedBy: "class=\"line c1").count - 1 == 2)
    #expect(chart.html().contains("n<b>–</b>"))
  }

  @Test func `the axis of many hours has the beginnings of days`() {
    let labels = (20_000..<20_003).flatMap { day in
      (0..<24).map { QuestionCalendar.label(of: .hour, number: day * 24 + $0) }
    }
    let many = Chart.Slot.slots(labels, .hour).filter(\.isLabelled)
    #expect(many.map(\.axis) == (20_000..<20_003).map { Day(number: $0).shortText })
    #expect(Chart.Slot.slots(Array(labels.prefix(3)), .hour).map(\.axis) == ["00:00", "01:00", "02:00"])
    let chart = Chart(
      id: "t", title: "t", slots: Chart.Slot.slots(labels, .hour),
      series: [.init(name: "n", values: labels.map { _ in 1 as Int }, color: 1)])
    #expect(chart.html().components(separatedBy: "<span class=\"x").count - 1 == 3)
  }

  @Test func `numbers on an axis are abbreviated`() {
    #expect(
      [0, 999, 1_000, 1_500, 20_000, 2_500_000, 3_000_000_000].map(compact)
        == ["0", "999", "1k", "1.5k", "20k", "2.5M", "3G"])
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
      AppReports.events, of: .app(AppID(1), timeZone: "UTC"),
      days: today.advanced(by: -length)...today.advanced(by: -1), zone: try ReportZone("UTC"), now: now(today))
    let trends = Trends(request.days.map { DailyCount(day: $0, key: "e", count: 2) }, request)
    #expect(trends["e"].count == min(length, 60))
    #expect(trends["e"].reduce(0, +) == length * 2)
    #expect(trends["other"].reduce(0, +) == 0)
  }

  @Test func `a note is marked at the unit that contains its day, and outside the chart nowhere`() {
    func marked(_ labels: [String], _ unit: TimeUnit, _ day: String) -> [Int] {
      var chart = Chart(id: "c", title: "", slots: Chart.Slot.slots(labels, unit), series: [])
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
    var chart = Chart(id: "c", title: "", days: [day], series: [Chart.Series(name: "a", values: [1], color: 1)])
    #expect(!chart.html().contains("note"))
    chart.mark([ChartNote(Release(day: day, version: "2.0 <b>"))])
    let html = chart.html()
    #expect(html.contains("<path class=\"note\" d=\"M500 0V300\"/>"))
    #expect(html.contains("<span class=\"note\">Version 2.0 &lt;b&gt;</span>"))
    #expect(html.contains("<summary>1 note</summary>"))
  }
}
