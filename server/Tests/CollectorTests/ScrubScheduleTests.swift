import TernEvents
import Testing

@testable import TernServer
@testable import WarehouseSQLite

/// When files are checked for damage.
@Suite struct ScrubScheduleTests {
  private static let day: Int64 = 86_400_000
  private let period = Duration.seconds(30 * 86_400)
  private let files = (0..<200).map { ScrubbedFile(.rows, path: "/data/rows/\($0).rows") }

  private func at(day: Double) -> Timestamp {
    Timestamp(millisecondsSince1970: 1_000_000_000_000 + Int64(day * Double(Self.day)))
  }

  /// The numbers of checks of each file, if a server looks from time to time.
  private func checks(days: Double, every step: Double, isUp: (Double) -> Bool = { _ in true }) -> [String: Int] {
    var schedule = ScrubSchedule(period: period, position: at(day: 0), now: at(day: 0))
    var checks: [String: Int] = [:]
    for tick in 1...Int(days / step) where isUp(Double(tick) * step) {
      let now = at(day: Double(tick) * step)
      for due in schedule.due(files, now: now) {
        #expect(due.time > schedule.position && due.time <= now)
        checks[due.file.identity, default: 0] += 1
        schedule.didCheck(through: due.time)
      }
      schedule.didCheck(through: now)
    }
    return checks
  }

  @Test(arguments: [0.01, 0.5, 7.5, 30]) func `every file is checked once in each period`(step: Double) {
    let checks = checks(days: 90, every: step)
    #expect(checks.count == files.count)
    #expect(checks.values.allSatisfy { $0 == 3 }, "\(checks)")
  }

  @Test func `the files of a day are a small part of all`() {
    var schedule = ScrubSchedule(period: period, position: at(day: 0), now: at(day: 0))
    let files = (0..<3_000).map { ScrubbedFile(.rows, path: "/data/rows/\($0).rows") }
    for day in 1...30 {
      let due = schedule.due(files, now: at(day: Double(day)))
      #expect((50...150).contains(due.count), "day \(day): \(due.count)")
      schedule.didCheck(through: at(day: Double(day)))
    }
  }

  @Test func `a server that was stopped checks what was due meanwhile, once`() {
    let paused = checks(days: 30, every: 0.5) { !(5..<20).contains($0) }
    #expect(paused.count == files.count && paused.values.allSatisfy { $0 == 1 })
    let late = checks(days: 200, every: 0.5) { $0 > 190 }
    #expect(late.count == files.count && late.values.allSatisfy { (1...2).contains($0) })
  }

  @Test func `a check that was interrupted goes on with the next file`() throws {
    var schedule = ScrubSchedule(period: period, position: at(day: 0), now: at(day: 0))
    let all = schedule.due(files, now: at(day: 10))
    schedule.didCheck(through: all[9].time)
    var next = ScrubSchedule(period: period, position: schedule.position, now: at(day: 10))
    #expect(next.due(files, now: at(day: 10)) == Array(all[10...]))
  }

  @Test func `all files are due at the first start, and none after the clock was set back`() {
    var schedule = ScrubSchedule(period: period, position: nil, now: at(day: 0))
    #expect(schedule.due(files, now: at(day: 0)).count == files.count)
    schedule.didCheck(through: at(day: 400))
    #expect(schedule.due(files, now: at(day: 10)).isEmpty)
    #expect(schedule.due(files, now: at(day: 40)).count == files.count)
  }

  @Test func `a check takes a tenth of the time at most, and sixteen mebibytes a second`() {
    #expect(ScrubPace.pause(after: 1 << 20, taking: .zero) == .milliseconds(62.5))
    #expect(ScrubPace.pause(after: 1 << 20, taking: .milliseconds(20)) == .milliseconds(180))
    #expect(ScrubPace.pause(after: 1 << 20, taking: .seconds(60)) == .seconds(10))
  }

  @Test func `what has failed is tried again after minutes, later after hours, until it succeeds`() {
    let file = ScrubbedFile(.keys, path: "/keys/a")
    var retries = ScrubRetries()
    var now = Timestamp(millisecondsSince1970: 1_780_000_000_000)
    var waits: [Int64] = []
    for _ in 0..<20 {
      retries.record(file, hasFailed: true, now: now)
      #expect(retries.due(now).isEmpty && retries.paths == [file.identity: file.path])
      let start = now
      while retries.due(now).isEmpty { now = now + .seconds(60) }
      waits.append((now.millisecondsSince1970 - start.millisecondsSince1970) / 60_000)
    }
    #expect(waits.prefix(4) == [5, 10, 20, 40] && waits == waits.sorted() && waits.last == 360)
    // The clock was set back by a year.
    #expect(retries.due(now - .seconds(365 * 86_400)) == [file.identity])
    retries.record(file, hasFailed: false, now: now)
    #expect(retries.paths.isEmpty)
    retries.record(file, hasFailed: true, now: now)
    retries.keep([])
    #expect(retries.paths.isEmpty)
  }
}
