package import ClickHouse

extension ClusterShipping {
  /// Makes the tables and views on all servers. Existing tables stay, and views are made again.
  ///
  /// - Parameter cluster: The name of the cluster in the servers' settings; `nil` if the views need only the rows of one
  ///   server.
  package func setUp(cluster: String?, database: String = "default") async throws {
    let topology = try await ClusterTopology.found(by: client, on: servers, manifest: manifest)
    guard topology.shards.count == 1 || cluster != nil else {
      throw ClickHouseError(
        .invalid,
        """
        There are \(topology.shards.count) shards. Name the cluster that has them in the servers' settings with --cluster, so \
        that the views show the rows of all shards; `SELECT DISTINCT cluster FROM system.clusters` lists the names.
        """)
    }
    let schema = ClusterSchema(isReplicated: topology.isReplicated, cluster: cluster)
    for shard in topology.shards {
      for server in shard.replicas {
        for statement in schema.statements(database: database) { try await client.execute(statement, on: server) }
        if !topology.isReplicated { try? await client.execute(ClusterSchema.ignoringKnownBlocks, on: server) }
      }
    }
  }

  /// Deletes the rows that this home sent in other epochs, and waits until no replica has any.
  ///
  /// - Parameter waiting: Receives the number of rows that are left.
  /// - Returns: The number of rows.
  @discardableResult
  package func discardOlder(_ waiting: @Sendable (Int) -> Void) async throws -> Int {
    let shards = try await foundShards()
    var rows = 0
    for shard in shards { rows += try await shard.abandonedRows(includesAll: true) }
    for shard in shards { try await shard.deleteAbandonedRows() }
    while true {
      var left = 0
      for shard in shards { left = max(left, try await shard.abandonedRows(includesAll: true)) }
      guard left > 0 else { return rows }
      waiting(left)
      try await sleep(.seconds(1))
    }
  }
}

/// The state of one server of the cluster.
package struct ServerState: Sendable {
  package let server: ClickHouseServer
  /// `nil` if it can be used.
  package var problem: String?
  /// True if it has yet to copy rows from another replica.
  package var isBehind = false
}

extension ClusterShipping {
  /// Asks each server whether it can be used.
  package func serverStates() async -> [ServerState] {
    var states: [ServerState] = []
    for server in servers {
      var state = ServerState(server: server)
      do throws(ClickHouseError) {
        let table = try await client.rows("EXISTS TABLE \(ClusterSchema.rowTable)", on: server).first
        if table?.columns.first?.numbers.first != 1 {
          state.problem = "\(server) lacks the tables. Run `tern clickhouse setup`."
        }
        let replica = try await client.rows(ClusterSchema.missingRows, on: server).first
        state.isBehind = replica?["missing"]?.numbers.first ?? 0 > 0
      } catch {
        state.problem = error.message
      }
      states.append(state)
    }
    return states
  }
}
