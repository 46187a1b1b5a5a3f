import Questions
import Testing
import Warehouse

struct CalendarTests {
  private let today = Day(year: 2026, month: 10, day: 31)

  @Test func `ranges are whole civil days that end today`() {
    func range(_ range: QuestionRange) -> String {
      let days = range.resolved(today: today)
      return "\(days.lowerBound) \(days.upperBound)"
    }
    #expect(range(.days(1)) == "2026-10-31 2026-10-31")
    #expect(range(.days(30)) == "2026-10-02 2026-10-31")
    #expect(range(.month) == "2026-10-01 2026-10-31")
    #expect(range(.twelveMonths) == "2025-11-01 2026-10-31")
    let december = Day(year: 2026, month: 12, day: 5)
    #expect(QuestionRange.twelveMonths.resolved(today: december).lowerBound == Day(year: 2026, month: 1, day: 1))
  }

  @Test(arguments: [
    (TimeUnit.hour, "2026-10-31T00:00"), (.day, "2026-10-31"), (.week, "2026-10-26"), (.month, "2026-10-01"),
  ])
  func `a unit is named by its first day`(unit: TimeUnit, label: String) {
    #expect(QuestionCalendar.label(of: unit, number: QuestionCalendar.number(of: unit, on: today)) == label)
  }

  @Test(arguments: -800_000..<(-799_000)) func `units before 1970 hold their days too`(number: Int) {
    let day = Day(number: number)
    for unit in TimeUnit.allCases {
      let first = QuestionCalendar.firstDay(of: unit, number: QuestionCalendar.number(of: unit, on: day))
      #expect(first <= day && first.distance(to: day) < 31)
    }
  }

  @Test func `a day with a clock change has the hours that its clocks show`() throws {
    let calendar = try #require(QuestionCalendar("Europe/Berlin"))
    func hours(_ day: Day) -> [String] {
      calendar.numbers(of: .hour, in: day...day).map { QuestionCalendar.label(of: .hour, number: $0) }
    }
    #expect(hours(Day(year: 2026, month: 10, day: 25)).count == 24, "02:00 comes twice and is one hour of the clock")
    let spring = hours(Day(year: 2026, month: 3, day: 29))
    #expect(spring.count == 23 && !spring.contains("2026-03-29T02:00"))
  }

  @Test func `zoned hours tell the two hours of an autumn night apart, in the order of time`() throws {
    let calendar = try #require(QuestionCalendar("Europe/Berlin"))
    func hours(_ day: Day) -> [String] {
      calendar.numbers(of: .zonedHour, in: day...day).map { QuestionCalendar.label(of: .zonedHour, number: $0) }
    }
    let autumn = hours(Day(year: 2026, month: 10, day: 25))
    let night = [
      "2026-10-25T01:00+02:00", "2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00",
    ]
    #expect(autumn.count == 25 && Array(autumn[1...4]) == night)
    #expect(hours(Day(year: 2026, month: 3, day: 29)).count == 23)
    let dimension = QuestionDimension.time(.zonedHour)
    #expect(QuestionDimension("time:zoned_hour") == dimension)
    let shuffled = [3, 2, 0, 1].map { QuestionValue.text(night[$0]) }
    #expect(shuffled.sorted { dimension.isOrdered($0, before: $1) }.map(\.plainText) == night)
  }

  @Test(
    arguments: [
      ("America/New_York", 1_793_511_000_000, "2026-11-01T01:00-04:00"),
      ("America/New_York", 1_793_514_600_000, "2026-11-01T01:00-05:00"),
      ("Asia/Kolkata", 1_793_514_600_000, "2026-11-01T12:00+05:30"),
      ("UTC", 1_793_514_600_000, "2026-11-01T06:00+00:00"),
      ("UTC", -1_800_000, "1969-12-31T23:00+00:00"),
    ] as [(String, Int64, String)])
  func `a zoned hour is named by its clock and its zone's offset`(zone: String, time: Int64, label: String) throws {
    let calendar = try #require(QuestionCalendar(zone))
    #expect(QuestionCalendar.label(of: .zonedHour, number: calendar.number(of: .zonedHour, at: time)) == label)
    #expect(calendar.label(ofZonedHour: label, daysBefore: 0) == label)
  }

  @Test(arguments: [
    ("2026-11-01T02:00+01:00", 7, "2026-10-25T02:00+01:00"), ("2026-10-26T05:00+01:00", 2, "2026-10-24T05:00+02:00"),
    ("2026-10-26T01:00+01:00", 1, "2026-10-25T01:00+02:00"), ("2026-10-25T02:00+02:00", 7, "2026-10-18T02:00+02:00"),
    ("2026-03-30T03:00+02:00", 1, "2026-03-29T03:00+02:00"), ("2026-03-30T02:00+02:00", 1, "2026-03-29T02:00+02:00"),
  ])
  func `the zoned hour some days before is that of the same clock`(label: String, days: Int, expected: String) throws {
    let calendar = try #require(QuestionCalendar("Europe/Berlin"))
    #expect(calendar.label(ofZonedHour: label, daysBefore: days) == expected)
  }

  @Test func `a day that the zone skipped is no day`() throws {
    let calendar = try #require(QuestionCalendar("Pacific/Apia"))
    let days = Day(year: 2011, month: 12, day: 29)...Day(year: 2011, month: 12, day: 31)
    #expect(calendar.numbers(of: .day, in: days).count == 2)
    #expect(calendar.numbers(of: .hour, in: days).count == 48)
  }
}
