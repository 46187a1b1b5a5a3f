import Foundation
import Questions
import TernEvents
import Testing
import Warehouse

@testable import Alerts

/// The hours and days that alerts decide on.
@Suite struct EndedPeriodsTests {
  @Test(arguments: [
    // An hour is over ten minutes after its end.
    ("UTC", "2026-06-01T10:09:59Z", "2026-06-01T08:00"), ("UTC", "2026-06-01T10:10:00Z", "2026-06-01T09:00"),
    // 02:00 to 03:00 comes twice.
    ("Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T01:00"),
    ("Europe/Berlin", "2026-10-25T02:09:59Z", "2026-10-25T01:00"),
    ("Europe/Berlin", "2026-10-25T02:10:00Z", "2026-10-25T02:00"),
    // 02:00 to 03:00 is skipped.
    ("Europe/Berlin", "2026-03-29T01:10:00Z", "2026-03-29T01:00"),
    ("Europe/Berlin", "2026-03-29T02:10:00Z", "2026-03-29T03:00"),
    // The clock goes back by half an hour.
    ("Australia/Lord_Howe", "2026-04-04T15:10:00Z", "2026-04-05T00:00"),
    ("Australia/Lord_Howe", "2026-04-04T15:40:00Z", "2026-04-05T01:00"),
  ])
  func `hours that clocks show twice or skip end when they are over`(zone: String, now: String, label: String) throws {
    let calendar = try #require(QuestionCalendar(zone))
    #expect(EndedPeriods(.hour, at: time(now), in: calendar)?.label == label)
  }

  @Test(arguments: [
    ("UTC", "2026-06-02T00:09:59Z", "2026-05-31"), ("UTC", "2026-06-02T00:10:00Z", "2026-06-01"),
    ("Europe/Berlin", "2026-10-25T23:09:59Z", "2026-10-24"), ("Europe/Berlin", "2026-10-25T23:10:00Z", "2026-10-25"),
    // Samoa had no 30 December 2011.
    ("Pacific/Apia", "2011-12-31T12:00:00Z", "2011-12-31"), ("Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-29"),
  ])
  func `days are those of the app's zone`(zone: String, now: String, label: String) throws {
    let calendar = try #require(QuestionCalendar(zone))
    let periods = try #require(EndedPeriods(.day, at: time(now), in: calendar))
    #expect(periods.label == label && periods.before < periods.last)
  }

  @Test func `the figure of a period without rows is 0 for counts, and none for shares`() throws {
    let calendar = try #require(QuestionCalendar("UTC"))
    let periods = try #require(EndedPeriods(.hour, at: time("2026-06-01T10:10:00Z"), in: calendar))
    var answer = QueryAnswer()
    #expect(periods.figure(answer, of: .plain(.events)).value == 0)
    #expect(periods.figure(answer, of: .plain(.crashFreeUsers)).value == nil)
    answer.rows = [
      .init(dimensions: [.text("2026-06-01T08:00")], metrics: [5, 2]),
      .init(dimensions: [.text("2026-06-01T09:00")], metrics: [7, 3]),
      .init(dimensions: [.text("2026-06-01T10:00")], metrics: [99, 99]),
    ]
    let figure = periods.figure(answer, of: .plain(.events))
    #expect((figure.value, figure.before) == (7, 5) && (figure.users, figure.usersBefore) == (3, 2))
    #expect(figure.label == "2026-06-01T09:00")
  }

  @Test func `shares are percentages, and meet a limit of the same number exactly`() throws {
    let calendar = try #require(QuestionCalendar("UTC"))
    let periods = try #require(EndedPeriods(.day, at: time("2026-06-03T10:00:00Z"), in: calendar))
    for metric in [QuestionMetric.plain(.crashFreeUsers), .plain(.crashFreeSessions)] {
      for percent in 0...100 {
        var answer = QueryAnswer()
        let share = 1 - Double(100 - percent) / 100
        answer.rows = [.init(dimensions: [.text("2026-06-02")], metrics: [share, 100])]
        #expect(periods.figure(answer, of: metric).value == Double(percent))
      }
    }
  }

  @Test func `the figure of a funnel is the share that took all steps on a day, and none if nobody began`() throws {
    let calendar = try #require(QuestionCalendar("UTC"))
    let periods = try #require(EndedPeriods(.day, at: time("2026-06-03T10:00:00Z"), in: calendar))
    let funnel = FunnelQuestion(steps: [Selector(.any), Selector(.event("Order"))], breakdown: .country)
    let asked = try #require(periods.questions(.funnel(funnel)))
    let expected = ["2026-06-02", "2026-06-01"].map { text -> Question in
      let day = calendar.day(of: time("\(text)T12:00:00Z").millisecondsSince1970)
      return .funnel(FunnelQuestion(scope: QuestionScope(range: .dates(day, day)), steps: funnel.steps))
    }
    #expect(asked == expected)
    func answer(_ attempts: [[Int64]]) -> Answer {
      .funnel(FunnelAnswer(groups: [.init(value: nil, steps: 2, attempts: attempts)]))
    }
    let answers = [answer([[1], [1, 2], [3], [5]]), answer([])]
    let figure = try #require(periods.figure(answers, of: .funnel(funnel)))
    #expect(figure.value == 25 && figure.before == nil && (figure.users, figure.usersBefore) == (4, 0))
    #expect(figure.label == "2026-06-02" && !figure.isCount)
  }

  @Test func `an address of a page is a question, and days are what funnels have`() {
    #expect(
      AlertQuestion(address: "metric=users", period: nil)
        == .init(page: "explore", query: "metric=users", period: .hour))
    #expect(
      AlertQuestion(address: "https://tern.example/apps/1/funnels?s1=a&s2=b", period: nil)
        == .init(page: "funnels", query: "s1=a&s2=b", period: .day))
    #expect(AlertQuestion(address: "/apps/1/explore?metric=users", period: .day).page == "explore")
    #expect(
      AlertQuestion(address: "metric=events&event=Ready?", period: .day)
        == .init(page: "explore", query: "metric=events&event=Ready?", period: .day))
  }
}
