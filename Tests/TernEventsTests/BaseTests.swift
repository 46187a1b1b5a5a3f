import TernBase
import Testing

@Suite struct `Arithmetic that saturates` {
  @Test func `stops at either end of the range`() {
    #expect(Int64.max.addingSaturated(1) == .max)
    #expect(Int64.min.addingSaturated(-1) == .min)
    #expect(Int64.min.subtractingSaturated(1) == .min)
    #expect(Int64.max.subtractingSaturated(-1) == .max)
    #expect((-3).addingSaturated(5) == 2)
    #expect([Int.max, 1, -2].saturatingSum == .max - 2)
    #expect([Int.min, -1].saturatingSum == .min)
  }
}

@Suite struct `Civil dates` {
  @Test(arguments: [
    (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (-25_508, 1900, 3, 1),
    (20_779, 2026, 11, 22),
  ])
  func `are numbered from 1970-01-01`(number: Int, year: Int, month: Int, day: Int) {
    let date = CivilDate(year: year, month: month, day: day)
    #expect(date.daysSince1970 == number)
    #expect(CivilDate(daysSince1970: number) == date)
  }

  @Test func `round-trip for a thousand years`() {
    for number in stride(from: -200_000, to: 200_000, by: 7) {
      #expect(CivilDate(daysSince1970: number).daysSince1970 == number)
    }
  }
}

@Suite struct `Percent-encoding` {
  @Test func `escapes everything but unreserved characters`() {
    #expect(PercentCoding.encode("aZ09-._~ &=%ä") == "aZ09-._~%20%26%3D%25%C3%A4")
  }

  @Test(arguments: [
    ("a+b", "a b"), ("%41%7a", "Az"), ("100%", "100%"), ("%4", "%4"), ("%zz", "%zz"), ("%C3%A4", "ä"), ("", ""),
  ])
  func `is decoded, and invalid escapes stay unchanged`(text: String, expected: String) {
    #expect(PercentCoding.decode(text.utf8) == expected)
  }
}
