import Foundation
import Ingest
import Questions
import TernEvents
import Testing

@testable import Columns
@testable import Warehouse
@testable import WarehouseContract
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Questions about rows that have left home: their columns stay.
@Suite struct RetiredColumnTests {
  private let directory: TemporaryDirectory
  private let catalog = MemoryCatalog(zones: ["UTC", "UTC", "UTC"])
  private let cluster = MemoryRows()

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> SQLiteWarehouse {
    RetiredRowCache.connect(directory.path, to: cluster)
    var configuration = WarehouseConfiguration(spanRows: 30, segmentBytes: 1_500)
    configuration.now = { timestamp("2026-06-01T00:00:00Z") }
    return try SQLiteWarehouse(directory: directory.path, catalog: catalog, configuration: configuration)
  }

  /// Stores rows of two apps, of which one has few, and the other only rows that questions don't see.
  private func fill(_ warehouse: SQLiteWarehouse, from first: Int64 = 1) async throws {
    for number in 0..<40 {
      let key = first + Int64(number) * 20
      _ = try await warehouse.commit(
        batch((0..<10).map { "e\($0)" }, install: "i\(number % 7)", firstKey: key), app: AppID(1))
      if number % 8 == 0 {
        _ = try await warehouse.commit(batch(["rare"], install: "r", firstKey: key + 15), app: AppID(2))
      }
      if number == 3 {
        _ = try await warehouse.commit(batch(["lost"], install: "d", firstKey: key + 16, kind: .drops), app: AppID(3))
      }
    }
    try await warehouse.flush()
  }

  private func count(_ warehouse: SQLiteWarehouse, _ app: Int64) async throws -> Int {
    let question = QueryQuestion(
      scope: QuestionScope(range: .dates(day("2026-05-01"), day("2026-05-30"))), metrics: [.plain(.events)])
    let result = try await warehouse.reader.answer(
      .query(question), app: AppID(app), calendar: try #require(QuestionCalendar("UTC")), today: day("2026-05-30"))
    guard case .query(let answer) = result.answer else { return 0 }
    return answer.rows.first?.metrics[0].map { Int($0) } ?? 0
  }

  private func counts(_ warehouse: SQLiteWarehouse) async throws -> [Int] {
    var counts: [Int] = []
    for app in [1, 2, 3] as [Int64] { counts.append(try await count(warehouse, app)) }
    return counts
  }

  @Test func `after a start, questions about rows that have left need no cluster`() async throws {
    var warehouse = try open()
    try await fill(warehouse)
    #expect(try await warehouse.retireAll(to: cluster) > 1)
    #expect(try await counts(warehouse) == [400, 5, 0])
    try await warehouse.close()
    cluster.isAway = true
    let fetches = cluster.fetches
    for start in 1...3 {
      warehouse = try open()
      #expect(try await counts(warehouse) == [400, 4 + start, 0])
      _ = try await warehouse.commit(batch(["later"], firstKey: 10_000 + Int64(start)), app: AppID(2))
      #expect(try await count(warehouse, 2) == 5 + start)
      try await warehouse.close()
      try? FileManager.default.removeItem(atPath: directory.path + "/rows/fetched")
      #expect(cluster.fetches == fetches, "start \(start)")
    }
    cluster.isAway = false
    warehouse = try open()
    try await fill(warehouse, from: 20_000)
    #expect(try await warehouse.retireAll(to: cluster) > 1)
    #expect(try await counts(warehouse) == [800, 13, 0])
    let report = try await warehouse.reader.verify()
    #expect(report.isClean, "\(report.differences) \(report.problems)")
    try await warehouse.close()
  }

  @Test func `an app whose columns are lost waits for the cluster, and the others don't`() async throws {
    var warehouse = try open()
    try await fill(warehouse)
    try await warehouse.retireAll(to: cluster)
    try await warehouse.close()
    let columns = directory.path + "/columns"
    for name in try FileManager.default.contentsOfDirectory(atPath: columns) where name.hasPrefix("2-") {
      try FileManager.default.removeItem(atPath: "\(columns)/\(name)")
    }
    cluster.isAway = true
    warehouse = try open()
    func expectAway() async {
      let error = await #expect(throws: WarehouseError.self) { try await count(warehouse, 2) }
      #expect(error?.code == .rowsAway)
    }
    for _ in 1...2 {
      #expect(try await count(warehouse, 1) == 400)
      await expectAway()
    }
    for app in [1, 2] as [Int64] {
      _ = try await warehouse.commit(batch(["later"], firstKey: 10_000 + app), app: AppID(app))
    }
    #expect(try await count(warehouse, 1) == 401)
    await expectAway()
    cluster.isAway = false
    #expect(try await counts(warehouse) == [401, 6, 0])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    // The chunks of fetched rows are kept.
    cluster.isAway = true
    try? FileManager.default.removeItem(atPath: directory.path + "/rows/fetched")
    warehouse = try open()
    #expect(try await counts(warehouse) == [401, 6, 0])
    try await warehouse.close()
  }

  @Test func `while rows are fetched, other questions and reports are answered`() async throws {
    var warehouse = try open()
    try await fill(warehouse)
    try await warehouse.retireAll(to: cluster)
    try await warehouse.close()
    let columns = directory.path + "/columns"
    for name in try FileManager.default.contentsOfDirectory(atPath: columns) where name.hasPrefix("2-") {
      try FileManager.default.removeItem(atPath: "\(columns)/\(name)")
    }
    warehouse = try open()
    cluster.hold()
    try await withThrowingTaskGroup(of: Int.self) { [warehouse] group in
      // More than there are threads of any kind.
      for _ in 0..<20 { group.addTask { try await self.count(warehouse, 2) } }
      for _ in 0..<20 {
        group.addTask {
          try await warehouse.reader.trail(of: .install("r"), app: AppID(2), .latest, limit: 10)?.count ?? 0
        }
      }
      await cluster.waitUntilAsked()
      #expect(try await count(warehouse, 1) == 400)
      #expect(
        try await warehouse.reader.count(
          app: AppID(1), dimension: .total, days: day("2026-05-01")...day("2026-05-30")) == 400)
      cluster.answer()
      for try await answer in group { #expect(answer == 5) }
    }
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }

  @Test func `chunks that ended early, or because of their size, are those that a verification makes`() async throws {
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    for number in 0..<10 {
      var large = batch((0..<500).map { "e\($0)" }, firstKey: Int64(number) * 1_000)
      for index in large.events.indices {
        let text = String(repeating: "\(number * 1_000 + index) ", count: 1_500)
        large.events[index].properties = [Properties.Element(name: "p", value: .string(text))]
      }
      _ = try await warehouse.commit(large, app: AppID(1))
    }
    #expect(try await count(warehouse, 1) == 5_000)
    let columns = directory.path + "/columns"
    #expect(try FileManager.default.contentsOfDirectory(atPath: columns).count == 1)
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
  }
}
