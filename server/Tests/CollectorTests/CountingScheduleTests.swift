import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import TernServer

@Suite struct `The schedule for counting views` {
  private func view(_ number: Int64, name: String = "V") -> View {
    View(
      id: ViewID(number), app: AppID(1), name: name,
      zones: [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))])
  }

  /// Runs a check that takes `cost`; returns the views that it counted.
  private func check(
    _ schedule: inout CountingSchedule, _ views: [View], at time: Duration, cost: Duration = .zero
  ) -> [View] {
    let counted = schedule.viewsToCount(of: views, at: time)
    schedule.finished(begin: time, end: time + cost)
    return counted
  }

  @Test func `counts a view at once when it is created or changed, and all views from time to time`() {
    var schedule = CountingSchedule()
    #expect(check(&schedule, [view(1)], at: .zero) == [view(1)])
    #expect(check(&schedule, [view(1)], at: .seconds(1)) == [])
    #expect(check(&schedule, [view(1), view(2)], at: .seconds(2)) == [view(2)])
    #expect(check(&schedule, [view(1, name: "W"), view(2)], at: .seconds(3)) == [view(1, name: "W")])
    #expect(check(&schedule, [view(1, name: "W"), view(2)], at: .seconds(29)) == [])
    #expect(check(&schedule, [view(1, name: "W"), view(2)], at: .seconds(30)).count == 2)
  }

  @Test func `takes at most a tenth of the time, but never waits longer than five minutes`() {
    var schedule = CountingSchedule()
    _ = check(&schedule, [view(1)], at: .zero, cost: .seconds(10))
    #expect(!schedule.isDue(at: .seconds(99)) && schedule.isDue(at: .seconds(100)))
    _ = check(&schedule, [view(1)], at: .seconds(100), cost: .seconds(100))
    #expect(!schedule.isDue(at: .seconds(499)) && schedule.isDue(at: .seconds(500)))
  }
}
