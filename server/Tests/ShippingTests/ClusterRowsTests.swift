import ClickHouse
import ClickHouseTestSupport
import Foundation
import Testing
import Warehouse

@testable import Shipping

/// Rows fetched back from real servers.
@Suite(.enabled(if: Cluster.isThere)) struct ClusterRowsTests {
  @Test(arguments: Cluster.isThere ? [true, false] : [])
  func `the rows of a unit come from the first replica that has them`(isReplicated: Bool) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-fetch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let manifest = try ShippingManifest(
      path: directory.appending(path: "shipping.sqlite").path, homeID: .random(in: 1...UInt64.max))
    let (client, rows) = (try Cluster.client(), FakeRows())
    let servers = isReplicated ? try Cluster.servers() : [try Cluster.modern()]
    let shipping = try ClusterShipping(
      client, servers: servers, manifest: manifest, source: rows, patience: .zero, report: { _ in },
      sleep: { try await Task.sleep(for: min($0, .milliseconds(50))) })
    try await ClusterTables.shared.make(by: shipping, isReplicated: isReplicated)
    rows.add(through: 300, inNewSegment: true)
    rows.add(through: 700, inNewSegment: true)
    rows.delete { $0.id % 10 == 3 }
    try await shipping.backfill()
    let shards = try await ClusterTopology.found(by: client, on: servers).shards
    let away = try ClickHouseServer("http://127.0.0.1:1")
    func fetching(_ replicas: [ClickHouseServer]) -> ClusterRows {
      ClusterRows(
        client, ClusterTopology.Shard(name: "test", replicas: replicas), home: manifest.home, uptime: { .zero })
    }
    var fetched: [Int64] = []
    for shard in shards {
      let others = shards.flatMap(\.replicas).filter { !shard.replicas.contains($0) }
      for unit in try manifest.units(shard: shard.name) {
        // Before those that have the rows, one that is away and some that don't have them.
        let found = try await fetching([away] + others + shard.replicas).rows(of: unit, within: .seconds(60))
        try found.forEach { fetched.append($0.id) }
        #expect(found.rows == unit.content.rows)
        var changed = unit
        changed.content.checksum &+= 1
        let error = await #expect(throws: ClickHouseError.self) {
          try await fetching(shard.replicas + [away]).rows(of: changed, within: .seconds(60))
        }
        #expect(error?.code == .damaged)
        let late = await #expect(throws: ClickHouseError.self) {
          try await fetching(shard.replicas).rows(of: unit, within: .zero)
        }
        #expect(late?.code == .unreachable)
      }
    }
    #expect(fetched.sorted() == rows.rows.map(\.id))
    try manifest.close()
  }
}
