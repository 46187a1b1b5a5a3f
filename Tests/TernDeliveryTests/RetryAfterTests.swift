import TernDelivery
import TernEvents
import Testing

@Suite struct `The delay in Retry-After` {
  let now = Timestamp(millisecondsSince1970: 784_111_777_000)

  @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func `is the same for all three forms of an HTTP date`(text: String) {
    #expect(RetryAfter.date(text) == now)
  }

  @Test func `may be a number of seconds`() {
    #expect(RetryAfter.parse("120", now: now) == .seconds(120))
    #expect(RetryAfter.parse(" 0 ", now: now) == .zero)
  }

  @Test func `is clamped if its seconds would overflow`() {
    #expect(RetryAfter.parse("99999999999999999999999", now: now) == .seconds(3_155_760_000))
  }

  @Test func `is the time until a date, and zero after it`() {
    #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:50:37 GMT", now: now) == .seconds(60))
    #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:48:37 GMT", now: now) == .zero)
  }

  @Test(arguments: ["", "soon", "-5", "12s", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "1.5"])
  func `is absent if the value is neither a number nor a date`(text: String) {
    #expect(RetryAfter.parse(text, now: now) == nil)
  }

  @Test func `counts days correctly across leap years`() {
    #expect(RetryAfter.date("Thu, 01 Jan 1970 00:00:00 GMT") == Timestamp(millisecondsSince1970: 0))
    #expect(RetryAfter.date("Thu, 29 Feb 2024 12:00:00 GMT")?.millisecondsSince1970 == 1_709_208_000_000)
    #expect(RetryAfter.date("Fri, 01 Mar 2024 00:00:00 GMT")?.millisecondsSince1970 == 1_709_251_200_000)
    #expect(RetryAfter.date("Mon, 01 Mar 2100 00:00:00 GMT")?.millisecondsSince1970 == 4_107_542_400_000)
  }

  @Test func `may be in milliseconds, and ignores nonsense`() {
    #expect(RetryAfter.milliseconds("1500") == .milliseconds(1500))
    #expect(RetryAfter.milliseconds("-1") == nil)
    #expect(RetryAfter.milliseconds("x") == nil)
  }
}
