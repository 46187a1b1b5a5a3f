import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import Views
@testable import Warehouse

/// Numbers that clients send and numbers that damage leaves in files: counting goes on with any of them.
@Suite struct ViewNumberTests {
  private static let start: Int64 = 1_715_680_000_000
  private static let extremes: [Int64] = [
    .min, .min + 1, -1 << 62, -(1 << 53) - 1, -1, 0, 1, 1 << 53 + 1, 1 << 62, .max - 1, .max,
  ]

  private func hit(
    _ id: Int64, _ parameters: [String: String], slot: UInt32 = 1, time: Int64 = start
  ) -> ViewHit {
    ViewHit(
      id: id, time: time, received: time, slot: slot, user: "", device: IncomingDevice(), parameters: parameters)
  }

  private func purchase(_ revenue: String, slot: UInt32) -> ViewHit {
    hit(Int64(slot), ["t": "transaction", "ti": "A\(slot)", "tr": revenue], slot: slot)
  }

  @Test func `a day is recounted if a sum leaves the range when a user is taken out`() {
    let most = "9223372036853"
    let hits = [purchase(most, slot: 1), purchase("-\(most)", slot: 2), purchase(most, slot: 3)]
    var builder = ViewDayBuilder(filters: []) { _ in 0 }
    builder.add(portion: hits)
    #expect(builder.isReversible && builder.day.totals.revenue == 9_223_372_036_853_000_000)
    var other = builder
    other.remove([hits[2]], of: 3, nil)
    #expect(other.isReversible && other.day.totals.revenue == 0)
    builder.remove([hits[1]], of: 2, nil)
    #expect(!builder.isReversible && builder.day.totals.revenue == .max)
  }

  @Test func `a stored day with the largest numbers counts on`() throws {
    var builder = ViewDayBuilder(filters: []) { _ in 0 }
    let hits = [purchase("1", slot: 1), hit(9, ["t": "event", "ec": "c", "ea": "a", "ev": "9223372036854775807"])]
    builder.add(portion: hits)
    builder.transactions["A1"] = .max
    for field in ViewTotals.fields { builder.day.totals[keyPath: field] = .max }
    var bytes: [UInt8] = []
    builder.encode(into: &bytes)
    let decoded = bytes.withUnsafeBytes { bytes -> ViewDayBuilder? in
      var (reader, builder) = (ByteReader(bytes), ViewDayBuilder(filters: []) { _ in 0 })
      return builder.decode(&reader) == nil ? nil : builder
    }
    var again = try #require(decoded)
    #expect(again.transactions["A1"] == .max)
    again.add(portion: [hit(10, hits[0].parameters, slot: 2), hit(11, hits[1].parameters, slot: 2)])
    #expect(again.transactions["A1"] == .max && again.day.totals.hits == .max && !again.isReversible)
    #expect(again.finished().tables[.events]?[["c", "a", "(not set)"]]?.numbers == [2, 2, .max, 2])
  }

  @Test func `days and hours of any time are those of the nearest supported one`() throws {
    for zone in ["UTC", "Europe/Berlin", "Pacific/Apia"] {
      let calendar = try #require(ZoneCalendar(zone))
      for time in Self.extremes + [TimeBounds.earliest, TimeBounds.latest] {
        let day = calendar.day(of: time)
        #expect(day == calendar.day(of: TimeBounds.clamp(time)))
        #expect((0..<24).contains(calendar.hour(of: time)))
        #expect(calendar.hour(of: time) == calendar.hour(of: TimeBounds.clamp(time)))
        #expect(calendar.bounds(of: day) != nil && calendar.cutoff(of: day) > calendar.bounds(of: day)?.lowerBound ?? 0)
      }
      for day in [Int.min, .max] {
        #expect(calendar.next(after: day) == calendar.next(after: TimeBounds.clamp(day: day)))
      }
    }
  }

  @Test func `sessions, states and the last minutes are counted at any time`() {
    let campaign = ["t": "screenview", "cs": "s", "_s": "9223372036854775807"]
    for time in Self.extremes {
      for other in Self.extremes {
        let hits = [
          hit(1, campaign, time: time), hit(2, ["t": "screenview", "_s": "-9223372036854775808"], time: other),
        ]
        let day = ViewDayBuilder.day(of: hits) { _ in 0 }
        #expect(day.totals.hits == 2 && day.totals.duration >= 0)
        let state = day.changes.states[1]?.encoded ?? []
        #expect(state.withUnsafeBytes { UserState($0) } == day.changes.states[1])
        var builder = ViewRealtimeBuilder(now: other, earlier: SlotSet())
        builder.add(hits, 1)
        #expect(builder.finished().minutes.map(\.hits).reduce(0, +) >= 1)
      }
    }
  }

  @Test func `values of events, timings, metrics and steps are counted whatever they are`() {
    let values = Self.extremes.map { "\($0)" } + ["9007199254740993", "1e308", "5e-324", "-0", "nan", "", "-", "."]
    let names = ["ev", "utt", "cm1", "cos", "iq", "pr1qt", "pr1pr", "ip", "tr", "tt", "ts", "_s"]
    let hits = values.flatMap { value in
      [["t": "event", "ec": "c", "ea": "a"], ["t": "timing"], ["t": "item"], ["t": "transaction"]].flatMap { kind in
        ["checkout", "purchase", "refund"].map { action in
          let own = kind.merging(["pa": action, "ti": value, "pr1nm": "P"]) { $1 }
          return names.reduce(into: own) { $0[$1] = value }
        }
      }
    }
    let counted = hits.enumerated().map { hit(Int64($0), $1, time: Self.start + Int64($0)) }
    let day = ViewDayBuilder.day(of: counted) { _ in 0 }
    #expect(day.totals.hits == SaturatingInt64(hits.count))
    let (present, metrics) = (day.encodedPresent, day.encodedMetrics)
    let decoded = present.withUnsafeBytes { present in
      metrics.withUnsafeBytes { ViewDay(present: present, metrics: $0) }
    }
    #expect(decoded?.encodedMetrics == metrics)
  }
}
