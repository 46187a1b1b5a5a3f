import Ingest
import ServerBase
import TernBase
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The counting of a view's day from its hits.
@Suite struct ViewDayTests {
  private static let start = milliseconds("2024-05-14T10:00:00Z")

  private func hit(
    _ offset: Int64, _ parameters: [String: String], slot: UInt32 = 1, id: Int64 = 0, at start: Int64 = start
  ) -> ViewHit {
    ViewHit(
      id: id, time: start + offset, received: start + offset, slot: slot, user: "", device: IncomingDevice(),
      parameters: parameters)
  }

  private func screen(_ offset: Int64, _ name: String, slot: UInt32 = 1, more: [String: String] = [:]) -> ViewHit {
    hit(offset, more.merging(["t": "screenview", "cd": name]) { $1 }, slot: slot)
  }

  private func day(_ hits: [ViewHit], filters: [ViewFilter] = []) -> ViewDay {
    ViewDayBuilder.day(of: hits, filters: filters) { _ in 0 }
  }

  @Test(arguments: [(1_800_000, 1), (1_800_001, 2)] as [(Int64, SaturatingInt64)])
  func `thirty minutes of silence do not end a session, a millisecond more does`(
    gap: Int64, sessions: SaturatingInt64
  ) {
    let day = day([screen(0, "A"), screen(gap, "B")])
    #expect(day.totals.sessions == sessions)
    #expect(day.totals.duration == (sessions == 1 ? SaturatingInt64(gap) : 0))
  }

  @Test func `sc=start begins a session, sc=end ends it after the hit, other values are ignored`() {
    #expect(day([screen(0, "A"), screen(1, "B", more: ["sc": "start"])]).totals.sessions == 2)
    #expect(day([screen(0, "A", more: ["sc": "end"]), screen(1, "B")]).totals.sessions == 2)
    #expect(day([screen(0, "A"), screen(1, "B", more: ["sc": "end"])]).totals.sessions == 1)
    #expect(day([screen(0, "A"), screen(1, "B", more: ["sc": "foo"])]).totals.sessions == 1)
  }

  @Test func `a change of campaign begins a session`() {
    let mail = ["cs": "news", "cm": "email"]
    let day = day([screen(0, "A"), screen(1, "B", more: mail), screen(2, "C", more: mail), screen(3, "D")])
    #expect(day.totals.sessions == 2)
    #expect(day.tables[.acquisition]?[["news", "email", "(not set)"]]?.numbers == [1])
    #expect(day.tables[.acquisition]?[["(direct)", "(none)", "(not set)"]]?.numbers == [1])
  }

  @Test func `the order of arrival does not matter`() {
    let hits = (0..<60).map { (index: Int) -> ViewHit in
      screen(Int64(index) * 600_000 * Int64(index % 4 + 1) + Int64(index), "S\(index % 7)", slot: UInt32(index % 3))
    }
    let expected = day(hits)
    for rotation in [1, 17, 42] {
      let turned = day(Array(hits[rotation...] + hits[..<rotation]))
      #expect(turned.encodedMetrics == expected.encodedMetrics)
    }
    #expect(day(hits.reversed()).encodedMetrics == expected.encodedMetrics)
  }

  @Test func `hits of the same millisecond are ordered by their sequence numbers`() {
    let day = day([screen(0, "B", more: ["_s": "2"]), screen(0, "A", more: ["_s": "1"])])
    #expect(day.tables[.screens]?[["A"]]?.numbers[5] == 1)
    #expect(day.tables[.screens]?[["B"]]?.numbers[4] == 1)
  }

  @Test func `a screen seen twice in a session is one unique view`() {
    let day = day([screen(0, "A"), screen(1, "B"), screen(2, "A")])
    #expect(day.tables[.screens]?.values.reduce(0) { $0 + $1.numbers[1] } == 2)
    #expect(day.totals.screenViews == 3)
  }

  @Test func `the time on a screen lasts until the next one`() {
    let day = day([screen(0, "A"), screen(10_000, "B"), screen(30_000, "A")])
    #expect(day.tables[.screens]?[["A"]]?.numbers == [2, 1, 10_000, 1, 1, 1])
    #expect(day.tables[.screens]?[["B"]]?.numbers == [1, 1, 20_000, 1, 0, 0])
  }

  @Test func `an event is unique once per session, category, action and label`() {
    let event = ["t": "event", "ec": "c", "ea": "a", "ev": "3"]
    let day = day([
      hit(0, event), hit(1, event), hit(2, event.merging(["el": "x"]) { $1 }), hit(3_600_000, event),
      hit(3_600_001, ["t": "event", "ec": "c", "ea": "a"]),
    ])
    #expect(day.tables[.events]?[["c", "a", "(not set)"]]?.numbers == [4, 2, 9, 3])
    #expect(day.tables[.events]?[["c", "a", "x"]]?.numbers == [1, 1, 3, 1])
  }

