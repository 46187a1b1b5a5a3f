import Foundation
import Testing

@testable import ServerBase

/// Tables of zones, and their files (RFC 9636).
@Suite struct ZoneTableTests {
  /// Changes that come anywhere, and a rule after them or none.
  private func random(_ generator: inout some RandomNumberGenerator) -> ZoneTable {
    var second = Int64.random(in: -3_000_000_000...0, using: &generator)
    let changes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
      second += Int64.random(in: 1...200_000_000, using: &generator)
      return ZoneTable.Change(second: second, offset: Int.random(in: -48...56, using: &generator) * 900)
    }
    let rules = [nil, "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "AEST-10AEDT,M10.1.0,M4.1.0/3"]
    let rule = rules.randomElement(using: &generator)?.flatMap { ZoneRule($0) }
    return ZoneTable(first: Int.random(in: -40...40, using: &generator) * 900, changes: changes, rule: rule)!
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `a file has the table from which it was made`(seed: UInt64) {
    var generator = SplitMix(state: seed)
    for _ in 0..<20 {
      let table = random(&generator)
      #expect(ZoneTable(file: table.file) == table)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `an offset is that of the last change before, by trying every change`(seed: UInt64) {
    var generator = SplitMix(state: seed)
    for _ in 0..<5 {
      let table = random(&generator)
      for _ in 0..<50 {
        let second = Int64.random(in: -4_000_000_000...4_000_000_000, using: &generator)
        let last = table.changes.last { $0.second <= second }
        let isAfterAll = last == table.changes.last && (last != nil || table.changes.isEmpty)
        let expected = (isAfterAll ? table.rule?.offset(atSecond: second) : nil) ?? last?.offset ?? table.first
        #expect(table.offset(atSecond: second) == expected)
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `two tables differ where a sample of all hours says so`(
    seed: UInt64
  ) {
    var generator = SplitMix(state: seed)
    for _ in 0..<2 {
      let (table, other) = (random(&generator), random(&generator))
      let start = Int64.random(in: -1_000_000_000...3_000_000_000, using: &generator)
      let range = start..<start + 40_000_000
      let ranges = table.differences(from: other, in: range)
      #expect(ranges.allSatisfy { range.contains($0.lowerBound) && $0.upperBound <= range.upperBound && !$0.isEmpty })
      #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      for second in stride(from: range.lowerBound, to: range.upperBound, by: 3_600) {
        let differs = table.offset(atSecond: second) != other.offset(atSecond: second)
        #expect(differs == ranges.contains { $0.contains(second) })
      }
      #expect(table.differences(from: table, in: range).isEmpty)
    }
  }

  @Test func `a file that ends early or has a changed byte is refused or read, without a trap`() throws {
    let table = try #require(
      zoneTable(
        -28_800, [("2025-11-02T09:00:00Z", -25_200), ("2026-03-08T10:00:00Z", -28_800)], rule: "PST8PDT,M3.2.0,M11.1.0")
    )
    let file = table.file
    for end in 0..<file.count { #expect(ZoneTable(file: Array(file[..<end])) == nil) }
    for index in file.indices {
      for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = file
        changed[index] = byte
        _ = ZoneTable(file: changed)?.offset(atSecond: 1_800_000_000)
      }
    }
    #expect(ZoneTable(file: [UInt8](repeating: 0, count: ZoneTable.maximumFileBytes + 1)) == nil)
  }

  @Test func `files of the first version have times of four bytes and no rule`() throws {
    let block: [UInt8] =
      Array("TZif".utf8) + [0] + [UInt8](repeating: 0, count: 15)
      + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1]
      + [0x80, 0, 0, 0] + [1] + [0, 0, 0, 0, 0, 0] + [0, 0, 0x0E, 0x10, 0, 0] + [0]
    let table = try #require(ZoneTable(file: block))
    #expect(table.offset(atSecond: -2_147_483_649) == 0 && table.offset(atSecond: -2_147_483_648) == 3_600)
  }

  @Test func `a file of the first version that would be too large when it is written again is refused`() {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
    func file(_ count: Int) -> [UInt8] {
      var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
      for value in [0, 0, 0, count, 1, 1] + Array(0..<count) { bytes += number(value) }
      return bytes + [UInt8](repeating: 0, count: count + 7)
    }
    #expect(ZoneTable(file: file(7_000)).map { ZoneTable(file: $0.file) } != nil)
    #expect(file(12_000).count < ZoneTable.maximumFileBytes && ZoneTable(file: file(12_000)) == nil)
  }

  @Test func `a file that counts leap seconds is refused, because times here don't`() throws {
    var file = try #require(zoneTable(0)).file
    // The number of leap seconds in the second header.
    file[44 + 7 + 20 + 11] = 1
    #expect(ZoneTable(file: file) == nil)
  }
}
