import TernBase
import Testing

@testable import Portal

@Suite struct ValueColorTests {
  private static let versions = (0..<8).map { "3.\($0).1 (42\($0))" }

  @Test func `the same values have the same colours in any order`() {
    let colors = Dictionary(uniqueKeysWithValues: zip(Self.versions, ValueColors.numbers(of: Self.versions)))
    for turn in 1..<8 {
      let turned = Array(Self.versions[turn...] + Self.versions[..<turn])
      #expect(ValueColors.numbers(of: turned) == turned.map { colors[$0] })
    }
  }

  @Test func `no two of eight values have the same colour, and none has that of others`() {
    for count in 1...8 {
      for first in 0..<40 {
        let values: [String?] = (0..<count).map { $0 == 3 ? nil : "value \(first) \($0)" }
        let numbers = ValueColors.numbers(of: values)
        #expect(Set(numbers).count == count && numbers.allSatisfy { ValueColors.numbers.contains($0) })
      }
    }
  }

  @Test func `a value keeps its colour beside others that prefer another one`() {
    let countries = ["DE", "BR", "US", "FR", "JP", "IN", "GB", "IT"]
    let alone = countries.map { ValueColors.numbers(of: [$0])[0] }
    #expect(Set(alone).count >= 4, "values spread over the colours")
    for (country, color) in zip(countries, alone) where alone.count(where: { $0 == color }) == 1 {
      #expect(ValueColors.numbers(of: countries)[countries.firstIndex(of: country) ?? 0] == color, "\(country)")
    }
  }

  @Test func `the newest release has its own colour beside any others`() {
    let newest = Self.versions.count - 1
    #expect(ValueColors.numbers(of: Self.versions)[newest] == ValueColors.numbers(of: [Self.versions[newest]])[0])
  }

  @Test func `more values than colours share them`() {
    #expect(ValueColors.numbers(of: (0..<20).map(String.init)).allSatisfy { ValueColors.numbers.contains($0) })
    #expect(ValueColors.numbers(of: []).isEmpty)
  }
}
