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

  @Test func `a day that the zone skipped is no day`() throws {
    let calendar = try #require(QuestionCalendar("Pacific/Apia"))
    let days = Day(year: 2011, month: 12, day: 29)...Day(year: 2011, month: 12, day: 31)
    #expect(calendar.numbers(of: .day, in: days).count == 2)
    #expect(calendar.numbers(of: .hour, in: days).count == 48)
  }
}
