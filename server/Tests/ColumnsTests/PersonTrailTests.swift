import Ingest
import Questions
import QuestionsTestSupport
import Testing
import Warehouse

@testable import Columns

/// The rows of single persons in chunks of all sizes, against a search through all rows.
struct PersonTrailTests {
  @Test(arguments: 0..<60) func `the latest rows before any place are found`(seed: Int) throws {
    var random = RandomRows(seed: UInt64(seed), first: Day(year: 2026, month: 10, day: 20))
    let rows = random.rows(150)
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: [1, 7, 40, 1_000][seed % 4])
    let names = try #require(snapshot.names as? ListedNames)
    let cut = Int.random(in: 1...150, using: &random.generator)
    let (limit, last) = (Int.random(in: 1...12, using: &random.generator), rows.map(\.id).max() ?? 0)
    let before = random.chance(50) ? nil : rows.first { $0.id == cut }.map { PersonsCursor(time: $0.time, row: $0.id) }
    func expected(_ isPerson: (QuestionRow) -> Bool) -> [Int64] {
      let found = rows.filter { row in
        isPerson(row) && row.kind != .other && row.id <= last - Int64(seed % 3)
          && before.map { (row.time, row.id) < ($0.time, $0.row) } ?? true
      }
      return found.sorted { ($0.time, $0.id) > ($1.time, $1.id) }.prefix(limit).map(\.id)
    }
    func found(_ person: PersonTrail.Person) -> [Int64] {
      PersonTrail(person, before: before, through: last - Int64(seed % 3)).latestRows(limit, in: snapshot.chunks)
    }
    for (number, name) in names.installNames.enumerated() {
      #expect(found(.install(UInt32(number))) == expected { $0.install == name }, "seed \(seed), \(name)")
    }
    for (number, name) in names.userNames.enumerated() {
      #expect(found(.user(UInt32(number))) == expected { $0.user == name }, "seed \(seed), \(name)")
    }
    #expect(found(.install(UInt32(names.installNames.count))) == [])
  }
}
