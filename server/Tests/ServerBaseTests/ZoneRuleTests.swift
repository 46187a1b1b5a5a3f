import Testing

@testable import ServerBase

/// The rules for the years after the last listed change (RFC 9636, section 3.3; POSIX, `TZ`).
@Suite struct ZoneRuleTests {
  /// Rules of the database's 2026f edition, and moments of change worked out by hand.
  @Test(arguments: [
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7_200, "2026-10-25T01:00:00Z", 3_600),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14_400, "2026-11-01T06:00:00Z", -18_000),
    // The southern summer goes over the turn of the year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-10-03T16:00:00Z", 39_600, "2026-04-04T16:00:00Z", 36_000),
    // Half an hour.
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-10-03T15:30:00Z", 39_600, "2026-04-04T15:00:00Z", 37_800),
    // Hours before the day and beyond it.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3_600, "2026-10-25T01:00:00Z", -7_200),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 10_800, "2026-10-24T23:00:00Z", 7_200),
    // Day 60 without a leap day is March 1; day 59 with one is February 29.
    ("AAA0BBB,J60/0,59/0", "2028-03-01T00:00:00Z", 3_600, "2028-02-28T23:00:00Z", 0),
  ])
  func `a rule says when clocks change`(text: String, start: String, saving: Int, end: String, standard: Int) throws {
    let rule = try #require(ZoneRule(text))
    for (moment, after, before) in [(start, saving, standard), (end, standard, saving)] {
      #expect(rule.offset(atSecond: seconds(moment)) == after)
      #expect(rule.offset(atSecond: seconds(moment) - 1) == before)
    }
    let year = seconds("\(start.prefix(4))-01-01T00:00:00Z")..<seconds("\(Int(start.prefix(4))! + 1)-01-01T00:00:00Z")
    #expect(rule.moments(in: year) == [seconds(start), seconds(end)].sorted())
  }

  @Test func `a zone can have daylight saving time all year`() throws {
    let rule = try #require(ZoneRule("XXX3EDT4,0/0,J365/23"))
    for time in ["2027-12-31T23:00:00Z", "2028-01-01T02:59:59Z", "2028-01-01T03:00:00Z", "2028-06-01T00:00:00Z"] {
      #expect(rule.offset(atSecond: seconds(time)) == -14_400)
    }
  }

  @Test func `a rule without daylight saving time never changes`() throws {
    let rule = try #require(ZoneRule("<+0545>-5:45"))
    #expect(rule.offset(atSecond: .min) == 20_700 && rule.offset(atSecond: .max) == 20_700)
    #expect(rule.moments(in: 0..<4_000_000_000) == [])
  }

  @Test(arguments: [
    "", "C-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0", "CET-25", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,J0,J5", "CET-1CEST,366,1",
    "<+01-1",
    "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-1:60", String(repeating: "A", count: 201) + "0",
  ])
  func `what is no rule is refused`(text: String) { #expect(ZoneRule(text) == nil) }
}
