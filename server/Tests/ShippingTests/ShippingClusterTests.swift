import ClickHouse
import ClickHouseTestSupport
import Foundation
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Shipping

/// Shipping to real servers, which `Scripts/clickhouse test` starts.
@Suite(.enabled(if: Cluster.isThere), .serialized) struct ShippingClusterTests {
  private static let kinds = Cluster.isThere ? [true, false] : []

  /// A home in memory with a manifest, and the cluster.
  private struct World {
    let rows = FakeRows()
    let directory: URL
    let client: ClickHouseClient
    let servers: [ClickHouseServer]
    let manifest: ShippingManifest
    let shipping: ClusterShipping
    let problems = Locked<[String]>([])

    init(
      _ directory: URL, isReplicated: Bool, homeID: UInt64 = .random(in: 1...UInt64.max)
    )
      async throws
    {
      self.directory = directory
      client = try Cluster.client()
      servers = isReplicated ? try Cluster.servers() : [try Cluster.modern()]
      manifest = try ShippingManifest(path: directory.appending(path: "shipping.sqlite").path, homeID: homeID)
      shipping = try ClusterShipping(
        client, servers: servers, manifest: manifest, source: rows, patience: .zero,
        report: { [problems] text in problems.withLock { $0.append(text) } },
        sleep: { try await Task.sleep(for: min($0, .milliseconds(50))) })
      try await ClusterTables.shared.make(by: shipping, isReplicated: isReplicated)
    }

    /// Waits until everything is settled, then compares all rows.
    func verified() async throws -> [String] {
      try await shipping.backfill()
      return try await differences()
    }

    func differences(mends: Bool = false) async throws -> [String] {
      var differences: [String] = []
      _ = try await shipping.verify(mends: mends) { differences.append("\($0)") }
      return differences
    }

    /// The sum of a column's numbers over the first replicas of all shards.
    func sum(_ query: String) async throws -> Int {
      let topology = try await ClusterTopology.found(by: client, on: servers)
      var sum = 0
      for shard in topology.shards {
        sum += Int(try await client.rows(query, on: shard.replicas[0]).first?.columns.first?.numbers.first ?? 0)
      }
      return sum
    }

    /// Keeps the servers from deleting rows for a time.
    func withoutDeletions<Result>(_ body: () async throws -> Result) async throws -> Result {
      for server in servers { try await client.execute("SYSTEM STOP MERGES tern_row", on: server) }
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      for server in servers { try await client.execute("SYSTEM START MERGES tern_row", on: server) }
      return try result.get()
    }

    func execute(_ statement: String) async throws {
      let topology = try await ClusterTopology.found(by: client, on: servers)
      for shard in topology.shards { try await client.execute(statement, on: shard.replicas[0]) }
    }
  }

  private func withWorld(isReplicated: Bool, _ body: (World) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-cluster-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let world = try await World(directory, isReplicated: isReplicated)
    try await body(world)
    try world.manifest.close()
  }

  /// Asks again until a condition holds: replicas and deletions take their time.
  private func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<200 {
      if try await condition() { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  @Test func `the cluster is two shards with two replicas, and the recent server is one of its own`() async throws {
    let client = try Cluster.client()
    let topology = try await ClusterTopology.found(by: client, on: try Cluster.servers())
    #expect(topology.isReplicated && topology.shards.map(\.replicas.count) == [2, 2])
    let alone = try await ClusterTopology.found(by: client, on: [try Cluster.modern()])
    #expect(!alone.isReplicated && alone.shards.count == 1)
  }

  @Test(arguments: kinds)
  func `every row is there once, with the same values, and the views show it`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { world in
      // Units of a few rows each.
      for last in stride(from: Int64(70), through: 700, by: 70) {
        world.rows.add(through: last, inNewSegment: last % 140 == 0)
        try await world.shipping.backfill()
      }
      #expect(try await world.verified() == [])
      let home = world.manifest.home.id
      #expect(try await world.sum("SELECT count() FROM tern_row WHERE home = \(home)") == 700)
      #expect(try await world.sum("SELECT uniqExact(id) FROM tern_row WHERE home = \(home)") == 700)
      let status = try world.shipping.status(lastRow: 703)
      #expect(status.confirmedRows == 700 && status.backlog == 3 && status.problems == [])
      // The views have the rows of all shards.
      for (view, rows) in [("tern_events", 700), ("tern_errors", 100)] {
        let query = "SELECT count() FROM \(view) WHERE install LIKE '\(world.rows.installs)%'"
        let answer = try await world.client.rows(query, on: world.servers[0])
        #expect(answer.first?.columns[0].numbers == [UInt64(rows)], "\(view)")
      }
      #expect(world.problems.withLock { $0 } == [])
    }
  }

  @Test(arguments: kinds)
  func `the queries of the documentation are answered`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { world in
      let page = URL(filePath: #filePath).appending(path: "../../../../docs/scaling.md").standardized
      let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```sql\n").dropFirst()
      #expect(blocks.count == 6)
      for block in blocks {
        let query = block.components(separatedBy: "```")[0]
        // The page says that 18.16 refuses milliseconds; test_cluster_queries.py compares what the queries count.
        if isReplicated, query.contains("windowFunnel(86400000)") { continue }
        await #expect(throws: Never.self, "\(query)") {
          // Types that Tern doesn't read are no matter.
          _ = try await world.client.rows("SELECT count() AS rows FROM (\(query))", on: world.servers[0])
        }
      }
    }
  }

  @Test(arguments: kinds)
  func `a row that was removed, doubled, changed or added there is named and mended`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { world in
      world.rows.add(through: 300)
      #expect(try await world.verified() == [])
      let home = world.manifest.home
      let columns = ClusterSchema.columns.map(\.name)
      func copy(_ changes: [String: String], where condition: String) -> String {
        let values = columns.map { changes[$0].map { "\($0)" } ?? $0 }.joined(separator: ", ")
        return
          "INSERT INTO tern_row (\(columns.joined(separator: ", "))) SELECT \(values) FROM tern_row WHERE home = \(home.id) AND epoch = \(home.epoch) AND \(condition)"
      }
      let tampering = [
        "ALTER TABLE tern_row DELETE WHERE home = \(home.id) AND id = 17": "row 17 is missing",
        copy([:], where: "id = 18"): "row 18 is there 2 times",
        copy(["id": "toUInt64(5000)", "unit": "toUInt64(77)"], where: "id = 19"): "unknown unit 77",
        copy(["unit": "toUInt64(78)"], where: "id = 20"): "row 20 is there 2 times",
        "ALTER TABLE tern_row UPDATE name = 'Refund' WHERE home = \(home.id) AND id = 21":
          "row 21 was changed in column name",
        "ALTER TABLE tern_row UPDATE error_raw = 'x' WHERE home = \(home.id) AND id = 28":
          "row 28 was changed in column error_raw",
        "ALTER TABLE tern_row UPDATE hash = 1 WHERE home = \(home.id) AND id = 22": "row 22 was changed in column hash",
      ]
      for (statement, expected) in tampering {
        try await world.execute(statement)
        let isFound = try await eventually {
          try await world.differences().contains { $0.contains(expected) }
        }
        #expect(isFound, "\(expected)")
        _ = try await world.differences(mends: true)
        #expect(try await eventually { try await world.verified() == [] }, "\(expected)")
      }
    }
  }

  /// On replicas only: without, the statement that deletes waits for what is stopped here.
  @Test func `rows that ClickHouse has yet to delete are reported, and are no differences`() async throws {
    try await withWorld(isReplicated: true) { world in
      world.rows.add(through: 100)
      try await world.shipping.backfill()
      #expect(try world.shipping.status(lastRow: 100).olderSince == nil)
      world.rows.delete { $0.user == "person 3" }
      #expect(try await world.shipping.changedUnits() == 1)
      let backfill = try await world.withoutDeletions {
        let backfill = Task { try await world.shipping.backfill() }
        let isSent = try await eventually {
          let status = try world.shipping.status(lastRow: 100)
          return status.olderUnits == 1 && status.backlog == 0
        }
        #expect(isSent)
        #expect(try await world.shipping.changedUnits() == 0)
        let since = try #require(try world.shipping.status(lastRow: 100).olderSince)
        #expect(abs(since.since(WallClock.system()).components.seconds) < 600)
        var differences: [String] = []
        let compared = try await world.shipping.verify(mends: true) { differences.append("\($0)") }
        #expect(differences == [] && compared == ComparedRows(compared: 0, waiting: 0, olderUnits: 1))
        for shard in try await world.shipping.foundShards() {
          var sweep = ShardSweep(shard, manifest: world.manifest)
          guard try await !sweep.run(now: .zero) else { continue }
          #expect(sweep.problem(now: .seconds(299)) == nil)
          #expect(sweep.problem(now: .seconds(300))?.contains("system.mutations") == true)
        }
        return backfill
      }
      _ = try await backfill.value
      let status = try world.shipping.status(lastRow: 100)
      #expect(status.olderUnits == 0 && status.olderSince == nil)
      #expect(try await world.differences() == [])
    }
  }

  @Test(arguments: kinds)
  func `what is deleted at home is deleted on every replica before settling ends`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { world in
      world.rows.add(through: 200)
      world.rows.add(through: 400, inNewSegment: true)
      world.rows.add(through: 500, inNewSegment: true)
      try await world.shipping.backfill()
      let running = Task { await world.shipping.run() }
      world.rows.delete { $0.user == "person 3" || $0.app == 2 && $0.id > 200 }
      #expect(try await world.shipping.settle(within: .seconds(60)) == nil)
      let home = world.manifest.home.id
      for server in world.servers {
        for condition in ["user = 'person 3'", "app = 2 AND id > 200"] {
          let count = try await world.client.rows(
            "SELECT count() FROM tern_row WHERE home = \(home) AND \(condition)", on: server)
          #expect(count.first?.columns[0].numbers.first == 0, "\(server)")
        }
      }
      running.cancel()
      await running.value
      // What only moved is not sent again.
      world.rows.rewrite()
      #expect(try await world.verified() == [])
      #expect(try world.manifest.units().map(\.generation) == [1, 1, 1])
      #expect(Set(try world.manifest.units().map(\.segment)).isSubset(of: try await segments(world)))
    }
  }

  private func segments(_ world: World) async throws -> Set<Int64> {
    Set(try await world.rows.stretches(after: 0).map(\.segment))
  }

  @Test(arguments: kinds)
  func `after a restore nothing is sent until the older rows are discarded`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { old in
      old.rows.add(through: 100)
      try await old.shipping.backfill()
      let directory = FileManager.default.temporaryDirectory.appending(path: "tern-cluster-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let new = try await World(directory, isReplicated: isReplicated, homeID: old.manifest.home.id)
      new.rows.add(through: 60)
      let waiting = try await new.shipping.settle(within: .seconds(1))
      #expect(waiting?.contains("--discard-older") == true, "a deletion is not done while there are older rows")
      let error = await #expect(throws: ClickHouseError.self) { try await new.shipping.backfill() }
      #expect(error?.message.contains("--discard-older") == true)
      #expect(try await new.shipping.discardOlder { _ in } == 100)
      #expect(try await new.verified() == [])
      #expect(try await new.sum("SELECT count() FROM tern_row WHERE home = \(new.manifest.home.id)") == 60)
      try new.manifest.close()
    }
  }

  @Test func `a start with a replica that is away ships to the others`() async throws {
    try await withWorld(isReplicated: true) { world in
      _ = try await world.shipping.foundShards()
      let away = try ClickHouseServer("http://127.0.0.1:1")
      let place = try #require(try world.manifest.places()[world.servers[0].url])
      // Asked first, and found by an earlier start.
      try world.manifest.note(ClusterTopology.Place(away, shard: place.shard, replica: "0"))
      let shipping = try ClusterShipping(
        world.client, servers: world.servers + [away], manifest: world.manifest, source: world.rows, patience: .zero,
        report: { _ in }, sleep: { try await Task.sleep(for: min($0, .milliseconds(50))) })
      for last in stride(from: Int64(100), through: 400, by: 100) { world.rows.add(through: last, inNewSegment: true) }
      try await shipping.backfill()
      #expect(try shipping.status(lastRow: 400).confirmedRows == 400)
      for count in ["count()", "uniqExact(id)"] {
        #expect(try await world.sum("SELECT \(count) FROM tern_row WHERE home = \(world.manifest.home.id)") == 400)
      }
    }
  }

  @Test(arguments: kinds)
  func `a manifest that was set back, or does not belong to the rows, sends nothing`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { world in
      world.rows.add(through: 100)
      try await world.shipping.backfill()
      let directory = FileManager.default.temporaryDirectory.appending(path: "tern-cluster-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      // A copy of the data directory.
      for file in try FileManager.default.contentsOfDirectory(atPath: world.directory.path) {
        try FileManager.default.copyItem(
          at: world.directory.appending(path: file), to: directory.appending(path: file))
      }
      let copy = try await World(directory, isReplicated: isReplicated, homeID: world.manifest.home.id)
      world.rows.add(through: 200)
      try await world.shipping.backfill()
      copy.rows.add(through: 150)
      let other = await #expect(throws: ClickHouseError.self) { try await copy.shipping.backfill() }
      #expect(other?.message.contains("a copy of this data directory") == true)
      let older = try await World(directory, isReplicated: isReplicated, homeID: world.manifest.home.id)
      older.rows.add(through: 50)
      let newer = await #expect(throws: ClickHouseError.self) { try await older.shipping.backfill() }
      #expect(newer?.message.contains("newer than the rows") == true)
      #expect(try await world.verified() == [])
      try copy.manifest.close()
      try older.manifest.close()
    }
  }

  @Test(arguments: kinds)
  func `rows of an older generation that arrive late are found and deleted`(isReplicated: Bool) async throws {
    try await withWorld(isReplicated: isReplicated) { world in
      world.rows.add(through: 100)
      try await world.shipping.backfill()
      world.rows.delete { $0.id == 7 }
      try await world.shipping.backfill()
      let (home, unit) = (world.manifest.home, try #require(try world.manifest.units().first))
      // Another block than the first one: ClickHouse would ignore that.
      var late = RowColumns()
      for id in Int64(1)...8 { _ = late.add(FakeRows.row(id)) }
      var old = unit
      old.generation = 0
      let body = try #require(ClickHouseClient.packed(late.hashed.block(old, of: home)))
      for shard in try await world.shipping.shards()
      where try world.manifest.unit(unit.id, shard: shard.name) != nil {
        try await shard.insert(body, at: 0)
      }
      #expect(try await !world.differences().isEmpty)
      try await world.shipping.lookForLateRows(try await world.shipping.shards())
      #expect(try world.manifest.unclean(shard: unitShard(world, unit), limit: 9).count == 1)
      #expect(try await world.verified() == [])
    }
  }

  private func unitShard(_ world: World, _ unit: ShippingUnit) throws -> String {
    try world.manifest.progress().keys.first { try world.manifest.unit(unit.id, shard: $0) != nil } ?? ""
  }
}
