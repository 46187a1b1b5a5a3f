package import ClickHouse

/// The shards of a cluster with their replicas, as the servers themselves know them.
package struct ClusterTopology: Sendable, Hashable {
  /// A server with the macros `shard` and `replica` of its settings.
  package struct Place: Sendable, Hashable {
    package let server: ClickHouseServer
    package let shard: String?
    package let replica: String?

    package init(_ server: ClickHouseServer, shard: String?, replica: String?) {
      (self.server, self.shard, self.replica) = (server, shard, replica)
    }
  }

  package struct Shard: Sendable, Hashable {
    /// The macro `shard`; without macros, the server's address.
    package let name: String
    package let replicas: [ClickHouseServer]
  }

  /// The shards in the order of their names, whatever order the servers were given in.
  package let shards: [Shard]
  /// True if replicas copy from each other.
  package let isReplicated: Bool

  /// Finds the shards of servers.
  ///
  /// - Throws: `ClickHouseError` with code `invalid` if some servers have the macros and others don't, or if two have the
  ///   same ones.
  package init(_ places: [Place]) throws(ClickHouseError) {
    guard let first = places.first else { throw ClickHouseError(.invalid, "Name at least one ClickHouse server.") }
    isReplicated = first.shard != nil && first.replica != nil
    var shards: [String: [Place]] = [:]
    for place in places {
      guard (place.shard != nil && place.replica != nil) == isReplicated else {
        throw ClickHouseError(
          .invalid,
          "\(first.server) and \(place.server) differ: either all servers have the macros shard and replica, or none has."
        )
      }
      let name = isReplicated ? place.shard ?? "" : place.server.url
      if let twin = shards[name]?.first(where: { $0.replica == place.replica }) {
        throw ClickHouseError(
          .invalid,
          "\(twin.server) and \(place.server) are the same replica of shard \(name). Name each server once, and give each its own macros."
        )
      }
      shards[name, default: []].append(place)
    }
    self.shards = shards.sorted { $0.key < $1.key }.map { name, places in
      Shard(name: name, replicas: places.sorted { $0.replica ?? "" < $1.replica ?? "" }.map(\.server))
    }
  }

  /// Asks servers for their places. One that doesn't answer is where it was the last time.
  ///
  /// - Parameter manifest: The record of the last time; `nil` for none.
  package static func found(
    by client: ClickHouseClient, on servers: [ClickHouseServer], manifest: ShippingManifest? = nil
  ) async throws -> ClusterTopology {
    let known = try manifest?.places() ?? [:]
    var places: [Place] = []
    for server in servers {
      do {
        let place = try await place(of: server, client)
        try manifest?.note(place)
        places.append(place)
      } catch let error as ClickHouseError where error.code == .unreachable {
        guard let last = known[server.url] else { throw error }
        places.append(Place(server, shard: last.shard, replica: last.replica))
      }
    }
    return try ClusterTopology(places)
  }

  private static func place(of server: ClickHouseServer, _ client: ClickHouseClient) async throws -> Place {
    var macros: [String: String] = [:]
    for block in try await client.rows("SELECT macro, substitution FROM system.macros", on: server) {
      for (name, value) in zip(block["macro"]?.strings ?? [], block["substitution"]?.strings ?? []) {
        macros[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
      }
    }
    return Place(server, shard: macros["shard"], replica: macros["replica"])
  }
}
