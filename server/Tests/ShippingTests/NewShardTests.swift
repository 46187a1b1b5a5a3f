import ClickHouse
import ClickHouseTestSupport
import Foundation
import Testing

@testable import Shipping

/// Tables to which nothing was ever sent.
@Suite(.enabled(if: Cluster.isThere)) struct NewShardTests {
  @Test func `a replica of a new shard has nothing to copy from the others`() async throws {
    let name = "new_" + UUID().uuidString.replacing("-", with: "")
    let servers = try Cluster.servers().prefix(2)
    let (all, own) = (try Cluster.client(), try Cluster.client(database: name))
    for server in servers {
      try await all.execute("CREATE DATABASE \(name)", on: server)
      for statement in ClusterSchema(isReplicated: true).statements(database: name) {
        try await own.execute(statement, on: server)
      }
    }
    for server in servers {
      let missing = try await own.rows(ClusterSchema.missingRows, on: server).first?["missing"]?.numbers
      #expect(missing == [0])
    }
    for server in servers { try await all.execute("DROP DATABASE \(name)", on: server) }
  }
}
