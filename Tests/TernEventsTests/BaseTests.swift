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

  @Test func `converts any floating-point number`() {
    for (number, expected) in [
      (1e308, Int64.max), (-1e308, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0), (-0.0, 0),
      (.leastNonzeroMagnitude, 0),
      (0x1p63, .max), (-0x1p63, .min), (0x1p53, 1 << 53), (-2.9, -2),
    ] { #expect(Int64(clamping: number) == expected, "\(number)") }
    #expect(UInt8(clamping: 255.9) == 255 && UInt8(clamping: -1.0) == 0 && Int32(clamping: 3e9) == .max)
  }
}

@Suite struct `Numbers that saturate` {
  private static let extremes: [SaturatingInt64] = [
    .min, -.max, -4_611_686_018_427_387_904, -9_007_199_254_740_993, -2, -1, 0, 1, 2, 9_007_199_254_740_993,
    4_611_686_018_427_387_904, .max,
  ]

  @Test func `stop at either end of the range`() {
    let half: SaturatingInt64 = 4_611_686_018_427_387_904
    #expect(SaturatingInt64.max + 1 == .max && SaturatingInt64.min - 1 == .min)
    #expect(-SaturatingInt64.min == .max && -SaturatingInt64.max == .min + 1)
    #expect(half * 2 == .max && half * -2 == .min && half * -4 == .min && SaturatingInt64.min * -1 == .max)
    #expect(SaturatingInt64.min.divided(by: -1) == .max && SaturatingInt64.max.divided(by: 0) == nil)
    #expect(SaturatingInt64(UInt64.max) == .max && SaturatingInt64(Int8.min) == -128)
    #expect(SaturatingInt64("-9223372036854775808") == .min && SaturatingInt64("9223372036854775808") == nil)
    #expect(SaturatingInt64("") == nil && SaturatingInt64(" 1") == nil && SaturatingInt64("1e3") == nil)
  }

  @Test func `agree with arithmetic on wider numbers`() {
    for left in Self.extremes {
      for right in Self.extremes {
        let (one, other) = (Double(left), Double(right))
        // Doubles are rounded, but never by as much as a result that wraps around would be wrong.
        for (result, wide) in [(left + right, one + other), (left - right, one - other), (left * right, one * other)] {
          let expected = wide.clamped(to: -0x1p63...0x1p63)
          #expect(abs(Double(result) - expected) <= max(4, abs(expected) * 0x1p-50), "\(left), \(right)")
        }
        var (sum, difference) = (left, left)
        #expect(sum.add(right) == !left.rawValue.addingReportingOverflow(right.rawValue).overflow)
        #expect(difference.subtract(right) == !left.rawValue.subtractingReportingOverflow(right.rawValue).overflow)
        #expect(sum == left + right && difference == left - right)
      }
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
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
