import ClickHouse
import ClickHouseTestSupport
import Testing

@testable import Shipping

/// Tables and units on real servers, which `Scripts/clickhouse test` starts.
@Suite(.enabled(if: Cluster.isThere), .serialized) struct ShippingClusterTests {
  private let home = ShippingLedger.Home(
    id: .random(in: 1...UInt64.max), epoch: .random(in: 1...UInt64.max))

  /// A block with the rows of a unit, as far as the statements about units look at them.
  private func block(_ unit: ShippingUnit) -> NativeBlock {
    NativeBlock(
      ClusterSchema.columns.map { name, type in
        var column = NativeColumn(name, type)
        for id in unit.ids {
          if case .array = type {
            column.endRow()
            continue
          }
          switch name {
          case "home": column.append(home.id)
          case "epoch": column.append(home.epoch)
          case "unit": column.append(unit.number)
          case "generation": column.append(UInt64(unit.generation))
          case "id": column.append(id)
          case "hash": column.append(UInt64.max - UInt64(id))
          default: if type == .one(.string) { column.append(text: "") } else { column.append(0 as UInt64) }
          }
        }
        return column
      })
  }

  private func unit(_ number: Int64, generation: Int = 0) -> ShippingUnit {
    let ids = number * 100...number * 100 + 49
    let checksum = ids.reduce(UInt64(0)) { $0 &+ (UInt64.max - UInt64($1)) }
    return ShippingUnit(
      number: number, generation: generation, segment: 1, ids: ids, content: UnitContent(rows: 50, checksum: checksum))
  }

  private func content(
    _ unit: ShippingUnit, _ client: ClickHouseClient, _ server: ClickHouseServer
  ) async throws -> UnitContent {
    let block = try await client.rows(ClusterSchema.content(of: unit, of: home), on: server).first
    return UnitContent(
      rows: Int(block?["rows"]?.numbers.first ?? 0), checksum: block?["checksum"]?.numbers.first ?? 0)
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

  @Test(arguments: Cluster.isThere ? [true, false] : [])
  func `a unit is found on each replica, once, and older generations are deleted`(isReplicated: Bool) async throws {
    let client = try Cluster.client()
    let servers = isReplicated ? try Cluster.servers() : [try Cluster.modern()]
    let topology = try await ClusterTopology.found(by: client, on: servers)
    #expect(topology.isReplicated == isReplicated)
    for server in servers {
      // Twice, as when a server is set up again.
      for statement in ClusterSchema(isReplicated: isReplicated).statements
        + ClusterSchema(isReplicated: isReplicated).statements
      {
        try await client.execute(statement, on: server)
      }
    }
    let replicas = try #require(topology.shards.first).replicas
    let (old, new) = (unit(1), unit(1, generation: 1))
    for unit in [old, unit(2), new] {
      let packed = try #require(ClickHouseClient.packed(block(unit)))
      try await client.insert(packed, into: ClusterSchema.rowTable, on: replicas[0])
      if isReplicated {
        // The same block again, as after an answer that was lost.
        try await client.insert(packed, into: ClusterSchema.rowTable, on: replicas[1])
      }
    }
    for replica in replicas {
      for unit in [old, unit(2), new] {
        #expect(try await eventually { try await content(unit, client, replica) == unit.content }, "\(replica)")
      }
    }
    try await client.execute(ClusterSchema.clearing(new, of: home), on: replicas[0])
    for replica in replicas {
      #expect(try await eventually { try await content(old, client, replica) == .empty }, "\(replica)")
      #expect(try await content(new, client, replica) == new.content)
      #expect(try await content(unit(2), client, replica) == unit(2).content)
    }
  }
}
