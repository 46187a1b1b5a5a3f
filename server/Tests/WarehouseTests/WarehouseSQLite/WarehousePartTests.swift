import Foundation
import Ingest
import ServerBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Unit tests of the warehouse's building blocks.
@Suite struct WarehousePartTests {
  @Test func `a day round-trips through its text`() {
    for number in -720_000...2_000_000 where number % 97 == 0 || (0...800).contains(number) {
      let day = Day(number: number)
      #expect(Day(day.description) == day || day.components.year < 0)
    }
    for text in ["2026-02-29", "2026-13-01", "2026-00-10", "26-01-01", "2026-1-01", "2026-01-01 ", "", "2026-01-0x"] {
      #expect(Day(text) == nil, "\(text)")
    }
    #expect(Day("2024-02-29")?.number == 19_782)
  }

  @Test(arguments: [
    "UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia",
    "America/St_Johns",
  ])
  func `civil days match Foundation's calendar around every change of offset`(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let calendar = try #require(ZoneCalendar(name))
    var reference = Calendar(identifier: .gregorian)
    reference.timeZone = zone
    var moments: [Int64] = stride(from: 1_000_000_000, to: 1_830_000_000, by: 86_400 * 5 + 7_919).map { $0 }
    var transition = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: 1_000_000_000))
    while let moment = transition, moment.timeIntervalSince1970 < 1_830_000_000 {
      moments += [-86_400, -3_600, -1_800, -60, -1, 0, 1, 60, 800, 1_800, 3_600, 86_400].map {
        Int64(moment.timeIntervalSince1970) + $0
      }
      transition = zone.nextDaylightSavingTimeTransition(after: moment)
    }
    for moment in moments {
      let parts = reference.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(moment)))
      let expected = Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
      #expect(Day(number: calendar.day(of: moment * 1_000)) == expected, "\(name) \(moment)")
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `rolling unions match the union of each window`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let members: [Set<UInt32>] = (0..<Int.random(in: 1...70, using: &generator)).map { _ in
      Set((0..<Int.random(in: 0...4, using: &generator)).map { _ in UInt32.random(in: 0..<20, using: &generator) })
    }
    let sets: [SlotSet?] = members.map { members in
      guard !members.isEmpty else { return nil }
      let set = SlotSet()
      for member in members { set.insert(member) }
      return set
    }
    for window in [1, 2, 7, 30] {
      let expected = members.indices.map { end in
        members[max(0, end - window + 1)...end].reduce(Set()) { $0.union($1) }.count
      }
      #expect(RollingUnion.counts(sets, window: window) == expected, "seed \(seed), window \(window)")
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a slot set round-trips through its stored form, and stored sets can be united`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    func random() -> [UInt32] {
      let bound = UInt32([10, 1_000, 100_000, UInt32.max].randomElement(using: &generator) ?? 1)
      let count = [0, 1, 5, 48, 49, 3_000].randomElement(using: &generator) ?? 0
      return Set((0..<count).map { _ in UInt32.random(in: 0...bound, using: &generator) }).sorted()
    }
    func stored(_ slots: [UInt32]) -> [UInt8] {
      var bytes: [UInt8] = []
      slots.withUnsafeBufferPointer { SlotSet.encode($0, into: &bytes) }
      return bytes
    }
    func elements(_ bytes: [UInt8]) -> [UInt32]? {
      bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return SlotSet.decode(&reader)?.elements
      }
    }
    let (left, right) = (random(), random())
    #expect(elements(stored(left)) == left, "seed \(seed)")
    var union: [UInt8] = []
    try stored(left).withUnsafeBytes { left in
      try stored(right).withUnsafeBytes { try SlotSet.appendUnion(left, $0, to: &union) }
    }
    #expect(elements(union) == Set(left + right).sorted(), "seed \(seed)")
    // Whatever a file contains, reading must not go past its end.
    for cut in stride(from: 0, to: union.count, by: 7) { _ = elements(Array(union[..<cut])) }
  }

  @Test(arguments: [
    (Int64.min, "0001-01-01T00:00:00.000Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    (-12_219_292_800_001, "1582-10-14T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (.max, "9999-12-31T23:59:59.999Z"),
  ])
  func `dates in property values are always shown in the Gregorian calendar`(time: Int64, text: String) {
    #expect(PropertyText.text(.date(Timestamp(millisecondsSince1970: time))) == text)
  }

  @Test func `properties keep their order, types and values in their stored form`() {
    let elements: [Properties.Element] = [
      .init(name: "a", value: .string("")), .init(name: "b", value: .string("täxt")),
      .init(name: "a", value: .integer(.min)), .init(name: "c", value: .integer(.max)),
      .init(name: "d", value: .double(-0.0)), .init(name: "e", value: .boolean(true)),
      .init(name: "f", value: .boolean(false)), .init(name: "g", value: .date(Timestamp(millisecondsSince1970: -1))),
    ]
    let ids: [String: UInt64] = ["a": 1, "b": 300, "c": 70_000, "d": 4, "e": 5, "f": 0, "g": 7]
    var bytes: [UInt8] = []
    for element in elements {
      PropertyCoding.append(name: element.name, id: ids[element.name] ?? 0, to: &bytes)
      PropertyCoding.append(element.value, to: &bytes)
    }
    let read = bytes.withUnsafeBytes { buffer in
      PropertyCoding.decode(buffer) { id in ids.first { $0.value == UInt64(id) }?.key ?? "?" }
    }
    #expect(read == elements)
    var count = 0
    bytes.withUnsafeBytes { PropertyCoding.forEach($0) { _, _ in count += 1 } }
    #expect(count == elements.count)
    for cut in bytes.indices {
      Array(bytes[..<cut]).withUnsafeBytes { PropertyCoding.forEach($0) { _, _ in } }
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `radix sort matches the standard library's sort`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    for bits in [1, 11, 12, 33, 64] {
      let numbers = (0..<Int.random(in: 0...500, using: &generator)).map { _ in generator.next() >> UInt64(64 - bits) }
      var sorted = numbers
      sorted.withUnsafeMutableBufferPointer { $0.sortAscending() }
      #expect(sorted == numbers.sorted(), "seed \(seed), \(bits) bits")
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `byte strings get the same numbers as with a dictionary`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    let table = ByteTable(seed: seed)
    var reference: [[UInt8]: Int] = [:]
    for _ in 0..<3_000 {
      // Few letters and many lengths around the word boundaries, so that strings differ in a single place.
      let length = Int.random(in: 0...20, using: &generator)
      let string = (0..<length).map { _ in UInt8.random(in: 0...1, using: &generator) }
      string.withUnsafeBytes { bytes in
        let key = table.key(bytes)
        #expect(table.find(bytes, key) == reference[string], "seed \(seed)")
        if reference[string] == nil {
          #expect(table.insert(bytes, key) == reference.count)
          reference[string] = reference.count
        }
      }
    }
    for (string, number) in reference { #expect(Array(table.string(number)) == string) }
  }

  @Test func `a filter never reports a known key as new`() {
    var generator = FastGenerator(seed: 4)
    let keys = (0..<60_000).map { _ in generator.next() }
    let blocks = KeyFilter.blocks(for: keys.count)
    let words = Memory<UInt64>(count: blocks * 8, zero: 0)
    let filter = KeyFilter(words: words.start, blocks: UInt64(blocks))
    for key in keys { filter.insert(key) }
    #expect(keys.allSatisfy { filter.mayContain($0) })
    let doubtful = (0..<60_000).count { _ in filter.mayContain(generator.next()) }
    #expect(doubtful < keys.count / 20, "\(doubtful) of \(keys.count) new keys looked known")
    withExtendedLifetime(words) {}
  }
}
