import TernEvents
import Testing

@testable import Ingest

@Suite struct WrittenTimeTests {
  private func milliseconds(_ text: String) -> Int64? {
    Array(text.utf8).withUnsafeBytes { writtenTime($0)?.millisecondsSince1970 }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:42.000Z", 42_000), ("2025-03-02T14:05:09.120Z", 1_740_924_309_120),
    ("2025-03-02T14:05:09Z", 1_740_924_309_000), ("2025-03-02T16:05:09+0200", 1_740_924_309_000),
    ("2025-03-02T16:05:09.5+02:00", 1_740_924_309_500), ("2025-03-02T16:05:09+02", 1_740_924_309_000),
    ("2025-03-02T10:35:09.1209999-03:30", 1_740_924_309_120), ("2025-03-02 14:05:09", 1_740_924_309_000),
    ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00Z", 951_782_400_000),
  ]) func `a valid time is read`(text: String, expected: Int64) {
    #expect(milliseconds(text) == expected)
  }

  @Test(arguments: [
    "", "2025", "2025-03-02", "2025-03-02T14:05", "2025-13-02T14:05:09Z", "2025-02-29T14:05:09Z",
    "2025-03-00T14:05:09Z", "2025-03-02T24:05:09Z", "2025-03-02T14:60:09Z", "2025-03-02T14:05:09.Z",
    "2025-03-02T14:05:09Zx", "2025-03-02T14:05:09+1", "2025-03-02T14:05:09+99:00", "1900-02-29T00:00:00Z",
    "2025-03-02T14:05:0９Z", "-025-03-02T14:05:09Z",
  ]) func `an invalid time is rejected`(text: String) {
    #expect(milliseconds(text) == nil)
  }

  @Test func `each day from 1970 to 2110 follows the one before`() {
    var expected: Int64 = 0
    for year in 1970...2110 {
      let isLeap = year % 4 == 0 && year != 2100
      for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        for day in 1...days {
          let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
          #expect(milliseconds("\(year)-\(two(month + 1))-\(two(day))T00:00:00Z") == expected)
          expected += 86_400_000
        }
      }
    }
  }
}
