import Foundation
import ServerBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The 04:00 rule of docs/views.md, which determines the hits in a view's reports.
@Suite struct ReportRuleTests {
  private static let hour: Int64 = 3_600_000
  private static let minute: Int64 = 60_000

  private func calendar(_ zone: String, lateness: View.Lateness = .cutoff) throws -> ViewCalendar {
    ViewCalendar(view(zone, lateness: lateness))
  }

  private func view(_ zone: String, lateness: View.Lateness = .cutoff) -> View {
    View(
      id: ViewID(1), app: AppID(1), name: "V",
      zones: [.init(ZoneRules(zone)!, start: Timestamp(millisecondsSince1970: 0))],
      first: View.Rules(lateness: lateness))
  }

  /// Expects the hit on `date`, in time up to the last millisecond before the cutoff, and late from then on.
  private func expectCutoff(
    _ zone: String, _ queued: String, _ cutoff: String, date: String, window: Int64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let rule = try calendar(zone)
    let (time, end) = (milliseconds(queued), milliseconds(cutoff))
    #expect(Day(number: rule.day(of: time)).description == date, sourceLocation: sourceLocation)
    #expect(rule.counts(time: time, received: end - 1), sourceLocation: sourceLocation)
    #expect(!rule.counts(time: time, received: end), sourceLocation: sourceLocation)
    #expect(end - time == window, sourceLocation: sourceLocation)
    #expect(rule.final(rule.day(of: time)) == end, sourceLocation: sourceLocation)
  }

  @Test func `a hit at 23:59 in New York counts until 03:59:59_999`() throws {
    try expectCutoff(
      "America/New_York", "2024-05-15T03:59:00Z", "2024-05-15T08:00:00Z", date: "2024-05-14",
      window: 4 * Self.hour + Self.minute)
  }

  @Test func `a hit at midnight in New York has 28 hours to arrive`() throws {
    try expectCutoff(
      "America/New_York", "2024-05-14T04:00:00Z", "2024-05-15T08:00:00Z", date: "2024-05-14", window: 28 * Self.hour)
  }

  @Test func `a hit at 23:59 in Kolkata counts until 03:59:59_999`() throws {
    try expectCutoff(
      "Asia/Kolkata", "2024-03-10T18:29:00Z", "2024-03-10T22:30:00Z", date: "2024-03-10",
      window: 4 * Self.hour + Self.minute)
  }