  @Test func `an exception without exf is fatal`() {
    let day = day([
      hit(0, ["t": "exception", "exd": "E"]), hit(1, ["t": "exception", "exd": "E", "exf": "0"]),
      hit(2, ["t": "exception", "exd": "E", "exf": "1"]),
    ])
    #expect(day.totals.exceptions == 3 && day.totals.crashes == 2)
    #expect(day.tables[.exceptions]?[["E", "(not set)"]]?.numbers == [3, 2])
  }

  @Test func `missing revenue is computed as price times quantity`() {
    let purchase = [
      "t": "event", "ec": "c", "ea": "a", "pa": "purchase", "ti": "T1", "pr1id": "S", "pr1nm": "Shoe", "pr1pr": "19.99",
      "pr1qt": "2", "pr2nm": "Lace", "pr2pr": "0.000001",
    ]
    let bought = day([hit(0, purchase)])
    #expect(bought.totals.revenue == 39_980_001 && bought.totals.transactions == 1)
    #expect(bought.tables[.products]?[["Shoe", "S"]]?.numbers == [2, 39_980_000, 0, 0, 0, 0, 0, 1, 0])
    #expect(day([hit(0, purchase.merging(["tr": "5.5"]) { $1 })]).totals.revenue == 5_500_000)
    #expect(day([hit(0, purchase.filter { $0.key != "pa" })]).tables[.products] == nil)
  }

  @Test func `money is counted in millionths, exactly`() {
    #expect(ViewHit.millionths("1000.000001") == 1_000_000_001)
    #expect(ViewHit.millionths("-55.00") == -55_000_000)
    #expect(ViewHit.millionths(".5") == 500_000)
    #expect(ViewHit.millionths("99999999999999999999") == nil)
    #expect(ViewHit.millionths("9223372036854") == nil)
  }

  @Test func `the 501st hit of a session is counted and reported`() {
    let day = day((0..<501).map { screen($0, "A") })
    #expect(day.totals.hits == 501 && day.totals.excessHits == 1)
  }

  @Test func `a filter removes hits, but not the presence of their users`() throws {
    let filter = try #require(ViewFilter("av=2.0"))
    let hits = [screen(0, "A", more: ["av": "2.0"]), screen(1, "B", slot: 2)]
    let filtered = day(hits, filters: [filter])
    #expect(filtered.users.elements == [1] && filtered.present.elements == [1, 2])
    let others = day(hits, filters: [try #require(ViewFilter("av!=2.0"))])
    #expect(others.users.elements == [2])
    #expect(ViewFilter("av") == nil && ViewFilter("=x") == nil)
  }

  @Test func `dimensions and metrics have numbered names`() {
    let day = day([
      hit(0, ["t": "event", "cd1": "gold", "cdx": "a", "cd": "S", "cg2": "a/b", "cm1": "1.5", "cm": "mail"])
    ])
    #expect(day.tables[.dimensions].map { Set($0.keys) } == [["cd1", "hit", "gold"], ["cg2", "hit", "a/b"]])
    #expect(day.tables[.metrics]?.mapValues(\.numbers) == [["cm1"]: [1, 1_500_000]])
  }

  @Test func `a day round-trips through its stored form, and damage is detected`() throws {
    let day = day([
      screen(0, "A"), screen(1, "B", slot: 9), hit(2, ["t": "timing", "utc": "a", "utv": "b", "utt": "700"]),
    ])
    let (present, metrics) = (day.encodedPresent, day.encodedMetrics)
    let read = try #require(
      present.withUnsafeBytes { p in metrics.withUnsafeBytes { ViewDay(present: p, metrics: $0) } })
    #expect(read.encodedMetrics == metrics && read.encodedPresent == present && read.totals == day.totals)
    for end in metrics.indices {
      let isRead = present.withUnsafeBytes { p in
        metrics[..<end].withUnsafeBytes { ViewDay(present: p, metrics: $0) != nil }
      }
      #expect(!isRead, "\(end)")
    }
  }

  @Test func `keys beyond the limit of a day are counted together`() {
    let day = day((0..<5_003).map { screen(Int64($0), "S\($0)") })
    #expect(day.tables[.screens]?.count == 5_001)
    #expect(day.tables[.screens]?[["(other)"]]?.numbers.first == 3)
  }
}
