import TernEvents
import Testing

@testable import TernServer

@Suite struct KeepingScheduleTests {
  private let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

  /// Returns the work of each minute of a time, done at once.
  private func work(
    of schedule: inout KeepingSchedule, hours: Int, isComplete: (Int) -> Bool = { _ in true }, jump: Int? = nil
  ) -> [(minute: Int, KeepingSchedule.Work)] {
    var done: [(minute: Int, KeepingSchedule.Work)] = []
    for minute in 0..<hours * 60 {
      let uptime = Duration.seconds(minute * 60)
      let wall = start + uptime + .seconds(jump.map { minute >= $0 ? 7_200 : 0 } ?? 0)
      for work in schedule.due(wall: wall, uptime: uptime) {
        done.append((minute, work))
        switch work {
        case .removal: schedule.didRemove(uptime: uptime)
        case .retirement: schedule.didRetire(isComplete: isComplete(minute), uptime: uptime)
        }
      }
    }
    return done
  }

  @Test func `rows are removed every hour and leave daily, once the clock has gone right for ten minutes`() {
    var schedule = KeepingSchedule(keepsAtHome: .seconds(90 * 86_400))
    let done = work(of: &schedule, hours: 49)
    #expect(done.filter { $0.1 == .removal }.map(\.minute) == (0..<49).map { 10 + $0 * 60 })
    let retirements = done.filter { $0.1 != .removal }
    #expect(retirements.map(\.minute) == [10, 1_450, 2_890])
    #expect(retirements[0].1 == .retirement(before: start + .seconds(600) - .seconds(90 * 86_400)))
  }

  @Test func `rows that could not be removed are tried again soon, and then less often, but every hour`() {
    var (schedule, removals) = (KeepingSchedule(keepsAtHome: nil), [Int]())
    for minute in 0..<300 {
      let uptime = Duration.seconds(minute * 60)
      guard !schedule.due(wall: start + uptime, uptime: uptime).isEmpty else { continue }
      removals.append(minute)
      schedule.didRemove(isComplete: minute == 145, uptime: uptime)
    }
    #expect(removals == [10, 15, 25, 45, 85, 145, 205, 210, 220, 240, 280])
  }

  @Test func `rows that had to stay are looked at again after an hour`() {
    var schedule = KeepingSchedule(keepsAtHome: .zero)
    let done = work(of: &schedule, hours: 24, isComplete: { $0 > 100 }).filter { $0.1 != .removal }
    #expect(done.map(\.minute) == [10, 70, 130])
  }

  @Test func `after a jump of the clock, nothing is removed for ten minutes`() {
    var schedule = KeepingSchedule(keepsAtHome: nil)
    let done = work(of: &schedule, hours: 3, jump: 65)
    #expect(done.map(\.minute) == [10, 75, 135] && done.allSatisfy { $0.1 == .removal })
  }
}