  @Test func `a hit that didn't wait always counts`() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    print("seed \(seed)")
    var random = FastGenerator(seed: seed)
    for zone in ["America/New_York", "Pacific/Apia", "America/St_Johns", "Asia/Baku", "Antarctica/Troll", "UTC"] {
      let rule = try calendar(zone)
      for _ in 0..<2_000 {
        let time = Int64.random(
          in: milliseconds("1990-01-01T00:00:00Z")...milliseconds("2030-01-01T00:00:00Z"), using: &random)
        #expect(rule.counts(time: time, received: time), "\(zone) \(time)")
      }
    }
  }

  @Test func `a hit received at 04:00 sharp after four hours is from midnight of that day and counts`() throws {
    let rule = try calendar("America/New_York")
    let received = milliseconds("2024-05-15T08:00:00Z")
    let time = received - 4 * Self.hour
    #expect(Day(number: rule.day(of: time)).description == "2024-05-15")
    #expect(rule.counts(time: time, received: received))
  }

  @Test func `a hit received at 04:00 sharp after four hours and a millisecond is from the day before and late`() throws
  {
    let rule = try calendar("America/New_York")
    let received = milliseconds("2024-05-15T08:00:00Z")
    let time = received - 4 * Self.hour - 1
    #expect(Day(number: rule.day(of: time)).description == "2024-05-14")
    #expect(!rule.counts(time: time, received: received))
    #expect(rule.counts(time: time, received: received - 1))
  }

  @Test func `a hit that waited a millisecond less than 28 hours counts`() throws {
    let rule = try calendar("America/New_York")
    let received = milliseconds("2024-05-15T08:00:00Z") - 1
    let time = received - (28 * Self.hour - 1)
    #expect(time == milliseconds("2024-05-14T04:00:00Z"))
    #expect(rule.counts(time: time, received: received))
    #expect(!rule.counts(time: time, received: received + 1))
  }

  @Test(arguments: [
    ("2024-03-09T05:00:00Z", "2024-03-10T08:00:00Z", "2024-03-09", 27 * 60),
    ("2024-03-10T04:59:00Z", "2024-03-10T08:00:00Z", "2024-03-09", 3 * 60 + 1),
    ("2024-03-10T05:00:00Z", "2024-03-11T08:00:00Z", "2024-03-10", 27 * 60),
    ("2024-03-11T03:59:00Z", "2024-03-11T08:00:00Z", "2024-03-10", 4 * 60 + 1),
    ("2024-11-02T04:00:00Z", "2024-11-03T09:00:00Z", "2024-11-02", 29 * 60),
    ("2024-11-03T03:59:00Z", "2024-11-03T09:00:00Z", "2024-11-02", 5 * 60 + 1),
    ("2024-11-03T04:00:00Z", "2024-11-04T09:00:00Z", "2024-11-03", 29 * 60),
    ("2024-11-03T05:30:00Z", "2024-11-04T09:00:00Z", "2024-11-03", 27 * 60 + 30),
    ("2024-11-03T06:30:00Z", "2024-11-04T09:00:00Z", "2024-11-03", 26 * 60 + 30),
  ]) func `days around clock changes in New York`(
    queued: String, cutoff: String, date: String, minutes: Int
  ) throws {
    try expectCutoff("America/New_York", queued, cutoff, date: date, window: Int64(minutes) * Self.minute)
  }

  @Test(arguments: [
    ("Europe/Berlin", "2024-03-30T22:59:00Z", "2024-03-31T02:00:00Z", "2024-03-30", 3 * 60 + 1),
    ("Europe/Berlin", "2024-10-26T21:59:00Z", "2024-10-27T03:00:00Z", "2024-10-26", 5 * 60 + 1),
    ("Australia/Lord_Howe", "2024-04-06T12:59:00Z", "2024-04-06T17:30:00Z", "2024-04-06", 4 * 60 + 31),
    ("Australia/Lord_Howe", "2024-10-05T13:29:00Z", "2024-10-05T17:00:00Z", "2024-10-05", 3 * 60 + 31),
  ]) func `days around clock changes in Berlin, and by half an hour on Lord Howe`(
    zone: String, queued: String, cutoff: String, date: String, minutes: Int
  ) throws {
    try expectCutoff(zone, queued, cutoff, date: date, window: Int64(minutes) * Self.minute)
  }

  @Test(arguments: [
    ("Africa/Cairo", "2024-04-25T21:59:00Z", "2024-04-26T01:00:00Z", "2024-04-25", 3 * 60 + 1),
    ("Africa/Cairo", "2024-04-25T22:00:00Z", "2024-04-27T01:00:00Z", "2024-04-26", 27 * 60),
    ("America/Sao_Paulo", "2018-11-04T02:59:00Z", "2018-11-04T06:00:00Z", "2018-11-03", 3 * 60 + 1),
  ]) func `days without a midnight`(zone: String, queued: String, cutoff: String, date: String, minutes: Int) throws {
    try expectCutoff(zone, queued, cutoff, date: date, window: Int64(minutes) * Self.minute)
  }

  @Test func `a skipped date is not confused with the next one`() throws {
    try expectCutoff(
      "Pacific/Apia", "2011-12-30T09:59:00Z", "2011-12-30T14:00:00Z", date: "2011-12-29",
      window: 4 * Self.hour + Self.minute)
    let zone = try #require(ZoneCalendar("Pacific/Apia"))
    let day = try #require(Day("2011-12-29")).number
    #expect(zone.bounds(of: day + 1) == nil)
    #expect(zone.next(after: day) == day + 2)
  }

  @Test func `one request is late for one view and in time for two others`() throws {
    let (time, received) = (milliseconds("2024-05-14T22:30:00Z"), milliseconds("2024-05-15T09:30:00Z"))
    let expected = [
      ("America/New_York", "2024-05-14", "2024-05-15T08:00:00Z", false),
      ("America/Los_Angeles", "2024-05-14", "2024-05-15T11:00:00Z", true),
      ("Europe/Berlin", "2024-05-15", "2024-05-16T02:00:00Z", true),
    ]
    for (zone, date, cutoff, isIn) in expected {
      let rule = try calendar(zone)
      #expect(Day(number: rule.day(of: time)).description == date)
      #expect(rule.counts(time: time, received: received) == isIn)
      #expect(rule.counts(time: time, received: milliseconds(cutoff) - 1))
      #expect(!rule.counts(time: time, received: milliseconds(cutoff)))
    }
  }

  @Test func `a skipped 04:00 is the first moment after it, and a repeated one is the earlier`() throws {
    // Baku changed its clocks at 04:00 (to 05:00) and at 05:00 (to 04:00).
    let zone = try #require(ZoneCalendar("Asia/Baku"))
    let spring = try #require(Day("2014-03-29")).number
    #expect(zone.cutoff(of: spring) == milliseconds("2014-03-30T00:00:00Z"))
    #expect(zone.hour(of: zone.cutoff(of: spring)) == 5)
    let autumn = try #require(Day("2014-10-25")).number
    #expect(zone.cutoff(of: autumn) == milliseconds("2014-10-25T23:00:00Z"))
    #expect(zone.hour(of: zone.cutoff(of: autumn)) == 4)
    #expect(zone.hour(of: zone.cutoff(of: autumn) + Self.hour) == 4)
  }

  @Test func `a clock change a minute after midnight is exact to the second`() throws {
    // Saint John's changed its clocks at 00:01 until 2011.
    let zone = try #require(ZoneCalendar("America/St_Johns"))
    let change = milliseconds("2010-11-07T02:31:00Z")
    #expect(Day(number: zone.day(of: change - 1)).description == "2010-11-07")
    #expect(Day(number: zone.day(of: change)).description == "2010-11-06")
    let day = try #require(Day("2010-11-06")).number
    #expect(zone.bounds(of: day) == milliseconds("2010-11-06T02:30:00Z")..<milliseconds("2010-11-07T03:30:00Z"))
  }

  @Test func `a change of time zone moves no earlier hit and adds to no earlier day`() throws {
    let old = try calendar("Pacific/Kiritimati")
    let change = milliseconds("2024-05-14T14:30:00Z")
    var view = view("Pacific/Kiritimati")
    view.zones.append(.init(ZoneRules("Pacific/Niue")!, start: Timestamp(millisecondsSince1970: change)))
    let rule = ViewCalendar(view)
    for offset in stride(from: Int64(-72), to: 0, by: 1) {
      let time = change + offset * Self.hour
      #expect(rule.day(of: time) == old.day(of: time))
      #expect(rule.counts(time: time, received: change) == old.counts(time: time, received: change))
    }
    let under = old.day(of: change - 1)
    #expect(Day(number: under).description == "2024-05-15")
    // Niue is 25 hours behind: it is 03:30 of the 14th there.
    #expect(rule.day(of: change) == under)
    #expect(rule.final(under - 1) == old.final(under - 1))
    #expect(rule.day(of: milliseconds("2024-05-16T11:00:00Z")) == under + 1)
  }

  @Test func `the lateness rules window and none`() throws {
    let time = milliseconds("2024-05-14T12:00:00Z")
    let window = try calendar("UTC", lateness: .window)
    #expect(window.counts(time: time, received: time + 25 * 24 * Self.hour))
    #expect(!window.counts(time: time, received: time + 25 * 24 * Self.hour + 1))
    let last = try #require(window.final(window.day(of: time)))
    #expect(!window.counts(time: milliseconds("2024-05-14T23:59:59Z") + 999, received: last))
    let none = try calendar("UTC", lateness: .none)
    #expect(none.counts(time: time, received: Int64.max))
    #expect(none.final(none.day(of: time)) == nil)
  }
}
