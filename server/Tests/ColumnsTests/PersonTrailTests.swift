import Ingest
import Questions
import QuestionsTestSupport
import Testing
import Warehouse

@testable import Columns

/// The rows of single persons in chunks of all sizes, against a search through all rows.
struct PersonTrailTests {
  @Test(arguments: 0..<60) func `the rows nearest to any place are found, before and after it`(seed: Int) throws {
    var random = RandomRows(seed: UInt64(seed), first: Day(year: 2026, month: 10, day: 20))
    let rows = random.rows(150)
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: [1, 7, 40, 1_000][seed % 4])
    let names = try #require(snapshot.names as? ListedNames)
    let cut = Int.random(in: 1...150, using: &random.generator)
    let limit = Int.random(in: 1...12, using: &random.generator)
    let last = (rows.map(\.id).max() ?? 0) - Int64(seed % 3)
    let place = rows.first { $0.id == cut }
    let cursor = place.map { PersonsCursor(time: $0.time, row: $0.id) }
    let page = cursor.map { [.latest, .before($0), .after($0)][seed % 3] } ?? TrailPage.latest
    func expected(_ isPerson: (QuestionRow) -> Bool) -> [Int64] {
      let found = rows.filter { row in
        guard isPerson(row), row.kind != .other, row.id <= last, let place else { return false }
        return switch page {
        case .latest: true
        case .before: QuestionRow.isEarlier(row, place)
        case .after: QuestionRow.isEarlier(place, row)
        }
      }.sorted { QuestionRow.isEarlier($1, $0) }.map(\.id)
      if case .after = page { return found.suffix(limit) }
      return Array(found.prefix(limit))
    }
    func found(_ person: PersonNumber) -> [Int64] {
      PersonTrail(person, page, through: last).rows(limit, in: snapshot.chunks)
    }
    for (number, name) in names.installNames.enumerated() {
      #expect(found(.install(UInt32(number))) == expected { $0.install == name }, "seed \(seed), \(name)")
    }
    for (number, name) in names.userNames.enumerated() {
      #expect(found(.user(UInt32(number))) == expected { $0.user == name }, "seed \(seed), \(name)")
    }
    #expect(found(.install(UInt32(names.installNames.count))) == [])
  }

  @Test(arguments: 0..<20) func `a person's rows are added up, whatever chunks they are in`(seed: Int) throws {
    var random = RandomRows(seed: UInt64(seed), first: Day(year: 2026, month: 10, day: 20))
    let rows = random.rows(150)
    let snapshot = ColumnSnapshot(rows, rowsPerChunk: [1, 7, 40, 1_000][seed % 4])
    let names = try #require(snapshot.names as? ListedNames)
    func found(_ person: PersonNumber) throws -> PersonSummary? {
      var tally = PersonTally(person)
      for chunk in snapshot.chunks { tally.add(chunk) }
      return tally.summary { number in
        if case .install = person { .user(names.user(number)) } else { .install(names.install(number)) }
      }
    }
    func check(_ person: PersonNumber, _ isPerson: (QuestionRow) -> Bool) throws {
      let own = rows.filter { isPerson($0) && $0.kind != .other }
      guard !own.isEmpty else {
        #expect(try found(person) == nil)
        return
      }
      let summary = try #require(try found(person))
      #expect(summary.first == own.map(\.time).min() && summary.last == own.map(\.time).max())
      #expect(summary.events == own.count { $0.kind == .event })
      #expect(summary.errors == own.count { $0.kind == .handledError })
      #expect(summary.crashes == own.count { $0.kind == .crash })
      let sessions = Set(own.compactMap { row in row.session.map { ["\($0)", row.install] } })
      #expect(summary.sessions == sessions.count)
      let latest = own.max { $0.time < $1.time }.map(\.time)
      let newest = own.filter { $0.time == latest }.map { $0.facts[.version] ?? "" }
      #expect(newest.contains(summary.devices.first?.version ?? ""))
      #expect(Set(summary.devices.map(\.model)) == Set(own.map { $0.facts[.model] ?? "" }))
      if case .install = person {
        #expect(Set(summary.others) == Set(own.compactMap { row in row.user.map { .user($0) } }))
      } else {
        #expect(Set(summary.others) == Set(own.map { .install($0.install) }))
      }
    }
    for (number, name) in names.installNames.enumerated() {
      try check(.install(UInt32(number))) { $0.install == name }
    }
    for (number, name) in names.userNames.enumerated() {
      try check(.user(UInt32(number))) { $0.user == name }
    }
    #expect(try found(.install(UInt32(names.installNames.count))) == nil)
  }
}
