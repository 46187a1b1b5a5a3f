package import ClickHouse
import Foundation

/// The servers that `Scripts/clickhouse up` has started.
package enum Cluster {
  package static let isThere = ProcessInfo.processInfo.environment["TERN_CLICKHOUSE"] != nil

  package static func variable(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else {
      throw ClickHouseError(.invalid, "\(name) is not set. Run `Scripts/clickhouse test`.")
    }
    return value
  }

  /// The servers of the cluster of 18.16: two shards with two replicas each.
  package static func servers() throws -> [ClickHouseServer] {
    try variable("TERN_CLICKHOUSE").split(separator: ",").map { try ClickHouseServer(String($0)) }
  }

  /// The recent server, which is alone.
  package static func modern() throws -> ClickHouseServer {
    try ClickHouseServer(try variable("TERN_CLICKHOUSE_MODERN"))
  }

  /// One server of each version; none where they were not started.
  package static var engines: [ClickHouseServer] {
    guard isThere, let old = try? servers().first, let modern = try? modern() else { return [] }
    return [old, modern]
  }

  /// - Parameter isProfiled: True for the user whose profile changes what statements mean.
  package static func client(
    database: String = "default", authorities: String? = nil, isProfiled: Bool = false
  ) throws -> ClickHouseClient {
    ClickHouseClient(
      try ClickHouseCredentials(
        user: isProfiled ? "profiled" : try variable("TERN_CLICKHOUSE_USER"),
        password: try variable("TERN_CLICKHOUSE_PASSWORD")),
      database: database, authorities: authorities)
  }
}
