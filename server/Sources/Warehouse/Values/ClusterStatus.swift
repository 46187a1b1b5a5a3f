package import TernEvents

/// The progress of the copy of a server's rows on a ClickHouse cluster.
package struct ClusterStatus: Sendable, Hashable {
  /// One shard.
  package struct Shard: Sendable, Hashable {
    package let name: String
    /// The rows that it has.
    package var confirmedRows = 0
    /// The rows that are on their way to it.
    package var waitingRows = 0
    /// The units for which it may still have rows that were deleted or replaced at home.
    package var olderUnits = 0
    /// The time since which it may have such rows; `nil` if it has none.
    package var olderSince: Timestamp?
    /// The reason why it is behind; `nil` if nothing is wrong.
    package var problem: String?

    /// Creates a shard without rows.
    package init(name: String) { self.name = name }
  }

  /// The number of this server on the cluster.
  package var home: UInt64 = 0
  /// The shards, by name.
  package var shards: [Shard] = []
  /// The rows at home that no shard is meant to have yet.
  package var newRows = 0
  /// The old rows that only the cluster has.
  package var retiredRows = 0
  /// The reason why nothing is shipped; `nil` if nothing is wrong.
  package var problem: String?

  /// Creates a status without rows.
  package init() {}

  /// The rows that the cluster has.
  package var confirmedRows: Int { shards.reduce(0) { $0 + $1.confirmedRows } }
  /// The rows that are at home only.
  package var backlog: Int { shards.reduce(newRows) { $0 + $1.waitingRows } }
  /// The units for which a shard may still have rows that were deleted or replaced at home.
  package var olderUnits: Int { shards.reduce(0) { $0 + $1.olderUnits } }
  /// The time since which a shard may have such rows; `nil` if none has.
  package var olderSince: Timestamp? { shards.compactMap(\.olderSince).min() }
  /// Every reason why rows wait.
  package var problems: [String] { [problem].compactMap(\.self) + shards.compactMap(\.problem) }
}
