import Questions
import QuestionsTestSupport
import Testing
import Warehouse

@testable import Columns

struct DayRangeTests {
  private let day = Day(year: 2026, month: 10, day: 17)

  /// Returns true if a chunk with rows at some times lies in the days.
  private func includes(_ zone: String, _ days: ClosedRange<Day>, _ times: [Int64]) throws -> Bool {
    var random = RandomRows(seed: 1, first: day)
    var rows = random.rows(times.count)
    for (index, time) in times.enumerated() { rows[index].time = time }
    let chunk = try #require(ColumnSnapshot(rows, rowsPerChunk: 100).chunks.first)
    return DayRange(days).includes(chunk, CivilHours(try #require(QuestionCalendar(zone))))
  }

  private func time(_ day: Day, _ hours: Double) -> Int64 { Int64(day.number) * 86_400_000 + Int64(hours * 3_600_000) }

  @Test func `a chunk of one civil day lies in it, to its first and last millisecond`() throws {
    // Berlin's day begins at 22:00 UTC on the day before.
    let (start, end) = (time(day, -2), time(day, 22))
    #expect(try includes("Europe/Berlin", day...day, [start, start + 5, end - 1]))
    #expect(try !includes("Europe/Berlin", day...day, [start - 1, start]))
    #expect(try !includes("Europe/Berlin", day...day, [end - 1, end]))
    #expect(try includes("UTC", day...day.advanced(by: 1), [time(day, 0), time(day, 48) - 1]))
    #expect(try !includes("UTC", day...day, [time(day, 0), time(day, 24)]))
  }

  @Test func `a chunk over a midnight that comes twice is looked at row by row`() throws {
    // Clocks in Beirut go back from 24:00 to 23:00 on 24 October: 20:00…21:00 UTC is 23:00…24:00, and so is the hour after.
    let last = Day(year: 2026, month: 10, day: 24)
    let next = last.advanced(by: 1)
    #expect(try !includes("Asia/Beirut", next...next, [time(last, 20.5), time(last, 22.5)]))
    #expect(try includes("Asia/Beirut", last...last, [time(last, 20.5), time(last, 21.9)]))
  }
}
